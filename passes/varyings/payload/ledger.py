"""The ledger of a payload: sizes and decisions by byte, from before to after a run of `opt_varyings`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.decisions import Journal
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.payload_accesses import PayloadLinkage, is_payload_pair, link_payload
from nirls.passes.varyings.packing.ledger import Ledger, ledger_of
from nirls.passes.varyings.payload.plan import channel_of
from nirls.passes.varyings.values.expression_text import expression_text


@dataclass(frozen=True, slots=True)
class PayloadBefore:
    """The payload before a run: its parts, the number of stored bytes, and what is stored by first byte."""

    partition: tuple[range, ...]
    size: int
    values: Mapping[int, str]

    def linked(self, task: Shader, mesh: Shader, journal: Journal) -> tuple[tuple[int, int], Ledger]:
        """Return the number of bytes before and after, and the ledger, of a pair that was linked."""
        after = link_payload(task, mesh, self.partition)
        if isinstance(after, Unlinkable):
            return (self.size, self.size), Ledger()
        return (self.size, len(after.written())), ledger_of(journal, after, self.values)


def payload_before(task: Shader, mesh: Shader, options: LinkOptions) -> PayloadBefore | Unlinkable | None:
    """Return the payload of a pair, why it is not linked, or None if the pair has none."""
    if not is_payload_pair(task, mesh):
        return None
    linkage = options.payload(task, mesh)
    if isinstance(linkage, Unlinkable):
        return linkage
    return PayloadBefore(linkage.partition, len(linkage.written()), _values(linkage))


def _values(linkage: PayloadLinkage) -> dict[int, str]:
    found: dict[int, str] = {}
    for access in linkage.stores():
        for piece in access.pieces():
            value = access.value
            if value is not None:
                stored, lane = channel_of(value, piece.lane)
                text = expression_text(stored, linkage.producer_stage, lane)
                found[piece.where.start] = text if found.get(piece.where.start, text) == text else ""
    return found
