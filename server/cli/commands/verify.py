"""`nirls verify`: verification of the passes in a log."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from nirls.ir.finding import counted
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Cluster, FormatOption, Jobs, ShaderOption, TableFormat, UsesCache
from nirls.server.cli.commands.reduce import reduction_summary
from nirls.server.cli.commands.testcase import MesaVersion, api_of, write_test
from nirls.server.cli.commands.timeline import chosen
from nirls.server.cli.computing import computing
from nirls.server.cli.errors import FOUND, CommandError, complain
from nirls.server.cli.opening import file_with_dumps, files_with_dumps
from nirls.server.cli.progress import progressing, reading, with_progress
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.verification.log import ReadLog, read_log, read_parts
from nirls.server.engine.verification.reduction import ReducedTransition, reduce_transition
from nirls.server.engine.verification.run import (
    Comparison,
    comparisons_between,
    comparisons_of,
    verdicts_of,
)
from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict, verify_unit
from nirls.server.ide.history.difference_view import difference_view
from nirls.verification.first_difference import FirstDifference

Found = Sequence[tuple[Comparison, TransitionVerdict]]
_SHOWN = frozenset(("different", "unchecked"))
_ORDER = ("different", "unchecked", "equivalent", "unchanged")
_MOST_INPUTS = 24


def verify(
    logs: Annotated[
        list[str],
        typer.Argument(metavar="LOG", help="Logs printed after every pass, folders of them, or -."),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="LOG",
            help="Compare the last snapshots with those of the same shaders there.",
        ),
    ] = None,
    shader: ShaderOption = None,
    jobs: Jobs = 0,
    format_: FormatOption = TableFormat.TEXT,
    stop_at_first: Annotated[
        bool, typer.Option("--stop-at-first", help="End at the first transition that is different.")
    ] = False,
    reduce: Annotated[
        bool,
        typer.Option(
            "--reduce", help="Shrink the first transition that is different, and write it as a log."
        ),
    ] = False,
    values: Annotated[
        bool,
        typer.Option(
            "--values",
            help="Below a difference, show both snapshots with the values of the invocation that shows it.",
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where the small log goes.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="Stop shrinking after that time.")
    ] = 120.0,
    testcase: Annotated[
        Path | None,
        typer.Option(
            "--testcase",
            metavar="FILE",
            help="Write the first transition that is different, with --reduce the small one, as a unit test"
            " for Mesa.",
        ),
    ] = None,
    mesa: MesaVersion = None,
    cache: UsesCache = True,
    cluster: Cluster = None,
) -> None:
    """Compare each snapshot of a shader in logs with the one before, by running both.

    With two logs, the last snapshots of the shaders in both are also compared. Exit status: 1 if a
    comparison is different, 2 for invalid arguments or no readable input.
    """
    if values and (reduce or testcase is not None or format_ is not TableFormat.TEXT):
        raise CommandError("--values is for text, and not for --reduce or --testcase")
    if mesa is not None and testcase is None:
        raise CommandError("--mesa is for --testcase")
    api = None if mesa is None else api_of(mesa)
    wanted = comparisons(logs, against, shader)
    with computing(cluster, jobs) as compute:
        results = verdicts_of(
            wanted,
            ResultCache.of_user() if cache else None,
            compute,
            lambda results, total, current: progressing(results, total, "verifying", current),
            stop_at_first=stop_at_first or reduce or testcase is not None,
        )
        is_text = format_ is TableFormat.TEXT and not reduce
        found = list(shown(results, with_values=values) if is_text else results)
    if reduce:
        comparison, result = reduced(found, seconds)
        if testcase is None or output is not None:
            outputs.write_to(output, [result.log(comparison.pass_name)])
        complain(reduction_summary(result.instructions_before, result.instructions, result.end))
        if testcase is not None:
            small = TransitionUnit(result.before, result.after, comparison.pass_name)
            write_test(small, verify_unit(small), api, testcase)
    elif format_ is TableFormat.JSON:
        write_json(found)
    else:
        sys.stdout.write(summary(found))
    if testcase is not None and not reduce:
        comparison, verdict = first_different(found)
        if comparison.unit is None:
            raise CommandError(f"{_only_pipeline(comparison)}, of which no unit test is written")
        write_test(comparison.unit, verdict, api, testcase)
    if any(verdict.verdict == "different" for _, verdict in found):
        raise typer.Exit(FOUND)


def comparisons(names: Sequence[str], against: str | None, shader: str | None) -> Iterator[Comparison]:
    """Yield what the arguments ask to compare: the transitions of logs, and shaders that two logs share.

    The transitions of a pipeline are yielded as soon as it is read. Raises CommandError if there is nothing
    to compare, before the first comparison or at the end.
    """
    files = files_with_dumps(names)
    # Shaders are matched by all titles of a log, and two logs are also compared with each other.
    if shader is not None or against is not None or len(files) == 2:
        return iter(_of_whole_logs(files, against, shader))
    return _as_read(files)


def _as_read(files: Sequence[InputFile]) -> Iterator[Comparison]:
    is_any = False
    for file in files:
        for part in read_parts(file.data):
            for comparison in comparisons_of(file.name, part):
                is_any = True
                yield comparison
    if not is_any:
        raise _nothing_to_compare()


def _of_whole_logs(files: Sequence[InputFile], against: str | None, shader: str | None) -> list[Comparison]:
    logs = [(file.name, read_log(file.data)) for file in with_progress(files, "reading logs")]
    if against is not None:
        file = file_with_dumps(against)
        with reading():
            other = read_log(file.data)
        found = [
            comparison
            for name, log in logs
            for comparison in comparisons_between(name, log, file.name, other)
        ]
    else:
        found = [comparison for name, log in logs for comparison in comparisons_of(name, log)]
        match logs:
            case [(first, one), (second, other)]:
                found += comparisons_between(first, one, second, other)
    if not found:
        raise _nothing_to_compare()
    wanted = _titles(logs, shader)
    found = [comparison for comparison in found if (comparison.file, comparison.shader) in wanted]
    if not found:
        raise CommandError(f"no shader {shader!r} has two snapshots")
    return found


def _nothing_to_compare() -> CommandError:
    return CommandError("nothing to compare: no shader has two snapshots, and no two logs share one")


def _titles(logs: Sequence[tuple[str, ReadLog]], shader: str | None) -> set[tuple[str, str]]:
    """Return the files and titles of the shaders that `--shader` names.

    Raises CommandError if there is none.
    """
    found: set[tuple[str, str]] = set()
    problem: CommandError | None = None
    for name, log in logs:
        try:
            found.update((name, shader_timeline.title) for shader_timeline in chosen(log.shaders, shader))
        except CommandError as error:
            problem = error
    if not found and problem is not None:
        raise problem
    return found


def write_json(found: Found) -> None:
    """Write a list with an object for each comparison."""
    outputs.write_json([_plain(one, verdict) for one, verdict in found])


def _plain(one: Comparison, verdict: TransitionVerdict) -> dict[str, object]:
    plain: dict[str, object] = {
        "file": one.file,
        "shader": one.shader,
        "pass": one.pass_name,
        "from_line": one.from_line,
        "line": one.line,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
        "tried": verdict.tried,
        "counterexample": plain_counterexample(verdict, one.from_line, one.line),
    }
    return plain if one.against is None else {**plain, "against": one.against}


def plain_counterexample(found: TransitionVerdict, from_line: int, line: int) -> dict[str, Any] | None:
    """Convert a counterexample to JSON values; `from_line` and `line` are the first lines of the dumps."""
    example, start = found.counterexample, found.instruction
    if example is None:
        return None
    return {
        "output": example.what,
        "before": example.before,
        "after": example.after,
        "invocation": example.lane,
        "seed": example.seed,
        "input_kind": example.input_kind,
        "inputs": list(map(asdict, example.inputs)),
        "instruction": None if start is None else _plain_instruction(start, from_line, line),
    }


def _plain_instruction(start: FirstDifference, from_line: int, line: int) -> dict[str, Any]:
    return {
        "before": start.before,
        "after": start.after,
        "from_line": None if start.before_line is None else start.before_line + from_line,
        "line": None if start.after_line is None else start.after_line + line,
        "values": list(map(asdict, start.values)),
    }


def shown(
    results: Iterable[tuple[Comparison, TransitionVerdict]], *, with_values: bool = False
) -> Iterator[tuple[Comparison, TransitionVerdict]]:
    """Write each verdict that is different or unchecked as soon as it is known, and pass all of them on."""
    for comparison, verdict in results:
        if verdict.verdict in _SHOWN:
            lines = [*_lines(comparison, verdict)]
            if with_values and verdict.verdict == "different":
                lines += _value_lines(comparison)
            sys.stdout.writelines(f"{printable(line)}\n" for line in lines)
            sys.stdout.flush()
        yield comparison, verdict


def _value_lines(one: Comparison) -> list[str]:
    """Return both snapshots with their values, side by side."""
    view = None if one.unit is None else difference_view(one.unit)
    if view is None:
        return ["    the values are not shown: only the whole pipeline differs"]
    return ["", *view.text.splitlines(), ""]


def summary(found: Found) -> str:
    """Say how many there are of each verdict."""
    counts = Counter(verdict.verdict for _, verdict in found)
    total = ", ".join(f"{counts[kind]} {kind}" for kind in _ORDER if counts[kind])
    return f"{counted(len(found), 'transition')}: {total}\n"


def _lines(one: Comparison, verdict: TransitionVerdict) -> Iterator[str]:
    place = f"{one.against or one.file}:{one.line + 1}"
    yield f"{place}: {one.shader}: {one.pass_name}: {verdict.verdict}: {verdict.reason}"
    example = verdict.counterexample
    if example is None:
        return
    yield f"    before: {one.file}:{one.from_line + 1}"
    yield f"    on invocation {example.lane} of seed {example.seed} ({example.input_kind})"
    for value in example.inputs[:_MOST_INPUTS]:
        yield f"        {value}"
    if len(example.inputs) > _MOST_INPUTS:
        yield f"        and {len(example.inputs) - _MOST_INPUTS} more"
    start = verdict.instruction
    if start is None:
        return
    yield "    the first instruction that gives another value:"
    if start.before_line is not None:
        yield f"        {one.file}:{one.from_line + start.before_line + 1}: {start.before}"
    if start.after_line is not None:
        yield f"        {one.against or one.file}:{one.line + start.after_line + 1}: {start.after}"
    for pair in start.values:
        yield f"        {pair.before_name} = {pair.before} before, {pair.after_name} = {pair.after} after"


def first_different(found: Found) -> tuple[Comparison, TransitionVerdict]:
    """Return the first difference. Raises CommandError if there is none."""
    for comparison, verdict in found:
        if verdict.verdict == "different":
            return comparison, verdict
    raise CommandError("nothing to reduce or to test: no transition is different")


def reduced(found: Found, seconds: float) -> tuple[Comparison, ReducedTransition]:
    """Shrink the first difference. Raises CommandError if there is none, or none of a shader alone."""
    comparison, _ = first_different(found)
    result = None if comparison.unit is None else reduce_transition(comparison.unit, seconds)
    if result is None:
        raise CommandError(f"{_only_pipeline(comparison)}, which is not reduced")
    return comparison, result


def _only_pipeline(comparison: Comparison) -> str:
    return f"{comparison.file}:{comparison.line + 1}: only the whole pipeline differs"
