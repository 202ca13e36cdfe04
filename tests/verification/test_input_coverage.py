"""The summary of what runs covered counts only what ran."""

from __future__ import annotations

from nirls.ir.model.control_flow import If, Loop
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.coverage import GREATER, LESS, SIDE_NAMES, Coverage
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.input_coverage import input_coverage
from nirls.verification.inputs.input_kinds import SPECIALS
from tests.verification.evaluate.shader_text import shader_of, store

TEXT = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    1      %2 = ieq %0, %0
    32     %3 = b2i32 %2
    if %2 {{
        block b1:   // preds: b0
    }} else {{
        block b2:   // preds: b0
    }}
    block b3:   // preds: b1 b2
    loop {{
        block b4:   // preds: b3
        break
        // succs: b5
    }}
    block b5:   // preds: b4
{store("3", "0")}
                // succs: b99"""


def test_counts_and_what_is_not_met() -> None:
    machine = Machine(shader_of(TEXT))
    before, after = Coverage(), Coverage()
    machine.run(Environment(1), options=RunOptions(coverage=before))
    entry = machine.shader.entrypoint
    assert entry is not None
    (branch,) = (node for node in entry.cf_nodes() if isinstance(node, If))
    (loop,) = (node for node in entry.cf_nodes() if isinstance(node, Loop))
    taken = branch.then_body[0]
    every = (1 << len(SPECIALS)) - 1
    sides = {"before": ([machine], before), "after": ([machine], after)}
    tried = input_coverage(sides, {"a": 1, "b": every, "c": 0}, {taken})
    assert (tried.comparisons, tried.all_sides) == (1, 0)
    assert (tried.places, tried.special_places, tried.nans) == (3, 1, 2)
    assert (tried.branches, tried.branches_run) == (2, 1)
    assert (tried.loops, tried.loops_0_1_many) == (1, 0)
    comparison, *loops = tried.not_met
    assert comparison == f"before VS %2 ieq: {SIDE_NAMES[LESS]} and {SIDE_NAMES[GREATER]}"
    # The loop is left before its end, which counts as no whole round.
    assert loops == ["loop b4: 1 or many rounds"]
    before.rounds[loop] = 0b111
    tried = input_coverage(sides, {}, set())
    assert tried.branches_run == 0
    assert tried.loops_0_1_many == 1
    assert tried.not_met == (comparison,)
