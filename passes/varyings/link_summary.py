"""The pass `link_summary`: one finding for each pair of linked stages that sums up its ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

from nirls.ir.finding import FindingCode, Place, Related, Severity
from nirls.ir.model.shader import Shader
from nirls.passes.declaration import Pass, Site
from nirls.passes.varyings.interface.link_options import RUN_OPT_VARYINGS, LinkOptions
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.table import PairPacking
from nirls.passes.varyings.packings import packings

LINKABLE_VARYINGS = FindingCode(
    "linkable-varyings", "Linked stages of which opt_varyings sends less", Severity.HINT
)


@dataclass(frozen=True)
class LinkSummary(LinkOptions, Pass):
    """Report for each pair of linked stages what `opt_varyings` saves, and what single conditions keep."""

    name = "link_summary"
    scope = "pipeline"
    codes = (LINKABLE_VARYINGS,)
    part_of = "opt_varyings"
    # Off by default: it runs opt_varyings, which takes longer than the search for its single opportunities.
    default = False

    @property
    def linker(self) -> OptVaryings:
        """The pass to run, with the same options."""
        return OptVaryings(**{field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def with_options(cls, given: Any) -> LinkSummary:
        return replace(super().with_options(given), given=frozenset(given))

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        """Change nothing."""
        return []

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        if len(shaders) < 2:
            return
        found = zip(pairwise(shaders), packings(shaders, self.linker), strict=True)
        for position, ((producer, consumer), pair) in enumerate(found):
            if not is_worth_a_finding(pair):
                continue
            beside = Place.of(consumer.first_line, position + 1)
            finding = LINKABLE_VARYINGS.at(
                Place.of(producer.first_line, position),
                summary_text(pair),
                related=(Related(beside, "the stage that reads them"),),
                data=_data(pair),
            )
            yield Site(finding, whole=RUN_OPT_VARYINGS)


def is_worth_a_finding(pair: PairPacking) -> bool:
    """Whether the pass sends less between two stages, or would under a single condition."""
    if pair.obstacle:
        return False
    saves = pair.saved_scalars > 0 or pair.saved_slots > 0 or pair.saved_bytes > 0
    return saves or bool(pair.ledger.could_go())


def summary_text(pair: PairPacking) -> str:
    """Return the sizes before and after, and what single conditions keep."""
    could_go = pair.ledger.could_go()
    return f"{pair.summary}; {could_go}" if could_go else pair.summary


def _data(pair: PairPacking) -> dict[str, object]:
    before, after = pair.payload_bytes or (None, None)
    return {
        "producer": None if pair.producer is None else pair.producer.abbreviation,
        "consumer": None if pair.consumer is None else pair.consumer.abbreviation,
        "scalars": [pair.before.scalars, pair.after.scalars],
        "slots": [pair.before.slots, pair.after.slots],
        "payload_bytes": None if before is None else [before, after],
        "moved": pair.moved,
        "could_go": pair.ledger.could_go() or None,
    }
