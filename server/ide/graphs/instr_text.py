"""The text of an instruction in a picture: as the dump has it, without its comment and columns."""

from __future__ import annotations

from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.server.ide.graphs.graph import cut


def instr_text(shader: Shader, instr: Instr) -> str:
    """One line, cut where it gets long."""
    if instr.span is None:
        return cut(repr(instr))
    text = shader.source[instr.span.start : instr.span.end].decode("utf-8", "replace")
    if instr.comment:
        text = text.replace(instr.comment, "")
    return cut(text)
