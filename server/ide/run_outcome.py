"""Runs of dumps for editors, in a worker process."""

from __future__ import annotations

import time
from collections.abc import Iterator

from nirls.ir.finding import counted
from nirls.ir.model.slots import short_slots
from nirls.ir.text.parse import parse_dump
from nirls.server.ide.run_text import is_odd, lost_text, spread_lines, value_text, written_text
from nirls.server.ide.run_view import RunChoice, RunHint, ShaderRun
from nirls.verification.evaluate.values.errors import TimeUsedUp, Unsupported
from nirls.verification.tracing.given_values import GivenError, GivenValues, given_in_comments
from nirls.verification.tracing.trace import Trace, TraceRequest, traced_run

SECONDS = 5.0
"""Limit of the CPU time of a run."""

_MOST_OUTPUTS = 8


def run_of_texts(texts: tuple[bytes, ...], position: int, choice: RunChoice) -> ShaderRun:
    """Run the dumps of a pipeline, or one dump, and describe the one at `position`."""
    shaders = [parse_dump(text) for text in texts]
    unread = next((shader for shader in shaders if shader.unreadable or shader.damage is not None), None)
    if unread is not None:
        return ShaderRun(problem="a dump has lines that cannot be read")
    given = GivenValues()
    warnings: list[str] = []
    for text in texts:
        found, problems = given_in_comments(text)
        given += found
        warnings += problems
    request = TraceRequest(choice.seed, given=given)
    try:
        run = traced_run(shaders, request, deadline=time.thread_time() + SECONDS)
    except TimeUsedUp:
        return ShaderRun(problem=f"it takes more than {SECONDS:g} s")
    except (Unsupported, GivenError) as error:
        return ShaderRun(problem=str(error), warnings=tuple(warnings))
    warnings += [f"{name} is given, but nothing reads it" for name in run.unread]
    if position >= len(run.stages):
        return ShaderRun(problem="no primitive reaches this stage", warnings=tuple(warnings))
    trace = run.stages[position]
    invocation = min(choice.invocation, trace.invocations - 1)
    return ShaderRun(
        invocation,
        trace.invocations,
        trace.stage,
        _summary(trace, invocation),
        tuple(_hints(trace, invocation)),
        tuple(block.lines for block in trace.blocks if block.lines and not block.runs[invocation]),
        {value.name: tuple(spread_lines(value)) for value in trace.values if len(value.bits)},
        tuple(warnings),
    )


def _hints(trace: Trace, invocation: int) -> Iterator[RunHint]:
    for block in trace.blocks:
        if block.lines is None:
            continue
        if not block.runs[invocation]:
            yield RunHint(block.lines[0], "not run")
        elif block.is_round:
            yield RunHint(block.lines[0], counted(int(block.runs[invocation]), "round"))
    for value in trace.values:
        rounds = int(value.runs[invocation])
        if value.line is None or value.is_constant or not rounds or not len(value.bits):
            continue
        mark = "\N{WARNING SIGN}" if is_odd(value, invocation) else "="
        text = f"{mark} {value_text(value, invocation)}"
        yield RunHint(value.line, f"{text} (round {rounds})" if rounds > 1 else text)


def _summary(trace: Trace, invocation: int) -> str:
    """Say what an invocation has written, in one line."""
    if trace.lost[invocation]:
        return lost_text(trace)
    if trace.discarded[invocation]:
        return "discarded"
    written = [
        *trace.outputs_of(invocation),
        *(cell for cell in trace.memory if invocation in cell.invocations),
    ]
    texts = [f"{short_slots(one.name)} = {written_text(one)}" for one in written[:_MOST_OUTPUTS]]
    more = len(written) - len(texts)
    return ", ".join([*texts, f"{more} more"] if more else texts) or "writes nothing"
