from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits
from nirls.passes.cleanup.opt_dce import OptDce
from nirls.server.engine.batch.pass_runs import RUN_PASSES, PassesUnit, PassOnDumps, run_passes
from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.engine.worker.process import InlineWorker
from tests.declared_pass import declare
from tests.passes.shader_text import ONE, ZERO, shader_text, use

LIVE = shader_text("FRAGMENT", ZERO, use("%0"))
DEAD = shader_text("FRAGMENT", ZERO, ONE, "32    %2 = mov %1", use("%1"))
UNIT = PassesUnit((LIVE.encode(), DEAD.encode()), (PassOnDumps(OptDce(), (0,)), PassOnDumps(OptDce(), (1,))))


class Ending(InlineWorker):
    """A worker whose process ends in a step."""

    def __init__(self, cause: Cause) -> None:
        self._cause = cause

    def call(self, *_arguments: object, **_named: object) -> None:
        raise JobFailedError(self._cause, "opt_dce")


def test_edits_of_the_dumps_that_change() -> None:
    results = run_passes(UNIT)
    assert results.edits[0] == ()
    assert b"mov" not in apply_edits(UNIT.texts[1], results.edits[1])
    assert results.defects == ("", "")
    assert not results.failure


def test_results_are_verified_and_left_out_if_wrong() -> None:
    def drop_stores(shaders: Sequence[Shader]) -> list[Shader]:
        for store in [instr for instr in shaders[0].instrs() if isinstance(instr, IntrinsicInstr)]:
            store.remove()
        return list(shaders)

    wrong = declare("wrong", run=drop_stores)()
    unit = PassesUnit((LIVE.encode(),), (PassOnDumps(wrong, (0,)),))
    assert run_passes(unit).edits[0]
    results = run_passes(replace(unit, verify=True))
    assert results.edits == ((),)
    ((step, verdict),) = results.verdicts
    assert step == 0
    assert verdict.is_left_out


def test_defect_of_a_dump_is_told() -> None:
    broken = LIVE.replace("%0 = load_const", "%9 = load_const").encode()
    assert "%0" in run_passes(PassesUnit((broken,), (PassOnDumps(OptDce(), (0,)),))).defects[0]


def test_a_step_that_ends_its_process_is_a_failure() -> None:
    results = RUN_PASSES.in_worker(Ending(Cause.TIME), UNIT)
    assert results.failure == "it took too long"
    assert not RUN_PASSES.is_kept(results)
    with pytest.raises(JobFailedError):
        RUN_PASSES.in_worker(Ending(Cause.STOPPED), UNIT)


def test_the_key_depends_on_the_texts_and_on_the_passes() -> None:
    keys = {
        UNIT.key(""),
        UNIT.key("2"),
        replace(UNIT, verify=True).key(""),
        replace(UNIT, texts=UNIT.texts[::-1]).key(""),
        replace(UNIT, steps=UNIT.steps[:1]).key(""),
    }
    assert len(keys) == 5
