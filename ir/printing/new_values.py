"""`con` and `div` for values that passes added to a dump that prints divergence.

Only what follows from the operands is said, by the rule that both kinds of divergence share: an
operation without side inputs is convergent where all that it reads is. Loads and phis, whose answer
depends on what the analysis was asked, stay without a word.
"""

from __future__ import annotations

from nirls.ir.control_flow import FunctionImpl
from nirls.ir.instructions import AluInstr, DerefInstr, Instr, LoadConstInstr, UndefInstr
from nirls.ir.printing.style import PrintStyle
from nirls.ir.shader import Shader


def fill_divergence(shader: Shader, style: PrintStyle) -> None:
    """Give the new values of the functions that print divergence their word, in place."""
    for impl in shader.impls():
        if style.function(impl.function.name).divergence:
            _fill(impl)


def _fill(impl: FunctionImpl) -> None:
    for instr in impl.instrs():
        value = instr.def_
        if value is not None and value.divergent is None:
            value.divergent = _follows(instr)


def _follows(instr: Instr) -> bool | None:
    if isinstance(instr, LoadConstInstr | UndefInstr):
        return False
    if not isinstance(instr, AluInstr | DerefInstr):
        return None
    read = [src.def_.divergent if src.def_ is not None else None for src in instr.srcs()]
    if True in read:
        return True
    return None if None in read else False
