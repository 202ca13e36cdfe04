from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.ir.validation.stages import stage_words, stages_of_intrinsic, stages_of_mode


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("load_per_vertex_input", "TCS, TES, GS and CS"),
        ("emit_vertex", "GS"),
        ("emit_vertex_with_counter", "GS and CS"),
        ("load_barycentric_at_sample", "FS"),
        ("store_per_primitive_output", "MS"),
        ("report_ray_intersection", "IS"),
        # Honeykrisp runs vertex shaders as compute shaders, and control shaders in workgroups.
        ("load_vertex_id_zero_base", "VS, TCS, TES, GS and CS"),
        ("load_workgroup_id", "VS, TCS, TES, GS, TS, MS, CS, CL, RGS, AHS, CHS, MISS, IS and CALL"),
        # Turnip ends geometry shaders by it.
        ("terminate_if", "GS, FS, RGS, AHS, CHS, MISS, IS and CALL"),
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
