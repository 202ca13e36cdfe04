"""Assumptions of passes: which inputs a result is verified with."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode
from nirls.ir.finding import FixRequest
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
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
    # Only inputs of a fragment shader can be replaced.
    assert OptVaryings.with_options({"driver": driver}).assumptions(before[:1]) == Assumptions()
    by_hand = texture_coordinate(use("%0"))
    verdict = verify_shaders(before, by_hand, VerificationOptions(assumptions=assumed))
    assert isinstance(verdict, Different if replaces else Equivalent)


@pytest.mark.parametrize(("driver", "replaces"), [("generic", True), ("nvk", False)])
def test_a_fix_says_what_it_assumes(driver: str, replaces: bool) -> None:
    before = texture_coordinate(interpolated(4, "TEX0"), use("%4"))
    found = OptVaryings.with_options({"driver": driver}).fix(before, FixRequest("opt_varyings", "", "pass"))
    assert found
    assert {change.assumptions.coordinate_replacement for change in found} == {replaces}
    after = {id(change.before): change.after for change in found}
    verdict = verify_shaders(
        before,
        [after.get(id(one), one) for one in before],
        VerificationOptions(assumptions=found[0].assumptions),
    )
    assert isinstance(verdict, Equivalent)
