"""Random patches are valid, and have in them what the control shader passes are about."""

from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.ir.validation import validate
from nirls.verification.random_shaders.patches import random_patch, random_patch_texts


@pytest.mark.parametrize("number", range(8))
def test_random_patches_are_valid_and_made_of_the_number_only(number: int) -> None:
    first, second = random_patch(number), random_patch(number)
    assert [shader.source for shader in first] == [shader.source for shader in second]
    assert [shader.stage for shader in first] == [Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL]
    assert [problem for shader in first for problem in validate(shader) if problem.severity == "error"] == []


def test_sizes_modes_and_barriers_of_every_kind_turn_up() -> None:
    texts = [random_patch_texts(number) for number in range(80)]
    controls = [control for _, control, _ in texts]
    sizes = {control.partition("tcs_vertices_out: ")[2].split()[0] for control in controls}
    assert {"1", "3", "32"} <= sizes
    evaluations = "".join(evaluation for *_, evaluation in texts)
    for field in ("primitive_mode", "spacing"):
        assert all(f"{field}: {value}" in evaluations for value in (1, 2, 3))
    together = "".join(controls)
    for what in ("@barrier", "loop {", "TESS_LEVEL_INNER", "@load_per_vertex_output", "PATCH0"):
        assert what in together
    assert any("@barrier" not in control for control in controls)
