"""Which patches are culled: from headers, and from what is given."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.tessellation import (
    CullingRule,
    PrimitiveMode,
    Spacing,
    culling_rule,
    output_patch_size,
)
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from tests.passes.shader_text import shader

OUT = "decl_var {}shader_out INTERP_MODE_NONE none {} o (VARYING_SLOT_VAR0.x, 0, 0)"


@pytest.mark.parametrize(
    ("header", "size"),
    [
        (["tcs_vertices_out: 5"], 5),
        (["tcs_vertices_out: 5", OUT.format("", "float[3]")], 5),
        (["tcs_vertices_out: 0", OUT.format("", "float[3]")], 3),
        ([OUT.format("", "float[4][1]"), OUT.format("patch ", "float[2]")], 4),
        ([OUT.format("", "float[4]"), OUT.format("", "float[3]")], 0),
        ([], 0),
    ],
)
def test_size_of_output_patches(header: list[str], size: int) -> None:
    assert output_patch_size(shader("TESS_CTRL", header=header)) == size


def dump(stage: str, *header: str) -> Shader:
    fields = "".join(f"{line}\n" for line in header)
    return parse_dump(
        f"shader: MESA_SHADER_{stage}\n{fields}decl_function main () (entrypoint)\n\nimpl main {{\n"
        "    block b0:  // preds:\n    block b1:\n}\n".encode()
    )


@pytest.mark.parametrize(
    ("mode", "levels"),
    [
        (PrimitiveMode.UNSPECIFIED, 2),
        (PrimitiveMode.ISOLINES, 2),
        (PrimitiveMode.TRIANGLES, 3),
        (PrimitiveMode.QUADS, 4),
    ],
)
def test_outer_levels_of_each_mode(mode: PrimitiveMode, levels: int) -> None:
    assert CullingRule(mode).outer_levels == levels


def test_thresholds() -> None:
    half = CullingRule(spacing=Spacing.EQUAL, below_half=True)
    assert (half.least_kept, half.keeps_least) == (0.5, True)
    assert str(half) == "outer[0..1] >= 0.5"
    for rule in (
        CullingRule(spacing=Spacing.EQUAL),
        CullingRule(spacing=Spacing.FRACTIONAL_ODD, below_half=True),
    ):
        assert (rule.least_kept, rule.keeps_least) == (0.0, False)
        assert str(rule) == "outer[0..1] > 0"


def test_the_evaluation_shader_comes_first_then_the_control_shader_then_what_is_given() -> None:
    control = dump("TESS_CTRL", "primitive_mode: 2", "spacing: 0")
    evaluation = dump("TESS_EVAL", "primitive_mode: 3", "spacing: 0")
    given = (PrimitiveMode.TRIANGLES, Spacing.EQUAL)
    assert culling_rule([control, evaluation], *given) == CullingRule(PrimitiveMode.ISOLINES, Spacing.EQUAL)
    assert culling_rule([control], *given) == CullingRule(PrimitiveMode.QUADS, Spacing.EQUAL)
    assert culling_rule([dump("VERTEX", "primitive_mode: 1")]) == CullingRule()


def test_each_fact_is_looked_for_on_its_own() -> None:
    control = dump("TESS_CTRL", "primitive_mode: 2", "spacing: 1")
    evaluation = dump("TESS_EVAL", "primitive_mode: 3")
    assert culling_rule([control, evaluation]) == CullingRule(PrimitiveMode.ISOLINES, Spacing.EQUAL)
