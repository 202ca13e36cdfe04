"""Reduction of dumps to the smallest ones on which a pass still fails the same way, in a worker process.

Every try runs in a child process, because it may loop for ever or exhaust memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes import registry
from nirls.passes.reduction.reduce import count_instructions, reduce_shaders
from nirls.passes.reduction.search import Search
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.dump_findings import FailedPass, findings_of_passes
from nirls.server.engine.checks.pass_failures import PassFailure
from nirls.server.engine.checks.pass_jobs import Texts, run_in_place
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Budget, Cause, JobFailedError
from nirls.server.engine.worker.process import WorkerProcess

TRY_SECONDS = 2.0
"""Time limit of one try in seconds."""


@dataclass(frozen=True, slots=True)
class Smallest:
    """Reduced texts, and the number of instructions after and before.

    `is_reproduced` is False if the failure did not occur again; the texts are then the original ones.
    """

    texts: Texts
    instructions: int
    instructions_before: int
    is_reproduced: bool


def smallest(failure: PassFailure, seconds: float, megabytes: int) -> Smallest:
    """Reduce the input of a failure for up to `seconds`, with a memory limit of `megabytes` per try."""
    shaders = [parse_dump(text) for text in failure.texts]
    before = count_instructions(shaders)
    tries = WorkerProcess(Budget(TRY_SECONDS, megabytes))

    def holds(candidate: Sequence[Shader]) -> bool:
        steps.begin("")
        return _kind(tries, candidate, failure) == (failure.cause, _exception_of(failure))

    try:
        result = reduce_shaders(shaders, holds, Search.lasting(seconds))
    except ValueError:
        return Smallest(failure.texts, before, before, False)
    finally:
        tries.stop()
    return Smallest(tuple(shader.source for shader in result.shaders), result.instructions, before, True)


def provoke(texts: Texts, settings: CheckSettings, pass_name: str) -> str:
    """Run a pass's finder, then the pass; return the exception caught in the finder, "" for none."""
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
    run_in_place(ready, [clone_shader(shader) for shader in shaders])
    return ""


def _kind(
    tries: WorkerProcess, candidate: Sequence[Shader], failure: PassFailure
) -> tuple[Cause, str] | None:
    """Cause of the failure on the candidates and type of its exception; None if the pass does not fail."""
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
