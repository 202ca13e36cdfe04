"""The text of random function bodies: blocks, loops, and which values may be read where."""

from __future__ import annotations

import random
import re

import pytest

from nirls.ir.model.control_flow import Loop
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from tools.random_shaders.body import Body


def parsed(body: Body) -> Shader:
    result = parse_dump(body.text([]).encode())
    assert not result.unreadable, result.unreadable
    assert [problem for problem in validate(result) if problem.severity == "error"] == []
    return result


@pytest.mark.parametrize("number", range(10))
def test_arithmetic_of_all_kinds_is_valid(number: int) -> None:
    body = Body(random.Random(number), "COMPUTE")
    body.uniforms()
    body.half()
    body.compute(30)
    shader = parsed(body)
    ops = {getattr(instr, "op", "") for impl in shader.impls() for instr in impl.instrs()}
    assert {"f2f16", "fadd"} <= ops


def test_constants_are_made_once() -> None:
    body = Body(random.Random(1), "COMPUTE")
    assert body.int_constant(7) == body.int_constant(7) != body.int_constant(8)
    assert body.int_constant(0) == body.zero
    assert "0x40200000" in body.lines[body.float_constant(2.5)]


def test_branches_and_loops_may_follow_each_other() -> None:
    body = Body(random.Random(2), "COMPUTE")
    body.uniforms()
    barrier = "@barrier (execution_scope=NONE, memory_scope=NONE, mem_semantics=NONE, mem_modes=none)"
    body.branch([[barrier], []])
    body.loop(body.small_number(4), lambda counter: body.define("32", f"u2f32 %{counter}"), lambda made: None)
    body.branch([[], []])
    shader = parsed(body)
    impl = shader.entrypoint
    assert impl is not None
    assert sum(isinstance(node, Loop) for node in impl.cf_nodes()) == 1
    assert [block.index for block in impl.blocks()] == list(range(body.block))


def test_values_of_a_turn_cannot_be_read_behind_the_loop() -> None:
    body = Body(random.Random(3), "COMPUTE")
    made: list[int] = []

    def each_turn(counter: int) -> int:
        body.compute(5)
        made.extend(body.floats)
        return body.floats[-1]

    known = list(body.floats)
    body.loop(body.int_constant(2), each_turn, lambda value: None)
    assert made
    assert body.floats == known


def test_small_numbers_are_below_their_count() -> None:
    body = Body(random.Random(4), "COMPUTE")
    line = body.lines[body.small_number(4)]
    assert re.search(r"f2i32 %\d+", line)
