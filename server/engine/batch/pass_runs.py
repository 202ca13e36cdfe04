"""Unit of `nirls opt`: the texts of dumps that passes take together, and the edits that the passes make."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.clone import clone_shader
from nirls.ir.text.edits import TextEdit, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import defect_of
from nirls.passes.declaration import Pass
from nirls.server.engine.batch.verified import Verified, verified
from nirls.server.engine.batch.work import Work, content_key
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Budget, Cause, JobFailedError
from nirls.server.engine.worker.process import Worker

BUDGET = Budget(seconds=3600.0, megabytes=8192)
"""Limit for each pass on each unit, only for passes that do not end: the user has asked for this pass."""


@dataclass(frozen=True, slots=True)
class PassOnDumps:
    """A pass, and the positions of the dumps that it takes."""

    run: Pass
    dumps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PassesUnit:
    """Texts of dumps, and the passes to run on them, in order. With `verify`, each result is verified."""

    texts: tuple[bytes, ...]
    steps: tuple[PassOnDumps, ...]
    verify: bool = False
    allows_unchecked: bool = False

    @property
    def size(self) -> int:
        """Bytes to read, as a measure of the work."""
        return sum(map(len, self.texts))

    def key(self, program: str) -> str:
        """Hash of all that the result depends on."""
        return content_key((program, self.steps, self.verify, self.allows_unchecked), self.texts)


@dataclass(frozen=True, slots=True)
class PassResults:
    """The edits of each dump, what is wrong with each ("" for nothing), and verdicts by the numbers of steps.

    `failure` says why the pass of step `failed_step` raised or did not end; then there is nothing else.
    """

    edits: tuple[tuple[TextEdit, ...], ...] = ()
    defects: tuple[str, ...] = ()
    verdicts: tuple[tuple[int, Verified], ...] = ()
    failure: str = ""
    failed_step: int = 0


def run_passes(unit: PassesUnit) -> PassResults:
    """Run the passes of a unit in the current process."""
    steps.begin("")
    given = [parse_dump(text) for text in unit.texts]
    shaders = [clone_shader(shader) for shader in given]
    changed: set[int] = set()
    verdicts: list[tuple[int, Verified]] = []
    for number, step in enumerate(unit.steps):
        steps.begin(step.run.name)
        taken = [shaders[dump] for dump in step.dumps]
        if not step.run.applies_to(taken):
            continue
        before = [clone_shader(shader) for shader in taken] if unit.verify else []
        try:
            results = {id(shader) for shader in step.run.run(taken)}
        # A pass of another package, or an unexpected dump.
        except (Exception, SystemExit) as error:
            return PassResults(failure=f"{type(error).__name__}: {error}", failed_step=number)
        if results and unit.verify:
            assumed, allowed = step.run.assumptions(before), unit.allows_unchecked
            verdict = verified(step.run.name, before, taken, assumed, allows_unchecked=allowed)
            verdicts.append((number, verdict))
            if verdict.is_left_out:
                for dump, shader in zip(step.dumps, before, strict=True):
                    shaders[dump] = shader
                continue
        changed.update(dump for dump, shader in zip(step.dumps, taken, strict=True) if id(shader) in results)
    return PassResults(
        tuple(
            tuple(text_edits(old, new)) if dump in changed else ()
            for dump, (old, new) in enumerate(zip(given, shaders, strict=True))
        ),
        tuple(defect_of(shader) for shader in shaders),
        tuple(verdicts),
    )


def _run_in(worker: Worker, unit: PassesUnit) -> PassResults:
    """Run a unit in a worker process; one that ends or is killed is a failure of its step."""
    try:
        return worker.call(None, run_passes, unit)
    except JobFailedError as error:
        if error.cause is Cause.STOPPED:
            raise
        names = [step.run.name for step in unit.steps]
        failed = names.index(error.step) if error.step in names else 0
        return PassResults(failure=error.detail or f"it {error.cause.value}", failed_step=failed)


def _is_kept(results: PassResults) -> bool:
    return not results.failure


RUN_PASSES: Work[PassesUnit, PassResults] = Work(run_passes, _run_in, PassResults, _is_kept)
"""Results of passes on dumps and pipelines."""
