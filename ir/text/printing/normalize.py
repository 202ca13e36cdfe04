"""Renumbering of a shader as Mesa does before printing, and a fresh print."""

from __future__ import annotations

from dataclasses import replace

from nirls.ir.model.instructions import JumpInstr
from nirls.ir.model.shader import Shader, renumber
from nirls.ir.text.printing.printable import Printable
from nirls.ir.text.printing.style import FunctionStyle, PrintStyle, digits


def normalize(shader: Shader) -> bytes:
    """Print the shader fresh, with values, blocks and registers numbered in printed order.

    The dialect and its style are kept, and so are comments after and above instructions; other comments,
    unreadable lines and error messages are dropped. `shader` itself is not modified.
    """
    return renumbered(Printable.of(shader)).text()


def renumbered(printable: Printable) -> Printable:
    """Renumber a copy in printed order (Mesa: nir_index_ssa_defs, nir_index_blocks)."""
    shader, style = printable.shader, printable.style
    _renumber(shader)
    functions = {
        impl.function.name: FunctionStyle(
            digits(sum(1 for _ in impl.defs())), style.function(impl.function.name).divergence
        )
        for impl in shader.impls()
    }
    indent = PrintStyle.default(style.dialect).indent
    return replace(printable, style=replace(style, functions=functions, indent=indent))


def _renumber(shader: Shader) -> None:
    targets = []
    for impl in shader.impls():
        blocks = {block.index: block for block in reversed([*impl.blocks(), impl.end_block])}
        targets += [
            (instr, [blocks.get(target) for target in instr.targets])
            for instr in impl.instrs()
            if isinstance(instr, JumpInstr) and instr.targets
        ]
    renumber(shader)
    # Unstructured jumps refer to their targets by number.
    for instr, named in targets:
        instr.targets = tuple(
            target if block is None else block.index
            for target, block in zip(instr.targets, named, strict=True)
        )
    for impl in shader.impls():
        impl.link_blocks()
