"""Findings of validation and passes, as plain data for JSON, SARIF and LSP.

A finding holds only offsets and text, no IR, so it can be pickled, serialized as JSON and cached. Lines and
columns are computed at output (`nirls.server.engine.files.located_findings`, `nirls.server.lsp`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from nirls.ir.model.span import Span

MOST_RELATED = 40
"""Most related places of a finding that has several of a kind."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun, for messages: `1 load`, `2 loads`."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def listed(words: Sequence[str]) -> str:
    """Format words as a list, for messages: `a`, `a and b`, `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


class Severity(StrEnum):
    """Severities, most severe first; findings with severity `OFF` are dropped."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"
    OFF = "off"

    @property
    def rank(self) -> int:
        """Return the position in the order of severities; 0 is the most severe."""
        return _RANKS[self]


def severity_of_gain(saved: int) -> Severity:
    """Return the severity of a finding with a fix that saves this much, in varyings, slots or instructions.

    A saving is worth acting on (`INFORMATION`); anything else is for the user's knowledge (`HINT`): no fix,
    a trade that depends on the driver, or what the clean-up of every driver does. `WARNING` is for code
    whose result is undefined, `ERROR` for invalid NIR.
    """
    return Severity.INFORMATION if saved > 0 else Severity.HINT


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Place:
    """Bytes [start, end) of a dump.

    `dump` is the position of the dump in the pipeline, 0 for a dump alone. When findings are attached
    to a document, it replaces the position by the slot of the dump in that document.
    """

    dump: int
    start: int
    end: int

    @classmethod
    def of(cls, span: Span | None, dump: int = 0) -> Place:
        """Return the place of a span; one that `is_in_text` is False of for code without a text."""
        return cls(dump, -1, -1) if span is None else cls(dump, span.start, span.end)

    @property
    def is_in_text(self) -> bool:
        """Whether the place is that of code which was read from a text."""
        return self.start >= 0

    def with_dumps(self, dumps: Sequence[int]) -> Place:
        """Return the same bytes of dump `dumps[n]` for position n."""
        return Place(dumps[self.dump], self.start, self.end)

    def moved(self, distance: int) -> Place:
        """Return the place shifted by a number of bytes."""
        return Place(self.dump, self.start + distance, self.end + distance)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding, such as the store that feeds a dead load.

    At a `is_site`, the finding holds as much as at its own place: a report of one file shows it there if its
    own place is in another file.
    """

    place: Place
    message: str
    is_site: bool = False


FixScope = Literal["one", "all", "pass"]
"""What a fix mends: one finding, every finding of its kind (between two stages), or all: the whole pass."""


@dataclass(frozen=True, slots=True)
class FixRequest:
    """The name of a fix, by which its pass finds it again in an unchanged text.

    `dump` and `start` are the place of the finding, as in `Place`; `part` tells apart several fixes there, as
    the scalar of a vector store. A request of another scope has only the `dump` where its kind is counted
    from: the first stage of a pair, the shader of a pass on single shaders, else 0. `code` is "" for a whole
    pass.
    """

    pass_name: str
    code: str
    scope: FixScope = "one"
    dump: int = 0
    start: int = 0
    part: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A quick fix: its title, and the request for its edit, see `nirls.passes.declaration.Pass.fix`."""

    title: str
    request: FixRequest
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or warning of validation, or an optimization that a pass could do.

    `pass_name` is the pass that reports it, "" for syntax and validation. `unnecessary` marks code without
    an effect, which editors fade out. `gain` is what the fix saves, in varyings, slots or instructions as the
    message says; 0 where nothing is known. `data` holds JSON-able details for other programs.
    """

    code: str
    severity: Severity
    place: Place
    message: str
    pass_name: str = ""
    unnecessary: bool = False
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)
    gain: int = 0

    def with_dumps(self, dumps: Sequence[int]) -> Finding:
        """Return the finding with dump `dumps[n]` for each position n, also in related places and fixes."""
        related = tuple(replace(item, place=item.place.with_dumps(dumps)) for item in self.related)
        fixes = tuple(
            replace(fix, request=replace(fix.request, dump=dumps[fix.request.dump])) for fix in self.fixes
        )
        return replace(self, place=self.place.with_dumps(dumps), related=related, fixes=fixes)


@dataclass(frozen=True, slots=True)
class FindingCode:
    """A kind of finding: its stable name (`dead-output`), title, default severity and tag."""

    code: str
    title: str
    severity: Severity
    unnecessary: bool = False

    def at(
        self,
        place: Place,
        message: str,
        *,
        related: Iterable[Related] = (),
        fixes: Iterable[Fix] = (),
        data: Mapping[str, object] | None = None,
        severity: Severity | None = None,
        gain: int = 0,
    ) -> Finding:
        """Create a finding of this kind; `severity` overrides the default."""
        return Finding(
            self.code,
            severity or self.severity,
            place,
            message,
            unnecessary=self.unnecessary,
            related=tuple(related),
            fixes=tuple(fixes),
            data=data or {},
            gain=max(gain, 0),
        )
