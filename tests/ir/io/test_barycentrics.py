"""Interpolation as read off barycentric coordinates."""

from __future__ import annotations

import pytest

from nirls.ir.io.interpolation import (
    Interpolation,
    barycentric_of,
    follows_shade_model,
    interpolation_of,
    is_at_a_point,
)
from nirls.ir.model.instructions import IntrinsicInstr
from tests.passes.shader_text import ZERO, shader
from tests.passes.varyings.pairs import interpolated


@pytest.mark.parametrize(
    ("name", "mode", "expected"),
    [
        ("load_barycentric_pixel", "SMOOTH", Interpolation.PERSPECTIVE_PIXEL),
        ("load_barycentric_pixel", "NONE", Interpolation.PERSPECTIVE_PIXEL),
        ("load_barycentric_centroid", "SMOOTH", Interpolation.PERSPECTIVE_CENTROID),
        ("load_barycentric_sample", "NOPERSPECTIVE", Interpolation.LINEAR_SAMPLE),
        ("load_barycentric_at_sample", "NOPERSPECTIVE", Interpolation.LINEAR_PIXEL),
    ],
)
def test_interpolation(name: str, mode: str, expected: Interpolation) -> None:
    argument = "(%0) " if "at_" in name else ""
    parsed = shader(
        "FRAGMENT",
        ZERO,
        f"32x2  %2 = @{name} {argument}(interp_mode=INTERP_MODE_{mode})",
        interpolated(4, "VAR0"),
    )
    load = next(
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name == "load_interpolated_input"
    )
    barycentric = barycentric_of(load)
    assert barycentric is not None
    assert interpolation_of(barycentric) is expected
    assert is_at_a_point(barycentric) == ("at_" in name)
    assert follows_shade_model(barycentric) == (mode == "NONE")


@pytest.mark.parametrize("interpolation", Interpolation)
def test_intrinsic_and_mode_lead_back(interpolation: Interpolation) -> None:
    made = IntrinsicInstr(interpolation.barycentric, [], {"interp_mode": interpolation.mode})
    assert interpolation_of(made) is interpolation
