"""`nirls inline`: the uniforms that are worth inlining for given draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from nirls.passes.declaration import OptionError
from nirls.passes.uniforms.draws import InlineChoice, Ranking, ranking, read_draws
from nirls.passes.uniforms.inline_uniforms import InlineUniforms
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Config, Files, FormatOption, TableFormat
from nirls.server.cli.errors import CommandError
from nirls.server.cli.opening import opened
from nirls.server.cli.progress import with_progress
from nirls.server.cli.tables import table_console
from nirls.server.engine.base.shown_text import printable_line
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.pipelines.pipelines import DumpRef

_MOST_VARIANTS = 4
_COLUMNS = ("uniforms", "draws", "variants", "saved", "instructions", "values")


def inline(
    files: Files,
    values: Annotated[
        Path,
        typer.Option(
            "--values",
            metavar="FILE",
            help="Values of uniforms, one line a draw: BUFFER:BYTE=VALUE separated by spaces or commas.",
        ),
    ],
    format_: FormatOption = TableFormat.TEXT,
    config: Config = None,
) -> None:
    """Rank the uniforms worth inlining by the values that draws give them. No file is changed.

    For each dump, the uniforms that determine control flow or selections, those that save most first: the
    draws that give them values, the number of variants to compile, the executed instructions that a draw
    saves on average (a loop that is not unrolled counts ten times), the sizes of the variants, and the values
    with their numbers of draws.
    """
    try:
        draws = read_draws(values.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{values} cannot be read: {error}") from None
    except OptionError as error:
        raise CommandError(f"{values}, {error}") from None
    workspace = opened(files, config)
    settings = CheckSettings.of_project(workspace.project)
    found = []
    dumps = [(document, dump) for document in workspace.named() for dump in document.snapshot.dumps()]
    for document, dump in with_progress(dumps, "inlining"):
        given = settings.for_document(document).options.get(InlineUniforms.name, {})
        shader = workspace.shader(DumpRef(document.uri, dump.number))
        ranked = ranking(shader, draws, InlineUniforms.with_usable_options(given))
        stage = "" if shader.stage is None else shader.stage.name
        found.append(RankedDump(document.uri, dump.number + 1, stage, ranked))
    if format_ is TableFormat.JSON:
        outputs.write_json([plain_ranking(ranked_dump) for ranked_dump in found])
    else:
        _show(found)


@dataclass(frozen=True, slots=True)
class RankedDump:
    """The ranking of a dump. `number` counts the dumps of the file from 1."""

    file: str
    number: int
    stage: str
    ranking: Ranking


def plain_ranking(one: RankedDump) -> dict[str, object]:
    """Convert a ranking to an object for JSON."""
    return {
        "file": one.file,
        "dump": one.number,
        "stage": one.stage,
        "draws": one.ranking.draws,
        "instructions": one.ranking.instructions,
        "executed": one.ranking.executed,
        "choices": [
            {
                "uniforms": [str(word) for word in choice.words],
                "draws": choice.draws,
                "saved": round(choice.saved, 2),
                "variants": [
                    {
                        "values": {
                            str(word): value for word, value in zip(choice.words, variant.values, strict=True)
                        },
                        "draws": variant.draws,
                        "instructions": variant.instructions,
                        "executed": variant.executed,
                    }
                    for variant in choice.variants
                ],
            }
            for choice in one.ranking.choices
        ],
    }


def _show(found: Sequence[RankedDump]) -> None:
    console = table_console()
    for ranked_dump in found:
        ranked = ranked_dump.ranking
        name = printable_line(f"{ranked_dump.file}#{ranked_dump.number}")
        console.print(Text(f"{name}: {ranked.instructions} instructions, {ranked.draws} draws", "bold"))
        if not ranked.choices:
            console.print("no uniform of these draws determines control flow or selections")
            continue
        table = Table(box=None, pad_edge=False)
        for column in _COLUMNS:
            table.add_column(column, justify="right" if column in _COLUMNS[1:4] else "left")
        for choice in ranked.choices:
            table.add_row(
                " ".join(map(str, choice.words)),
                str(choice.draws),
                str(len(choice.variants)),
                f"{choice.saved:.1f}",
                _sizes(choice),
                _histogram(choice),
            )
        console.print(table)


def _sizes(choice: InlineChoice) -> str:
    sizes = [variant.instructions for variant in choice.variants]
    return str(sizes[0]) if min(sizes) == max(sizes) else f"{min(sizes)}..{max(sizes)}"


def _histogram(choice: InlineChoice) -> str:
    shown = [
        f"{' '.join(map(hex, variant.values))} ({variant.draws})"
        for variant in choice.variants[:_MOST_VARIANTS]
    ]
    left = len(choice.variants) - len(shown)
    return ", ".join((*shown, f"{left} more") if left else shown)
