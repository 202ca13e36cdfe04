"""Interpolation written out in evaluation shaders, and its weights."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.values.tess_interpolation import (
    ONE,
    W_IN_TRIANGLES,
    TessCoordPolynomial,
    TessInterpolation,
    TooLargeError,
    find_interpolation,
    has_triangle_weights,
)
from tests.passes.shader_text import shader, use

U, V, W = (TessCoordPolynomial.coordinate(number) for number in range(3))


def polynomials() -> st.SearchStrategy[TessCoordPolynomial]:
    leaves = st.sampled_from(
        [U, V, W, ONE, TessCoordPolynomial(), TessCoordPolynomial.constant(Fraction(1, 2))]
    )
    return st.recursive(
        leaves,
        lambda parts: (
            st.builds(lambda a, b: a + b, parts, parts) | st.builds(lambda a, b: a - b, parts, parts)
        ),
        max_leaves=6,
    )


def value(polynomial: TessCoordPolynomial, u: int, v: int, w: int) -> Fraction:
    return sum((factor * u**i * v**j * w**k for (i, j, k), factor in polynomial.terms), Fraction(0))


@given(polynomials(), polynomials(), st.tuples(*[st.integers(-3, 3)] * 3))
def test_operations_are_those_of_the_values(
    first: TessCoordPolynomial, second: TessCoordPolynomial, point: tuple[int, int, int]
) -> None:
    assert value(first + second, *point) == value(first, *point) + value(second, *point)
    assert value(first - second, *point) == value(first, *point) - value(second, *point)
    assert value(first * second, *point) == value(first, *point) * value(second, *point)
    u, v, _ = point
    assert value(first.with_w(W_IN_TRIANGLES), *point) == value(first, u, v, 1 - u - v)


def test_equal_polynomials_compare_equal() -> None:
    assert (ONE - U) * (ONE + U) == ONE - U * U
    assert (U - U).terms == ()
    assert hash(U + V) == hash(V + U)


def test_coordinates() -> None:
    assert [item.as_coordinate for item in (U, V, W, ONE, U + V)] == [0, 1, 2, None, None]
    assert [item.reads_w for item in (U * V, V * W)] == [False, True]


def test_high_degrees_are_refused() -> None:
    power = U * V * W
    assert (power * power).terms
    with pytest.raises(TooLargeError):
        power * power * U


HEAD = (
    "32    %0 = load_const (0x00000000)",
    "32    %1 = load_const (0x00000001)",
    "32    %2 = load_const (0x00000002)",
    "32x3  %3 = @load_tess_coord",
)
QUAD_HEAD = (
    "32    %7 = load_const (0x00000003)",
    "32    %8 = load_const (0x3f800000 = 1.000000)",
    "32    %20 = fsub %8, %3.x",
    "32    %21 = fsub %8, %3.y",
)
QUAD = ((0, (ONE - U) * (ONE - V)), (1, U * (ONE - V)), (2, (ONE - U) * V), (3, U * V))


def corner(number: int, vertex: int) -> str:
    return (
        f"32    %{number} = @load_per_vertex_input (%{vertex}, %0 (0x0)) (base=0, range=1, component=0,"
        " dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)"
    )


def found(
    *lines: str, header: tuple[str, ...] = (), quad: bool = False
) -> tuple[Shader, TessInterpolation | None]:
    """What is found in a body; the vertices are %4, %5, %6, or %10, %11, %12, %13 of a quad."""
    corners = [corner(4 + vertex, vertex) for vertex in range(3)]
    if quad:
        corners = [*QUAD_HEAD, *(corner(10 + at, vertex) for at, vertex in enumerate((0, 1, 2, 7)))]
    parsed = shader("TESS_EVAL", *HEAD, *corners, *lines, header=header)
    loads = [
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name == "load_per_vertex_input"
    ]
    return parsed, find_interpolation(loads, has_triangle_weights(parsed))


SUMS = {
    "ffma chain": ["fmul %4, %3.x", "ffma %5, %3.y, %10", "ffma %6, %3.z, %11"],
    "ffma chain from the last": ["fmul %6, %3.z", "ffma %5, %3.y, %10", "ffma %4, %3.x, %11"],
    "fadd": ["fmul %4, %3.x", "fmul %5, %3.y", "fmul %6, %3.z", "fadd %10, %11", "fadd %13, %12"],
    "fadd upwards": [
        "fmul %4, %3.x",
        "fmul %5, %3.y",
        "fmul %6, %3.z",
        "fadd %12, %11",
        "fadd %10, %13",
    ],
    "factors exchanged": ["fmul %3.x, %4", "ffma %3.y, %5, %10", "ffma %6, %3.z, %11"],
    "mixed": ["fmul %4, %3.x", "fmul %5, %3.y", "fadd %10, %11", "ffma %6, %3.z, %12"],
}
OTHERS = {
    "exact": ["fmul %4, %3.x", "ffma! %5, %3.y, %10", "ffma %6, %3.z, %11"],
    "saturated": ["fmul %4, %3.x", "ffma.sat %5, %3.y, %10", "ffma %6, %3.z, %11"],
    "the magnitude of a part": ["fmul %4, %3.x", "ffma %5, %3.y, abs(%10)", "ffma %6, %3.z, %11"],
    "the magnitude of a weight": ["fmul %4, abs(%3.x)", "ffma %5, %3.y, %10", "ffma %6, %3.z, %11"],
    "another operation": ["fmul %4, %3.x", "ffma %5, %3.y, %10", "fmul %6, %3.z", "fmax %11, %12"],
    "a coordinate twice": ["fmul %4, %3.x", "ffma %5, %3.x, %10", "ffma %6, %3.z, %11"],
    "product of two values": ["fmul %4, %3.x", "ffma %5, %6, %10", "fneg %11"],
    "one vertex missing": ["fmul %4, %3.x", "ffma %5, %3.y, %10", "fadd %6, %11"],
}


def body(parts: list[str]) -> list[str]:
    lines = [f"32    %{10 + position} = {text}" for position, text in enumerate(parts)]
    return [*lines, use(f"%{9 + len(parts)}")]


@pytest.mark.parametrize("name", SUMS)
def test_interpolation(name: str) -> None:
    _, interpolation = found(*body(SUMS[name]))
    assert interpolation is not None
    assert interpolation.equation.weights == ((0, U), (1, V), (2, W))
    assert interpolation.equation.coordinates() == [0, 1, 2]
    assert interpolation.result.def_ is not None
    assert interpolation.result.def_.index == 9 + len(SUMS[name])


def test_other_weights_are_another_interpolation() -> None:
    _, interpolation = found(*body(["fmul %4, %3.z", "ffma %5, %3.x, %10", "ffma %6, %3.y, %11"]))
    assert interpolation is not None
    assert interpolation.equation.coordinates() == [2, 0, 1]


@pytest.mark.parametrize("name", OTHERS)
def test_no_interpolation(name: str) -> None:
    assert found(*body(OTHERS[name]))[1] is None


def test_part_of_the_sum_that_is_read_elsewhere() -> None:
    assert found(*body(SUMS["ffma chain"]), use("%10"))[1] is None
    assert found(*body(SUMS["ffma chain"]), use("%4"))[1] is None


@pytest.mark.parametrize(("mode", "expected"), [("0", True), ("1", True), ("2", False), ("3", False)])
def test_coordinates_add_up_to_one_in_triangles_only(mode: str, expected: bool) -> None:
    _, interpolation = found(*body(SUMS["fadd"]), header=(f"primitive_mode: {mode}",))
    assert (interpolation is not None) == expected


QUADS = {
    "weights, fadd": [
        "fmul %20, %21",
        "fmul %3.x, %21",
        "fmul %20, %3.y",
        "fmul %3.x, %3.y",
        "fmul %10, %30",
        "fmul %11, %31",
        "fmul %12, %32",
        "fmul %13, %33",
        "fadd %34, %35",
        "fadd %36, %37",
        "fadd %38, %39",
    ],
    "weights, ffma": [
        "fmul %20, %21",
        "fmul %3.x, %21",
        "fmul %20, %3.y",
        "fmul %3.x, %3.y",
        "fmul %13, %33",
        "ffma %32, %12, %34",
        "ffma %11, %31, %35",
        "ffma %10, %30, %36",
    ],
    "one factor after the other": [
        "fmul %10, %20",
        "ffma %11, %3.x, %30",
        "fmul %12, %20",
        "ffma %13, %3.x, %32",
        "fmul %31, %21",
        "ffma %33, %3.y, %34",
    ],
    "flrp": ["flrp %10, %11, %3.x", "flrp %12, %13, %3.x", "flrp %30, %31, %3.y"],
    "flrp, the other way first": ["flrp %10, %12, %3.y", "flrp %11, %13, %3.y", "flrp %30, %31, %3.x"],
    "lowered flrp": [
        "fsub %11, %10",
        "ffma %3.x, %30, %10",
        "fneg %12",
        "fadd %13, %32",
        "ffma %33, %3.x, %12",
        "fsub %34, %31",
        "ffma %35, %3.y, %31",
    ],
}


def quad_body(parts: list[str]) -> list[str]:
    lines = [f"32    %{30 + position} = {text}" for position, text in enumerate(parts)]
    return [*lines, use(f"%{29 + len(parts)}")]


@pytest.mark.parametrize("mode", ["0", "2"])
@pytest.mark.parametrize("name", QUADS)
def test_bilinear_interpolation(name: str, mode: str) -> None:
    _, interpolation = found(*quad_body(QUADS[name]), header=(f"primitive_mode: {mode}",), quad=True)
    assert interpolation is not None
    assert interpolation.equation.weights == QUAD
    assert interpolation.equation.coordinates() is None


NO_QUADS = {
    "exact": ["flrp %10, %11, %3.x", "flrp! %12, %13, %3.x", "flrp %30, %31, %3.y"],
    "saturated weight": [
        "fmul %20, %21",
        "fsat %30",
        "fmul %10, %31",
        "ffma %11, %3.x, %32",
        "ffma %12, %3.y, %33",
        "ffma %13, %3.x, %34",
    ],
    "weights that do not add up to one": [
        "fmul %10, %20",
        "ffma %11, %3.x, %30",
        "ffma %12, %20, %31",
        "ffma %13, %3.x, %32",
    ],
    "product of vertices": ["flrp %10, %11, %3.x", "flrp %12, %13, %3.x", "fmul %30, %31"],
    "something added": ["flrp %10, %11, %3.x", "flrp %12, %13, %3.x", "flrp %30, %8, %3.y", "fadd %31, %32"],
}


@pytest.mark.parametrize("name", NO_QUADS)
def test_no_bilinear_interpolation(name: str) -> None:
    assert found(*quad_body(NO_QUADS[name]), quad=True)[1] is None


def test_corner_that_is_read_elsewhere() -> None:
    assert found(*quad_body(QUADS["lowered flrp"]), use("%10"), quad=True)[1] is None


@pytest.mark.parametrize(("line", "expected"), [("flrp %4, %5, %3.x", True), ("fmul %4, %3.x", False)])
def test_line_between_two_vertices(line: str, expected: bool) -> None:
    lines = [corner(4, 0), *([corner(5, 1)] if expected else []), f"32    %6 = {line}", use("%6")]
    parsed = shader("TESS_EVAL", *HEAD, *lines)
    loads = [
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name == "load_per_vertex_input"
    ]
    interpolation = find_interpolation(loads, triangles=False)
    assert (interpolation is not None) == expected
    if interpolation is not None:
        assert interpolation.equation.weights == ((0, ONE - U), (1, U))


def test_very_long_sum_is_given_up() -> None:
    lines = ["32    %30 = fmul %4, %3.x", "32    %31 = ffma %5, %3.y, %30", "32    %32 = fmul %6, %3.z"]
    lines += [f"32    %{33 + step} = fneg %{32 + step}" for step in range(200)]
    lines += ["32    %300 = fadd %31, %232", use("%300")]
    assert found(*lines)[1] is None
