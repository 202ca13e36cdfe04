"""Operations that algebraic passes replace by each other, and similar ones that are not equal."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.proof.same_expressions import same_expressions
from tests.passes import shader_text
from tests.passes.shader_text import use

LOADS = tuple(
    f"{size}  %{number} = @load_ssbo (%0, %0) (access=none, align_mul={mul}, align_offset=0)"
    for number, size, mul in ((2, "32x4", 16), (3, "32x4", 32), (4, "64", 64))
)
CONSTANTS = (
    "32 %5 = load_const (0x40000000)",
    "32 %6 = load_const (0x3f000000)",
    "32 %7 = load_const (0x00000003)",
    "1 %8 = ilt %2.x, %3.x",
    "1 %9 = flt %2.x, %3.x",
    "1 %10 = load_const (true)",
    "1 %11 = load_const (false)",
    "32 %12 = load_const (0xffffffff)",
    "32 %13 = load_const (0x80000000)",
)
"""%5 is 2.0, %6 is 0.5, %7 is 3; %0 is 0.0 and %1 is 1.0."""


def shader(*text: str, header: tuple[str, ...] = ()) -> Shader:
    """Lines of `value = operation`, with 1 bit for `value?`, and the store of the last value."""
    lines, last = [], ""
    for number, line in enumerate(text, 20):
        name, _, operation = line.rpartition(" = ")
        size = "1" if name.endswith("?") else "32"
        last = f"%{number}"
        for other, earlier in enumerate(text[: number - 20], 20):
            operation = operation.replace(f"${earlier.partition(' = ')[0].rstrip('?')}", f"%{other}")
        lines.append(f"{size} {last} = {operation}")
    start = (shader_text.ZERO, shader_text.ONE, *LOADS, *CONSTANTS)
    return shader_text.shader("FRAGMENT", *start, *lines, use(last), header=header)


A, B, C, D = "%2.x", "%2.y", "%2.z", "%2.w"
E, F, G = "%3.x", "%3.y", "%3.z"

BOTH_WAYS = {
    "a difference is the sum with the opposite": (
        (f"r = fsub {A}, {B}",),
        (f"m = fneg {B}", f"r = fadd {A}, $m"),
    ),
    "sums in another order": (
        (f"s = fadd {A}, {B}", f"r = fadd $s, {C}"),
        (f"s = fadd {B}, {C}", f"r = fadd {A}, $s"),
    ),
    "a common factor": (
        (f"s = fmul {A}, {B}", f"t = fmul {C}, {A}", "r = fadd $s, $t"),
        (f"s = fadd {B}, {C}", f"r = fmul $s, {A}"),
    ),
    "a fused sum": ((f"r = ffma {A}, {B}, {C}",), (f"s = fmul {A}, {B}", f"r = fadd $s, {C}")),
    "a mix": (
        (f"r = flrp {A}, {B}, {C}",),
        (f"s = fsub {B}, {A}", f"t = fmul {C}, $s", f"r = fadd {A}, $t"),
    ),
    "a scalar product": (
        ("r = fdot3 %2.xyz, %3.xyz",),
        (f"s = fmul {C}, {G}", f"t = ffma {B}, {F}, $s", f"r = ffma {A}, {E}, $t"),
    ),
    "a quotient": ((f"r = fdiv {A}, {B}",), (f"s = frcp {B}", f"r = fmul {A}, $s")),
    "a quotient by a constant": ((f"r = fdiv {A}, %5",), (f"r = fmul {A}, %6",)),
    "an inverse root": ((f"r = frsq {A}",), (f"s = fsqrt {A}", "r = frcp $s")),
    "twice": ((f"r = fadd {A}, {A}",), (f"r = fmul {A}, %5",)),
    "nothing added to an inexact result": (
        (f"s = fmul {A}, {B}", "r = fadd $s, %0"),
        (f"r = fmul {A}, {B}",),
    ),
    "nothing added behind a product by one": (
        (f"s = fadd {A}, {B}", "r = ffma $s, %1, %0"),
        (f"s = fadd {A}, {B}", "r = fadd %13, $s"),
    ),
    "the opposite of a sum": (
        (f"s = fadd {A}, {B}", "r = fneg $s"),
        (f"s = fneg {A}", f"r = fsub $s, {B}"),
    ),
    "the magnitude of a difference": (
        (f"s = fsub {A}, {B}", "r = fabs $s"),
        (f"s = fsub {B}, {A}", "r = fabs $s"),
    ),
    "a power": ((f"r = fpow {A}, {B}",), (f"s = flog2 {A}", f"t = fmul $s, {B}", "r = fexp2 $t")),
    "a clamp": ((f"s = fmax {A}, %0", "r = fmin $s, %1"), (f"r = fsat {A}",)),
    "opposites of opposites": ((f"s = fneg! {A}", "r = fneg! $s"), (f"r = mov {A}",)),
    "integers wrap": (
        (f"s = iadd {A}, {B}", f"r = isub $s, {B}"),
        (f"r = mov {A}",),
    ),
    "a shift is a product": (
        (f"s = iadd {A}, {B}", "r = ishl $s, %7"),
        (f"s = ishl {A}, %7", f"t = ishl {B}, %7", "r = iadd $s, $t"),
    ),
    "a negated comparison of integers": (
        (f"c? = ilt {A}, {B}", "n? = inot $c", f"r = bcsel $n, {A}, {B}"),
        (f"c? = ige {A}, {B}", f"r = bcsel $c, {A}, {B}"),
    ),
    "a negated comparison for equality": (
        (f"c? = feq {A}, {B}", "n? = inot $c", f"r = bcsel $n, {A}, {B}"),
        (f"c? = fneu {A}, {B}", f"r = bcsel $c, {A}, {B}"),
    ),
    "a negated condition": (
        ("n? = inot %8", f"r = bcsel $n, {A}, {B}"),
        (f"r = bcsel %8, {B}, {A}",),
    ),
    "De Morgan": (
        ("c? = iand %8, %9", "n? = inot $c", f"r = bcsel $n, {A}, {B}"),
        ("c? = inot %8", "d? = inot %9", "n? = ior $c, $d", f"r = bcsel $n, {A}, {B}"),
    ),
    "conditions in another order": (
        (f"c? = ilt {A}, {B}", "s? = iand %8, %9", "t? = iand $s, $c", f"r = bcsel $t, {A}, {B}"),
        (f"c? = ilt {A}, {B}", "s? = iand $c, %9", "t? = iand %8, $s", f"r = bcsel $t, {A}, {B}"),
    ),
    "a condition selected": (
        ("c? = iand %8, %9", f"r = bcsel $c, {A}, {B}"),
        ("c? = bcsel %8, %9, %11", f"r = bcsel $c, {A}, {B}"),
    ),
    "a boolean as a float": (("r = b2f32 %8",), ("r = bcsel %8, %1, %0",)),
    "vectors that are equal": (
        ("f? = ball_fequal2 %2.xy, %3.xy", f"r = bcsel $f, {A}, {B}"),
        (f"c? = feq {A}, {E}", f"d? = feq {B}, {F}", "f? = iand $c, $d", f"r = bcsel $f, {A}, {B}"),
    ),
    "a number with itself": (
        (f"r = iand {A}, {A}",),
        (f"r = mov {A}",),
    ),
    "a number with its minimum": (
        (f"s = imin {A}, {B}", f"r = imin {B}, $s"),
        (f"r = imin {A}, {B}",),
    ),
    "halves of 64 bits": (
        ("x = unpack_64_2x32_split_x %4",),
        ("x = unpack_64_2x32_split_x %4", f"y = iadd $x, {A}", f"z = isub $y, {A}"),
    ),
}

LONG_SUMS = (
    *(f"a = fadd {A}, {B}", f"b = fadd $a, {C}", f"c = fadd $b, {D}", f"x = fadd $c, {E}"),
    *(f"d = fadd {F}, {G}", f"e = fadd $d, {A}", "y = fadd $e, %3.w"),
)
"""Sums of five and of four values, whose product is not expanded."""

ONE_WAY = {
    "nothing added": ((f"r = fadd {A}, %0",), (f"r = mov {A}",)),
    "once": ((f"r = fmul {A}, %1",), (f"r = mov {A}",)),
    "times nothing": ((f"r = fmul {A}, %0",), ("r = mov %0",)),
    "nothing added to an opposite": ((f"s = fneg {A}", "r = fadd $s, %0"), (f"r = fneg {A}",)),
    "added and subtracted": ((f"s = fadd {A}, {B}", f"r = fsub $s, {B}"), (f"r = mov {A}",)),
    "multiplied and divided": ((f"s = fmul {A}, {B}", f"r = fdiv $s, {B}"), (f"r = mov {A}",)),
    "long sums multiplied and divided": (
        (*LONG_SUMS, "p = fmul $x, $y", "r = fdiv $p, $y"),
        (*LONG_SUMS, "r = mov $x"),
    ),
    "the sign of a difference": (
        (f"s = fsub {A}, {B}", "c? = flt! $s, %0", f"r = bcsel $c, {A}, {B}"),
        (f"c? = flt! {A}, {B}", f"r = bcsel $c, {A}, {B}"),
    ),
    "the sign of the other difference": (
        (f"s = fsub {A}, {B}", "c? = fge %0, $s", f"r = bcsel $c, {A}, {B}"),
        (f"c? = fge {B}, {A}", f"r = bcsel $c, {A}, {B}"),
    ),
}
"""Proved in this direction only: the other one would lose infinities, NaNs, or the bits of an integer."""

NEVER = {
    "another difference": ((f"r = fsub {A}, {B}",), (f"r = fsub {B}, {A}",)),
    "exact sums in another order": (
        (f"s = fadd! {A}, {B}", f"r = fadd! $s, {C}"),
        (f"s = fadd! {B}, {C}", f"r = fadd! {A}, $s"),
    ),
    "an exact sum becomes inexact": ((f"r = fadd! {A}, {B}",), (f"r = fadd {A}, {B}",)),
    "an exact product is fused": (
        (f"s = fmul! {A}, {B}", f"r = fadd $s, {C}"),
        (f"r = ffma {A}, {B}, {C}",),
    ),
    "nothing added to exact values": ((f"r = fadd! {A}, %0",), (f"r = mov {A}",)),
    "another factor": (
        (f"s = fmul {A}, {B}", f"t = fmul {C}, {A}", "r = fadd $s, $t"),
        (f"s = fadd {B}, {C}", f"r = fmul $s, {B}"),
    ),
    "a product with nothing added": (
        (f"t = fadd {A}, {B}", "r = mov $t"),
        (f"s = fmul {C}, %0", f"t = fadd {A}, {B}", "r = fadd $t, $s"),
    ),
    "another constant": ((f"r = fmul {A}, %5",), (f"r = fmul {A}, %6",)),
    "a mix the other way": ((f"r = flrp {A}, {B}, {C}",), (f"r = flrp {B}, {A}, {C}",)),
    "another component of a product": (
        ("r = fdot2 %2.xy, %3.xy",),
        (f"s = fmul {A}, {F}", f"r = ffma {B}, {E}, $s"),
    ),
    "integers are no floats": ((f"r = iadd {A}, {B}",), (f"r = fadd {A}, {B}",)),
    "halves of integers": (
        (f"s = ishl {A}, %7", "r = ushr $s, %7"),
        (f"r = mov {A}",),
    ),
    "a negated comparison of floats": (
        (f"c? = flt {A}, {B}", "n? = inot $c", f"r = bcsel $n, {A}, {B}"),
        (f"c? = fge {A}, {B}", f"r = bcsel $c, {A}, {B}"),
    ),
    "a comparison without equality": (
        (f"c? = flt {A}, {B}", f"r = bcsel $c, {A}, {B}"),
        (f"c? = fge {B}, {A}", f"r = bcsel $c, {A}, {B}"),
    ),
    "and for or": (
        ("c? = iand %8, %9", f"r = bcsel $c, {A}, {B}"),
        ("c? = ior %8, %9", f"r = bcsel $c, {A}, {B}"),
    ),
    "a clamp above one": ((f"s = fmax {A}, %0", "r = fmin $s, %5"), (f"r = fsat {A}",)),
    "a clamp of NaN": ((f"s = fmin {A}, %1", "r = fmax $s, %0"), (f"r = fsat {A}",)),
    "an exact clamp": ((f"s = fmax! {A}, %0", "r = fmin! $s, %1"), (f"r = fsat {A}",)),
    "a boolean is no number": (("r = bcsel %8, %12, %0",), ("r = b2i32 %8",)),
    "the same of two undefined values": (
        ("r = mov %0",),
        ("u = undefined", "v = undefined", "r = isub $u, $v"),
    ),
    "the same of what an undefined place holds": (
        ("r = mov %0",),
        (
            "u = undefined",
            "s = @load_ubo (%0, $u) (access=none, align_mul=4, align_offset=0, range_base=0, range=64)",
            "r = isub $s, $s",
        ),
    ),
    "the same of what undefined values make": (
        ("r = mov %0",),
        ("u = undefined", "v = undefined", "s = ineg $u", "t = ineg $v", "r = isub $s, $t"),
    ),
}


def proved(before: tuple[str, ...], after: tuple[str, ...], *header: str) -> bool:
    return same_expressions(shader(*before, header=header), shader(*after, header=header))


@pytest.mark.parametrize("case", BOTH_WAYS)
def test_equal_both_ways(case: str) -> None:
    before, after = BOTH_WAYS[case]
    assert proved(before, after)
    assert proved(after, before)


@pytest.mark.parametrize("case", ONE_WAY)
def test_what_may_disappear_may_not_appear(case: str) -> None:
    before, after = ONE_WAY[case]
    assert proved(before, after)
    assert not proved(after, before)


@pytest.mark.parametrize("case", NEVER)
def test_never_equal(case: str) -> None:
    before, after = NEVER[case]
    assert proved(before, before)
    assert not proved(before, after)


@pytest.mark.parametrize(
    "fields",
    [
        ("float_controls_execution_mode: 0x0010", "max_subgroup_size: 32"),
        ("float_controls_execution_mode: 0x0100", "max_subgroup_size: 32"),
        ("float_controls_execution_mode: 0x00000002",),
        ("float_controls_execution_mode: 0x00000080",),
    ],
    ids=["denormals are flushed", "rounding is specified", "signs of zeros", "NaNs"],
)
def test_float_controls_forbid_approximations(fields: tuple[str, ...]) -> None:
    before, after = BOTH_WAYS["sums in another order"]
    assert not proved(before, after, *fields)


def test_preserved_special_values_forbid_approximations() -> None:
    exact = shader(f"s = fmul {A}, %0")
    exact.entrypoint.start_block.last.prev.flags |= {"preserve:nan"}
    assert not same_expressions(exact, shader("r = mov %0"))


def test_components_of_a_result_are_different_values() -> None:
    first, second = (
        shader_text.shader(
            *("FRAGMENT", shader_text.ZERO, shader_text.ONE, *LOADS, "32x2 %20 = unpack_64_2x32 %4"),
            *(f"32 %21 = mov %20.{component}", use("%21")),
        )
        for component in "xy"
    )
    assert same_expressions(first, first)
    assert not same_expressions(first, second)


def test_what_cancels_elsewhere_may_stay() -> None:
    kept = (f"k = fadd {D}, %0",)
    before = (*kept, "r = fdot2 %2.xy, %3.xy", "x = fmul $k, $r")
    after = (*kept, f"s = fmul {B}, {F}", f"r = ffma {A}, {E}, $s", "x = fmul $k, $r")
    assert proved(before, after)
