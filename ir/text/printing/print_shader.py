"""Printing of a shader after passes."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.ir.text.printing.render import fresh


def print_shader(shader: Shader) -> bytes:
    """Return the original dump of `shader`, with only the outdated lines rewritten.

    A shader without a source is printed fresh in its dialect. Block edges are relinked.
    """
    if not shader.source:
        return fresh(shader)
    # Imported here because `edits` depends on this package.
    from nirls.ir.text.edits import apply_edits, text_edits
    from nirls.ir.text.parse import parse_dump

    return apply_edits(shader.source, text_edits(parse_dump(shader.source), shader))
