"""Stores forwarded to loads of private variables: pairs that are proved, and broken ones that are not."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.proof.same_expressions import same_expressions
from tests.verification.proof.forwarding_shaders import (
    A0,
    A1,
    COLOR,
    DECLARED,
    HEAD,
    IN,
    INDEX,
    LOCALS,
    OUT,
    START,
    STORED,
    UNIFORM,
    A,
    C,
    P,
    V,
    W,
    branch,
    copy,
    get,
    parsed,
    put,
    result,
    straight,
)

T = "32 %12 = deref_var &t (shader_temp vec4)"


A2 = "32 %15 = deref_array &(*%13)[2] (function_temp vec4)"


AX = "32 %16 = deref_array &(*%13)[%6] (function_temp vec4)"


AY = "32 %17 = deref_array &(*%13)[%7] (function_temp vec4)"


OTHER_INDEX = "32 %7 = mov %4.y"


G = "32 %23 = deref_var &g (function_temp vec4)"


def cast(to: str) -> str:
    layout = "(ptr_stride=0, align_mul=0, align_offset=0)"
    return f"32 %50 = deref_cast ({to} *)%10 (function_temp {to})  {layout}"


def loop(before: str, head: str, inside: str, *behind: str) -> Shader:
    """A loop that runs until %61 is true; `head` runs before that test, `inside` after it."""
    first = "\n".join(f"    {line}" for line in (*START, *before.split("\n")))
    last = "\n".join(f"    {line}" for line in behind)
    return parsed(
        f"{HEAD}impl main {{\n{LOCALS}"
        f"    block b0:  // preds:\n{first}\n    // succs: b1\n    loop {{\n"
        f"        block b1:  // preds: b0 b4\n        {head}\n        // succs: b2 b3\n"
        "        if %61 {\n            block b2:  // preds: b1\n            break\n            // succs: b5\n"
        "        } else {\n            block b3:  // preds: b1\n            // succs: b4\n        }\n"
        f"        block b4:  // preds: b3\n        {inside}\n        // succs: b1\n    }}\n"
        f"    block b5:  // preds: b2\n{last}\n    // succs: b6\n    block b6:\n}}\n"
    )


ADD = "32x4 %40 = fadd %30, %4"


PROVED = {
    "a store to a load": (straight(V, put("%10", "%4"), get(30, "%10"), *result("%30")), STORED),
    "through two variables": (
        straight(V, W, put("%10", "%4"), get(30, "%10"), put("%11", "%30"), get(31, "%11"), *result("%31")),
        STORED,
    ),
    "through a copy": (
        straight(V, W, put("%10", "%4"), copy("%11", "%10"), get(31, "%11"), *result("%31")),
        STORED,
    ),
    "a temporary of the shader": (straight(T, put("%12", "%4"), get(30, "%12"), *result("%30")), STORED),
    "the last of two stores": (
        straight(V, put("%10", "%2"), put("%10", "%4"), get(30, "%10"), *result("%30")),
        STORED,
    ),
    "stores of parts": (
        straight(V, put("%10", "%2"), put("%10", "%4", "yz"), get(30, "%10"), *result("%30")),
        straight("32x4 %30 = vec4 %2.x, %4.y, %4.z, %2.w", *result("%30")),
    ),
    "elements of an array": (
        straight(A, A0, A1, put("%14", "%4"), put("%15", "%2"), get(30, "%14"), *result("%30")),
        STORED,
    ),
    "fields of a struct": (
        straight(
            "32 %50 = deref_var &s (function_temp S)",
            "32 %51 = deref_struct &%50->f (function_temp vec4)",
            "32 %52 = deref_struct &%50->h (function_temp vec4)",
            *(put("%51", "%4"), put("%52", "%2"), get(30, "%51")),
            *result("%30"),
        ),
        STORED,
    ),
    "a component": (
        straight(
            V,
            "32 %50 = deref_array &(*%10)[2] (function_temp float)",
            "32 %51 = mov %4.x",
            *(put("%10", "%2"), put("%50", "%51", "x"), get(30, "%10")),
            *result("%30"),
        ),
        straight("32x4 %30 = vec4 %2.x, %2.y, %4.x, %2.w", *result("%30")),
    ),
    "a cast to the same type": (
        straight(
            V,
            cast("vec4"),
            *(put("%50", "%4"), get(30, "%10")),
            *result("%30"),
        ),
        STORED,
    ),
    "a store without a load": (straight(V, put("%10", "%2"), *result("%4")), STORED),
    "an undefined variable": (
        straight(V, get(30, "%10"), *result("%30")),
        straight("32x4 %30 = undefined", *result("%30")),
    ),
    "an initial value": (
        straight(G, get(30, "%23"), *result("%30")),
        straight(G, W, get(30, "%23"), put("%11", "%30"), get(31, "%11"), *result("%31")),
    ),
    "a copied input": (
        straight(V, IN, copy("%10", "%22"), get(30, "%10"), *result("%30")),
        straight(IN, get(30, "%22"), *result("%30")),
    ),
    "a copied output": (
        straight(V, OUT, put("%10", "%4"), copy("%20", "%10")),
        STORED,
    ),
    "an output written at the end": (
        straight(OUT, P, put("%20", "%2"), put("%21", "%4"), put("%20", "%4", "x")),
        straight(
            *(V, W, OUT, P, put("%10", "%2"), put("%11", "%4"), put("%10", "%4", "x")),
            *(get(30, "%11"), put("%21", "%30"), get(31, "%10"), put("%20", "%31")),
        ),
    ),
    "an output that is read": (
        straight(OUT, P, put("%20", "%4"), get(30, "%20"), put("%21", "%30")),
        straight(OUT, P, put("%20", "%4"), put("%21", "%4")),
    ),
    "a variable index": (
        straight(A, A0, INDEX, AX, put("%16", "%4"), get(30, "%14"), *result("%30")),
        straight(W, A, A0, INDEX, AX, put("%16", "%4"), get(30, "%14"), put("%11", "%30"), *result("%30")),
    ),
    "a phi for two stores": (
        branch(V, put("%10", "%4"), put("%10", "%2"), get(30, "%10"), *result("%30")),
        branch("", "", "", "32x4 %30 = phi b1: %4, b2: %2", *result("%30")),
    ),
    "a phi for one store": (
        branch(f"{V}\n{put('%10', '%2')}", put("%10", "%4"), "", get(30, "%10"), *result("%30")),
        branch("", "", "", "32x4 %30 = phi b1: %4, b2: %2", *result("%30")),
    ),
    "outputs in branches": (
        branch(OUT, put("%20", "%4"), put("%20", "%2")),
        branch(
            f"{V}\n{OUT}", put("%10", "%4"), put("%10", "%2"), get(30, "%10"), put("%20", "%30"),
        ),
    ),
    "a phi of a loop": (
        loop(
            f"{V}\n{put('%10', '%2')}",
            f"{get(30, '%10')}\n1 %61 = flt %30.x, %4.x",
            f"{get(31, '%10')}\n{ADD}\n{put('%10', '%40')}",
            *(get(32, "%10"), *result("%32")),
        ),
        loop(
            "",
            "32x4 %30 = phi b0: %2, b4: %40\n1 %61 = flt %30.x, %4.x",
            ADD,
            *result("%30"),
        ),
    ),
    "a variable that a loop does not write": (
        loop(
            f"{V}\n{put('%10', '%2')}",
            f"{get(30, '%10')}\n1 %61 = flt %30.x, %4.x",
            "",
            *(get(32, "%10"), *result("%32")),
        ),
        loop("", "1 %61 = flt %2.x, %4.x", "", *result("%2")),
    ),
}  # fmt: skip


CALL = "call other %0"


PASSED = "call other %10"


NOT_PROVED = {
    "another value": (straight(V, put("%10", "%2"), get(30, "%10"), *result("%30")), STORED),
    "the first of two stores": (
        straight(V, put("%10", "%4"), put("%10", "%2"), get(30, "%10"), *result("%30")),
        STORED,
    ),
    "a store behind the load": (
        straight(V, put("%10", "%2"), get(30, "%10"), put("%10", "%4"), *result("%30")),
        STORED,
    ),
    "another variable": (
        straight(V, W, put("%10", "%4"), put("%11", "%2"), get(30, "%11"), *result("%30")),
        STORED,
    ),
    "a part only": (STORED, straight(V, put("%10", "%4", "xyz"), get(30, "%10"), *result("%30"))),
    "other parts": (
        straight(V, put("%10", "%2"), put("%10", "%4", "yz"), get(30, "%10"), *result("%30")),
        straight("32x4 %30 = vec4 %4.x, %2.y, %2.z, %4.w", *result("%30")),
    ),
    "another element": (
        straight(A, A0, A1, put("%14", "%4"), put("%15", "%2"), get(30, "%15"), *result("%30")),
        STORED,
    ),
    "an element that a variable index may mean": (
        straight(A, A0, INDEX, AX, put("%14", "%4"), put("%16", "%2"), get(30, "%14"), *result("%30")),
        STORED,
    ),
    "another variable index": (
        straight(A, A0, INDEX, AX, OTHER_INDEX, AY, put("%16", "%4"), get(30, "%14"), *result("%30")),
        straight(A, A0, INDEX, AX, OTHER_INDEX, AY, put("%17", "%4"), get(30, "%14"), *result("%30")),
    ),
    "an element behind the end": (
        straight(A, A0, A2, put("%14", "%4"), put("%15", "%2"), get(30, "%14"), *result("%30")),
        STORED,
    ),
    "another field": (
        straight(
            "32 %50 = deref_var &s (function_temp S)",
            "32 %51 = deref_struct &%50->f (function_temp vec4)",
            "32 %52 = deref_struct &%50->h (function_temp vec4)",
            *(put("%51", "%4"), put("%52", "%2"), get(30, "%52")),
            *result("%30"),
        ),
        STORED,
    ),
    "a cast to another type": (
        straight(
            V,
            cast("uvec4"),
            *(put("%10", "%4"), put("%50", "%2"), get(30, "%10")),
            *result("%30"),
        ),
        STORED,
    ),
    "a variable passed to a call": (
        straight(V, put("%10", "%4"), PASSED, get(30, "%10"), *result("%30")),
        straight(V, put("%10", "%4"), PASSED, *result("%4")),
    ),
    "a temporary of the shader across a call": (
        straight(T, put("%12", "%4"), CALL, get(30, "%12"), *result("%30")),
        straight(T, put("%12", "%4"), CALL, *result("%4")),
    ),
    "an address as a value": (
        straight(V, put("%10", "%4"), "32 %50 = iadd %10, %0", get(30, "%10"), *result("%30")),
        straight(V, put("%10", "%4"), "32 %50 = iadd %10, %0", *result("%4")),
    ),
    "a volatile load": (
        straight(
            V, put("%10", "%4"), get(30, "%10").replace("access=none", "access=volatile"), *result("%30")
        ),
        straight(V, put("%10", "%4"), *result("%4")),
    ),
    "a defined value becomes undefined": (STORED, straight(V, get(30, "%10"), *result("%30"))),
    "another initial value": (
        straight(G, get(30, "%23"), *result("%30")),
        straight("32x4 %30 = undefined", *result("%30")),
    ),
    "a copy before the store": (
        STORED,
        straight(V, W, copy("%11", "%10"), put("%10", "%4"), get(31, "%11"), *result("%31")),
    ),
    "an output that is not written": (STORED, straight(V, put("%10", "%4"))),
    "another output": (STORED, straight(P, put("%21", "%4"))),
    "an output of which a part is written": (STORED, straight(OUT, put("%20", "%4", "xyw"))),
    "outputs exchanged": (
        straight(OUT, P, put("%20", "%2"), put("%21", "%4")),
        straight(OUT, P, put("%20", "%4"), put("%21", "%2")),
    ),
    "an output that is read too early": (
        straight(OUT, P, put("%20", "%4"), get(30, "%20"), put("%20", "%2"), put("%21", "%30")),
        straight(OUT, P, put("%20", "%4"), put("%20", "%2"), get(30, "%20"), put("%21", "%30")),
    ),
    "the other branch": (
        branch(V, put("%10", "%4"), put("%10", "%2"), get(30, "%10"), *result("%30")),
        branch("", "", "", "32x4 %30 = phi b1: %2, b2: %4", *result("%30")),
    ),
    "a store in a branch": (
        branch(f"{V}\n{put('%10', '%2')}", put("%10", "%4"), "", get(30, "%10"), *result("%30")),
        branch("", "", "", *result("%4")),
    ),
    "a store in a branch, left out": (
        branch(f"{V}\n{put('%10', '%2')}", put("%10", "%4"), "", get(30, "%10"), *result("%30")),
        branch("", "", "", *result("%2")),
    ),
    "an output in a branch": (branch(OUT, put("%20", "%4"), ""), branch(OUT, "", put("%20", "%4"))),
    "an output in one branch, in all": (
        branch(OUT, put("%20", "%4"), ""),
        branch(OUT, "", "", put("%20", "%4")),
    ),
    "a store in a loop": (
        loop(
            f"{V}\n{put('%10', '%2')}",
            f"{get(30, '%10')}\n1 %61 = flt %4.x, %4.y",
            f"{put('%10', '%4')}",
            *(get(32, "%10"), *result("%32")),
        ),
        loop("", "1 %61 = flt %4.x, %4.y", "", *result("%2")),
    ),
    "the value of another iteration": (
        loop(
            f"{V}\n{put('%10', '%2')}",
            f"{get(30, '%10')}\n1 %61 = flt %30.x, %4.x",
            f"{get(31, '%10')}\n{ADD}\n{put('%10', '%40')}",
            *(get(32, "%10"), *result("%32")),
        ),
        loop(
            f"{V}\n{put('%10', '%2')}",
            f"{get(30, '%10')}\n{ADD}\n{put('%10', '%40')}\n1 %61 = flt %30.x, %4.x",
            "",
            *(get(32, "%10"), *result("%32")),
        ),
    ),
    "a load in front of a loop": (
        loop(
            f"{V}\n{put('%10', '%2')}",
            f"{get(30, '%10')}\n1 %61 = flt %30.x, %4.x",
            f"{get(31, '%10')}\n32x4 %40 = fadd %31, %4\n{put('%10', '%40')}",
            *result("%2"),
        ),
        loop(
            f"{V}\n{put('%10', '%2')}\n{get(30, '%10')}",
            "1 %61 = flt %30.x, %4.x",
            f"{get(31, '%10')}\n32x4 %40 = fadd %31, %4\n{put('%10', '%40')}",
            *result("%2"),
        ),
    ),
}


@pytest.mark.parametrize("case", PROVED)
def test_a_forwarded_store_is_proved(case: str) -> None:
    before, after = PROVED[case]
    assert same_expressions(before, before)
    assert same_expressions(before, after)
    assert same_expressions(after, before)


@pytest.mark.parametrize("case", NOT_PROVED)
def test_a_wrongly_forwarded_store_is_not_proved(case: str) -> None:
    before, after = NOT_PROVED[case]
    assert same_expressions(before, before)
    assert same_expressions(after, after)
    assert not same_expressions(before, after)


@pytest.mark.parametrize("stage", ["TESS_CTRL", "GEOMETRY", "MESH"])
def test_outputs_that_others_see_before_the_end_keep_their_stores(stage: str) -> None:
    twice = straight(OUT, put("%20", "%2"), put("%20", "%4"), stage=stage)
    once = straight(OUT, put("%20", "%4"), stage=stage)
    assert same_expressions(twice, twice)
    assert not same_expressions(twice, once)


def test_outputs_in_one_slot_keep_the_order_of_their_stores() -> None:
    declared = DECLARED.replace("VAR1", "VAR0")
    one, other = (put("%20", "%2"), put("%21", "%4"))
    before = straight(OUT, P, one, other, declared=declared)
    assert same_expressions(before, before)
    assert not same_expressions(before, straight(OUT, P, other, one, declared=declared))
    assert same_expressions(straight(OUT, P, one, other), straight(OUT, P, other, one))


def test_outputs_of_which_one_takes_a_slot_of_the_other_keep_the_order_of_their_stores() -> None:
    declared = DECLARED.replace("none vec4 o (VARYING_SLOT_VAR0", "none vec4[2] o (VARYING_SLOT_VAR0")
    element = (
        "32 %23 = deref_var &o (shader_out vec4[2])",
        "32 %20 = deref_array &(*%23)[1] (shader_out vec4)",
    )
    one, other = (put("%20", "%2"), put("%21", "%4"))
    before = straight(*element, P, one, other, declared=declared)
    assert same_expressions(before, before)
    assert not same_expressions(before, straight(*element, P, one, other, one, declared=declared))


def test_stores_of_undefined_values_may_appear_and_disappear() -> None:
    undefined = straight(V, OUT, P, put("%21", "%2"), get(30, "%10"), put("%20", "%30"))
    unwritten = straight(P, put("%21", "%2"))
    written = straight(OUT, P, put("%21", "%2"), put("%20", "%4"))
    assert same_expressions(undefined, unwritten)
    assert not same_expressions(unwritten, undefined)
    assert same_expressions(unwritten, undefined, new_outputs_count=False)
    for one in (undefined, unwritten):
        assert not same_expressions(written, one, new_outputs_count=False)
        assert not same_expressions(one, written, new_outputs_count=False)


def test_new_colors_count() -> None:
    undefined = "32x4 %30 = undefined"
    none, one = (
        straight(*lines, stage="FRAGMENT", declared=UNIFORM + COLOR)
        for lines in ((), (C, undefined, put("%90", "%30")))
    )
    assert same_expressions(one, one)
    assert not same_expressions(none, one, new_outputs_count=False)
