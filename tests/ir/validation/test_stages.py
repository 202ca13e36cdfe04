from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.ir.validation.stages import stage_words, stages_of_intrinsic, stages_of_mode


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("load_per_vertex_input", "TCS, TES and GS"),
        ("emit_vertex_with_counter", "GS"),
        ("load_barycentric_at_sample", "FS"),
        ("store_per_primitive_output", "MS"),
        ("report_ray_intersection", "IS"),
    ],
)
def test_stages_of_intrinsic(name: str, words: str) -> None:
    assert stage_words(stages_of_intrinsic(name)) == words


@pytest.mark.parametrize(
    "name", ["load_ubo", "load_global", "load_subgroup_size", "load_merged_wave_info_amd"]
)
def test_intrinsics_of_all_stages(name: str) -> None:
    assert stages_of_intrinsic(name) == set(Stage)


def test_modes() -> None:
    assert Stage.COMPUTE not in stages_of_mode("shader_out")
    assert Stage.FRAGMENT not in stages_of_mode("shared")
    assert stages_of_mode("ssbo") == set(Stage)
