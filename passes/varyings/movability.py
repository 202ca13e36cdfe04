"""Classification of consumer instructions that the producer may compute, and how the result is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    UndefInstr,
)
from nirls.ir.model.values import Def
from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.propagate import is_across_lanes, is_uniform_load
from nirls.passes.varyings.tess_interpolation import TessEquation
from nirls.passes.varyings.uniform_variables import UniformVariables


class Reading(Enum):
    """How a value that is not interpolated is read: the same for all vertices, or flat."""

    CONVERGENT = "convergent"
    FLAT = "flat"


@dataclass(frozen=True, slots=True)
class AtVertex:
    """Read for one vertex of the primitive: `vertex` is its number, or the value of the vertex index."""

    vertex: int | Def


ReadAs = Reading | Interpolation | TessEquation | AtVertex
"""How the result of an expression would have to be read if it were an input."""

_LINEAR = frozenset(("fadd", "fsub", "fneg", "mov"))
_PRODUCTS = frozenset(("fmul", "fmulz", "ffma", "ffmaz"))
_NOT_INTERPOLATED = frozenset(("sat", "preserve:nan", "preserve:inf"))
"""ALU flags with which interpolation of the operands does not commute."""


class Movability:
    """Cached classification of instructions.

    `inputs` maps the movable loads, or the sums that interpolate loads in the shader, to how they are read.
    """

    __slots__ = ("_inputs", "_judged", "_options", "_variables")

    def __init__(
        self, inputs: Mapping[Instr, ReadAs], variables: UniformVariables, options: LinkOptions
    ) -> None:
        self._inputs = inputs
        self._variables = variables
        self._options = options
        self._judged: dict[Instr, ReadAs | None] = {}

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
            if not self._kind_may_move(current):
                self._judged[current] = None
                continue
            makers = [None if src.def_ is None else src.def_.instr for src in current.srcs()]
            waiting = [maker for maker in makers if maker is not None and maker not in self._judged]
            if waiting and current not in opened and all(maker is not None for maker in makers):
                opened.add(current)
                work += waiting
                continue
            # A loop-carried value passes a phi, which cannot move. If an operand is still not classified
            # here, the value depends on itself, which only a broken dump contains.
            self._judged[current] = None if waiting else self._combine(current, makers)
        return self._judged[instr]

    def is_input(self, instr: Instr) -> bool:
        """Whether an instruction is one of the movable loads."""
        return instr in self._inputs

    def _kind_may_move(self, instr: Instr) -> bool:
        if isinstance(instr, LoadConstInstr | UndefInstr):
            return True
        if isinstance(instr, AluInstr):
            return (
                instr.def_ is not None
                and instr.def_.num_components == 1
                and instr.reg_dest is None
                and not is_across_lanes(instr)
            )
        if isinstance(instr, DerefInstr):
            return self._variables.may_move(instr)
        if not isinstance(instr, IntrinsicInstr):
            return False
        return is_uniform_load(instr) or self._variables.resources.may_repeat(instr)

    def _combine(self, instr: Instr, makers: list[Instr | None]) -> ReadAs | None:
        result: ReadAs = Reading.CONVERGENT
        for maker in makers:
            read_as = None if maker is None else self._judged[maker]
            if read_as is None:
                return None
            if read_as is Reading.CONVERGENT or read_as == result:
                continue
            if result is not Reading.CONVERGENT:
                return None
            result = read_as
        if (
            isinstance(instr, IntrinsicInstr)
            and not is_uniform_load(instr)
            and result is not Reading.CONVERGENT
        ):
            # Without a variable to bound it, an index that is never used might be out of range.
            return None
        if isinstance(result, Reading | AtVertex):
            return result
        return result if isinstance(instr, AluInstr) and self._commutes(instr) else None

    def _commutes(self, instr: AluInstr) -> bool:
        """Whether interpolating the operands gives the same as interpolating the result."""
        sizes = {src.bit_size for src in instr.sources} | {instr.def_.bit_size if instr.def_ else 0}
        if instr.exact or any(map(self._options.preserves_specials, sizes)):
            return False
        if not instr.flags.isdisjoint(_NOT_INTERPOLATED):
            return False
        if any(src.abs for src in instr.sources):
            return False
        convergent = [
            src.def_ is not None
            and src.def_.instr is not None
            and self._judged[src.def_.instr] is Reading.CONVERGENT
            for src in instr.sources
        ]
        if instr.op in _LINEAR:
            return True
        if instr.op in _PRODUCTS:
            return convergent[0] or convergent[1]
        if instr.op == "fdiv":
            return convergent[1]
        if instr.op == "flrp":
            return (convergent[0] and convergent[1]) or convergent[2]
        return False
