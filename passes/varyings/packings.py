"""The packing of a whole pipeline, before and after `opt_varyings`.

The first table of a pair shows the dumps as they are, the second one the result of the pass on the whole
pipeline. The pass runs on copies, so the shaders do not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from nirls.ir.io.access import slot_read_as
from nirls.ir.io.urb_maps import UrbMaps
from nirls.ir.io.view import IoView
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.cell_reader import FormerPlaces, read_cells
from nirls.passes.varyings.interface.accesses import BACKEND_IO, Linkage, Unlinkable, read_accesses
from nirls.passes.varyings.interface.decisions import Fate, Journal, Step, StepObstacle
from nirls.passes.varyings.interface.link_options import SEPARATE, LinkOptions
from nirls.passes.varyings.interface.payload_accesses import PayloadLinkage, is_payload_pair, link_payload
from nirls.passes.varyings.interface.scalar_slots import HALVES
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.ledger import Ledger, LedgerLine, ledger_of
from nirls.passes.varyings.packing.table import PackingTable, PairPacking
from nirls.passes.varyings.payload.plan import channel_of
from nirls.passes.varyings.values.expression_text import expression_text


def packings(
    shaders: Sequence[Shader], options: OptVaryings, urb_maps: Sequence[UrbMaps] = ()
) -> list[PairPacking]:
    """Return the packing of every pair of a pipeline.

    `options` are those of `opt_varyings`; `urb_maps` are the maps printed below each shader, none if empty.
    """
    stages = [IoView(*view) for view in zip(shaders, urb_maps or [()] * len(shaders), strict=True)]
    copies = [clone_shader(shader) for shader in shaders]
    former_places = [FormerPlaces.of(*pair) for pair in pairwise(copies)]
    tables = [packing_table(*pair, options) for pair in pairwise(shaders)]
    old = {id(instr): instr for shader in copies for instr in _alu(shader)}
    payloads = [payload_before(*pair, options) for pair in pairwise(copies)]
    journals = [Journal() for _ in former_places]
    options.run_recorded(copies, journals)
    has_motion = any(id(instr) not in old for shader in copies for instr in _alu(shader))
    spared = _spared_by_motion(shaders, copies, options) if has_motion else [0] * len(shaders)
    found = []
    for position, (before, former) in enumerate(zip(tables, former_places, strict=True)):
        producer, consumer = shaders[position], shaders[position + 1]
        payload = payloads[position]
        if isinstance(payload, PayloadBefore):
            sizes, ledger = payload.linked(copies[position], copies[position + 1], journals[position])
            nothing = PackingTable()
            found.append(
                PairPacking(
                    producer.stage, consumer.stage, nothing, nothing, ledger=ledger, payload_bytes=sizes
                )
            )
            continue
        if payload is not None:
            before = payload
        if isinstance(before, Unlinkable):
            shown = _table_of_unlinkable(stages[position], stages[position + 1], options, before)
            ledger = _unlinked(shown, before)
            found.append(
                PairPacking(
                    producer.stage, consumer.stage, shown, PackingTable(), before.message, ledger=ledger
                )
            )
            continue
        after = packing_table(copies[position], copies[position + 1], options, former.named(before))
        if isinstance(after, Unlinkable):
            after = before
        # Instructions removed from the first stage can only have moved forward.
        moved = spared[position + 1] + (spared[0] if position == 0 else 0)
        linkage = options.link(copies[position], copies[position + 1])
        ledger = Ledger()
        if isinstance(linkage, Linkage):
            ledger = ledger_of(journals[position], linkage, _labels(before, consumer.stage))
        found.append(PairPacking(producer.stage, consumer.stage, before, after, moved=moved, ledger=ledger))
    return found


def _unlinked(table: PackingTable, reason: Unlinkable) -> Ledger:
    """Return the ledger of a pair that may not be linked: every scalar stays, for the same reason."""
    obstacle = StepObstacle(Step.ACCESS, reason.code, reason.message)
    return Ledger(
        tuple(
            LedgerLine(
                cell.number,
                cell.name,
                cell.label,
                cell.name,
                Fate.KEPT,
                reason.message,
                obstacles=(obstacle,),
            )
            for cell in table.cells
        ),
        (obstacle,),
    )


def _labels(table: PackingTable, consumer: Stage | None) -> dict[int, str]:
    """Return the label of each scalar by its half, as the consumer names the slot."""
    return {
        slot_read_as(cell.location, consumer) * HALVES + cell.number % HALVES: cell.label
        for cell in reversed(table.cells)
    }


def _spared_by_motion(
    shaders: Sequence[Shader], optimized: Sequence[Shader], options: OptVaryings
) -> list[int]:
    """Return how many ALU instructions fewer each stage has than without code motion."""
    copies = [clone_shader(shader) for shader in shaders]
    replace(options, move_code=False, move_forward=False).run(copies)
    return [
        max(0, len(_alu(without)) - len(_alu(with_motion)))
        for without, with_motion in zip(copies, optimized, strict=True)
    ]


def _alu(shader: Shader) -> list[AluInstr]:
    return [instr for instr in shader.instrs() if isinstance(instr, AluInstr)]


def packing_table(
    producer: Shader, consumer: Shader, options: OptVaryings, former: FormerPlaces | None = None
) -> PackingTable | Unlinkable:
    """Return the cells between two stages, or why there are none; see `read_cells`."""
    linkage = options.link(producer, consumer)
    if isinstance(linkage, Unlinkable):
        return linkage
    return read_cells(linkage, options, former)


def _table_of_unlinkable(
    producer: IoView, consumer: IoView, options: OptVaryings, reason: Unlinkable
) -> PackingTable:
    """Return the cells of a pair that has slots but may not be changed; an empty table for other reasons."""
    if reason.code not in (BACKEND_IO, SEPARATE):
        return PackingTable()
    return read_cells(read_accesses(producer, consumer), options)


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
