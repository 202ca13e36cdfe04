from __future__ import annotations

from collections.abc import Callable

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.proof.same_expressions import same_expressions
from tests.verification.proof.forwarding_shaders import (
    A0,
    A1,
    COLOR,
    LOCALS,
    STORED,
    UNIFORM,
    A,
    C,
    V,
    copy,
    get,
    put,
    put_slot,
    result,
    straight,
)


def test_the_framebuffer_is_read_before_the_output_is_written() -> None:
    declared = UNIFORM + COLOR
    read, sum_ = get(30, "%90"), "32x4 %31 = fadd %30, %4"

    def blended(*lines: str) -> Shader:
        return straight(C, *lines, stage="FRAGMENT", declared=declared)

    before = blended(read, sum_, put("%90", "%31"))
    assert same_expressions(before, before)
    through = (V, read, put("%10", "%30"), get(32, "%10"), "32x4 %31 = fadd %32, %4", put("%90", "%31"))
    assert same_expressions(before, blended(*through))
    assert not same_expressions(before, blended(put("%90", "%4"), read, sum_, put("%90", "%31")))
    assert not same_expressions(before, blended(put("%90", "%4")))


ARRAYS = (
    LOCALS + "    decl_var  INTERP_MODE_NONE none vec4[2] b\n    decl_var  INTERP_MODE_NONE none vec4[3] d\n"
)


B = (
    "32 %60 = deref_var &b (function_temp vec4[2])",
    "32 %61 = deref_array &(*%60)[0] (function_temp vec4)",
    "32 %62 = deref_array &(*%60)[1] (function_temp vec4)",
)


def copied(*lines: str) -> Shader:
    stored = put("%14", "%4"), put("%15", "%2")
    return straight(A, A0, A1, *B, *stored, *lines, get(30, "%61"), *result("%30"), locals_=ARRAYS)


def test_copies_of_arrays() -> None:
    each = copied(get(70, "%14"), put("%61", "%70"), get(71, "%15"), put("%62", "%71"))
    whole = copied(copy("%60", "%13"))
    wildcards = copied(
        "32 %70 = deref_array &(*%60)[*] (function_temp vec4)",
        "32 %71 = deref_array &(*%13)[*] (function_temp vec4)",
        copy("%70", "%71"),
    )
    swapped = copied(get(70, "%15"), put("%61", "%70"), get(71, "%14"), put("%62", "%71"))
    for one in (each, whole, wildcards):
        assert same_expressions(one, STORED)
        assert same_expressions(STORED, one)
        assert not same_expressions(swapped, one)
    longer = copied(
        "32 %72 = deref_var &d (function_temp vec4[3])",
        "32 %70 = deref_array &(*%72)[*] (function_temp vec4)",
        "32 %71 = deref_array &(*%13)[*] (function_temp vec4)",
        copy("%70", "%71"),
    )
    assert same_expressions(longer, longer)
    assert not same_expressions(STORED, longer)


OTHER = "32x4 %30 = vec4 {}"
WORDS = "@store_ssbo ({}, %0, %0) (wrmask={}, access=none, align_mul=4, align_offset=0)"
MEMBER = "@store_deref (%40, {}) (wrmask={}, access=none)"
MEMORY = "decl_var ssbo INTERP_MODE_NONE none vec4 m (~0, 0, 0)\n"
IN_MEMORY = "32 %40 = deref_var &m (ssbo vec4)"


@pytest.mark.parametrize(
    "stored",
    [
        lambda value, mask: straight(*value, WORDS.format("%30", mask)),
        lambda value, mask: straight(
            IN_MEMORY, *value, MEMBER.format("%30", mask), declared=UNIFORM + MEMORY
        ),
        lambda value, mask: straight(*value, put_slot("%30", "VAR0", mask=mask), stage="GEOMETRY"),
    ],
    ids=["a buffer", "a variable in memory", "an output at a vertex"],
)
def test_only_the_components_of_the_mask_are_stored(
    stored: Callable[[tuple[str, ...], str], Shader],
) -> None:
    first = (OTHER.format("%4.x, %4.y, %4.z, %4.w"),)
    for mask, components, is_same in (
        ("xyz", "%4.x, %4.y, %4.z, %2.w", True),
        ("xyz", "%4.x, %4.y, %2.z, %4.w", False),
        ("xyz", "%4.x, %2.y, %4.z, %4.w", False),
        ("xyz", "%2.x, %4.y, %4.z, %4.w", False),
        ("yw", "%4.x, %4.y, %4.z, %2.w", False),
        ("yw", "%2.x, %4.y, %2.z, %4.w", True),
    ):
        other = (OTHER.format(components),)
        assert same_expressions(stored(first, mask), stored(other, mask)) is is_same, (mask, components)
    assert not same_expressions(stored(first, "xyz"), stored(first, "xyzw"))


@pytest.mark.parametrize(("size", "second"), [(16, 1), (32, 1), (64, 2)])
def test_components_of_an_input_are_apart_by_its_size(size: int, second: int) -> None:
    def load(width: str, number: int, component: int) -> str:
        return (
            f"{size}{width} %{number} = @load_per_vertex_input (%0, %0) (base=0, range=1,"
            f" component={component}, dest_type=float{size}, io location=VARYING_SLOT_VAR0 slots=1)"
        )

    def kept(*lines: str) -> Shader:
        return straight(*lines, WORDS.format("%31", "x"), stage="GEOMETRY")

    vector = (load("x2", 30, 0), f"{size} %31 = mov %30.{{}}")
    first, last = (kept(vector[0], vector[1].format(component)) for component in "xy")
    assert not same_expressions(first, last)
    assert same_expressions(last, kept(load("", 31, second)))
    assert not same_expressions(first, kept(load("", 31, second)))
