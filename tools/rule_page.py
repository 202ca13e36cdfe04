"""A documentation page of a finding as text: its sections, its fenced blocks, the marks in its example."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

_SECTION = re.compile(r"^## (.+)\n", re.MULTILINE)
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r" *(?P<carets>\^+)(?P<to_end>\.\.\.)? (?P<message>.+)")
_FIX = re.compile(r"^The quick fix \*(.+)\* does this:$", re.MULTILINE)
_WIDEST_CARETS = 24


@dataclass(frozen=True, order=True)
class Mark:
    """The position of a finding, in lines and columns from 0, and its message."""

    line: int
    start: int
    end: int
    message: str


@dataclass(frozen=True)
class Example:
    """A text without its marks, and the marks."""

    text: str
    marks: tuple[Mark, ...]


def example_of(marked: str) -> Example:
    """Take out the lines of carets: each is about the line above, `^...` goes on to that line's end."""
    lines: list[str] = []
    marks: list[Mark] = []
    for line in marked.splitlines():
        match = _MARK.fullmatch(line)
        if match is None:
            lines.append(line)
            continue
        start, end = match.span("carets")
        end = len(lines[-1]) if match["to_end"] else end
        marks.append(Mark(len(lines) - 1, start, end, match["message"]))
    return Example("".join(f"{line}\n" for line in lines), tuple(marks))


def marked(text: str, marks: Iterable[Mark]) -> str:
    """The text with its marks, as `example_of` reads them."""
    of_line: dict[int, list[Mark]] = {}
    for mark in sorted(marks):
        of_line.setdefault(mark.line, []).append(mark)
    lines: list[str] = []
    for number, line in enumerate(text.splitlines()):
        lines.append(line)
        for mark in of_line.get(number, ()):
            is_long = mark.end == len(line) and mark.end - mark.start > _WIDEST_CARETS
            carets = "^..." if is_long else "^" * (mark.end - mark.start)
            lines.append(f"{' ' * mark.start}{carets} {mark.message}")
    return "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True)
class RulePage:
    """The Markdown of a page."""

    text: str

    @cached_property
    def title(self) -> str:
        return self.text.partition("\n")[0]

    @cached_property
    def meaning(self) -> str:
        """The text between the title and the first section."""
        return self.sections[""].partition("\n")[2].strip()

    @cached_property
    def sections(self) -> dict[str, str]:
        parts = _SECTION.split(self.text)
        return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}

    def block(self, section: str, language: str) -> str | None:
        """The text of the fenced block of a language in a section; ValueError if there are two."""
        found = [text for name, text in _FENCE.findall(self.sections[section]) if name == language]
        if len(found) > 1:
            raise ValueError(f"{section} has {len(found)} blocks of {language}")
        return found[0] if found else None

    @cached_property
    def example(self) -> Example:
        return example_of(self.block("Example", "nir") or "")

    @cached_property
    def fix_title(self) -> str | None:
        match = _FIX.search(self.sections["Example"])
        return match and match[1]
