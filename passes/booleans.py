"""Forms of opcodes that changed over Mesa's releases: booleans of 1 bit or lowered to 32 bits, and moves."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.ir.tables.families import MOVES, is_comparison


@dataclass(frozen=True, slots=True)
class Booleans:
    """The bit size of booleans, and the matching opcodes for signed less-than and selection."""

    bit_size: int
    less_than: str
    select: str


_ONE_BIT = Booleans(1, "ilt", "bcsel")
_LOWERED = Booleans(32, "ilt32", "b32csel")
_BEFORE_ONE_BIT = Booleans(32, "ilt", "bcsel")


def move_opcode(shader: Shader) -> str:
    """Return the opcode of moves: `mov`, or `imov` in dumps from before May 2019, when there was `fmov` too.

    A dump without a move is from before that if its booleans have no 1-bit form yet.
    """
    for instr in shader.instrs():
        if isinstance(instr, AluInstr) and instr.op in MOVES:
            return "mov" if instr.op == "mov" else "imov"
    return "imov" if booleans_of(shader) is _BEFORE_ONE_BIT else "mov"


def booleans_of(shader: Shader) -> Booleans:
    """Return the boolean form of the first comparison or selection; 1 bit if there is none.

    Before December 2018, comparisons without a size suffix had 32-bit results.
    """
    for instr in shader.instrs():
        if not isinstance(instr, AluInstr) or instr.def_ is None:
            continue
        if instr.op == "b32csel" or (instr.op.endswith("32") and is_comparison(instr.op)):
            return _LOWERED
        if is_comparison(instr.op) and not instr.op[-1].isdigit():
            return _ONE_BIT if instr.def_.bit_size == 1 else _BEFORE_ONE_BIT
        if instr.op == "bcsel" and instr.sources[0].bit_size:
            return _ONE_BIT if instr.sources[0].bit_size == 1 else _BEFORE_ONE_BIT
    return _ONE_BIT
