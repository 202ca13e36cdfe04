"""A copy of a shader to be printed differently: renumbered, converted, marked with divergence.

The steps work on the same copy, so that they can be combined: `Printable.of`, then any of
`nirls.ir.text.printing.normalize.renumbered`, `convert.converted`, `divergence.marked`, then `text`.
"""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Block, If, Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.text.debug_lines import comments_above
from nirls.ir.text.printing.lines import LineKind, LineSlot
from nirls.ir.text.printing.render import Renderer, fresh
from nirls.ir.text.printing.style import PrintStyle


@dataclass(frozen=True, slots=True)
class Printable:
    """A private copy of a shader, its print style, and comments after and above instructions."""

    shader: Shader
    style: PrintStyle
    remarks: dict[Instr, str]
    above: dict[Instr, list[str]]

    @classmethod
    def of(cls, shader: Shader) -> Printable:
        """Copy `shader` in the style of its dump."""
        style = PrintStyle.of(shader)
        copy = clone_shader(shader)
        renderer = Renderer(shader, style)
        remarks: dict[Instr, str] = {}
        above: dict[Instr, list[str]] = {}
        for impl, twin in zip(shader.impls(), copy.impls(), strict=True):
            for instr, instr_twin in zip(impl.instrs(), twin.instrs(), strict=True):
                comments = comments_above(shader.source, instr.span.start) if instr.span else []
                if comments:
                    above[instr_twin] = comments
                if instr.comment is None:
                    continue
                remark = renderer.remark(LineSlot(LineKind.INSTR, instr, impl, 1, instr.block))
                if remark:
                    remarks[instr_twin] = remark
        return cls(copy, style, remarks, above)

    def text(self) -> bytes:
        """Print the shader fresh. Unreadable lines and comments away from instructions are dropped."""
        return fresh(self.shader, self.style, self.remarks, self.above)

    def source_lines(self) -> list[int | None]:
        """Return for each line of `text` the line of its instruction, block or if in the dump, from 0."""
        found: list[int | None] = []
        for slot in Renderer(self.shader, self.style).slots():
            if isinstance(slot.node, Instr):
                found += [None] * len(self.above.get(slot.node, ()))
            is_start = slot.kind in (LineKind.INSTR, LineKind.BLOCK, LineKind.IF, LineKind.LOOP)
            node = slot.node if is_start and isinstance(slot.node, Instr | Block | If | Loop) else None
            span = None if node is None else node.span
            found.append(None if span is None else span.line)
        return found
