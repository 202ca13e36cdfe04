"""Accesses of a varying in linked stages: the stores that feed a load, and the loads that read a store.

Matching by slot alone is too coarse: scalars may share a slot, packed into different components or into the
two halves of one. Accesses through variables use the location of the variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from nirls.ir.io.access import slot_read_as
from nirls.ir.io.view import IoView
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Variable
from nirls.ir.model.slots import reads_attribute_in_tcs, slot_number
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.server.ide.cursor.entities import Entity, IndexEntity, IntrinsicEntity, SlotEntity

_NO_SLOT = -1


@dataclass(frozen=True, slots=True)
class SlotAccess:
    """An access of a slot in the stage at `position` in the pipeline, at `span` of that stage's dump."""

    position: int
    span: Span
    is_store: bool


def partner_accesses(stages: Sequence[IoView], position: int, slot: SlotEntity) -> list[SlotAccess]:
    """Return the accesses in the adjacent stage of a slot in the stage at `position` of a pipeline.

    For an input, the stores of the previous stage; for an output, the loads of the next stage.
    """
    if not slot.name.startswith("VARYING_SLOT_"):
        return []
    number = slot_number(slot.name)
    if is_input(slot.node):
        return list(_accesses(stages, position - 1, number, outputs=True)) if position > 0 else []
    if is_input(slot.node) is False and position + 1 < len(stages):
        return list(_accesses(stages, position + 1, number, outputs=False))
    return []


def is_input(node: object) -> bool | None:
    """Return True for an access or declaration of an input, False for an output, None for neither."""
    if isinstance(node, Variable):
        return {"shader_in": True, "shader_out": False}.get(node.mode)
    if not isinstance(node, IntrinsicInstr) or node.io_semantics is None:
        return None
    if "output" in node.name:
        return False
    return True if "input" in node.name else None


def _accesses(stages: Sequence[IoView], position: int, number: int, *, outputs: bool) -> Iterator[SlotAccess]:
    shader = stages[position].shader
    consumer = stages[position + 1 if outputs else position].shader.stage
    wanted = number if outputs else slot_read_as(number, consumer)
    for access in stages[position].accesses():
        if access.is_output is not outputs or access.instr.span is None:
            continue
        if wanted in {slot_read_as(slot, consumer) if outputs else slot for slot in access.slots}:
            yield SlotAccess(position, access.instr.span, outputs)
    mode = "shader_out" if outputs else "shader_in"
    for variable in shader.variables_of_mode(mode):
        if variable.span is not None and _location(variable) == number:
            yield SlotAccess(position, variable.span, outputs)


def _location(variable: Variable) -> int:
    if variable.location is None:
        return _NO_SLOT
    return slot_number(variable.location.partition(".")[0])


_INDICES_OF_SLOT = frozenset({"io", "location", "io_semantics"})


def access_named(entity: Entity, stage: IoView) -> IntrinsicInstr | None:
    """Return the load or store of a varying if the cursor is on its name or slot."""
    match entity:
        case IntrinsicEntity(instr=instr):
            return instr if stage.accesses_of(instr) else None
        case SlotEntity(node=IntrinsicInstr() as instr):
            return instr if stage.accesses_of(instr) else None
        case IndexEntity(name=name, instr=instr):
            semantics = instr.io_semantics
            is_slot = semantics is not None and (name in _INDICES_OF_SLOT or name == str(semantics.location))
            return instr if is_slot and stage.accesses_of(instr) else None
        case _:
            return None


class VaryingFlow:
    """The varyings of linked stages, in pipeline order.

    Accesses are indexed by the storage that they touch, and accesses of the same storage share their results.
    """

    def __init__(self, stages: Sequence[IoView]) -> None:
        self.stages = stages
        self._indices: dict[_Side, dict[int, list[_Placed]]] = {}
        self._meetings: dict[tuple[_Side, frozenset[int]], tuple[OtherEnd, ...]] = {}

    def other_ends(self, position: int, instr: IntrinsicInstr) -> list[OtherEnd]:
        """Return the stores that feed a load of the stage at `position`, or the loads that read a store.

        Includes loads of the stage's own outputs. In pipeline order, then in printed order.
        """
        return list(chain.from_iterable(self.ends_by_stage(position, instr)))

    def ends_by_stage(self, position: int, instr: IntrinsicInstr) -> list[tuple[OtherEnd, ...]]:
        """Return `other_ends` with a tuple for each stage that has any; accesses of one storage share it."""
        stage = self.stages[position].shader.stage
        accesses = self.stages[position].accesses_of(instr)
        if not accesses or reads_attribute_in_tcs(instr.name, stage):
            return []
        access = accesses[0]
        sides = []
        if not access.is_output:
            sides.append(_Side(position - 1, stores=True, outputs=True, consumer=stage))
        elif stage is not Stage.FRAGMENT:
            sides.append(_Side(position, stores=not access.is_store, outputs=True, consumer=None))
        if access.is_output and access.is_store and position + 1 < len(self.stages):
            consumer = self.stages[position + 1].shader.stage
            sides.append(_Side(position + 1, stores=False, outputs=False, consumer=consumer))
        generator = (
            self._meeting(side, frozenset().union(*(access.storage(side.consumer) for access in accesses)))
            for side in sides
        )
        return [ends for ends in generator if ends]

    def _meeting(self, side: _Side, storage: frozenset[int]) -> tuple[OtherEnd, ...]:
        other_ends = self._meetings.get((side, storage))
        if other_ends is None:
            index = self._index(side)
            ends = dict(placed for half in storage for placed in index.get(half, ()))
            other_ends = self._meetings[side, storage] = tuple(ends[start] for start in sorted(ends))
        return other_ends

    def _index(self, side: _Side) -> dict[int, list[_Placed]]:
        """Return the accesses of one side by the storage that they touch."""
        index = self._indices.get(side)
        if index is None:
            index = self._indices[side] = {}
            stage = self.stages[side.position] if 0 <= side.position < len(self.stages) else None
            for access in () if stage is None else stage.accesses():
                span = access.instr.span
                if access.is_store is side.stores and access.is_output is side.outputs and span is not None:
                    end = OtherEnd(side.position, access.instr, span, side.stores)
                    for half in access.storage(side.consumer):
                        index.setdefault(half, []).append((span.start, end))
        return index


@dataclass(frozen=True, slots=True)
class _Side:
    """The loads or stores of inputs or outputs of one stage; `consumer` reads the outputs."""

    position: int
    stores: bool
    outputs: bool
    consumer: Stage | None


@dataclass(frozen=True, slots=True)
class OtherEnd:
    """A load or store at `span` of the stage at `position` in the pipeline."""

    position: int
    instr: IntrinsicInstr
    span: Span
    is_store: bool


_Placed = tuple[int, OtherEnd]
