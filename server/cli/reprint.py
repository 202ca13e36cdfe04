"""`nirls print`: dumps read and printed again."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.analysis.divergence import DivergenceOptions, Release, divergence
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.printing import ConversionError, Printable, converted, marked, print_shader, renumbered
from nirls.server.cli.errors import CommandError
from nirls.server.engine.workspace import Document


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
    """The text of a document with every dump printed again, and the text between as it is.

    Raises CommandError for a dump that cannot be written in the dialect asked for.
    """
    parts = []
    numbers = {id(dump.piece): dump.number for dump in document.snapshot.dumps()}
    for piece in document.snapshot.pieces:
        if not piece.is_dump:
            parts.append(piece.raw)
            continue
        number = numbers[id(piece)]
        try:
            text = _print_dump(document.shader(number), wanted)
            parts.append(text if piece.hidden is None else piece.hidden.raw_of(text))
        except ConversionError as error:
            raise CommandError(f"{document.uri}, dump {number + 1}: {error}") from error
    return b"".join(parts)


def _print_dump(shader: Shader, wanted: Reprint) -> bytes:
    if wanted.is_plain:
        return print_shader(shader)
    printable = Printable.of(shader)
    if wanted.divergence is not None:
        printable = _with_divergence(printable, vertex=wanted.divergence == "vertex")
    if wanted.dialect is not None:
        printable = converted(printable, Dialect(wanted.dialect))
    if wanted.normalize:
        printable = renumbered(printable)
    return printable.text()


def _with_divergence(printable: Printable, *, vertex: bool) -> Printable:
    """By the rules of the release that the dump is from, for a driver that promises nothing."""
    options = DivergenceOptions(release=Release.of_dialect(printable.shader.dialect))
    info = divergence(printable.shader, options.for_vertices() if vertex else options)
    return marked(
        printable,
        info.is_divergent,
        lambda block: bool(info.is_block_divergent(block)),
        info.is_loop_divergent,
    )
