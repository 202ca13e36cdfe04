"""Instructions that the producer may compute for the consumer, and how their results are sent and read."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import Enum

from nirls.ir.io.access import AccessKind, kind_of_slot_access
from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.values import Def
from nirls.ir.model.walks import closure, makers
from nirls.ir.tables import opcode
from nirls.passes.varyings.interface.scalar_slots import Interface, ScalarSlot
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.motion.propagate import is_uniform_load, move_obstacle
from nirls.passes.varyings.values.tess_interpolation import TessEquation


class ReadMode(Enum):
    """The way a value that is not interpolated is read: the same for all vertices, or flat."""

    CONVERGENT = "convergent"
    FLAT = "flat"


@dataclass(frozen=True, slots=True)
class AtVertex:
    """Read for one vertex of the primitive: `vertex` is its number, or the value of the vertex index."""

    vertex: int | Def


ReadAs = ReadMode | Interpolation | TessEquation | AtVertex
"""The way the result of an expression would have to be read if it were an input."""

_LINEAR = frozenset(("fadd", "fsub", "fneg", "mov"))
_PRODUCTS = frozenset(("fmul", "fmulz", "ffma", "ffmaz"))
_NOT_INTERPOLATED = frozenset(("sat", "preserve:nan", "preserve:inf"))
"""ALU flags with which interpolation of the operands does not commute."""


class Movability:
    """Cached classification of instructions.

    `inputs` maps the movable loads, or the sums that interpolate loads in the shader, to how they are read.
    """

    __slots__ = ("_inputs", "_judged", "_obstacles", "_variables")

    def __init__(self, inputs: Mapping[Instr, ReadAs], variables: UniformVariables) -> None:
        self._inputs = inputs
        self._variables = variables
        self._judged: dict[Instr, ReadAs | None] = {}
        self._obstacles: dict[Instr, str] = {}

    def read_as(self, instr: Instr) -> ReadAs | None:
        """Return how the value of an instruction would be read as an input; None if it cannot move."""
        work = [instr]
        opened: set[Instr] = set()
        while work:
            current = work[-1]
            if current in self._judged:
                work.pop()
                continue
            if current in self._inputs:
                self._judged[current] = self._inputs[current]
                continue
            obstacle = self._obstacle_of_kind(current)
            if obstacle:
                self._refuse(current, obstacle)
                continue
            sources = current.srcs()
            operands = list(makers(sources))
            if len(operands) < len(sources):
                self._refuse(current, f"{_shown(current)} reads a register")
                continue
            waiting = [operand for operand in operands if operand not in self._judged]
            if waiting and current not in opened:
                opened.add(current)
                work += waiting
                continue
            # A loop-carried value passes a phi, which cannot move. If an operand is still not classified
            # here, the value depends on itself, which only a broken dump contains.
            combined = None if waiting else self._combine(current, operands)
            if isinstance(combined, str):
                self._refuse(current, combined)
            else:
                self._judged[current] = combined
        return self._judged[instr]

    def obstacle(self, instr: Instr) -> str:
        """Return why an instruction that `read_as` refused cannot move."""
        return self._obstacles.get(instr, "its value depends on itself")

    def _refuse(self, instr: Instr, obstacle: str) -> None:
        self._judged[instr] = None
        self._obstacles[instr] = obstacle

    def _obstacle_of_kind(self, instr: Instr) -> str:
        if isinstance(instr, AluInstr) and instr.def_ is not None and instr.def_.num_components != 1:
            return f"{_shown(instr)} is a vector, and varyings are sent as scalars"
        kind = kind_of_slot_access(instr) if isinstance(instr, IntrinsicInstr) else None
        if self._inputs and kind is AccessKind.INPUT_LOAD and instr.def_ is not None:
            # Its own line of the ledger says why, such as mixed interpolation.
            return f"it is combined with the input %{instr.def_.index}, which stays"
        return move_obstacle(instr, self._variables)

    def _combine(self, instr: Instr, makers: list[Instr]) -> ReadAs | str:
        """Return how a value is read if its operands are, or why it cannot move."""
        result: ReadAs = ReadMode.CONVERGENT
        for maker in makers:
            read_as = self._judged[maker]
            if read_as is None:
                return self.obstacle(maker)
            if read_as is ReadMode.CONVERGENT or read_as == result:
                continue
            if result is not ReadMode.CONVERGENT:
                return f"{_shown(instr)} mixes inputs that are read differently"
            result = read_as
        if (
            isinstance(instr, IntrinsicInstr)
            and not is_uniform_load(instr)
            and result is not ReadMode.CONVERGENT
        ):
            # Without a variable to bound it, an index that is never used might be out of range.
            return f"the index of {_shown(instr)} is an input, and may be out of range"
        if isinstance(result, ReadMode | AtVertex):
            return result
        if not isinstance(instr, AluInstr):
            return f"{_shown(instr)} is no ALU operation"
        return self._obstacle_to_interpolation(instr) or result

    def _obstacle_to_interpolation(self, instr: AluInstr) -> str:
        """Return why interpolating the operands differs from interpolating the result; "" if it does not."""
        sizes = {src.bit_size for src in instr.sources} | {instr.def_.bit_size if instr.def_ else 0}
        if any(map(self._variables.options.preserves_specials, sizes)):
            return "NaNs or infinities must be preserved, and interpolation changes them"
        if instr.exact:
            return f"{_shown(instr)} is exact, so it must not move across interpolation"
        flags = instr.flags & _NOT_INTERPOLATED
        if flags or any(src.abs for src in instr.sources):
            return f"{_shown(instr)} has the modifier {min(flags, default='abs')}, which is not linear"
        convergent = [
            (maker := src.def_instr) is not None and self._judged[maker] is ReadMode.CONVERGENT
            for src in instr.sources
        ]
        is_linear = instr.op in _LINEAR
        if instr.op in _PRODUCTS:
            is_linear = convergent[0] or convergent[1]
        if instr.op == "fdiv":
            is_linear = convergent[1]
        if instr.op == "flrp":
            is_linear = (convergent[0] and convergent[1]) or convergent[2]
        return "" if is_linear else f"{_shown(instr)} is not linear in its interpolated operands"


def _shown(instr: Instr) -> str:
    """Return an instruction as messages name it: `%7 = fsin`."""
    value = instr.def_ if isinstance(instr, AluInstr | IntrinsicInstr) else None
    name = instr.op if isinstance(instr, AluInstr) else instr.kind
    if isinstance(instr, IntrinsicInstr):
        name = f"@{instr.name}"
    return name if value is None else f"%{value.index} = {name}"


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
