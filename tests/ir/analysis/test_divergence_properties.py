"""Properties of divergence on random programs, checked by running single invocations."""

from __future__ import annotations

import sys
import time
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nirls.ir.analysis.divergence import DivergenceOptions, Release, divergence
from nirls.ir.builder import Builder
from nirls.ir.control_flow import Block, CfNode, If, Loop
from nirls.ir.instructions import IntrinsicInstr
from nirls.ir.values import Def, Src
from tests.ir.analysis.function_bodies import Body, new_shader, random_bodies, renumber
from tests.ir.analysis.random_programs import UNIFORM, VARYING, build_program, run

tapes = st.lists(st.integers(0, 29), min_size=1, max_size=40)


@settings(max_examples=300, deadline=None)
@given(random_bodies(), tapes)
def test_invocations_that_are_together_agree_on_what_is_convergent(body: Body, tape: list[int]) -> None:
    shader, impl = build_program(body, tape)
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


@settings(max_examples=200, deadline=None)
@given(random_bodies(), tapes)
def test_a_convergent_block_is_run_by_all_who_are_in_its_loop(body: Body, tape: list[int]) -> None:
    shader, impl = build_program(body, tape)
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
    for (block, turns), here in visitors.items():
        loop = next(iter(info.bodies)).nesting.loop_of[block]
        first = impl.start_block if loop is None else loop.body[0]
        assert isinstance(first, Block)
        left = has_divergent_return(info, impl)
        if not info.is_block_divergent(block) and not left:
            assert here == visitors[first, turns], (block, turns)


def has_divergent_return(info, impl) -> bool:
    """Whether some invocations may have ended where others have not."""
    return any(
        block.jump is not None and block.jump.jump_kind == "return" and info.bodies[0].split_around(block)
        for block in impl.blocks()
    )


@settings(max_examples=150, deadline=None)
@given(random_bodies(), tapes, st.integers(0, 50), st.sampled_from(Release))
def test_a_source_that_turns_divergent_makes_nothing_convergent(
    body: Body, tape: list[int], number: int, release: Release
) -> None:
    shader, impl = build_program(body, tape)
    options = DivergenceOptions(release=release)
    before = {value.index for value in divergence(shader, options).divergent_values()}
    inputs = [instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and instr.name == UNIFORM]
    if not inputs:
        return
    inputs[number % len(inputs)].name = VARYING
    after = {value.index for value in divergence(shader, options).divergent_values()}
    assert before < after


@settings(max_examples=100, deadline=None)
@given(random_bodies(), tapes)
def test_every_divergent_value_has_a_chain_down_to_a_root_cause(body: Body, tape: list[int]) -> None:
    shader, impl = build_program(body, tape)
    info = divergence(shader)
    for value in impl.defs():
        chain = info.reasons(value)
        assert bool(chain) == info.is_divergent(value)
        if chain:
            assert VARYING in chain[-1].sentence
            assert len({id(reason.subject) for reason in chain}) == len(chain)


def nested(depth: int, *, loops: bool):
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


@pytest.mark.parametrize("loops", [False, True])
def test_depth_costs_no_recursion(loops: bool) -> None:
    depth = 20_000
    assert depth > 10 * sys.getrecursionlimit()
    shader, impl = nested(depth, loops=loops)
    info = divergence(shader)
    blocks = impl.blocks()
    assert info.is_block_divergent(blocks[depth]) is not loops


def straight_line(length: int):
    shader, impl = new_shader()
    block = Block(0)
    block.parent = impl
    impl.body.append(block)
    build = Builder(impl, block)
    value = build.intrinsic(VARYING, [], {}, 1, 32).def_
    assert value is not None
    for _ in range(length - 1):
        value = build.alu("iadd", [value, value], 1, 32)
    renumber(impl)
    return shader


def test_cost_grows_with_the_number_of_instructions() -> None:
    def best(length: int) -> float:
        shader = straight_line(length)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            divergence(shader)
            times.append(time.perf_counter() - start)
        return min(times)

    # Ten times the instructions; twice that leaves room for a busy machine.
    assert best(10_000) < 20 * best(1_000)
