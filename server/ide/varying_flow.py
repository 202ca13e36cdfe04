"""Accesses of a varying in linked stages: the stores that feed a load, and the loads that read a store.

Matching by slot alone is too coarse: scalars may share a slot, packed into different components or into the
two halves of one. Accesses through variables use the location of the variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.io.access import IoAccess, io_access, io_accesses, slot_read_as
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import reads_attribute_in_tcs, slot_number
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.server.ide.entities import Entity, Index, IntrinsicName, Slot

_NO_SLOT = -1


@dataclass(frozen=True, slots=True)
class SlotAccess:
    """An access of a slot in the stage at `position` in the pipeline, at `span` of that stage's dump."""

    position: int
    span: Span
    is_store: bool


def partner_accesses(shaders: Sequence[Shader], position: int, slot: Slot) -> list[SlotAccess]:
    """Return the accesses in the adjacent stage of a slot in the shader at `position` of a pipeline.

    For an input, the stores of the previous stage; for an output, the loads of the next stage.
    """
    if not slot.name.startswith("VARYING_SLOT_"):
        return []
    number = slot_number(slot.name)
    if is_input(slot.node):
        return list(_accesses(shaders, position - 1, number, outputs=True)) if position > 0 else []
    if is_input(slot.node) is False and position + 1 < len(shaders):
        return list(_accesses(shaders, position + 1, number, outputs=False))
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


def _accesses(
    shaders: Sequence[Shader], position: int, number: int, *, outputs: bool
) -> Iterator[SlotAccess]:
    shader = shaders[position]
    consumer = shaders[position + 1 if outputs else position].stage
    wanted = number if outputs else slot_read_as(number, consumer)
    for access in io_accesses(shader):
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


def access_named(entity: Entity, stage: Stage | None) -> IntrinsicInstr | None:
    """Return the load or store of a varying if the cursor is on its name or slot."""
    match entity:
        case IntrinsicName(instr=instr):
            return instr if io_access(instr, stage) is not None else None
        case Slot(node=IntrinsicInstr() as instr):
            return instr if io_access(instr, stage) is not None else None
        case Index(name=name, instr=instr):
            semantics = instr.io_semantics
            is_slot = semantics is not None and (name in _INDICES_OF_SLOT or name == str(semantics.location))
            return instr if is_slot and io_access(instr, stage) is not None else None
        case _:
            return None


class VaryingFlow:
    """The varyings of linked stages, in pipeline order; accesses are cached per stage."""

    def __init__(self, shaders: Sequence[Shader]) -> None:
        self.shaders = shaders
        self._accesses: dict[int, list[IoAccess]] = {}

    def other_ends(self, position: int, instr: IntrinsicInstr) -> list[OtherEnd]:
        """Return the stores that feed a load of the shader at `position`, or the loads that read a store.

        Includes loads of the stage's own outputs. In pipeline order, then in printed order.
        """
        stage = self.shaders[position].stage
        access = io_access(instr, stage)
        if access is None or reads_attribute_in_tcs(instr.name, stage):
            return []
        if not access.is_output:
            return self._meeting(position - 1, access, stores=True, outputs=True, consumer=stage)
        found = []
        if stage is not Stage.FRAGMENT:
            found = self._meeting(position, access, stores=not access.is_store, outputs=True, consumer=None)
        if access.is_store and position + 1 < len(self.shaders):
            consumer = self.shaders[position + 1].stage
            found += self._meeting(position + 1, access, stores=False, outputs=False, consumer=consumer)
        return found

    def _meeting(
        self, position: int, access: IoAccess, *, stores: bool, outputs: bool, consumer: Stage | None
    ) -> list[OtherEnd]:
        return [
            OtherEnd(position, other.instr, other.instr.span, stores)
            for other in self._accesses_of(position)
            if other.is_store is stores
            and other.is_output is outputs
            and isinstance(other.instr.span, Span)
            and access.meets(other, consumer)
        ]

    def _accesses_of(self, position: int) -> list[IoAccess]:
        if not 0 <= position < len(self.shaders):
            return []
        known = self._accesses.get(position)
        if known is None:
            known = self._accesses[position] = list(io_accesses(self.shaders[position]))
        return known


@dataclass(frozen=True, slots=True)
class OtherEnd:
    """A load or store at `span` of the stage at `position` in the pipeline."""

    position: int
    instr: IntrinsicInstr
    span: Span
    is_store: bool
