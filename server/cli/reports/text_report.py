"""Findings as text: position, message, source line with carets, and related locations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from nirls.ir.finding import Severity, counted
from nirls.passes.varyings.link_total import LinkTotal
from nirls.server.engine.base.shown_text import CI_COMMAND, printable, printable_line
from nirls.server.engine.files.located_findings import LocatedFinding

_COLORS = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFORMATION: "bold blue",
    Severity.HINT: "bold cyan",
}
_LONGEST_EXCERPT = 160
_CONTEXT = 20
_MOST_TOTALS = 20
_BAD = "\N{REPLACEMENT CHARACTER}"


def print_findings(findings: Sequence[LocatedFinding], console: Console) -> None:
    """Print each finding, followed by a blank line."""
    for located in findings:
        console.print(_head(located))
        for line in _excerpt(located):
            console.print(line)
        for location, message in located.related():
            start = location.range.start
            place = f"{printable(location.file)}:{start.line + 1}:{start.character + 1}"
            console.print(Text.assemble(("  = ", "blue"), (f"{place}: ", "bold"), printable(message)))
        if located.finding.fixes:
            title = printable(located.finding.fixes[0].title)
            console.print(Text.assemble(("  = ", "blue"), ("fix: ", "green"), title))
        console.print()


def by_gain(findings: Sequence[LocatedFinding]) -> list[LocatedFinding]:
    """Sort findings within their files: the most severe first, then those that save most, then by line."""
    files = {name: number for number, name in enumerate(dict.fromkeys(one.file for one in findings))}
    return sorted(findings, key=lambda one: (files[one.file], one.finding.severity.rank, -one.finding.gain))


def totals(findings: Sequence[LocatedFinding]) -> list[str]:
    """Return what all fixes of a pipeline save together: a line for each pipeline, largest savings first.

    Only pipelines with a finding that saves something have one. A line names the dumps if there are several.
    """
    saving: dict[str, LinkTotal] = {}
    for located in findings:
        if located.total is not None and located.finding.gain and len(located.dumps) > 1:
            names = (f"{printable_line(file)}#{dump.number + 1}" for file, dump in located.dumps)
            saving[" -> ".join(names)] = located.total
    if len(saving) == 1:
        return [f"after all fixes: {total.text}" for total in saving.values()]
    lines = [
        f"{name}, after all fixes: {total.text}"
        for name, total in sorted(saving.items(), key=lambda item: -item[1].saved)
    ]
    left_out = len(lines) - _MOST_TOTALS
    return [*lines[:_MOST_TOTALS], f"and {left_out} more pipelines"] if left_out > 1 else lines


def summary(findings: Sequence[LocatedFinding], files: int, dumps: int) -> str:
    """Return one line with the numbers of findings, files and dumps."""
    numbers = Counter(located.finding.severity for located in findings)
    checked = f"{counted(files, 'file')}, {counted(dumps, 'dump')}"
    if not findings:
        return f"No findings in {checked}."
    words = [
        counted(numbers[severity], severity.value, "information" if severity is Severity.INFORMATION else "")
        for severity in Severity
        if numbers[severity]
    ]
    return f"{', '.join(words)} in {checked}."


def _head(located: LocatedFinding) -> Text:
    start = located.range.start
    return Text.assemble(
        (f"{printable_line(located.file)}:{start.line + 1}:{start.character + 1}: ", "bold"),
        (located.finding.severity.value, _COLORS.get(located.finding.severity, "bold")),
        (f" [{located.finding.code}]", "dim"),
        f" {printable(located.finding.message)}",
    )


def _excerpt(located: LocatedFinding) -> list[Text]:
    """Format the first line of the finding, shortened around it if long, with `^` below the range."""
    text, first, last = located.excerpt
    before = text[:first]
    marked = text[first : max(last, first + 1)]
    indent = len(before) - len(before.lstrip())
    before = before[indent:]
    if len(before) > _CONTEXT + 3:
        before = "..." + before[-_CONTEXT:]
    room = max(_LONGEST_EXCERPT - len(before), _CONTEXT)
    if len(marked) > room:
        shown = before + marked[:room] + "..."
        marked = marked[:room]
    else:
        shown = before + marked + text[first + len(marked) :][: room - len(marked)]
    number = f"{located.range.start.line + 1:6}"
    color = _COLORS.get(located.finding.severity, "bold")
    return [
        Text.assemble((f"{number} | ", "blue"), _visible(shown)),
        Text.assemble((f"{' ' * 6} | ", "blue"), " " * len(before), ("^" * max(len(marked), 1), color)),
    ]


def _visible(text: str) -> str:
    """Replace tabs and control characters by one column each, so that the carets align."""
    text = text.replace(CI_COMMAND, f"##{_BAD}")
    return "".join(" " if char == "\t" else char if char.isprintable() else _BAD for char in text)
