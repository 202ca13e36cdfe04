"""`nirls print`: parse and print dumps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from nirls.ir.analysis.divergence import DivergenceOptions, divergence
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.printing import ConversionError, Printable, converted, marked, renumbered
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Files, OutDir
from nirls.server.cli.errors import CommandError, complain
from nirls.server.cli.opening import report_without_dumps
from nirls.server.cli.progress import reading, with_progress
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.files.input_files import read_inputs
from nirls.server.engine.files.linked_files import LinkedFiles


class DialectName(StrEnum):
    """Dialects that `print` supports."""

    MODERN = "modern"
    CLASSIC = "classic"


class DivergenceName(StrEnum):
    """Scope of the divergence that `print` shows."""

    SUBGROUP = "subgroup"
    VERTEX = "vertex"


def print_(
    files: Files,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Renumber values and blocks, and print in one style.")
    ] = False,
    dialect: Annotated[DialectName | None, typer.Option("--dialect", help="Print in this dialect.")] = None,
    divergence: Annotated[
        DivergenceName | None,
        typer.Option("--divergence", help="Print con or div before each value, by divergence analysis."),
    ] = None,
    out_dir: OutDir = None,
) -> None:
    """Print dumps in another form; without options, the files as they are."""
    wanted = Reprint(normalize, dialect, divergence)
    with reading():
        inputs = read_inputs(files)
        workspace = LinkedFiles(inputs)
    dumps = [(document, dump) for document in workspace.named() for dump in document.snapshot.dumps()]
    texts = {
        (document.uri, dump.index): reprinted(document, dump, wanted)
        for document, dump in (() if wanted.is_plain else with_progress(dumps, "printing"))
    }
    results = [
        (
            workspace.file(document),
            b"".join(
                texts.get((document.uri, index), piece.raw)
                for index, piece in enumerate(document.snapshot.pieces)
            ),
        )
        for document in workspace.named()
    ]
    if out_dir is not None:
        outputs.write_to_folder(results, out_dir)
    else:
        outputs.write_files_to_stdout(results)
    report_without_dumps(inputs)


@dataclass(frozen=True, slots=True)
class Reprint:
    """Print options. `dialect` is `modern` or `classic`, `divergence` is `subgroup` or `vertex`."""

    normalize: bool = False
    dialect: str | None = None
    divergence: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether dumps come out as they went in."""
        return not self.normalize and self.dialect is None and self.divergence is None


def reprinted(document: Document, dump: PlacedDump, wanted: Reprint) -> bytes:
    """The text of a dump printed again, with the prefixes of its lines.

    Raises CommandError for a dump that cannot be converted to the requested dialect.
    """
    shader = document.shader(dump.number)
    if reason := _why_not_again(shader):
        complain(f"{document.uri}, dump {dump.number + 1}: left as it is, since {reason}")
        return dump.piece.raw
    try:
        text = _print_dump(shader, wanted)
    except ConversionError as error:
        raise CommandError(f"{document.uri}, dump {dump.number + 1}: {error}") from error
    hidden = dump.piece.hidden
    return text if hidden is None else hidden.raw_of(text)


def _why_not_again(shader: Shader) -> str:
    """Return why a dump cannot be printed again without a loss, "" if it can."""
    if shader.damage is not None:
        return shader.damage.reason
    if shader.unreadable:
        line = shader.unreadable[0].text.strip()
        return f"this line of it cannot be read: {line[:80]}"
    return "it is an excerpt of a dump" if shader.is_excerpt else ""


def _print_dump(shader: Shader, wanted: Reprint) -> bytes:
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
    options = DivergenceOptions.of_dump(printable.shader)
    info = divergence(printable.shader, options.for_vertices() if vertex else options)
    return marked(
        printable,
        info.is_divergent,
        lambda block: bool(info.is_block_divergent(block)),
        info.is_loop_divergent,
    )
