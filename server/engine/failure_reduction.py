"""The smallest dumps on which a pass still goes wrong in the same way: a job for a worker process.

Every try runs in another process below that one, because it may loop for ever or eat memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes import registry
from nirls.server.engine.checking import CheckSettings, FailedPass, findings_of_passes
from nirls.server.engine.pass_failures import PassFailure
from nirls.server.engine.pass_jobs import Texts
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Budget, Cause, JobFailedError
from nirls.server.engine.worker.process import WorkerProcess

TRY_SECONDS = 2.0
"""Seconds after which a try counts as one that takes too long."""


@dataclass(frozen=True, slots=True)
class Smallest:
    """The texts that were found, with how many instructions, of how many at first.

    `is_reproduced` is False where the pass did not go wrong again; the texts are those it did on then.
    """

    texts: Texts
    instructions: int
    instructions_before: int
    is_reproduced: bool


def smallest(failure: PassFailure, seconds: float, megabytes: int) -> Smallest:
    """Shrink what a pass went wrong on for so many seconds."""
    from nirls.passes.reduction.reduce import count_instructions, reduce_shaders

    shaders = [parse_dump(text) for text in failure.texts]
    before = count_instructions(shaders)
    tries = WorkerProcess(Budget(TRY_SECONDS, megabytes))

    def holds(candidate: Sequence[Shader]) -> bool:
        steps.begin("")
        return _kind(tries, candidate, failure) == (failure.cause, _exception_of(failure))

    try:
        result = reduce_shaders(shaders, holds, seconds=seconds)
    except ValueError:
        return Smallest(failure.texts, before, before, False)
    finally:
        tries.stop()
    return Smallest(tuple(shader.source for shader in result.shaders), result.instructions, before, True)


def provoke(texts: Texts, settings: CheckSettings, pass_name: str) -> str:
    """Let a pass look for findings, then run it; the exception that is caught on the way, "" for none."""
    declared = registry.find(pass_name)
    if declared is None:
        return ""
    only = {each.name: each.name == pass_name for each in registry.all_passes()}
    shaders = [parse_dump(text) for text in texts]
    failed: list[FailedPass] = []
    findings_of_passes(shaders, replace(settings, passes=only), failed)
    if failed:
        return MemoryError.__name__ if failed[0].is_out_of_memory else failed[0].detail
    ready = declared.with_options(settings.options.get(pass_name, {}))
    copies = [clone_shader(shader) for shader in shaders]
    for group in [copies] if declared.scope == "pipeline" else [[copy] for copy in copies]:
        if declared.applies_to(group):
            ready.run(group)
    return ""


def _kind(
    tries: WorkerProcess, candidate: Sequence[Shader], failure: PassFailure
) -> tuple[Cause, str] | None:
    """How the pass goes wrong on candidates, None if it does not."""
    texts = tuple(shader.source for shader in candidate)
    try:
        detail = tries.call(None, provoke, texts, failure.settings, failure.pass_name)
    except JobFailedError as error:
        return error.cause, _type_name(error.detail) if error.cause is Cause.RAISED else ""
    if not detail:
        return None
    name = _type_name(detail)
    return (Cause.MEMORY, "") if name == MemoryError.__name__ else (Cause.RAISED, name)


def _exception_of(failure: PassFailure) -> str:
    return _type_name(failure.detail) if failure.cause is Cause.RAISED else ""


def _type_name(detail: str) -> str:
    return detail.partition(":")[0]
