"""How a driver lowers an exact division is not known; that it divides is."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.compare.exact_lowerings import changed_angle, lowered_exactly, with_free_rounding
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different, Unchecked
from tests.passes.shader_text import ZERO, shader, store

INPUT = "32x2 %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)"  # noqa: E501
DIVISION = ("32 %9 = fdiv! %1.x, %1.y",)
LOWERED = ("32 %8 = frcp! %1.y", "32 %9 = fmul! %1.x, %8")
SWAPPED = ("32 %8 = frcp! %1.x", "32 %9 = fmul! %1.y, %8")
CONSTANT = ("32 %9 = load_const (0x3f800000)",)


def vertex(lines: tuple[str, ...]) -> Shader:
    return shader("VERTEX", ZERO, INPUT, *lines, store("VAR0", "%9"))


def test_what_is_lowered() -> None:
    assert lowered_exactly(vertex(DIVISION), vertex(LOWERED)) == "fdiv"
    assert lowered_exactly(vertex(LOWERED), vertex(DIVISION)) is None
    assert lowered_exactly(vertex(DIVISION), vertex(CONSTANT)) is None
    free = with_free_rounding(vertex(DIVISION))
    assert lowered_exactly(free, vertex(LOWERED)) is None


@pytest.mark.parametrize(
    ("after", "expected"), [(LOWERED, Unchecked), (SWAPPED, Different), (CONSTANT, Different)]
)
def test_verdict(after: tuple[str, ...], expected: type) -> None:
    sides = (RunnableSnapshot(vertex(lines)) for lines in (DIVISION, after))
    assert isinstance(compare_snapshots(*sides, "nir_opt_algebraic").verdict, expected)


# As nir_opt_algebraic lowers them for a driver that asks for it.
EXACT_LOWERINGS = {
    "ffma": (("32 %9 = ffma! %1.x, %1.y, %1.x",), ("32 %8 = fmul! %1.x, %1.y", "32 %9 = fadd! %8, %1.x")),
    "ftrunc": (
        ("32 %9 = ftrunc! %1.x",),
        (
            "1 %5 = flt! %1.x, %0 (0x0)",
            "32 %6 = fabs! %1.x",
            "32 %7 = ffloor! %6",
            "32 %8 = fneg! %7",
            "32 %9 = bcsel %5, %8, %7",
        ),
    ),
    "fsign": (
        ("32 %9 = fsign! %1.x",),
        (
            "1 %4 = flt! %0 (0x0), %1.x",
            "1 %5 = flt! %1.x, %0 (0x0)",
            "32 %6 = b2f32! %4",
            "32 %7 = b2f32! %5",
            "32 %8 = fneg! %7",
            "32 %9 = fadd! %6, %8",
        ),
    ),
    "ffract": (
        ("32 %9 = ffract! %1.x",),
        ("32 %7 = ffloor! %1.x", "32 %8 = fneg! %7", "32 %9 = fadd! %1.x, %8"),
    ),
}


@pytest.mark.parametrize("name", EXACT_LOWERINGS)
def test_an_exact_operation_that_hardware_may_lack_is_not_wrong(name: str) -> None:
    sides = [vertex(lines) for lines in EXACT_LOWERINGS[name]]
    verdict = compare_snapshots(*map(RunnableSnapshot, sides), "nir_opt_algebraic").verdict
    assert not isinstance(verdict, Different)
    wrong = vertex((*EXACT_LOWERINGS[name][1][:-1], "32 %9 = fmul! %1.x, %1.x"))
    verdict = compare_snapshots(
        RunnableSnapshot(sides[0]), RunnableSnapshot(wrong), "nir_opt_algebraic"
    ).verdict
    assert isinstance(verdict, Different)


def test_an_exact_product_must_not_be_fused() -> None:
    after, before = (RunnableSnapshot(vertex(lines)) for lines in EXACT_LOWERINGS["ffma"])
    assert isinstance(compare_snapshots(before, after, "nir_opt_algebraic").verdict, Different)


SINE = ("32 %9 = fsin %1.x",)
OF_REVOLUTIONS = ("32 %7 = load_const (0x3e22f983)", "32 %8 = fmul %1.x, %7", "32 %9 = fsin %8")


@pytest.mark.parametrize(
    ("pass_name", "expected"), [("r300_transform_fs_trig_input", Unchecked), ("nir_opt_algebraic", Different)]
)
def test_only_a_driver_knows_how_its_hardware_takes_angles(pass_name: str, expected: type) -> None:
    assert changed_angle(vertex(SINE), vertex(OF_REVOLUTIONS)) == "fsin"
    assert changed_angle(vertex(SINE), vertex(SINE)) is None
    sides = (RunnableSnapshot(vertex(lines)) for lines in (SINE, OF_REVOLUTIONS))
    assert isinstance(compare_snapshots(*sides, pass_name).verdict, expected)
