"""Sums that interpolate by gl_TessCoord, in every order of additions, and what only looks like one."""

from __future__ import annotations

import pytest

from nirls.ir.instructions import IntrinsicInstr
from nirls.ir.shader import Shader
from nirls.passes.varyings.tess_interpolation import (
    TessInterpolation,
    find_interpolation,
    may_be_triangles,
)
from tests.passes.shader_text import shader, use

HEAD = (
    "32    %0 = load_const (0x00000000)",
    "32    %1 = load_const (0x00000001)",
    "32    %2 = load_const (0x00000002)",
    "32x3  %3 = @load_tess_coord",
    *(
        f"32    %{4 + vertex} = @load_per_vertex_input (%{vertex}, %0 (0x0)) (base=0, range=1, component=0,"
        " dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)"
        for vertex in range(3)
    ),
)


def found(*lines: str, header: tuple[str, ...] = ()) -> tuple[Shader, TessInterpolation | None]:
    parsed = shader("TESS_EVAL", *HEAD, *lines, header=header)
    loads = [
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name == "load_per_vertex_input"
    ]
    return parsed, find_interpolation(loads)


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
    assert interpolation.weights == (0, 1, 2)
    assert interpolation.result.def_ is not None
    assert interpolation.result.def_.index == 9 + len(SUMS[name])


def test_other_weights_are_another_interpolation() -> None:
    _, interpolation = found(*body(["fmul %4, %3.z", "ffma %5, %3.x, %10", "ffma %6, %3.y, %11"]))
    assert interpolation is not None
    assert interpolation.weights == (2, 0, 1)


@pytest.mark.parametrize("name", OTHERS)
def test_no_interpolation(name: str) -> None:
    assert found(*body(OTHERS[name]))[1] is None


def test_part_of_the_sum_that_is_read_elsewhere() -> None:
    assert found(*body(SUMS["ffma chain"]), use("%10"))[1] is None
    assert found(*body(SUMS["ffma chain"]), use("%4"))[1] is None


@pytest.mark.parametrize(("mode", "expected"), [("0", True), ("1", True), ("2", False), ("3", False)])
def test_coordinates_add_up_to_one_in_triangles_only(mode: str, expected: bool) -> None:
    parsed, _ = found(*body(SUMS["fadd"]), header=(f"primitive_mode: {mode}",))
    assert may_be_triangles(parsed) == expected
