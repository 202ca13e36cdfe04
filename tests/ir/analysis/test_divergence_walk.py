"""The walk over a body: where invocations part, and what is remembered of it."""

from __future__ import annotations

from nirls.ir.analysis.divergence_options import DivergenceOptions
from nirls.ir.analysis.divergence_walk import BodyDivergence
from nirls.ir.model.control_flow import If, Loop
from tests.passes.expectation import parse_body

LOOP = """
block b0:
32 %0 = load_const (0x00000000)
32 %1 = @load_sample_id
1  %2 = ieq %1, %0
loop {{
    block b1:
    32 %3 = phi b0: %0, b4: %4
    32 %4 = iadd %3, %1
    if {condition} {{
        block b2:
        {jump}
    }} else {{
        block b3:
    }}
    block b4:
    {behind}
}}
block b5:
32 %9 = mov %0
block b6:
"""
CONVERGENT = "%8"


def walk(condition: str, jump: str = "break", behind: str = "") -> BodyDivergence:
    text = LOOP.format(condition=condition, jump=jump, behind=behind)
    text = text.replace("32 %1 = @load_sample_id", "32 %1 = @load_sample_id\n1 %8 = ieq %0, %0")
    (impl,) = parse_body(text, valid=False).impls()
    return BodyDivergence(impl, None, DivergenceOptions())


def parts(body: BodyDivergence) -> tuple[Loop, If]:
    loop, branch = (node for node in body.impl.cf_nodes() if isinstance(node, Loop | If))
    assert isinstance(loop, Loop)
    assert isinstance(branch, If)
    return loop, branch


def flags(body: BodyDivergence) -> dict[int, bool]:
    return {block.index: flag for block, flag in body.block_flags.items()}


def test_a_divergent_break_is_remembered_with_what_parts_the_invocations() -> None:
    body = walk("%2")
    loop, branch = parts(body)
    assert body.broken_loops == {loop}
    assert body.break_causes[loop].split is branch
    assert body.break_causes[loop].jump.jump_kind == "break"
    assert not body.continued_loops


def test_a_convergent_break_parts_nobody() -> None:
    body = walk("%8")
    assert not body.broken_loops
    assert not body.break_causes
    assert not any(flags(body).values())


def test_branches_of_a_divergent_if_are_divergent_and_what_follows_a_break_too() -> None:
    found = flags(walk("%2"))
    assert found[2]
    assert found[3]
    assert not found[0]
    assert not found[5]


def test_a_divergent_continue_is_one_of_its_own() -> None:
    body = walk("%2", jump="continue", behind="break")
    loop, branch = parts(body)
    assert body.continued_loops == {loop}
    assert body.continue_causes[loop].split is branch


def test_a_use_behind_a_loop_that_is_left_in_different_turns() -> None:
    body = walk("%2")
    loop, _ = parts(body)
    values = {value.index: value for value in body.impl.defs()}
    behind = values[9].instr
    assert behind is not None
    assert body.loop_left_apart(values[4], behind.block) is loop
    assert body.loop_left_apart(values[0], behind.block) is None
    inside = values[4].instr
    assert inside is not None
    assert body.loop_left_apart(values[3], inside.block) is None
