"""The documentation page of each kind of finding, which diagnostics link to and `nirls explain` prints.

A page is in the folder `pages` beside the pass or check that reports the finding; without one, the docstring
of the pass is the page. A page has text, and an example whose marks and diff `tools.rule_pages` updates; the
facts below the title and the settings are added here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from inspect import getdoc
from pathlib import Path

from nirls.ir import validation
from nirls.ir.finding import FindingCode
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.server import engine
from nirls.server.engine.checks.finding_codes import DIFFERENT_SNAPSHOT, PASS_FAILED, finding_codes
from nirls.server.engine.documents.allowances import UNUSED_ALLOWANCE


@cache
def page_of(code: str) -> str | None:
    """Return the URI of the page about a kind of finding; None if there is no page."""
    path = pages().get(code)
    return None if path is None else path.as_uri()


@cache
def pages() -> Mapping[str, Path]:
    """Return the files of all pages, by code."""
    return {path.stem: path for folder in _folders() for path in folder.glob("*.md")}


def _folders() -> Iterator[Path]:
    for package in (validation, engine):
        yield Path(*package.__path__, "pages")
    # Found by path, because importing all passes takes a second.
    yield from Path(str(registry.__file__)).parent.glob("*/pages")
    for declared in registry.passes_of_packages():
        file = sys.modules[declared.__module__].__file__
        if file is not None:
            yield Path(file).parent / "pages"


def page_text(code: str) -> str:
    """Return the page about a kind of finding as Markdown. Raises KeyError for an unknown code."""
    passes = registry.all_passes()
    kind = finding_codes(passes)[code]
    declared = next((pass_ for pass_ in passes if kind in pass_.codes), None)
    facts = f"`{code}` · {kind.severity.value} · {_origin(code, declared)}"
    path = pages().get(code)
    if path is None:
        # The docstring of the pass is the page.
        title, body, source = f"# {kind.title}", _documentation(declared), ""
    else:
        title, text = path.read_text(encoding="utf-8").split("\n", 1)
        body, _, source = text.partition("\n## Source\n")
    settings = [
        "## Severity\n\nIn `nirls.toml` (`error`, `warning`, `information`, `hint` or `off`):",
        f'```toml\n[severity]\n{code} = "off"\n```',
        "In the settings of an editor:",
        f'```json\n{{"nirls.severity": {{"{code}": "off"}}}}\n```',
    ]
    if declared is not None:
        settings.append(_switching(declared))
    elif code not in (PASS_FAILED.code, DIFFERENT_SNAPSHOT.code, UNUSED_ALLOWANCE.code):
        settings.append('All validation: `"nirls.validation.enable": false`.')
    parts = [title, facts, body.strip(), *settings]
    return "\n\n".join([*parts, f"## Source\n{source}"] if source else [*parts, ""])


def _documentation(declared: type[Pass] | None) -> str:
    if declared is None:
        return ""
    text = getdoc(declared) or ""
    # A dataclass without a docstring gets its signature.
    return f"{declared.summary}." if text.startswith(f"{declared.__name__}(") else text


def _origin(code: str, declared: type[Pass] | None) -> str:
    if code == PASS_FAILED.code:
        return "any pass"
    if code == UNUSED_ALLOWANCE.code:
        return "comments in dumps"
    if code == DIFFERENT_SNAPSHOT.code:
        return "verification of a log, which starts when its pass timeline is first shown"
    if declared is None:
        return "text and validation"
    return f"pass `{declared.name}`{'' if declared.default else ', which is off by default'}"


def _switching(declared: type[Pass]) -> str:
    """Describe how to switch off the findings of a pass, or on if off by default."""
    if declared.default:
        what, value, word = "The whole pass:", "false", "off"
    else:
        what, value, word = "The pass is off without", "true", "hint"
    name = declared.name
    return f'{what} `{name} = {value}` under `[passes]`, or `"nirls.passes": {{"{name}": "{word}"}}`.'


def index_text() -> str:
    """Return the list of all kinds of findings as Markdown: validation first, then each pass."""
    passes = registry.all_passes()
    codes = finding_codes(passes)
    declaring = [declared for declared in passes if declared.codes]
    taken = {code.code for declared in declaring for code in declared.codes}
    parts = [
        "# Findings\n\n"
        "Each kind of finding has a page with an example; `nirls explain CODE` prints it. The table"
        " `[severity]` of `nirls.toml` and the setting `nirls.severity` of editors make one more or less"
        " severe, or switch it off.\n",
        _table("Text and validation", [code for key, code in codes.items() if key not in taken]),
    ]
    for declared in declaring:
        off = "" if declared.default else ", off by default"
        parts.append(_table(f"`{declared.name}`{off}", declared.codes))
    return "\n".join(parts)


def _table(title: str, codes: Iterable[FindingCode]) -> str:
    rows = "".join(
        f"| [{code.code}]({code.code}.md) | {code.severity.value} | {code.title} |\n" for code in codes
    )
    return f"## {title}\n\n| code | severity | what |\n| --- | --- | --- |\n{rows}"
