"""Findings: what validation and the passes report, as plain data from there to JSON, SARIF and LSP.

A finding holds offsets and text only, no IR, so that it can be pickled, written as JSON and kept. Lines and
columns are computed at the edge: `nirls.server.engine.located_findings`, `nirls.server.lsp`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from nirls.ir.model.span import Span


class Severity(StrEnum):
    """How much a finding matters, from most to least; a finding that is `OFF` is dropped."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"
    OFF = "off"

    @property
    def rank(self) -> int:
        """0 for the most severe."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Place:
    """Bytes [start, end) of a dump.

    `dump` is the position of the dump in the pipeline, 0 for a dump alone. When the engine attaches findings
    to a document, it replaces the position by the slot of the dump in that document.
    """

    dump: int
    start: int
    end: int

    @classmethod
    def of(cls, span: Span, dump: int = 0) -> Place:
        """The place of a span of a dump."""
        return cls(dump, span.start, span.end)

    def with_dumps(self, dumps: Sequence[int]) -> Place:
        """The same bytes of `dumps[n]` for position n."""
        return Place(dumps[self.dump], self.start, self.end)

    def moved(self, distance: int) -> Place:
        """The place that many bytes further on in its dump."""
        return Place(self.dump, self.start + distance, self.end + distance)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding, such as the store that feeds a dead load."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A quick fix, as data. The pass computes it again from `key`, see `nirls.passes.declaration.Pass.fix`.

    `kind` is its extent: "one" fixes only this finding, "all" every finding of the code in the pipeline,
    "pass" runs the whole pass. `key` does not change as long as the text is the same.
    """

    title: str
    key: str
    kind: Literal["one", "all", "pass"] = "one"
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in a dump, or something that a pass could improve.

    `pass_name` is the pass that reports it, "" for syntax and validation. `unnecessary` marks code without
    an effect, which editors fade out. `data` holds JSON-able details for other programs.
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

    def with_dumps(self, dumps: Sequence[int]) -> Finding:
        """The finding with `dumps[n]` for each position n, in its place and the related ones."""
        related = tuple(replace(one, place=one.place.with_dumps(dumps)) for one in self.related)
        return replace(self, place=self.place.with_dumps(dumps), related=related)


@dataclass(frozen=True, slots=True)
class FindingCode:
    """A kind of finding: its stable name (`dead-output`), and what all findings of the kind have in common.

    `rule` states what validation checks, in a sentence or two.
    """

    code: str
    title: str
    severity: Severity
    unnecessary: bool = False
    rule: str = ""

    def at(
        self,
        place: Place,
        message: str,
        *,
        related: Iterable[Related] = (),
        fixes: Iterable[Fix] = (),
        data: Mapping[str, object] | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this kind; `severity` overrides that of the kind."""
        return Finding(
            self.code,
            severity or self.severity,
            place,
            message,
            unnecessary=self.unnecessary,
            related=tuple(related),
            fixes=tuple(fixes),
            data=data or {},
        )
