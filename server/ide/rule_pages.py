"""The documentation page of each kind of finding, which diagnostics link to and `nirls explain` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from nirls.ir.finding import FindingCode
from nirls.passes.declaration import Pass

FOLDER = Path(str(files("nirls.server.ide").joinpath("rules")))
INDEX = FOLDER / "README.md"


@cache
def page_of(code: str) -> str | None:
    """The URI of the page about a kind of finding, None where the package has no page of that name."""
    path = page_path(code)
    return path.as_uri() if path.is_file() else None


def page_path(code: str) -> Path:
    """Where the page about a kind of finding is, if there is one."""
    return FOLDER / f"{code}.md"


def index_text(codes: Mapping[str, FindingCode], passes: Iterable[type[Pass]]) -> str:
    """What the index has to say: the codes of the text checks first, then those of each pass."""
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
    rows = "".join(f"| [{one.code}]({one.code}.md) | {one.severity.value} | {one.title} |\n" for one in codes)
    return f"## {title}\n\n| code | severity | what |\n| --- | --- | --- |\n{rows}"
