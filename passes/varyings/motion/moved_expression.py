"""Instructions of consumer expressions, and conditions for their values to become varyings."""

from __future__ import annotations

from collections.abc import Container

from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, LoadConstInstr
from nirls.ir.model.walks import closure, makers
from nirls.ir.tables import opcode
from nirls.passes.varyings.interface.scalar_slots import Interface, ScalarSlot
from nirls.passes.varyings.motion.movability import ReadAs, ReadMode


def parts_of(instr: Instr, inputs: Container[Instr]) -> list[Instr]:
    """Return the instructions of an expression from its root down to the inputs."""
    return list(closure([instr], lambda part: () if part in inputs else makers(part.srcs())))


def may_be_sent(interface: Interface, instr: Instr, read_as: ReadAs) -> bool:
    """Whether the value of a movable instruction could be a varying, whatever the slot."""
    value = instr.def_
    if value is None or isinstance(instr, DerefInstr) or value.num_components != 1 or not value.uses:
        return False
    if value.bit_size not in (1, 16, 32) or (
        value.bit_size == 16 and not interface.options.supports_16bit_io
    ):
        return False
    if interface.feeds_fragments and read_as is ReadMode.CONVERGENT:
        # Packing may put it into an interpolated vec4, so it must be a float.
        return isinstance(instr, AluInstr) and value.bit_size in (16, 32) and makes_float(instr)
    return True


def fits(interface: Interface, instr: Instr, slot: ScalarSlot) -> bool:
    """Whether the value of an instruction fits a slot; a narrower one needs packing again.

    A wider value does not fit: an input of 16 bits would be widened.
    """
    size = sent_size(instr)
    return size == slot.bit_size or (size < slot.bit_size and interface.options.pack)


def may_be_target(slot: ScalarSlot) -> bool:
    """Whether a slot may hold another value; a captured output must keep its own."""
    return not slot.captured and slot.allowed.move_code


def sent_size(instr: Instr) -> int:
    """Return the size in bits of a value as a varying: a boolean is sent as a 32-bit number."""
    if instr.def_ is None:
        raise ValueError("only an instruction with a value can become an input")
    return 32 if instr.def_.bit_size == 1 else instr.def_.bit_size


def compares_with_constant(instr: Instr, load: Instr) -> bool:
    """Whether an instruction compares an input with a constant.

    The result would be sent as a number and compared with zero, which saves nothing.
    """
    if not isinstance(instr, AluInstr) or instr.def_ is None or instr.def_.bit_size != 1:
        return False
    if len(instr.sources) > 2:
        return False
    makers = [src.def_instr for src in instr.sources]
    return load in makers and all(maker is load or isinstance(maker, LoadConstInstr) for maker in makers)


def makes_float(instr: AluInstr) -> bool:
    """Whether the table says that the result of an instruction is a float."""
    entry = opcode(instr.op)
    return entry is not None and entry.output_type.startswith("float")
