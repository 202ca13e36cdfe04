from __future__ import annotations

import pytest

from nirls.ir.model.slots import slot_number
from nirls.verification.contract import RULES, ContractRule, is_common, rule_of


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("nir_opt_varyings", "links"),
        ("nir_link_opt_varyings", "links"),
        ("nir_lower_point_size_mov", "outputs"),
        ("lower_binning", "outputs"),
        ("crocus_fix_edge_flags", "outputs"),
        ("nir_lower_explicit_io", "readdresses"),
        ("nir_lower_clip_disable", "keeps_writes"),
        ("nir_lower_uniforms_to_ubo", "renumbers"),
        ("anv_nir_apply_pipeline_layout", "readdresses"),
        ("nir_lower_atomics_to_ssbo", "renumbers"),
        ("nir_lower_wpos_ytransform", "results"),
    ],
)
def test_rules_apply_by_name(name: str, attribute: str) -> None:
    assert getattr(rule_of(name), attribute)


@pytest.mark.parametrize(
    "name",
    [
        *("nir_opt_dce", "nir_opt_16bit_tex_image", "nir_lower_vars_to_ssa", "nir_lower_io", "dump 3"),
        # The words of the two sides say what these change.
        *("nir_lower_ubo_vec4", "nir_lower_ssbo", "gl_nir_lower_samplers", "gl_nir_lower_buffers"),
        *("ir3_nir_lower_driver_params_to_ubo", "radv_nir_lower_vs_inputs"),
    ],
)
def test_other_passes_keep_the_contract(name: str) -> None:
    assert rule_of(name) == ContractRule((), "")


def test_slots_of_rules_exist() -> None:
    for rule in RULES:
        for slot in rule.outputs:
            assert slot_number(f"VARYING_SLOT_{slot}") >= 0 or slot_number(f"FRAG_RESULT_{slot}") >= 0, slot


def test_passes_of_common_code_have_its_prefix() -> None:
    names = ("nir_opt_dce", "nir_to_tgsi_lower_tex", "gl_nir_lower_buffers", "NIR (final form)", "variables")
    assert all(map(is_common, names))
    assert not any(map(is_common, ("v3d_nir_lower_io", "lower_pipeline_layout_info", "r300_transform_x")))
