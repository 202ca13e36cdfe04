"""Decisions on a payload: what replaces loads, what stores lose, and why bytes stay."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.decisions import Fate
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.payload_accesses import PayloadLinkage, link_payload
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.payload.plan import PayloadPlan, channel_of, plan_payload
from tests.passes.shader_text import ONE, ZERO, shader
from tests.passes.varyings.payload_pairs import (
    BARRIER,
    BOTH,
    GUARD,
    READ,
    UNIFORM,
    get,
    pair,
    put,
    under,
    use,
)


def plan_of(task: tuple[str, ...], mesh: tuple[str, ...], only: range | None = None) -> PayloadPlan:
    shaders = pair(task, mesh)
    linkage = link_payload(*shaders)
    assert isinstance(linkage, PayloadLinkage)
    options = LinkOptions(max_cost=3)
    return plan_payload(linkage, options, UniformVariables(*shaders, options), only)


def fates(plan: PayloadPlan) -> dict[int, Fate]:
    """The fate of each replaced component by its first byte."""
    return {piece.where.start: found.fate for piece, found in plan.replacements.items()}


def removed(plan: PayloadPlan) -> list[range]:
    return [removal.where for removal in plan.removals]


def codes(plan: PayloadPlan) -> list[str]:
    return [obstacle.code for _, obstacle in plan.obstacles]


def test_each_kind_of_replacement_names_its_source() -> None:
    mesh = (*BOTH, get(22, 8), use("%22"), get(23, 12), use("%23"), get(24, 16), use("%24"))
    plan = plan_of((put("%1"), put("%6", 4), *under(GUARD, put("%7", 12), put("%7", 16))), mesh)
    assert fates(plan) == {
        0: Fate.PROPAGATED,
        4: Fate.PROPAGATED,
        8: Fate.UNWRITTEN,
        16: Fate.DEDUPLICATED,
    }
    found = {piece.where.start: one for piece, one in plan.replacements.items()}
    assert (found[0].constant, found[0].channel) == (0x3F800000, None)
    assert found[4].channel is not None
    assert found[8].is_undefined
    assert found[16].instead == 12
    assert removed(plan) == [range(4), range(4, 8), range(16, 20)]


@pytest.mark.parametrize(
    ("task", "mesh", "code"),
    [
        ((put("%1"), put("%2")), READ, "several-values"),
        ((put("%7"),), READ, "not-uniform"),
        (under(UNIFORM, put("%1")), READ, "conditional"),
        (under(UNIFORM, put("%6")), READ, "conditional"),
        (("32 %20 = fsin %6", put("%20")), READ, "cost-limit"),
        (("32x2 %20 = vec2 %6, %6", put("%20", mask="xy")), (get(20, size="64"),), ""),
        (
            ("32x2 %20 = vec2 %6, %6", put("%20", mask="xy")),
            (get(20, size="64"), "32 %21 = unpack_64_2x32_split_x %20", use("%21")),
            "other-size",
        ),
        ((put("%1"), put("%2", offset="%3")), READ, "unknown-store"),
        ((), ("32 %19 = mov %5.y", get(20, offset="%19"), use("%20")), "unknown-load"),
    ],
)
def test_bytes_that_stay_have_a_reason(task: tuple[str, ...], mesh: tuple[str, ...], code: str) -> None:
    plan = plan_of(task, mesh)
    assert codes(plan) == ([code] if code else [])
    assert not plan.replacements


def test_constant_is_put_together_by_byte() -> None:
    halves = ("16 %20 = load_const (0x1234)", "16 %21 = load_const (0x5678)")
    (found,) = plan_of((*halves, put("%20"), put("%21", 2)), READ).replacements.values()
    assert found.constant == 0x56781234
    overlapping = (*halves, put("%20"), put("%21", 1))
    assert codes(plan_of(overlapping, READ)) == ["other-size"]


LAST = "32 %20 = load_const (0x00000003)"
BEYOND = "32 %20 = load_const (0x00000004)"


@pytest.mark.parametrize(
    ("lines", "is_stored"),
    [
        ((LAST, "1 %21 = ieq %3, %20", *under("%21", put("%1"))), True),
        # No invocation of the workgroup has this number.
        ((BEYOND, "1 %21 = ieq %3, %20", *under("%21", put("%1"))), False),
        # A workgroup of one invocation would store nothing.
        ((LAST, "1 %21 = ine %3, %20", *under("%21", put("%1"))), False),
        (("1 %21 = @elect", *under("%21", put("%1"))), True),
        (
            (
                "1 %21 = @elect",
                "if %21 {",
                "block b1: // preds: b0",
                "} else {",
                "block b2: // preds: b0",
                put("%1"),
                "}",
                "block b3: // preds: b1 b2",
            ),
            False,
        ),
        (("1 %20 = @elect", "1 %21 = inot %20", *under("%21", put("%1"))), False),
    ],
)
def test_a_store_under_a_condition_that_one_invocation_fulfills(
    lines: tuple[str, ...], is_stored: bool
) -> None:
    plan = plan_of(lines, READ)
    assert (fates(plan), codes(plan)) == (({0: Fate.PROPAGATED}, []) if is_stored else ({}, ["conditional"]))


def test_a_store_under_a_second_condition_is_not_always_executed() -> None:
    inner = (
        f"if {GUARD} {{",
        "block b1: // preds: b0",
        f"if {UNIFORM} {{",
        "block b2: // preds: b1",
        put("%1"),
        "} else {",
        "block b3: // preds: b1",
        "}",
        "block b4: // preds: b2 b3",
        "} else {",
        "block b5: // preds: b0",
        "}",
        "block b6: // preds: b4 b5",
    )
    assert codes(plan_of(inner, READ)) == ["conditional"]


def test_a_store_behind_a_return_is_not_always_executed() -> None:
    inner = (
        f"if {GUARD} {{",
        "block b1: // preds: b0",
        f"if {UNIFORM} {{",
        "block b2: // preds: b1",
        "return",
        "} else {",
        "block b3: // preds: b1",
        "}",
        "block b4: // preds: b3",
        put("%1"),
        "} else {",
        "block b5: // preds: b0",
        "}",
        "block b6: // preds: b4 b5",
    )
    assert codes(plan_of(inner, READ)) == ["conditional"]


def test_only_the_given_bytes_are_decided_on() -> None:
    task = (put("%1"), put("%2", 4), put("%7", 8))
    assert fates(plan_of(task, BOTH)) == {0: Fate.PROPAGATED, 4: Fate.PROPAGATED}
    part = plan_of(task, BOTH, range(4, 8))
    assert fates(part) == {4: Fate.PROPAGATED}
    assert removed(part) == [range(4, 8)]
    assert not plan_of(task, BOTH, range(5, 8))


def test_dead_components_with_a_gap_are_removed_apart() -> None:
    task = under(GUARD, "32x4 %20 = vec4 %7, %7, %3, %7", put("%20", mask="xyzw"))
    mesh = (get(20, 8), use("%20"))
    plan = plan_of(task, mesh)
    assert [(one.lanes, one.where) for one in plan.removals] == [
        ({0, 1}, range(8)),
        ({3}, range(12, 16)),
    ]


def test_load_loses_components_that_are_neither_used_nor_written() -> None:
    wide = (get(20, size="32x3"), "32 %21 = mov %20.x", use("%21"))
    assert len(plan_of(under(GUARD, put("%7")), wide).wide_loads) == 1
    vector = ("32x3 %20 = vec3 %7, %7, %7", put("%20", mask="xyz"))
    assert plan_of(under(GUARD, *vector), wide).wide_loads == []


def test_load_at_an_unknown_offset_goes_if_nothing_is_written_there() -> None:
    mesh = (get(20, 16, offset="%4"), use("%20"))
    assert len(plan_of((put("%7", 0),), mesh).vague_loads) == 1
    assert plan_of((put("%7", 16),), mesh).vague_loads == []


@pytest.mark.parametrize(
    ("lines", "is_one"),
    [
        (under(GUARD, put("%7"), put("%7", 4)), True),
        # Other invocations may store their own values before the barrier or after it.
        ((put("%7"), BARRIER, put("%7", 4)), False),
        # The values of different invocations.
        ((put("%7"), *under(GUARD, put("%7", 4))), False),
        (under(GUARD, put("%7"), put("%7", 4), put("%3", 4)), False),
    ],
)
def test_equal_values_are_those_of_one_invocation(lines: tuple[str, ...], is_one: bool) -> None:
    assert fates(plan_of(lines, BOTH)) == ({4: Fate.DEDUPLICATED} if is_one else {})


def component(made: Shader, number: int, lane: int) -> tuple[int, int]:
    (impl,) = made.impls()
    value, found = channel_of(next(one for one in impl.defs() if one.index == number), lane)
    return value.index, found


def test_component_of_a_vector_operation_is_its_source() -> None:
    made = shader(
        "TASK",
        ZERO,
        ONE,
        "32x2 %2 = vec2 %0, %1",
        "32x2 %3 = vec2 %2.y, %1",
        "32x2 %4 = vec2 -%0, %1",
        "32x2 %5 = vec2.sat %0, %1",
        "32x2 %6 = fadd %2, %2",
    )
    assert [component(made, number, 0) for number in range(2, 7)] == [(0, 0), (2, 1), (4, 0), (5, 0), (6, 0)]
    assert component(made, 4, 1) == (1, 0)
