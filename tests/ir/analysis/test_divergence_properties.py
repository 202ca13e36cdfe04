"""Properties of divergence on random programs, checked by running single invocations."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nirls.ir.analysis.divergence import DivergenceInfo, DivergenceOptions, Release, divergence
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, Src
from tests.ir.analysis.function_bodies import Body, new_shader, renumber
from tests.ir.analysis.random_programs import UNIFORM, VARYING, build_program, random_program, run

seeds = st.integers(0, 2**32)


@settings(max_examples=300, deadline=None)
@given(seeds)
@pytest.mark.sweep
def test_invocations_that_are_together_agree_on_what_is_convergent(seed: int) -> None:
    shader, impl = random_program(seed)
    info = divergence(shader)
    seen: dict[tuple[object, tuple[int, ...]], set[object]] = defaultdict(set)
    for invocation in range(4):
        for thing, turns, holds in run(impl, invocation, uniform=2):
            seen[thing, turns].add(holds)
    for (thing, turns), held in seen.items():
        if isinstance(thing, Def) and not info.is_divergent(thing):
            assert len(held) == 1, (thing, turns, held)
        if isinstance(thing, Src) and not info.is_use_divergent(thing):
            assert len(held) == 1, (thing.def_, "read by", thing.owner, turns, held)


@settings(max_examples=80, deadline=None)
@given(seeds)
def test_a_convergent_block_is_run_by_all_who_are_in_its_loop(seed: int) -> None:
    shader, impl = random_program(seed)
    info = divergence(shader)
    visitors: dict[tuple[Block, tuple[int, ...]], set[int]] = defaultdict(set)
    finished = set()
    for invocation in range(3):
        fuel = 300
        for thing, turns, _ in run(impl, invocation, uniform=2, fuel=fuel):
            if isinstance(thing, Block):
                visitors[thing, turns].add(invocation)
                fuel -= 1
        if fuel > 0:
            finished.add(invocation)
    if len(finished) < 3:
        return  # who ran out of fuel is nowhere
    left = has_divergent_return(info, impl)
    for (block, turns), here in visitors.items():
        loop = info.bodies[0].nesting.loop_of[block]
        first = impl.start_block if loop is None else loop.body[0]
        assert isinstance(first, Block)
        if not info.is_block_divergent(block) and not left:
            assert here == visitors[first, turns], (block, turns)


def has_divergent_return(info: DivergenceInfo, impl: FunctionImpl) -> bool:
    """Whether some invocations may have ended where others have not."""
    return any(
        block.jump is not None and block.jump.jump_kind == "return" and info.bodies[0].split_around(block)
        for block in impl.blocks()
    )


@settings(max_examples=80, deadline=None)
@given(seeds, st.integers(0, 50), st.sampled_from(Release))
def test_a_source_that_turns_divergent_makes_nothing_convergent(
    seed: int, number: int, release: Release
) -> None:
    shader, impl = random_program(seed)
    options = DivergenceOptions(release=release)
    before = {value.index for value in divergence(shader, options).divergent_values()}
    inputs = [instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and instr.name == UNIFORM]
    if not inputs:
        return
    inputs[number % len(inputs)].name = VARYING
    after = {value.index for value in divergence(shader, options).divergent_values()}
    assert before < after


@settings(max_examples=80, deadline=None)
@given(seeds)
def test_every_divergent_value_has_a_chain_down_to_a_root_cause(seed: int) -> None:
    shader, impl = random_program(seed)
    info = divergence(shader)
    for value in impl.defs():
        chain = info.reasons(value)
        assert bool(chain) == info.is_divergent(value)
        if chain:
            assert VARYING in chain[-1].sentence
            assert len({id(reason.subject) for reason in chain}) == len(chain)


def nested(depth: int, *, loops: bool) -> tuple[Shader, FunctionImpl]:
    """Ifs within ifs, or loops within loops, under a divergent condition."""
    shader, impl = new_shader()
    nodes: list[CfNode] = impl.body
    parent: object = impl
    first = Block(0)
    first.parent = impl
    nodes.append(first)
    condition = Builder(impl, first).intrinsic(VARYING, [], {}, 1, 1).def_
    assert condition is not None
    for _ in range(depth):
        node: If | Loop = Loop() if loops else If(Src(condition))
        node.parent = parent  # type: ignore[assignment]
        blocks = [Block(0) for _ in range(3)]
        nodes += [node, blocks[0]]
        blocks[0].parent = parent  # type: ignore[assignment]
        blocks[1].parent = blocks[2].parent = node
        if isinstance(node, If):
            node.then_body.append(blocks[1])
            node.else_body.append(blocks[2])
        else:
            node.body.append(blocks[1])
        nodes = node.bodies()[0]
        parent = node
    renumber(impl)
    return shader, impl


@pytest.mark.sweep
@pytest.mark.parametrize("loops", [False, True])
def test_depth_costs_no_recursion(loops: bool) -> None:
    depth = 20_000
    assert depth > 10 * sys.getrecursionlimit()
    shader, impl = nested(depth, loops=loops)
    info = divergence(shader)
    blocks = impl.blocks()
    assert info.is_block_divergent(blocks[depth]) is not loops


def loops_in_a_row(count: int) -> Shader:
    """Loops with a divergent break, each of which carries a value that turns divergent."""
    body: Body = [("loop", [("if", ["break"], [])]) for _ in range(count)]
    shader, _ = build_program(body, Random(1))
    return shader


def calls_during(action: Callable[[], object]) -> int:
    """How many functions are called, which a busy machine does not change."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(None)
    return calls


def test_cost_grows_with_the_number_of_instructions() -> None:
    small, large = loops_in_a_row(10), loops_in_a_row(100)
    assert sum(1 for impl in small.impls() for _ in impl.instrs()) > 50
    assert divergence(small).bodies[0].break_causes
    assert calls_during(lambda: divergence(large)) < 11 * calls_during(lambda: divergence(small))
