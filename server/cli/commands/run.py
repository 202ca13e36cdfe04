"""`nirls run`: a shader or linked stages, run on made-up or given inputs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

from nirls.ir.finding import counted
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Files, FormatOption, TableFormat
from nirls.server.cli.errors import CommandError, complain
from nirls.server.cli.opening import NamedDump, named_dumps
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.files.input_files import InputError, read_bytes
from nirls.server.engine.settings.project_file import STAGE_KEYS
from nirls.server.ide.run_text import (
    NOT_RUN,
    lost_text,
    plain_number,
    plain_value,
    value_text,
    written_text,
)
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.tracing.given_values import (
    GivenError,
    GivenValues,
    given_in_comments,
    given_in_table,
)
from nirls.verification.tracing.trace import LANES, Trace, TracedRun, TraceRequest, WrittenValue, traced_run

_ORDER = tuple(STAGE_KEYS.values())


def run(
    files: Files,
    values: Annotated[
        Path | None,
        typer.Option("--values", metavar="FILE", help="A TOML file with the tables `input` and `uniform`."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of what is not given.")] = 1,
    invocation: Annotated[
        int, typer.Option("--invocation", metavar="N", min=0, help="The invocation to show, from 0.")
    ] = 0,
    trace: Annotated[bool, typer.Option("--trace", help="Also show the value of each definition.")] = False,
    format_: FormatOption = TableFormat.TEXT,
) -> None:
    """Run a shader, or linked stages, and show what one invocation writes.

    FILE is a file with one dump, FILE#N one of several; several dumps are linked stages, in order. Inputs are
    made up, the same ones for the same seed, except for those that `// nirls: input VAR0.x = 1.5` and
    `// nirls: uniform ubo0[16] = 2` in the dumps, or --values, give.
    """
    dumps = [dump for name in files for dump in named_dumps(name)]
    shaders = _linked(dumps)
    given = _given(dumps, values)
    try:
        found = traced_run(shaders, TraceRequest(seed, LANES, given))
    except GivenError as error:
        raise CommandError(str(error)) from None
    except Unsupported as error:
        raise CommandError(f"{', '.join(dump.name for dump in dumps)}: cannot be run: {error}") from None
    for name in found.unread:
        complain(f"warning: {name} is given, but nothing reads it")
    for dump in dumps[len(found.stages) :]:
        complain(f"warning: no primitive reaches {dump.name}")
    for stage in found.stages:
        if invocation >= stage.invocations and len(found.stages) == 1:
            raise CommandError(f"the {stage.stage} has {stage.invocations} invocations, from 0 on")
    if format_ is TableFormat.JSON:
        outputs.write_json(_plain(found, dumps, seed, invocation, with_values=trace))
        return
    for dump, stage in zip(dumps, found.stages, strict=False):
        for line in _lines(dump, stage, min(invocation, stage.invocations - 1), trace):
            typer.echo(printable(line))


def _linked(dumps: Sequence[NamedDump]) -> list[Shader]:
    """Return the shaders of dumps, which are one, or stages in order. Raises CommandError."""
    shaders = [parse_dump(dump.dump.piece.text) for dump in dumps]
    for dump, shader in zip(dumps, shaders, strict=True):
        if shader.unreadable:
            raise CommandError(f"{dump.name}: {counted(len(shader.unreadable), 'line')} cannot be read")
    stages = [shader.stage for shader in shaders]
    if len(shaders) > 1 and not all(
        first in _ORDER and second in _ORDER and _ORDER.index(first) < _ORDER.index(second)
        for first, second in pairwise(stages)
    ):
        raise CommandError(
            f"{len(shaders)} dumps that are no successive stages; name one, such as {dumps[0].name}"
        )
    return shaders


def _given(dumps: Sequence[NamedDump], file: Path | None) -> GivenValues:
    """Return the values that the comments and the file give. Raises CommandError."""
    given = GivenValues()
    for dump in dumps:
        found, problems = given_in_comments(dump.dump.piece.text)
        if problems:
            raise CommandError(f"{dump.name}: {problems[0]}")
        given += found
    if file is None:
        return given
    try:
        return given + given_in_table(tomllib.loads(read_bytes(file).decode()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, GivenError) as error:
        raise InputError(f"{file}: {error}") from None


def _lines(dump: NamedDump, stage: Trace, invocation: int, with_values: bool) -> Iterator[str]:
    yield f"{dump.name}: {stage.stage}, invocation {invocation} of {stage.invocations}"
    if with_values:
        yield from _value_lines(dump, stage, invocation)
    if stage.discarded[invocation]:
        yield "  discarded"
    if stage.lost[invocation]:
        yield f"  {lost_text(stage)}"
    for written in stage.outputs_of(invocation):
        yield f"  {written.name} = {written_text(written)}"
    own = [cell for cell in stage.memory if invocation in cell.invocations]
    for cell in own:
        yield f"  {cell.name} = {written_text(cell)}"
    others = len(stage.memory) - len(own)
    if others:
        yield f"  {counted(others, 'more cell')} of memory written by other invocations"
    if stage.discarded.any() and not stage.discarded.all():
        yield f"  {int(stage.discarded.sum())} of {stage.invocations} invocations are discarded"


def _value_lines(dump: NamedDump, stage: Trace, invocation: int) -> Iterator[str]:
    first = dump.dump.first_line + 1
    for value in sorted(stage.values, key=lambda one: one.line or 0):
        text = value_text(value, invocation)
        if value.line is None or not text:
            continue
        rounds = int(value.runs[invocation])
        note = f"  (round {rounds}, the last)" if rounds > 1 and text != NOT_RUN else ""
        yield f"  {first + value.line:5}  {value.name} = {text}{note}"


def _plain(
    found: TracedRun, dumps: Sequence[NamedDump], seed: int, invocation: int, *, with_values: bool
) -> dict[str, Any]:
    return {
        "seed": seed,
        "unread": list(found.unread),
        "stages": [
            _plain_stage(dump, stage, min(invocation, stage.invocations - 1), with_values=with_values)
            for dump, stage in zip(dumps, found.stages, strict=False)
        ],
    }


def _plain_stage(dump: NamedDump, stage: Trace, invocation: int, *, with_values: bool) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "dump": dump.name,
        "stage": stage.stage,
        "invocation": invocation,
        "invocations": stage.invocations,
        "discarded": bool(stage.discarded[invocation]),
        "undefined_control_flow": bool(stage.lost[invocation]),
        "outputs": [_plain_written(one) for one in stage.outputs_of(invocation)],
        "memory": [{**_plain_written(one), "invocations": list(one.invocations)} for one in stage.memory],
    }
    if with_values:
        first = dump.dump.first_line
        plain["values"] = [plain_value(one, invocation, first) for one in stage.values if len(one.bits)]
    return plain


def _plain_written(written: WrittenValue) -> dict[str, object]:
    number = plain_number(written.bits, written.bit_size, written.base)
    return {"name": written.name, "type": written.base, "bit_size": written.bit_size, **number}
