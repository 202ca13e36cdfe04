"""Which expressions may move across which interpolation."""

from __future__ import annotations

import pytest

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.motion.movability import Movability, ReadAs, ReadMode
from tests.passes.varyings.pairs import vertex

SMOOTH = Interpolation.PERSPECTIVE_PIXEL
CENTROID = Interpolation.PERSPECTIVE_CENTROID


def maker(parsed: Shader, number: int) -> Instr:
    return next(
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if instr.def_ is not None and instr.def_.index == number
    )


def read_as(line: str, first: ReadAs, second: ReadAs, options: LinkOptions | None = None) -> ReadAs | None:
    """How %20 is read if %10 and %11 are inputs that are read as said; %1 is a constant, %12 cannot move."""
    parsed = vertex(line)
    inputs = {maker(parsed, 10): first, maker(parsed, 11): second}
    settings = options or LinkOptions()
    movability = Movability(inputs, UniformVariables(parsed, parsed, settings))
    return movability.read_as(maker(parsed, 20))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fadd %10, %11", SMOOTH),
        ("fadd! %10, %11", None),
        ("fsub %10, %1", SMOOTH),
        ("fneg %10", SMOOTH),
        ("fabs %10", None),
        ("fmul %10, %11", None),
        ("fmul %10, %1", SMOOTH),
        ("fmul %9.x, %10", SMOOTH),
        ("ffma %10, %1, %11", SMOOTH),
        ("ffma %10, %11, %1", None),
        ("fdiv %10, %1", SMOOTH),
        ("fdiv %1, %10", None),
        ("flrp %10, %11, %1", SMOOTH),
        ("flrp %10, %11, %10", None),
        ("flrp %1, %1, %10", SMOOTH),
        ("flrp %1, %11, %10", None),
        ("flrp %10, %1, %11", None),
        ("fmax %10, %1", None),
        ("fadd %10, %12", None),
        ("fsin %9.x", ReadMode.CONVERGENT),
        ("fddx %10", None),
    ],
)
def test_interpolated(text: str, expected: ReadAs | None) -> None:
    assert read_as(f"32    %20 = {text}", SMOOTH, SMOOTH) == expected


def test_different_interpolations_do_not_mix() -> None:
    line = "32    %20 = fadd %10, %11"
    assert read_as(line, SMOOTH, CENTROID) is None
    assert read_as(line, SMOOTH, ReadMode.FLAT) is None
    assert read_as(line, SMOOTH, ReadMode.CONVERGENT) == SMOOTH
    assert read_as(line, ReadMode.FLAT, ReadMode.CONVERGENT) == ReadMode.FLAT


def test_a_vector_stays_where_it_is() -> None:
    assert read_as("32x2  %20 = vec2 %10, %11", ReadMode.FLAT, ReadMode.FLAT) is None


def test_anything_but_neighbours_moves_across_flat_inputs() -> None:
    assert read_as("32    %20 = fmax! %10, %11", ReadMode.FLAT, ReadMode.FLAT) == ReadMode.FLAT
    assert read_as("32    %20 = fddx %10", ReadMode.FLAT, ReadMode.FLAT) is None


@pytest.mark.parametrize("options", [LinkOptions(preserve_nans=True), LinkOptions(preserve_infs=True)])
def test_float_controls_stop_interpolated_ones(options: LinkOptions) -> None:
    assert read_as("32    %20 = fadd %10, %11", SMOOTH, SMOOTH, options) is None
    assert read_as("32    %20 = fadd %10, %11", ReadMode.FLAT, ReadMode.FLAT, options) == ReadMode.FLAT


@pytest.mark.parametrize("demand", ["exact", "preserve:nan", "preserve:inf", "preserve:sz,inf,nan"])
def test_demands_on_one_operation_stop_interpolated_ones(demand: str) -> None:
    line = f"32    %20 = fadd %10, %11  // {demand}"
    assert read_as(line, SMOOTH, SMOOTH) is None
    assert read_as(line, ReadMode.FLAT, ReadMode.FLAT) == ReadMode.FLAT


@pytest.mark.parametrize(("size", "moves"), [(32, False), (16, True)])
def test_float_controls_count_for_their_size(size: int, moves: bool) -> None:
    options = LinkOptions(nan_sizes=frozenset((32,)))
    parsed = vertex("16    %13 = f2f16 %10", f"{size}    %20 = fneg %{10 if size == 32 else 13}")
    inputs: dict[Instr, ReadAs] = {maker(parsed, 10 if size == 32 else 13): SMOOTH}
    movability = Movability(inputs, UniformVariables(parsed, parsed, options))
    assert (movability.read_as(maker(parsed, 20)) == SMOOTH) is moves


def test_a_register_is_the_obstacle_whatever_the_other_operands_are() -> None:
    parsed = vertex("32    %21 = fneg %10\n    32    %20 = fadd %21, %11")
    maker(parsed, 20).srcs()[1].clear()
    settings = LinkOptions()
    inputs: dict[Instr, ReadAs] = {maker(parsed, 10): SMOOTH}
    movability = Movability(inputs, UniformVariables(parsed, parsed, settings))
    assert movability.read_as(maker(parsed, 20)) is None
    assert movability.obstacle(maker(parsed, 20)) == "%20 = fadd reads a register"
