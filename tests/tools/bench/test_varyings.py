"""The measured pair gives every step work, and the timers are gone afterwards."""

from __future__ import annotations

from nirls.ir.validation import validate
from nirls.passes.varyings import link_pair
from nirls.passes.varyings.opt_varyings import OptVaryings
from tools.bench.varyings import FINDINGS, TOTAL, linked_pair, varying_step_times


def test_every_step_is_measured() -> None:
    steps = {name: getattr(link_pair, name) for name in ("propagate", "move_backward", "pack")}
    times = varying_step_times(150, runs=1)
    assert all(time > 0 for time in times.values()), times
    assert {TOTAL, FINDINGS} < set(times)
    assert steps == {name: getattr(link_pair, name) for name in steps}


def test_pair_has_the_size_that_is_asked_for_and_something_of_everything() -> None:
    for size in (100, 500):
        pair = linked_pair(size)
        for shader in pair:
            assert not shader.unreadable
            assert [problem for problem in validate(shader) if problem.severity == "error"] == []
            count = sum(1 for impl in shader.impls() for _ in impl.instrs())
            assert abs(count - size) <= 20
    codes = {finding.code for finding in OptVaryings().find(pair)}
    assert codes >= {"propagatable-output", "duplicate-output", "movable-expression", "packing"}
