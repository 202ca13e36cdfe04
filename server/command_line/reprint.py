"""`nirls print`: dumps read and printed again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nirls.ir.analysis.divergence import DivergenceOptions, Release, divergence
from nirls.ir.clone import clone_shader
from nirls.ir.control_flow import Block, If, Loop
from nirls.ir.printing import FunctionStyle, PrintStyle, fresh
from nirls.ir.printing.print_shader import print_shader
from nirls.ir.renumber import renumber
from nirls.ir.shader import Dialect, Shader
from nirls.server.command_line.workspace import Document


@dataclass(frozen=True, slots=True)
class Reprint:
    """How to print. `dialect` is `modern` or `classic`, `divergence` is `subgroup` or `vertex`."""

    normalize: bool = False
    dialect: str | None = None
    divergence: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether dumps come out as they went in."""
        return not self.normalize and self.dialect is None and self.divergence is None


def reprinted(document: Document, wanted: Reprint) -> bytes:
    """The text of a document with every dump printed again, and the text between as it is."""
    parts = []
    numbers = {id(dump.piece): dump.number for dump in document.dumps}
    for piece in document.snapshot.pieces:
        if not piece.is_dump:
            parts.append(piece.text)
            continue
        parts.append(_print_dump(document.shader(numbers[id(piece)]), wanted))
    return b"".join(parts)


def _print_dump(shader: Shader, wanted: Reprint) -> bytes:
    if wanted.is_plain:
        return print_shader(shader)
    copy = clone_shader(shader)
    if wanted.divergence is not None:
        _mark_divergence(copy, vertex=wanted.divergence == "vertex")
    if wanted.normalize:
        renumber(copy)
    if wanted.dialect is not None:
        copy.dialect = Dialect(wanted.dialect)
    changes_style = wanted.normalize or copy.dialect is not shader.dialect
    if changes_style:
        copy.source = b""  # the style is then that of Mesa's newest printer of the dialect
    style = PrintStyle.of(copy)
    if wanted.divergence is not None:
        style = replace(
            style, functions={name: _with_divergence(one) for name, one in style.functions.items()}
        )
    return fresh(copy, style)


def _with_divergence(style: FunctionStyle) -> FunctionStyle:
    return replace(style, divergence=True)


def _mark_divergence(shader: Shader, *, vertex: bool) -> None:
    """Put what the analysis finds where a dump prints it: on values, blocks and loops."""
    options = DivergenceOptions(release=Release.of_dialect(shader.dialect))
    info = divergence(shader, options.for_vertices() if vertex else options)
    for impl in shader.impls():
        for node in impl.cf_nodes():
            if isinstance(node, Loop):
                node.divergent = info.is_loop_divergent(node)
            elif isinstance(node, Block):
                node.divergent = info.is_block_divergent(node)
                for instr in node:
                    if instr.def_ is not None:
                        instr.def_.divergent = info.is_divergent(instr.def_)
            elif isinstance(node, If):
                node.divergent = None
