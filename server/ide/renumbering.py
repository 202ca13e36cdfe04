"""Renumbering of values and blocks in printed order; all other text is kept."""

from __future__ import annotations

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import UNREADABLE_INDEX
from nirls.ir.text.edits import TextEdit
from nirls.server.ide.numbering import Numbers, number_edits


class NotNumberedError(ValueError):
    """A function defines a value or block number twice, so references are ambiguous."""


def renumbering_edits(shader: Shader) -> list[TextEdit]:
    """Compute edits that number values and blocks of each function from 0, as Mesa does before printing.

    Undefined references get the last numbers. Raises NotNumberedError if a function defines
    a number twice.
    """
    edits: list[TextEdit] = []
    for impl in shader.impls():
        if impl.span is not None:
            end = impl.end_span.end if impl.end_span is not None else len(shader.source)
            edits += number_edits(shader.source, impl.span.start, end, _numbers(impl))
    return edits


def _numbers(impl: FunctionImpl) -> Numbers:
    name = impl.function.name
    undefined = [one for one in impl.undefined_references if one.index != UNREADABLE_INDEX]
    values: dict[int, int] = {}
    for new, value in enumerate((*impl.defs(), *undefined)):
        if value.index in values:
            raise NotNumberedError(f"{name} defines the value number {value.index} twice")
        values[value.index] = new
    blocks: dict[int, int] = {}
    for new, block in enumerate((*impl.blocks(), impl.end_block)):
        if block.index in blocks:
            raise NotNumberedError(f"{name} has two blocks of the number {block.index}")
        blocks[block.index] = new
    return Numbers(values, blocks)
