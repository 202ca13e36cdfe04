"""`con` and `div` for values that passes added to a dump that prints divergence.

Only what follows from the operands is said, by the rule that both kinds of divergence share: an
operation without side inputs is convergent where all that it reads is. Loads and phis, whose answer
depends on what the analysis was asked, stay without a word.
"""

from __future__ import annotations

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.text.printing.style import PrintStyle


def fill_divergence(before: Shader, shader: Shader, style: PrintStyle) -> None:
    """Give the new values of the functions that print divergence their word, in place.

    A value that has no word in the text of `before` is not new: its line stays as it is.
    """
    for impl in shader.impls():
        if style.function(impl.function.name).divergence:
            _fill(impl, _without_word(before))


def _without_word(shader: Shader) -> set[Span]:
    return {
        instr.span
        for impl in shader.impls()
        for instr in impl.instrs()
        if instr.span is not None and instr.def_ is not None and instr.def_.divergent is None
    }


def _fill(impl: FunctionImpl, without_word: set[Span]) -> None:
    for instr in impl.instrs():
        value = instr.def_
        if value is not None and value.divergent is None and instr.span not in without_word:
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
