"""The text of an instruction in a graph, without its comment and column spacing."""

from __future__ import annotations

from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.server.ide.graphs.graph import cut


def instr_text(shader: Shader, instr: Instr) -> str:
    """Return the text in one line, cut to `LONGEST_LINE`."""
    if instr.span is None:
        return cut(repr(instr))
    text = shader.source[instr.span.start : instr.span.end].decode("utf-8", "replace")
    if instr.comment:
        text = text.replace(instr.comment, "")
    return cut(text)
