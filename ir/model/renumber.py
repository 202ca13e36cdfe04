"""Fresh numbers for values, blocks and registers, in printed order."""

from __future__ import annotations

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Shader


def renumber(shader: Shader) -> None:
    """Number values, blocks and registers of each function from 0 in printed order, in place.

    As Mesa does before printing (`nir_index_ssa_defs`, `nir_index_blocks`). Numbers that are used but
    defined nowhere come last.
    """
    for impl in shader.impls():
        _renumber_values(impl)
        for index, block in enumerate((*impl.blocks(), impl.end_block)):
            block.index = index
            block.stated_preds = block.stated_succs = None
        for index, register in enumerate(impl.registers):
            register.index = index
        impl.link_blocks()


def _renumber_values(impl: FunctionImpl) -> None:
    for index, value in enumerate((*impl.defs(), *impl.undefined_references)):
        value.index = index
