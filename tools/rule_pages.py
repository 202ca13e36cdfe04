"""Bring the pages of findings up to date with the program: `python -m tools.rule_pages`.

Written anew are the title, the marks in the example and the diff of its fix. The prose, the example and its
settings stay. A code without a page gets one to fill in, which the tests refuse until its example has the
finding.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nirls.ir import validation
from nirls.passes import registry
from nirls.server.engine.checks.check_settings import CheckSettings, adjusted
from nirls.server.engine.checks.finding_codes import finding_codes
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import FileEdit, LocatedFinding, findings_of
from nirls.server.engine.settings.project_file import parse_project_file
from nirls.server.engine.verification.log import finding_of, read_log
from nirls.server.engine.verification.unit import verify_unit
from nirls.server.ide.rule_pages import pages
from tools.rule_page import Mark, RulePage, marked

PASSES = registry.all_passes()
CODES = finding_codes(PASSES)
PASS_OF = {code.code: declared for declared in PASSES for code in declared.codes}

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
    """The hand-written parts of a page; `settings` is the `nirls.toml` of the example, mostly empty."""

    meaning: str = "..."
    why_it_matters: str = "..."
    when_to_leave_it: str = "..."
    example: str = _EMPTY_DUMP
    settings: str = ""
    source: str = "..."


def prose_of(page: RulePage) -> Prose:
    """Return the hand-written parts of a page."""
    return Prose(
        page.meaning,
        page.sections["Why it matters"].strip(),
        page.sections["When to leave it"].strip(),
        page.example.text,
        page.block("Example", "toml") or "",
        page.sections["Source"].strip(),
    )


def page_text(code: str, prose: Prose) -> str:
    """The file of the page about a code."""
    parts = [
        f"# {CODES[code].title}",
        prose.meaning,
        f"## Why it matters\n\n{prose.why_it_matters}",
        f"## When to leave it\n\n{prose.when_to_leave_it}",
        *_example_parts(code, prose),
        f"## Source\n\n{prose.source}",
    ]
    return "\n\n".join(parts) + "\n"


def file_of(code: str) -> Path:
    """The file of the page about a code: beside the pass that reports it, or in the package of the checks."""
    if code in pages():
        return pages()[code]
    module = PASS_OF[code].__module__ if code in PASS_OF else f"{validation.__name__}.catalogue"
    return Path(str(sys.modules[module].__file__)).parent / "pages" / f"{code}.md"


def settings_of(toml: str) -> CheckSettings:
    """The settings of a `nirls.toml`. Raises ValueError for one with problems."""
    project = parse_project_file(toml, Path("nirls.toml"))
    if project.problems:
        raise ValueError("; ".join(map(str, project.problems)))
    return CheckSettings.of_project(project)


def findings_in(text: str, settings: CheckSettings) -> list[LocatedFinding]:
    """Return the findings of `nirls check`, and the differences between snapshots of a shader."""
    workspace = LinkedFiles([InputFile("example.nir", None, text.encode())])
    locateds = findings_of(workspace, settings, edits_of=("one", "all", "pass"))
    return locateds + _differences_in(text, settings)


def _differences_in(text: str, settings: CheckSettings) -> list[LocatedFinding]:
    log = read_log(text.encode())
    dumps = tuple(("example.nir", dump) for dump in log.snapshot.dumps())
    verdicts = [
        (transition, verify_unit(log.unit(transition)))
        for transition in log.transitions
        if transition.is_changed
    ]
    differences = [
        finding_of(log, one, verdict, (one.before, one.after))
        for one, verdict in verdicts
        if verdict.verdict == "different"
    ]
    return [LocatedFinding(finding, dumps, {}) for finding in adjusted(differences, settings)]


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
    """Return the changes of a fix, with one line around them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")
    return "".join(f"{line}\n" for line in [*lines][2:])


def _example_parts(code: str, prose: Prose) -> list[str]:
    locateds = findings_in(prose.example, settings_of(prose.settings))
    parts = ["## Example"]
    if prose.settings:
        parts += ["With this `nirls.toml`:", f"```toml\n{prose.settings}```"]
    parts.append(f"```nir\n{marked(prose.example, map(mark_of, locateds))}```")
    fixes = (
        (located, fix)
        for located in locateds
        if located.finding.code == code
        for fix in located.finding.fixes
    )
    offered = next(fixes, None)
    if offered is not None:
        located, fix = offered
        diff = diff_of(prose.example, edited(prose.example, located.edits_of(fix) or ()))
        parts += [f"The quick fix *{fix.title}* does this:", f"```diff\n{diff}```"]
    return parts


def main() -> None:
    """Rewrite all pages."""
    for code in CODES:
        path = file_of(code)
        prose = prose_of(RulePage(path.read_text(encoding="utf-8"))) if path.is_file() else Prose()
        if not path.is_file():
            print(f"to fill in: {path}")
            path.parent.mkdir(exist_ok=True)
        path.write_text(page_text(code, prose), encoding="utf-8")


if __name__ == "__main__":
    main()
