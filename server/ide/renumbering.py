"""Numbers in printed order for a whole dump, with everything else left as it is."""

from __future__ import annotations

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import UNREADABLE_INDEX
from nirls.ir.text.edits import TextEdit
from nirls.server.ide.numbering import Numbers, number_edits


class NotNumberedError(ValueError):
    """A dump whose numbers do not say which value or block is meant."""


def renumbering_edits(shader: Shader) -> list[TextEdit]:
    """The edits that number values and blocks of each function from 0 on, as Mesa does before it prints.

    Numbers that are used but defined nowhere come last. Raises NotNumberedError where a function defines
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
