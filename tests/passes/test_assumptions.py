"""Assumptions of passes: which inputs a result is verified with."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode
from nirls.ir.model.shader import Shader
from nirls.passes.assumptions import Assumptions
from nirls.passes.translation_validation import Different, Equivalent, ValidationOptions, validate_pass
from nirls.passes.varyings.opportunities import WHOLE_PASS
from nirls.passes.varyings.opt_varyings import OptVaryings
from tests.passes.shader_text import store, use
from tests.passes.varyings.pairs import fragment, interpolated, vertex

TRIANGLES = CullingRule(PrimitiveMode.TRIANGLES)


def test_passes_that_run_one_after_another() -> None:
    words = {("ubo", 0, 0): 1}, {("ubo", 0, 0): 2, ("ubo", 0, 1): 3}
    several = [
        Assumptions(words[0], TRIANGLES),
        Assumptions(words[1], coordinate_replacement=False),
        Assumptions(),
    ]
    together = Assumptions.together(several)
    assert together == Assumptions({("ubo", 0, 0): 2, ("ubo", 0, 1): 3}, TRIANGLES, False)
    assert Assumptions.together([]) == Assumptions()


def texture_coordinate(*reads: str) -> list[Shader]:
    """A pair that sends the constant 0 as TEX0.x."""
    return [vertex(store("TEX0", "%0")), fragment(*reads)]


@pytest.mark.parametrize(("driver", "replaces"), [("generic", True), ("nvk", False), ("radeonsi", True)])
def test_constant_texture_coordinate(driver: str, replaces: bool) -> None:
    before = texture_coordinate(interpolated(4, "TEX0"), use("%4"))
    assumed = OptVaryings.with_options({"driver": driver}).assumptions(before)
    assert assumed.coordinate_replacement is replaces
    by_hand = texture_coordinate(use("%0"))
    verdict = validate_pass(before, by_hand, ValidationOptions(assumptions=assumed))
    assert isinstance(verdict, Different if replaces else Equivalent)


@pytest.mark.parametrize("driver", ["generic", "nvk"])
def test_the_pass_keeps_to_its_assumptions(driver: str) -> None:
    before = texture_coordinate(interpolated(4, "TEX0"), use("%4"))
    (change, *_) = OptVaryings.with_options({"driver": driver}).fix(before, WHOLE_PASS) or [None]
    assert (change is not None) is (driver == "nvk")
    if change is not None:
        assert not change.assumptions.coordinate_replacement
