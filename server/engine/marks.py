"""Findings as the server keeps them: offsets and text only, so that no IR stays in memory for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from nirls.ir.model.shader import Shader
from nirls.passes.finding import Finding, Severity
from nirls.server.engine.document import Splice


@dataclass(frozen=True, slots=True)
class FixOffer:
    """A fix that can be had: its title, and the key under which the pass makes it again."""

    title: str
    key: str
    kind: str
    preferred: bool


@dataclass(frozen=True, slots=True)
class RelatedMark:
    """Another place that explains a mark. `slot` is the dump's, see `nirls.server.engine.document.Piece`."""

    slot: int
    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A finding at bytes [start, end) of a dump. `pass_name` is "" for syntax and validation."""

    start: int
    end: int
    code: str
    severity: Severity
    message: str
    pass_name: str = ""
    unnecessary: bool = False
    related: tuple[RelatedMark, ...] = ()
    fixes: tuple[FixOffer, ...] = ()
    data: Mapping[str, object] | None = None

    def after(self, splice: Splice) -> Mark | None:
        """The mark after an edit of its dump, None if the edit touched its text."""
        if self.end < splice.start:
            return self
        if self.start >= splice.old_end:
            return replace(self, start=self.start + splice.growth, end=self.end + splice.growth)
        return None


def marks_of(findings: Iterable[Finding], slots: Mapping[int, int], shader: Shader) -> list[Mark]:
    """The findings whose place is in `shader`. `slots` maps `id` of each linked shader to its slot."""
    return [_mark_of(finding, slots) for finding in findings if finding.place.shader is shader]


def _mark_of(finding: Finding, slots: Mapping[int, int]) -> Mark:
    return Mark(
        finding.place.span.start,
        finding.place.span.end,
        finding.code.code,
        finding.effective_severity,
        finding.message,
        finding.pass_name,
        finding.code.unnecessary,
        tuple(
            RelatedMark(
                slots[id(item.place.shader)], item.place.span.start, item.place.span.end, item.message
            )
            for item in finding.related
            if id(item.place.shader) in slots
        ),
        tuple(FixOffer(fix.title, fix.key, fix.kind, fix.preferred) for fix in finding.fixes),
        finding.data or None,
    )
