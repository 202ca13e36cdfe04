"""Accesses of a varying slot in the linked stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.io.access import io_accesses, slot_read_as
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import slot_number
from nirls.ir.model.span import Span
from nirls.server.ide.entities import Slot

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
