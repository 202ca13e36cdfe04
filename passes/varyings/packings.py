"""The packing of a whole pipeline, before and after `opt_varyings`.

The first table of a pair shows the dumps as they are, the second one the result of the pass on the whole
pipeline. The pass runs on copies, so the shaders do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
from nirls.passes.varyings.interface.link_options import SEPARATE
from nirls.passes.varyings.interface.scalar_slots import HALVES
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.ledger import Ledger, LedgerLine, ledger_of
from nirls.passes.varyings.packing.table import PackingTable, PairPacking
from nirls.passes.varyings.payload.ledger import PayloadBefore, payload_before


def packings(
    shaders: Sequence[Shader], options: OptVaryings, urb_maps: Sequence[UrbMaps] = ()
) -> list[PairPacking]:
    """Return the packing of every pair of a pipeline.

    `options` are those of `opt_varyings`; `urb_maps` are the maps printed below each shader, none if empty.
    """
    stages = [IoView(*one) for one in zip(shaders, urb_maps or [()] * len(shaders), strict=True)]
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
