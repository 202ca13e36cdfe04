"""The packing of a whole pipeline, before and after `opt_varyings`.

The first table of a pair shows the dumps as they are, the second one the result of the pass on the whole
pipeline. The pass runs on copies, so the shaders do not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from nirls.ir.finding import counted
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
from nirls.passes.varyings.packing.table import PackingTable
from nirls.passes.varyings.payload.plan import channel_of
from nirls.passes.varyings.values.expression_text import expression_text


@dataclass(frozen=True, slots=True)
class PairPacking:
    """The varyings between two stages before and after.

    With an `obstacle`, `after` is empty, and `before` has cells only where slots are known nevertheless: of a
    separate shader, and of backend I/O as far as its numbers name slots.

    `moved` is the number of ALU instructions that code motion removes from one of the stages. `ledger` says
    what happened to each scalar. Between a task and a mesh shader both tables are empty, and `payload_bytes`
    has the bytes that are stored before and after.
    """

    producer: Stage | None
    consumer: Stage | None
    before: PackingTable
    after: PackingTable
    obstacle: str = ""
    moved: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    payload_bytes: tuple[int, int] | None = None

    @property
    def summary(self) -> str:
        """One-line summary: `VS to FS: 9 scalars in 4 vec4 slots, 5 in 2 after opt_varyings`."""
        if self.obstacle:
            slots = f"{_size(self.before)}; " if self.before.cells else ""
            return f"{self.stages}: {slots}{self.obstacle}"
        if self.payload_bytes is not None:
            before, after = self.payload_bytes
            return f"{self.stages}: {counted(before, 'payload byte')}, {after} after opt_varyings"
        moved = f", which moves {counted(self.moved, 'instruction')}" if self.moved else ""
        return (
            f"{self.stages}: {_size(self.before)}, {self.after.scalars} in {self.after.slots}"
            f" after opt_varyings{moved}"
        )

    @property
    def saved_scalars(self) -> int:
        """The number of scalars saved."""
        return self.before.scalars - self.after.scalars

    @property
    def saved_slots(self) -> int:
        """The number of vec4 slots saved."""
        return self.before.slots - self.after.slots

    @property
    def saved_bytes(self) -> int:
        """The number of payload bytes saved."""
        return 0 if self.payload_bytes is None else self.payload_bytes[0] - self.payload_bytes[1]

    @property
    def stages(self) -> str:
        return " to ".join(
            "?" if stage is None else stage.abbreviation for stage in (self.producer, self.consumer)
        )


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


def _size(table: PackingTable) -> str:
    return f"{counted(table.scalars, 'scalar')} in {counted(table.slots, 'vec4 slot')}"
