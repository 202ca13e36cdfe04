"""Renumber a shader the way Mesa does before it prints one, and print it fresh."""

from __future__ import annotations

from dataclasses import replace

from nirls.ir.clone import clone_shader
from nirls.ir.control_flow import FunctionImpl
from nirls.ir.instructions import JumpInstr
from nirls.ir.printing.remarks import remarks_for_clone
from nirls.ir.printing.render import fresh
from nirls.ir.printing.style import FunctionStyle, PrintStyle, digits, impl_defs
from nirls.ir.shader import Dialect, Shader


def normalize(shader: Shader) -> bytes:
    """The shader with values, blocks and registers numbered in printed order, printed fresh.

    The dialect and its habits are kept, and so are the user's comments behind instructions; comments on
    lines of their own, unreadable lines and error messages are not. `shader` itself is not changed.
    """
    style = PrintStyle.of(shader)
    copy = clone_shader(shader)
    remarks = remarks_for_clone(shader, copy, style)
    for impl in copy.impls():
        renumber(impl)
    functions = {
        impl.function.name: FunctionStyle(
            digits(len(impl_defs(impl))), style.function(impl.function.name).divergence
        )
        for impl in copy.impls()
    }
    indent = "    " if shader.dialect is Dialect.MODERN else "\t"
    return fresh(copy, replace(style, functions=functions, indent=indent), remarks)


def renumber(impl: FunctionImpl) -> None:
    """Number values and blocks from 0 in printed order (Mesa: nir_index_ssa_defs, nir_index_blocks)."""
    for number, value in enumerate(impl_defs(impl)):
        value.index = number
    new_numbers: dict[int, int] = {}
    for number, block in enumerate([*impl.blocks(), impl.end_block]):
        new_numbers.setdefault(block.index, number)
        block.index = number
    for instr in impl.instrs():
        if isinstance(instr, JumpInstr) and instr.targets:
            instr.targets = tuple(new_numbers.get(target, target) for target in instr.targets)
    for number, reg in enumerate([reg for reg in impl.registers if reg.index >= 0]):
        reg.index = number
