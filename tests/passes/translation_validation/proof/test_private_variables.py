"""Stores forwarded to loads of private variables: pairs that are proved, and broken ones that are not."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.translation_validation.proof.private_variables import PrivateVariables
from nirls.passes.translation_validation.proof.same_expressions import (
    same_expressions,
    same_linked_expressions,
)

UNIFORM = "decl_var uniform INTERP_MODE_NONE none vec4 u (1, 0, 0)\n"
DECLARED = (
    f"{UNIFORM}"
    "decl_var shader_in INTERP_MODE_NONE none vec4 i (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)\n"
    "decl_var shader_out INTERP_MODE_NONE none vec4 o (VARYING_SLOT_VAR0.xyzw, 0, 0)\n"
    "decl_var shader_out INTERP_MODE_NONE none vec4 p (VARYING_SLOT_VAR1.xyzw, 0, 0)\n"
    "decl_var shader_temp INTERP_MODE_NONE none vec4 t\n"
)
HEAD = f"shader: MESA_SHADER_VERTEX\n{DECLARED}decl_function main () (entrypoint)\n\n"
LOCALS = (
    "    decl_var  INTERP_MODE_NONE none vec4 v\n"
    "    decl_var  INTERP_MODE_NONE none vec4 w\n"
    "    decl_var  INTERP_MODE_NONE none vec4[2] a\n"
    "    decl_var  INTERP_MODE_NONE none S s\n"
    "    decl_var  INTERP_MODE_NONE none vec4 g = { 1.0, 2.0, 3.0, 4.0 }\n"
)
START = (
    "32 %0 = load_const (0x00000000)",
    "32 %1 = load_const (0x00000001)",
    "32x4 %2 = load_const (0x3f800000, 0x40000000, 0x40400000, 0x40800000)",
    "32 %3 = deref_var &u (uniform vec4)",
    "32x4 %4 = @load_deref (%3) (access=none)",
    "1 %5 = flt %4.x, %4.y",
)
"""%2 and %4 are vectors, %5 is a condition."""

V = "32 %10 = deref_var &v (function_temp vec4)"
W = "32 %11 = deref_var &w (function_temp vec4)"
T = "32 %12 = deref_var &t (shader_temp vec4)"
A = "32 %13 = deref_var &a (function_temp vec4[2])"
A0 = "32 %14 = deref_array &(*%13)[0] (function_temp vec4)"
A1 = "32 %15 = deref_array &(*%13)[1] (function_temp vec4)"
A2 = "32 %15 = deref_array &(*%13)[2] (function_temp vec4)"
AX = "32 %16 = deref_array &(*%13)[%6] (function_temp vec4)"
AY = "32 %17 = deref_array &(*%13)[%7] (function_temp vec4)"
INDEX = "32 %6 = mov %4.x"
OTHER_INDEX = "32 %7 = mov %4.y"
OUT = "32 %20 = deref_var &o (shader_out vec4)"
P = "32 %21 = deref_var &p (shader_out vec4)"
IN = "32 %22 = deref_var &i (shader_in vec4)"
G = "32 %23 = deref_var &g (function_temp vec4)"


def put(address: str, value: str, mask: str = "xyzw") -> str:
    return f"@store_deref ({address}, {value}) (wrmask={mask}, access=none)"


def get(number: int, address: str) -> str:
    return f"32x4 %{number} = @load_deref ({address}) (access=none)"


def copy(target: str, source: str) -> str:
    return f"@copy_deref ({target}, {source}) (dst_access=0, src_access=0)"


def cast(to: str) -> str:
    layout = "(ptr_stride=0, align_mul=0, align_offset=0)"
    return f"32 %50 = deref_cast ({to} *)%10 (function_temp {to})  {layout}"


def result(value: str) -> tuple[str, str]:
    return "32 %90 = deref_var &o (shader_out vec4)", put("%90", value)


def parsed(text: str) -> Shader:
    shader = parse_dump(text.encode())
    assert not shader.unreadable, shader.unreadable
    assert shader.damage is None
    return shader


def straight(*lines: str, stage: str = "VERTEX", declared: str = DECLARED, locals_: str = LOCALS) -> Shader:
    body = "\n".join(f"    {line}" for line in (*START, *lines))
    return parsed(
        f"shader: MESA_SHADER_{stage}\n{declared}decl_function main () (entrypoint)\n"
        f"decl_function other (32)\n\nimpl main {{\n{locals_}"
        f"    block b0:  // preds:\n{body}\n    // succs: b1\n    block b1:\n}}\n"
    )


def branch(before: str, then: str, other: str, *behind: str) -> Shader:
    first = "\n".join(f"    {line}" for line in (*START, *before.split("\n")))
    last = "\n".join(f"    {line}" for line in behind)
    return parsed(
        f"{HEAD}impl main {{\n{LOCALS}"
        f"    block b0:  // preds:\n{first}\n    // succs: b1 b2\n"
        f"    if %5 {{\n        block b1:  // preds: b0\n        {then}\n        // succs: b3\n"
        f"    }} else {{\n        block b2:  // preds: b0\n        {other}\n        // succs: b3\n    }}\n"
        f"    block b3:  // preds: b1 b2\n{last}\n    // succs: b4\n    block b4:\n}}\n"
    )


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
STORED = straight(*result("%4"))
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


def test_only_cells_that_something_reads_are_kept() -> None:
    shader = straight(V, W, put("%10", "%2"), put("%11", "%4"), get(30, "%11"), *result("%30"))
    impl = next(shader.impls())
    private = PrivateVariables(shader, impl, shader_temps=True, ambiguous=())
    assert {cell.variable.name for cell in private.cells} == {"w", "o"}
    without = PrivateVariables(shader, impl, shader_temps=False, ambiguous=())
    assert {cell.variable.name for cell in without.cells} == {"w"}


def put_slot(value: str, slot: str, component: int = 0, mask: str = "xyzw", more: str = "") -> str:
    return (
        f"@store_output ({value}, %0) (base=0, range=1, wrmask={mask}, component={component}, "
        f"src_type=float32, io location=VARYING_SLOT_{slot} slots=1{more}, xfb(), xfb2())"
    )


def get_slot(number: int, slot: str, *, point: str = "", offset: str = "%0") -> str:
    name, sources = ("load_interpolated_input", f"{point}, {offset}") if point else ("load_input", offset)
    return (
        f"32x4 %{number} = @{name} ({sources}) "
        f"(base=0, range=1, component=0, dest_type=float32, io location={slot} slots=1)"
    )


def pixel(number: int, name: str = "pixel", mode: str = "SMOOTH") -> str:
    return f"32x2 %{number} = @load_barycentric_{name} (interp_mode=INTERP_MODE_{mode})"


VARYING = "decl_var {}shader_in INTERP_MODE_{} none vec4 y (VARYING_SLOT_VAR0.xyzw, 0, 0)\n"
Y = "32 %50 = deref_var &y (shader_in vec4)"
COLOR = "decl_var shader_out INTERP_MODE_NONE none vec4 c (FRAG_RESULT_DATA0.xyzw, 0, 0)\n"
C = "32 %90 = deref_var &c (shader_out vec4)"


def fragment(*lines: str, words: str = "", mode: str = "NONE") -> Shader:
    declared = UNIFORM + VARYING.format(words, mode) + COLOR
    return straight(*lines, C, put("%90", "%30"), stage="FRAGMENT", declared=declared)


BY_NAME = fragment(Y, get(30, "%50"))


BY_INDEX = straight(IN, get(30, "%22"), *result("%30"))
TO_OUT = straight(OUT, put("%20", "%4"))
OF_FLAT = fragment(Y, get(30, "%50"), mode="FLAT")
OF_CENTROID = fragment(Y, get(30, "%50"), words="centroid ")
MIXED = straight("32x4 %30 = vec4 %4.x, %4.y, %4.y, %4.w", OUT, put("%20", "%30"))
PART = "32 %30 = mov %4.y"
EXCHANGED = straight(OUT, P, put("%21", "%2"), put("%20", "%4"))


def attribute(slot: str, offset: str = "%0") -> Shader:
    return straight(INDEX, get_slot(30, f"VERT_ATTRIB_GENERIC{slot}", offset=offset), *result("%30"))


def varying(*point: str, words: str = "", mode: str = "NONE") -> Shader:
    load = get_slot(30, "VARYING_SLOT_VAR0", point="%51" if point else "")
    return fragment(*point, load, words=words, mode=mode)


@pytest.mark.parametrize(
    ("before", "after", "is_proved"),
    [
        (TO_OUT, straight(put_slot("%4", "VAR0")), True),
        (TO_OUT, straight(put_slot("%4", "VAR1")), False),
        (TO_OUT, straight(put_slot("%4", "VAR0", mask="xyz")), False),
        (TO_OUT, straight(put_slot("%4", "VAR0", more=" high_16bits")), False),
        (TO_OUT, straight(put_slot("%4", "VAR0").replace("float", "int")), False),
        (
            TO_OUT,
            straight(put_slot("%4", "VAR0").replace("xfb()", "xfb(component=0 buffer=0 offset=0)")),
            False,
        ),
        (straight(PART, put_slot("%4", "VAR0"), put_slot("%30", "VAR0", 2, "x")), MIXED, True),
        (straight(PART, put_slot("%30", "VAR0", 2, "x"), put_slot("%4", "VAR0")), MIXED, False),
        (straight(put_slot("%4", "VAR0"), put_slot("%2", "VAR1")), EXCHANGED, True),
        (BY_INDEX, attribute("0"), True),
        (BY_INDEX, attribute("1"), False),
        (BY_INDEX, attribute("0", "%6"), False),
        (BY_NAME, varying(pixel(51)), True),
        (BY_NAME, varying(pixel(51, "centroid")), False),
        (BY_NAME, varying(pixel(51, mode="NOPERSPECTIVE")), False),
        (BY_NAME, varying(), False),
        (OF_FLAT, varying(mode="FLAT"), True),
        (OF_FLAT, varying(pixel(51), mode="FLAT"), False),
        (OF_CENTROID, varying(pixel(51, "centroid"), words="centroid "), True),
        (OF_CENTROID, varying(pixel(51), words="centroid "), False),
    ],
)
def test_variables_and_the_slots_they_are_lowered_to(before: Shader, after: Shader, is_proved: bool) -> None:
    assert same_expressions(before, before)
    assert same_expressions(after, after)
    assert same_expressions(before, after) is is_proved
    assert same_expressions(after, before) is is_proved


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


def test_conditions_that_a_stored_constant_decides() -> None:
    def decided(value: str, *, known: bool) -> Shader:
        condition = "32 %70 = deref_var &k (function_temp bool)"
        stored = (
            condition,
            f"1 %71 = load_const ({value})",
            "@store_deref (%70, %71) (wrmask=x, access=none)",
        )
        load = "1 %72 = @load_deref (%70) (access=none)"
        lines = "\n".join((V, put("%10", "%2"), *stored, load if not known else "1 %72 = mov %71"))
        shader = branch(lines, put("%10", "%4"), "", get(30, "%10"), *result("%30"))
        text = shader.source.decode().replace("if %5", "if %72")
        return parsed(text.replace(LOCALS, LOCALS + "    decl_var  INTERP_MODE_NONE none bool k\n"))

    for value, other in (("true", "false"), ("false", "true")):
        assert same_expressions(decided(value, known=False), decided(value, known=True))
        assert not same_expressions(decided(value, known=False), decided(other, known=True))


def test_functions_that_nothing_calls_do_not_matter() -> None:
    def with_function(extra: str, *, called: bool) -> Shader:
        start = "    block b0:  // preds:\n    32 %0 = load_const (0x00000001)\n"
        body = f"{start}    // succs: b1\n    block b1:\n}}\n"
        call = "    call helper\n" if called else ""
        return parsed(
            f"shader: MESA_SHADER_COMPUTE\ndecl_function helper ()\ndecl_function main () (entrypoint)\n\n"
            f"impl helper {{\n{body.replace('    // succs', extra + '    // succs')}\n"
            f"impl main {{\n{body.replace('    // succs', call + '    // succs')}"
        )

    demote = "    @demote\n"
    assert same_expressions(with_function(demote, called=False), with_function("", called=False))
    assert not same_expressions(with_function(demote, called=True), with_function("", called=True))
    assert same_expressions(with_function(demote, called=True), with_function(demote, called=True))


def test_members_of_the_block_of_built_in_outputs_are_outputs() -> None:
    block = "decl_var shader_out INTERP_MODE_NONE none gl_PerVertex  (VARYING_SLOT_POS, 0, 0)\n"
    split = "decl_var shader_out INTERP_MODE_NONE none vec4 gl_Position (VARYING_SLOT_POS.xyzw, 0, 0)\n"
    member = "32 %51 = deref_struct &%50->{} (shader_out vec4)"

    def one(*lines: str, out: str) -> Shader:
        declared = UNIFORM + out
        return straight(*lines, put("%51", "%4"), declared=declared)

    whole = "32 %50 = deref_var & (shader_out gl_PerVertex)"
    before = one(whole, member.format("gl_Position"), out=block)
    after = one("32 %51 = deref_var &gl_Position (shader_out vec4)", out=split)
    assert same_expressions(before, before)
    assert same_expressions(before, after)
    assert not same_expressions(one(whole, member.format("gl_ClipVertex"), out=block), after)


def interpolated(number: int, slot: str, component: int = 0, name: str = "pixel") -> str:
    return (
        f"32 %{number} = @load_interpolated_input (%{name}, %0) (base=0, component={component}, "
        f"dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)"
    )


def producer(*lines: str, position: str = "%4") -> Shader:
    return straight(put_slot(position, "POS"), *lines, declared=UNIFORM)


def varyings(*lines: str, value: str, name: str = "pixel", flags: str = "") -> Shader:
    """A fragment shader that stores `value`; %8 and %9 are its barycentric coordinates."""
    points = pixel(8), pixel(9, "centroid")
    stored = f"32x4 %80 = vec4 {value}, {value}, {value}, {value}"
    color = put_slot("%80", "VAR0").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
    return straight(*points, *lines, stored, color, stage="FRAGMENT", declared=UNIFORM)


def scalar(number: int, slot: str, component: int = 0, point: str = "%8") -> str:
    return interpolated(number, slot, component).replace("%pixel", point)


X, ONE, NAN = "32 %31 = mov %4.x", "32 %32 = load_const (0x3f800000)", "32 %32 = load_const (0x7fc00000)"
OTHER = "32 %33 = mov %4.y"
SUM = "32 %34 = fadd %30, {}"


def put_x(value: str, slot: str = "VAR0", component: int = 0, more: str = "") -> str:
    return put_slot(value, slot, component, "x", more)


MADE, READ = producer(X, put_x("%31")), varyings(scalar(30, "VAR0"), value="%30")
MOVED, READ_MOVED = producer(X, put_x("%31", "VAR3", 2)), varyings(scalar(30, "VAR3", 2), value="%30")
READ_TWO = varyings(scalar(30, "VAR0"), scalar(33, "VAR1"), SUM.format("%33"), value="%34")
READ_TWICE = varyings(scalar(30, "VAR0"), SUM.format("%30"), value="%34")
READ_AT_INDEX = varyings("32 %6 = mov %3", scalar(30, "VAR0").replace("%0", "%6"), value="%30")
MADE_OTHER = producer(OTHER, put_x("%33"))
CAPTURED = put_x("%31").replace("xfb()", "xfb(component=0 buffer=0 offset=0)")


@pytest.mark.parametrize(
    ("before", "after", "is_proved"),
    [
        # Another slot, and another component; then on one side only.
        ((MADE, READ), (MOVED, READ_MOVED), True),
        ((MADE, READ), (MADE, READ_MOVED), False),
        ((MADE, READ), (MOVED, READ), False),
        # Another value, another interpolation, another position.
        ((MADE, READ), (MADE_OTHER, READ), False),
        ((MADE, READ), (MADE, varyings(scalar(30, "VAR0", point="%9"), value="%30")), False),
        ((MADE, READ), (producer(X, put_x("%31"), position="%2"), READ), False),
        # Two varyings with the same value become one, and with other values do not.
        ((producer(X, put_x("%31"), put_x("%31", "VAR1")), READ_TWO), (MADE, READ_TWICE), True),
        ((producer(X, OTHER, put_x("%31"), put_x("%33", "VAR1")), READ_TWO), (MADE, READ_TWICE), False),
        # A varying that nothing reads, and an output that hardware reads.
        ((producer(X, put_x("%31"), put_slot("%4", "VAR5")), READ), (MADE, READ), True),
        ((producer(X, put_x("%31"), put_x("%31", "PSIZ")), READ), (MADE, READ), False),
        # Constants; interpolation of NaN may give another NaN.
        ((producer(ONE, put_x("%32")), READ), (producer(), varyings(ONE, value="%32")), True),
        ((producer(NAN, put_x("%32")), READ), (producer(), varyings(NAN, value="%32")), False),
        # A varying that is written twice.
        ((producer(X, put_slot("%2", "VAR0"), put_x("%31")), READ), (MADE, READ), True),
        ((producer(X, put_x("%31"), put_slot("%2", "VAR0")), READ), (MADE, READ), False),
        # Transform feedback, half of a component, and a load whose slot is not certain.
        ((producer(X, CAPTURED), READ), (MADE, READ), False),
        ((producer(X, put_x("%31", more=" high_16bits")), READ), (MADE, READ), False),
        ((MADE, READ_AT_INDEX), (MADE_OTHER, READ_AT_INDEX), False),
        # A varying that is not written.
        ((producer(), READ), (MADE, READ), False),
    ],
)
def test_linked_shaders(before: tuple[Shader, ...], after: tuple[Shader, ...], is_proved: bool) -> None:
    assert same_linked_expressions(before, after) is is_proved


def test_only_neighbours_in_front_of_rasterization_are_linked() -> None:
    both = (MADE, READ)
    assert same_linked_expressions(both, both)
    assert not same_linked_expressions(both[:1], both[:1])
    assert not same_linked_expressions(both[::-1], both[::-1])
    assert not same_linked_expressions(both, both[:1])
