"""The text of a shader that passes may have changed."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.ir.text.printing.render import fresh


def print_shader(shader: Shader) -> bytes:
    """The dump that `shader` was read from, with only the lines redone that no longer say what it says.

    A shader without a source is printed fresh in its dialect. Blocks are linked anew.
    """
    if not shader.source:
        return fresh(shader)
    # The edits are made of the printer's parts, and parsing of the same package.
    from nirls.ir.text.edits import apply_edits, text_edits
    from nirls.ir.text.parse import parse_dump

    return apply_edits(shader.source, text_edits(parse_dump(shader.source), shader))
