"""Patches that the tessellator drops, and what of them counts in a comparison."""

from __future__ import annotations

import struct

import pytest

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode, Spacing
from nirls.ir.model.shader import Shader
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.culling import culled_patches
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.tessellation.patches import control, out, store

TRIANGLES = CullingRule(PrimitiveMode.TRIANGLES, Spacing.EQUAL)
BELOW_HALF = CullingRule(PrimitiveMode.TRIANGLES, Spacing.EQUAL, below_half=True)
QUADS = CullingRule(PrimitiveMode.QUADS, Spacing.FRACTIONAL_ODD)


def patch(*levels: float, output: float = 1.0, inner: float = 1.0) -> Shader:
    """A control shader with constant outer levels and one output."""
    numbers = [*levels, inner, output]
    constants = [
        f"32    %{2 + number} = load_const (0x{struct.unpack('<I', struct.pack('<f', value))[0]:08x})"
        for number, value in enumerate(numbers)
    ]
    stores = [store(f"%{2 + lane}", "TESS_LEVEL_OUTER", lane) for lane in range(len(levels))]
    stores.append(store(f"%{2 + len(levels)}", "TESS_LEVEL_INNER"))
    return control(*constants, *stores, out(f"%{3 + len(levels)}", "VAR0"))


@pytest.mark.parametrize(
    ("levels", "rule", "culled"),
    [
        ((1.0, 1.0, 1.0), TRIANGLES, False),
        ((0.5, 0.5, 0.5), BELOW_HALF, False),
        ((0.5, 0.4999, 0.5), BELOW_HALF, True),
        ((0.5, 0.4999, 0.5), TRIANGLES, False),
        ((0.5, 0.0, 0.5), TRIANGLES, True),
        ((1.0, 1.0, float("nan")), TRIANGLES, True),
        ((1.0, 1.0, 1.0, -1.0), TRIANGLES, False),
        ((1.0, 1.0, 1.0, 0.0), QUADS, True),
        ((1.0, 0.4999, 1.0, 1.0), QUADS, False),
        ((1.0, 1.0, -0.0, 1.0), CullingRule(), False),
        ((1.0, float("-inf"), 1.0, 1.0), CullingRule(), True),
    ],
)
def test_levels_decide(levels: tuple[float, ...], rule: CullingRule, culled: bool) -> None:
    result = Machine(patch(*levels)).run(Environment(1), lanes=12)
    found = culled_patches(result, rule)
    assert found.culled.tolist() == [culled] * 4
    assert not found.undefined.any()


def test_inner_levels_cull_nothing() -> None:
    result = Machine(patch(1.0, 1.0, 1.0, inner=0.0)).run(Environment(1), lanes=12)
    assert not culled_patches(result, TRIANGLES).culled.any()


def test_outputs_of_culled_patches_may_be_anything_and_others_not() -> None:
    options = VerificationOptions(assumptions=Assumptions(culling=TRIANGLES))
    one, other = patch(1.0, 1.0, 0.0), patch(1.0, 1.0, 0.0, output=2.0)
    assert not isinstance(verify_shaders(one, other, options), Different)
    assert isinstance(verify_shaders(one, other), Different), "the worst case culls less"
    kept, changed = patch(1.0, 1.0, 0.25), patch(1.0, 1.0, 0.25, output=2.0)
    assert isinstance(verify_shaders(kept, changed, options), Different)
    assert isinstance(verify_shaders(kept, kept, options), Equivalent)


def test_another_level_that_culls_too_is_as_good() -> None:
    options = VerificationOptions(assumptions=Assumptions(culling=TRIANGLES))
    assert not isinstance(verify_shaders(patch(1.0, 1.0, 0.0), patch(0.0, 1.0, 1.0), options), Different)
    verdict = verify_shaders(patch(1.0, 1.0, 0.0), patch(1.0, 1.0, 1.0), options)
    assert isinstance(verdict, Different)
    assert verdict.counterexample.what == "culling"
