"""Bring the pages of `server/ide/rules` up to date with the program: `python -m tools.rule_pages`.

Written anew are the index, and of each page what follows from the code: title, severity, the marks in the
example and the diff of its fix, the settings. The prose, the example and its settings stay. A code
without a page gets one to fill in, which the tests refuse until its example has the finding.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nirls.passes import registry
from nirls.server.cli.findings import findings_of
from nirls.server.cli.locations import FileEdit, LocatedFinding
from nirls.server.engine.checking import PASS_FAILED, CheckSettings, finding_codes
from nirls.server.engine.linked_files import InputFile, LinkedFiles
from nirls.server.engine.project_file import parse_project_file
from nirls.server.ide.rule_pages import INDEX, index_text, page_path
from tools.rule_page import Mark, RulePage, marked

PASSES = registry.all_passes()
CODES = finding_codes(PASSES)
PASS_OF = {code.code: declared.name for declared in PASSES for code in declared.codes}
OFF_BY_DEFAULT = frozenset(declared.name for declared in PASSES if not declared.default)

_EMPTY_DUMP = """shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
                   // succs: b1
    block b1:
}
"""


@dataclass(frozen=True)
class Prose:
    """What a person writes of a page; `settings` is the `nirls.toml` of the example, mostly empty."""

    meaning: str = "..."
    why_it_matters: str = "..."
    when_to_leave_it: str = "..."
    example: str = _EMPTY_DUMP
    settings: str = ""
    source: str = "..."


def prose_of(page: RulePage) -> Prose:
    """What of a page is not made by this program."""
    return Prose(
        page.meaning,
        page.sections["Why it matters"].strip(),
        page.sections["When to leave it"].strip(),
        page.example.text,
        page.block("Example", "toml") or "",
        page.sections["Source"].strip(),
    )


def page_text(code: str, prose: Prose) -> str:
    """The whole page about a code."""
    declared = CODES[code]
    parts = [
        f"# {declared.title}",
        f"`{code}` · {declared.severity.value} · {origin_of(code)}",
        prose.meaning,
        f"## Why it matters\n\n{prose.why_it_matters}",
        f"## When to leave it\n\n{prose.when_to_leave_it}",
        *_example_parts(code, prose),
        "## Severity\n\nIn `nirls.toml` (`error`, `warning`, `information`, `hint` or `off`):",
        f'```toml\n[severity]\n{code} = "off"\n```',
        "In the settings of an editor:",
        f'```json\n{{"nirls.severity": {{"{code}": "off"}}}}\n```',
    ]
    if code in PASS_OF:
        parts.append(switching(PASS_OF[code]))
    elif code != PASS_FAILED.code:
        parts.append('All validation: `"nirls.validation.enable": false`.')
    parts.append(f"## Source\n\n{prose.source}")
    return "\n\n".join(parts) + "\n"


def origin_of(code: str) -> str:
    """Who reports a code."""
    if code == PASS_FAILED.code:
        return "any pass"
    if code not in PASS_OF:
        return "text and validation"
    off = ", which is off by default" if PASS_OF[code] in OFF_BY_DEFAULT else ""
    return f"pass `{PASS_OF[code]}`{off}"


def switching(name: str) -> str:
    """How the findings of a pass are switched off, or on where they are off."""
    if name in OFF_BY_DEFAULT:
        what, value, word = "The pass is off without", "true", "hint"
    else:
        what, value, word = "The whole pass:", "false", "off"
    return f'{what} `{name} = {value}` under `[passes]`, or `"nirls.passes": {{"{name}": "{word}"}}`.'


def settings_of(toml: str) -> CheckSettings:
    """The settings of a `nirls.toml`. Raises ValueError for one with problems."""
    project = parse_project_file(toml, Path("nirls.toml"))
    if project.problems:
        raise ValueError("; ".join(map(str, project.problems)))
    return CheckSettings.of_project(project)


def findings_in(text: str, settings: CheckSettings) -> list[LocatedFinding]:
    """What `nirls check` reports about a file."""
    workspace = LinkedFiles([InputFile("example.nir", None, text.encode())])
    return findings_of(workspace, settings, edits_of=("one", "all", "pass"))


def mark_of(found: LocatedFinding) -> Mark:
    """The mark of a finding in an example. Raises ValueError for one of several lines."""
    place = found.range
    if place.start.line != place.end.line:
        raise ValueError(f"{found.finding.code} goes over several lines")
    return Mark(place.start.line, place.start.character, place.end.character, found.finding.message)


def edited(text: str, edits: Iterable[FileEdit]) -> str:
    """An example with the edits of a fix made."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for edit in sorted(edits, key=lambda edit: edit.location.range.start, reverse=True):
        start = starts[edit.location.range.start.line] + edit.location.range.start.character
        end = starts[edit.location.range.end.line] + edit.location.range.end.character
        text = text[:start] + edit.new_text + text[end:]
    return text


def diff_of(before: str, after: str) -> str:
    """What a fix changes, with one line around it."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")
    return "".join(f"{line}\n" for line in [*lines][2:])


def _example_parts(code: str, prose: Prose) -> list[str]:
    found = findings_in(prose.example, settings_of(prose.settings))
    parts = ["## Example"]
    if prose.settings:
        parts += ["With this `nirls.toml`:", f"```toml\n{prose.settings}```"]
    parts.append(f"```nir\n{marked(prose.example, map(mark_of, found))}```")
    fixes = ((one, fix) for one in found if one.finding.code == code for fix in one.finding.fixes)
    offered = next(fixes, None)
    if offered is not None:
        one, fix = offered
        diff = diff_of(prose.example, edited(prose.example, one.edits_of(fix) or ()))
        parts += [f"The quick fix *{fix.title}* does this:", f"```diff\n{diff}```"]
    return parts


def main() -> None:
    """Rewrite all pages and the index."""
    for code in CODES:
        path = page_path(code)
        prose = prose_of(RulePage(path.read_text(encoding="utf-8"))) if path.is_file() else Prose()
        if not path.is_file():
            print(f"to fill in: {path}")
        path.write_text(page_text(code, prose), encoding="utf-8")
    INDEX.write_text(index_text(CODES, PASSES), encoding="utf-8")


if __name__ == "__main__":
    main()
