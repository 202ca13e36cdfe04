"""Ifs with an undefined condition: what ends where the branches meet, and what does not."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.coverage import Coverage
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey, ShaderResult
from tests.verification.evaluate.shader_text import VAR0, run, shader_of, store

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @load_vertex_id_zero_base
    1      %3 = undefined
    1      %4 = ilt %2, %1 (0x1)
    1      %5 = bcsel %4, %3, %4
"""


def branching(then: str, otherwise: str = "", *, before: str = "", behind: str = "") -> Shader:
    """A shader with an if whose condition is undefined on lane 0 and false on the others."""
    return shader_of(
        f"""{HEAD}{before}
                // succs: b1 b2
    if %5 {{
        block b1:   // preds: b0
{then}
        // succs: b3
    }} else {{
        block b2:   // preds: b0
{otherwise}
        // succs: b3
    }}
    block b3:   // preds: b1 b2
{behind}
                // succs: b99"""
    )


def branches(then: str, otherwise: str = "", *, before: str = "", behind: str = "") -> ShaderResult:
    """Run such a shader."""
    return run(branching(then, otherwise, before=before, behind=behind))


def undefined(result: ShaderResult, component: int = 0) -> list[bool]:
    """Whether an output is undefined, on each of the first two lanes."""
    plane = result.outputs[OutputKey(VAR0, component)]
    assert plane.written[:2, 0].all()
    return [bool(one) for one in plane.poison[:2, 0]]


def test_what_is_stored_before_and_behind_is_defined() -> None:
    result = branches(
        "", before=store("1", "0"), behind="    32     %6 = iadd %2, %1\n" + store("6", "0", component=1)
    )
    assert undefined(result) == undefined(result, 1) == [False, False]
    assert result.rejoined.tolist() == [True] + [False] * 7
    assert not result.poisoned.any()


@pytest.mark.parametrize(("then", "otherwise"), [(store("1", "0"), ""), ("", store("1", "0"))])
def test_what_either_branch_stores_is_undefined(then: str, otherwise: str) -> None:
    assert undefined(branches(then, otherwise, before=store("0", "0"))) == [True, False]


def test_a_store_behind_replaces_what_was_undefined() -> None:
    assert undefined(branches(store("1", "0"), behind=store("0", "0"))) == [False, False]


def test_a_phi_is_undefined() -> None:
    behind = "    32     %6 = phi b1: %0 (0x0), b2: %1 (0x1)\n" + store("6", "0")
    assert undefined(branches("", behind=behind)) == [True, False]


def test_a_register_is_undefined_if_a_branch_stores_it() -> None:
    before = (
        "    32     %6 = @decl_reg () (num_components=1, num_array_elems=0, bit_size=32, divergent=1)\n"
        "                @store_reg (%0, %6) (base=0, wrmask=x, legacy_fsat=0)\n"
    )
    then = "        @store_reg (%1, %6) (base=0, wrmask=x, legacy_fsat=0)"
    behind = "    32     %7 = @load_reg (%6) (base=0, legacy_fabs=0, legacy_fneg=0)\n" + store("7", "0")
    assert undefined(branches(then, before=before, behind=behind)) == [True, False]
    assert undefined(branches("", before=before, behind=behind)) == [False, False]


def test_branches_of_an_inner_if_are_undefined_too() -> None:
    inner = f"""
        // succs: b4 b5
        if %4 {{
            block b4:   // preds: b1
{store("1", "0")}
            // succs: b6
        }} else {{
            block b5:   // preds: b1
            // succs: b6
        }}
        block b6:   // preds: b4 b5"""
    result = branches(inner.partition("// succs: b4 b5")[0] + inner, before=store("0", "0"))
    # Lane 0 meets the inner condition with a defined value, but may not have come there at all.
    assert undefined(result) == [True, False]
    assert not result.poisoned.any()


LOOP = """
        // succs: b4
        loop {{
            block b4:   // preds: b1
            {jump}
            // succs: {behind}
        }}
        block b5:   // preds: b4"""


def test_a_loop_inside_ends_inside() -> None:
    result = branches(LOOP.format(jump="break", behind="b5"), behind=store("1", "0"))
    assert undefined(result) == [False, False]
    assert not result.poisoned.any()


@pytest.mark.parametrize(
    "then",
    [
        "        return",
        "        halt",
        "        @store_ssbo (%1, %0, %2) (wrmask=x, access=none, align_mul=4, align_offset=0)",
        "        32     %9 = @shader_clock () (memory_scope=SUBGROUP)",
        "        32     %9 = @read_first_invocation (%2)",
        store("1", "0").replace("xfb()", "xfb(component=0 buffer=0 offset=0)"),
    ],
    ids=["return", "halt", "memory", "clock", "exchange", "captured"],
)
def test_all_behind_counts_for_nothing_if_a_branch_does_more(then: str) -> None:
    result = branches(then, behind=store("0", "0"))
    assert result.poisoned.tolist() == [True] + [False] * 7
    assert not result.rejoined.any()


@pytest.mark.parametrize("is_certain", [False, True])
def test_a_loop_is_covered_if_a_lane_is_certain_to_run_it(is_certain: bool) -> None:
    loop = LOOP.format(jump="break", behind="b5")
    coverage = Coverage()
    Machine(branching("" if is_certain else loop, loop if is_certain else "")).run(
        Environment(1), lanes=8, options=RunOptions(coverage=coverage)
    )
    assert bool(coverage.rounds) is is_certain


def test_branches_that_run_for_an_undefined_condition_only_are_not_covered() -> None:
    covered = {block.index for block in branches("").executed}
    assert 1 not in covered
    assert {0, 2, 3} <= covered
