"""`nirls pack`: the packing of varyings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from nirls.passes.varyings.interface.rules import short_name
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.table import COMPONENTS, CellGroup, PackingTable, PairPacking
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Config, Files, FormatOption, TableFormat
from nirls.server.cli.console import OutputConsole
from nirls.server.cli.errors import CommandError
from nirls.server.cli.opening import opened
from nirls.server.cli.progress import with_progress
from nirls.server.engine.base.shown_text import printable, printable_line
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.pipelines.pipelines import Pipeline
from nirls.server.ide.packing.packing_plan import packing_of_shaders, plain_packing
from nirls.server.ide.packing.packing_text import plain_lines, shown_cell, shown_tables

COLORS = {
    CellGroup.INTERPOLATED: "black on green",
    CellGroup.FLAT: "black on yellow",
    CellGroup.CONVERGENT: "black on cyan",
    CellGroup.COLOR: "black on bright_magenta",
    CellGroup.EXPLICIT: "black on bright_yellow",
    CellGroup.PER_PRIMITIVE: "black on bright_blue",
    CellGroup.PER_VERTEX: "black on green",
    CellGroup.CROSS_INVOCATION: "black on bright_green",
    CellGroup.PATCH: "black on bright_cyan",
    CellGroup.CAPTURED_ONLY: "white on blue",
    CellGroup.NO_VARYING: "white on magenta",
    CellGroup.FIXED_HARDWARE: "white on bright_black",
    CellGroup.DEAD: "white on red",
    CellGroup.UNDEFINED: "black on bright_red",
    CellGroup.OTHER: "",
}
"""The style of each group in a terminal."""


def pack(
    files: Files,
    format_: FormatOption = TableFormat.TEXT,
    config: Config = None,
) -> None:
    """Show how varyings are packed into vec4 slots, before and after opt_varyings.

    One table of slots by components for each pair of linked stages; coloured by group in a terminal,
    otherwise with the group after each cell: interpolated, flat, convergent, patch, color, transform feedback
    only, and so on. `[]` marks an element of an indexed range, `lo` and `hi` the halves of a component.
    Files of other stages beside a file are read for the link. Exit status 2 if no stages are linked.
    """
    workspace = opened(files, config, partners=True)
    packed = packed_pipelines(workspace, "packing")
    if format_ is TableFormat.JSON:
        outputs.write_json(plain_pipelines(packed, plain_packing))
    else:
        write_text(packed)
    fail_if_unlinked(workspace)


@dataclass(frozen=True, slots=True)
class PackedPipeline:
    """A pipeline of the workspace with the packing of its pairs of stages."""

    pipeline: Pipeline
    pairs: Sequence[PairPacking]

    @property
    def title(self) -> str:
        """The name of the pipeline and its dumps, for a terminal."""
        return printable_line(f"{self.pipeline.name}: {' -> '.join(map(str, self.pipeline.dumps))}")


def fail_if_unlinked(workspace: LinkedFiles) -> None:
    """Raise CommandError if no stages are linked."""
    if not _pipelines_of_named(workspace):
        raise CommandError("no stages are linked; `nirls check -v` says why (docs/projects.md)")


def packed_pipelines(workspace: LinkedFiles, verb: str) -> Iterator[PackedPipeline]:
    """Yield the packing of every pipeline that has a dump of a named document, with the project's options.

    `verb` names the work in the progress bar.
    """
    settings = CheckSettings.of_project(workspace.project)
    for pipeline in with_progress(_pipelines_of_named(workspace), verb):
        shaders = [workspace.shader(dump) for dump in pipeline.dumps]
        maps = [workspace.urb_maps(dump) for dump in pipeline.dumps]
        own = settings.for_document(workspace.documents[pipeline.dumps[0].document])
        given = own.options.get(OptVaryings.name, {})
        yield PackedPipeline(pipeline, packing_of_shaders(shaders, given, maps))


def _pipelines_of_named(workspace: LinkedFiles) -> list[Pipeline]:
    return [
        pipeline
        for pipeline in workspace.pipelines
        if any(workspace.documents[dump.document].is_open for dump in pipeline.dumps)
    ]


def plain_pipelines(
    found: Iterable[PackedPipeline], plain_pair: Callable[[PairPacking], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Convert pipelines to JSON values: the `stages` of each, and its `pairs` as `plain_pair` gives them."""
    return [
        {
            "pipeline": packed_pipeline.pipeline.name,
            "stages": [
                {
                    "stage": member.stage.abbreviation,
                    "file": member.dump.document,
                    "dump": member.dump.number + 1,
                }
                for member in packed_pipeline.pipeline.members
            ],
            "pairs": [plain_pair(pair) for pair in packed_pipeline.pairs],
        }
        for packed_pipeline in found
    ]


def write_text(found: Iterable[PackedPipeline]) -> None:
    """Tables, coloured by group on a terminal. Elsewhere each cell names its group behind what it holds."""
    in_colors = sys.stdout.isatty()
    console = OutputConsole(highlight=False, soft_wrap=not in_colors)
    for number, packed_pipeline in enumerate(found):
        if number:
            console.print()
        console.print(Text(packed_pipeline.title, "bold"))
        for pair in packed_pipeline.pairs:
            console.print()
            console.print(Text(printable(pair.summary)))
            for title, table in shown_tables(pair):
                if in_colors:
                    console.print(_colored(title, table))
                else:
                    console.print(Text("\n".join(plain_lines(title, table))))
            if in_colors and pair.before.cells:
                console.print(_legend(pair))
        sys.stdout.flush()


def _colored(title: str, table: PackingTable) -> Table:
    result = Table(title=title, title_justify="left", title_style="", show_lines=False)
    result.add_column("slot")
    for letter in COMPONENTS:
        result.add_column(letter)
    for location, columns in table.rows():
        cells = [
            Text(" ").join(Text(f" {shown_cell(cell)} ", COLORS[cell.group]) for cell in column)
            for column in columns
        ]
        result.add_row(short_name(location), *cells)
    return result


def _legend(pair: PairPacking) -> Text:
    groups = [group for group in CellGroup if group in {*pair.before.groups(), *pair.after.groups()}]
    return Text("  ").join(Text(f" {group.value} ", COLORS[group]) for group in groups)
