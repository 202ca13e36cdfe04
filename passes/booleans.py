"""Booleans of 1 bit or lowered to more, and other forms of opcodes that changed over Mesa's releases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nirls.ir.model.instructions import AluInstr, constant_of
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.tables import opcode
from nirls.ir.tables.families import BOOLEAN_SELECTIONS, MOVES, is_comparison


@dataclass(frozen=True, slots=True)
class Booleans:
    """The bit size of booleans, and the matching opcodes for signed less-than and selection."""

    bit_size: int
    less_than: str
    select: str


_ONE_BIT = Booleans(1, "ilt", "bcsel")
_LOWERED = Booleans(32, "ilt32", "b32csel")
_BEFORE_ONE_BIT = Booleans(32, "ilt", "bcsel")


_PASSING = frozenset(("inot", "iand", "ior", "ixor")) | MOVES | BOOLEAN_SELECTIONS
"""Opcodes that give a boolean if their operands are booleans; of selections those that they select."""


def is_boolean(value: Def) -> bool:
    """Whether all bits of a value are equal; in a condition of more than one bit, any number may be true."""
    seen: set[Def] = set()
    work = [value]
    while work:
        one = work.pop()
        if one.bit_size == 1 or one in seen:
            continue
        seen.add(one)
        bits, maker = constant_of(one), one.instr
        if bits is not None and set(bits) <= {0, (1 << one.bit_size) - 1}:
            continue
        if not isinstance(maker, AluInstr) or any(src.def_ is None for src in maker.sources):
            return False
        entry = opcode(maker.op)
        if entry is not None and entry.output_type.startswith("bool"):
            continue
        passed = maker.sources[1:] if maker.op in BOOLEAN_SELECTIONS else maker.sources
        if maker.op not in _PASSING or any(src.negate or src.abs for src in passed):
            return False
        work += [src.ssa for src in passed]
    return True


def is_conjunction(conditions: Iterable[tuple[Def, bool]]) -> bool:
    """Whether `iand` is true where each condition has its truth, and `inot` inverts those of false.

    The bits of two numbers that are no booleans may have none in common.
    """
    numbers = [truth for value, truth in conditions if not is_boolean(value)]
    return len(numbers) <= 1 and all(numbers)


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
