"""A finding as reports show it: plain data with its place in a file, for other processes and caches too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nirls.passes.finding import FindingCode, Severity
from nirls.server.positions import Encoding, Range

CHARACTERS = Encoding.UTF16
"""The unit in which reports count the characters of a line, as LSP does by default."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A replacement of a piece of a file."""

    file: str
    range: Range
    new_text: str


@dataclass(frozen=True, slots=True)
class ReportedFix:
    """A fix. `edits` is None where nobody asked for them, and for a fix of more than its finding."""

    title: str
    kind: str
    key: str
    edits: tuple[FileEdit, ...] | None


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that explains a finding."""

    file: str
    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The first line of a finding, and the characters of it that are meant: from `start` to before `end`."""

    line: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding with its place in a file. `severity` is the one that the settings leave it."""

    file: str
    range: Range
    excerpt: Excerpt
    kind: FindingCode
    severity: Severity
    message: str
    pass_name: str
    related: tuple[Note, ...]
    fixes: tuple[ReportedFix, ...]
    data: dict[str, object]

    @property
    def code(self) -> str:
        return self.kind.code


def in_order(reported: Iterable[Reported]) -> list[Reported]:
    """Sorted by file, place and severity; files in the order in which they come."""
    found = list(reported)
    files = {name: index for index, name in enumerate(dict.fromkeys(one.file for one in found))}
    return sorted(found, key=lambda one: (files[one.file], one.range.start, one.severity.rank, one.code))
