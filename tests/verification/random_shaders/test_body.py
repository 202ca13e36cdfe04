"""The text of random function bodies: values, blocks, loops, and which values may be read where."""

from __future__ import annotations

import random
import re

import pytest

from nirls.ir.model.control_flow import Loop
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.verification.random_shaders.accesses import UNIFORMS, load_uniforms
from nirls.verification.random_shaders.body import Body


def parsed(body: Body) -> Shader:
    result = parse_dump(body.text(UNIFORMS).encode())
    assert not result.unreadable, result.unreadable
    assert [problem for problem in validate(result) if problem.severity == "error"] == []
    return result


def test_values_are_numbered_downwards() -> None:
    body = Body(random.Random(1), "VERTEX")
    first = len(body.sizes)
    assert body.define("32", "a") == first
    assert body.float_constant(-0.0) == first + 1
    body.line("return")
    assert body.lines[first:] == [
        f"    32 %{first} = a",
        f"    32 %{first + 1} = load_const (0x80000000 = -0.000000)",
        "    return",
    ]


def test_chance_depends_on_the_seed_only() -> None:
    rolls = [[Body(random.Random(seed), "VERTEX").chance(0.5) for seed in range(20)] for _ in range(2)]
    assert rolls[0] == rolls[1]
    assert len(set(rolls[0])) == 2


@pytest.mark.parametrize("number", range(10))
def test_arithmetic_of_all_kinds_is_valid(number: int) -> None:
    body = Body(random.Random(number), "COMPUTE")
    load_uniforms(body)
    body.half()
    body.ints.append(body.int_constant(3))
    body.compute(60)
    body.compute(5, even=True)
    ops = {getattr(instr, "op", "") for impl in parsed(body).impls() for instr in impl.instrs()}
    assert {"f2f16", "fadd", "f2i32"} <= ops


def test_arithmetic_on_even_values_reads_no_others() -> None:
    body = Body(random.Random(1), "COMPUTE")
    body.floats.append(body.define("32", "@load_subgroup_invocation"))
    body.compute(40, even=True)
    assert not any(f"%{body.floats[0]}" in line.partition("=")[2] for line in body.lines)


def test_branches_and_loops_nest_and_follow_each_other() -> None:
    body = Body(random.Random(2), "COMPUTE")
    load_uniforms(body)
    barrier = "@barrier (execution_scope=NONE, memory_scope=NONE, mem_semantics=NONE, mem_modes=none)"

    def each_turn(counter: int) -> int:
        body.compute(3)
        made = body.branch(body.define("1", f"ige %{counter}, %{body.zero}"), body.value, body.value)
        assert made is not None
        return made

    assert body.branch(body.test(), lambda: body.line(barrier)) is None
    body.floats.append(body.loop(body.small_number(4), each_turn, lambda made: body.compute(2)))
    body.branch(body.test(), lambda: None, lambda: body.loop(body.int_constant(1), each_turn))
    shader = parsed(body)
    impl = shader.entrypoint
    assert impl is not None
    assert sum(isinstance(node, Loop) for node in impl.cf_nodes()) == 2
    assert [block.index for block in impl.blocks()] == list(range(body.block + 1))


def test_branches_are_merged_by_a_phi_of_their_size() -> None:
    body = Body(random.Random(3), "COMPUTE")
    made = body.branch(body.test(), body.half, body.half)
    assert made is not None
    assert body.sizes[made] == "16"
    assert "phi b1: " in body.lines[-1]
    parsed(body)


def test_values_of_a_turn_cannot_be_read_behind_the_loop() -> None:
    body = Body(random.Random(3), "COMPUTE")
    made: list[int] = []

    def each_turn(counter: int) -> int:
        body.compute(5)
        made.extend(body.floats)
        return body.floats[-1]

    known = list(body.floats)
    body.loop(body.int_constant(2), each_turn)
    assert made
    assert body.floats == known


def test_small_numbers_are_below_their_count() -> None:
    body = Body(random.Random(4), "COMPUTE")
    line = body.lines[body.small_number(4)]
    assert re.search(r"f2i32 %\d+", line)
    assert any("3.75" in line for line in body.lines)
