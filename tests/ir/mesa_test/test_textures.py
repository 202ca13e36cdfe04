from __future__ import annotations

from tests.ir.mesa_test.building import built_lines

COORDINATE = "32x2  %0 = load_const (0x00000000, 0x00000000)"
LOD = "32  %1 = load_const (0x00000000)"


def test_by_index() -> None:
    lines = built_lines(
        COORDINATE, LOD, "32x4  %2 = (float32)txl %0 (coord), %1 (lod), 3 (texture), 1 (sampler)"
    )
    assert lines[2:] == [
        "nir_tex_instr *tex_2 = nir_tex_instr_create(b->shader, 2);",
        "tex_2->op = nir_texop_txl;",
        "tex_2->dest_type = nir_type_float32;",
        "tex_2->sampler_dim = GLSL_SAMPLER_DIM_2D;",
        "tex_2->coord_components = 2;",
        "tex_2->texture_index = 3;",
        "tex_2->sampler_index = 1;",
        "tex_2->src[0] = nir_tex_src_for_ssa(nir_tex_src_coord, ssa_0);",
        "tex_2->src[1] = nir_tex_src_for_ssa(nir_tex_src_lod, ssa_1);",
        "nir_def_init(&tex_2->instr, &tex_2->def, 4, 32);",
        "nir_builder_instr_insert(b, &tex_2->instr);",
        "nir_def *ssa_2 = &tex_2->def;",
    ]


def test_a_deref_has_the_dimension() -> None:
    lines = built_lines(
        "32  %1 = deref_var &s (uniform sampler2DArrayShadow)",
        "32x3  %0 = load_const (0x00000000, 0x00000000, 0x00000000)",
        "32  %3 = load_const (0x00000000)",
        "32  %2 = (float32)tex %1 (texture_deref), %1 (sampler_deref), %0 (coord), %3 (comparator)",
        header=["decl_var uniform INTERP_MODE_NONE none sampler2DArrayShadow s (0, 0, 0)"],
    )
    assert "tex_2->sampler_dim = GLSL_SAMPLER_DIM_2D;" in lines
    assert "tex_2->is_array = true;" in lines
    assert "tex_2->is_new_style_shadow = true;" in lines
    assert "tex_2->src[0] = nir_tex_src_for_ssa(nir_tex_src_texture_deref, &ssa_1->def);" in lines


def test_gathers_with_offsets() -> None:
    lines = built_lines(
        COORDINATE,
        "32x4  %2 = (float32)tg4 %0 (coord), 2 (gather_component),"
        " { (1, -2), (0, 0), (0, 0), (0, 0) } (offsets), 0 (texture), 0 (sampler)",
    )
    assert "tex_2->component = 2;" in lines
    assert "tex_2->tg4_offsets[0][1] = -2;" in lines


def test_multisampled_and_sized_by_the_result() -> None:
    lines = built_lines(COORDINATE, LOD, "32x4  %2 = (float32)txf_ms %0 (coord), %1 (ms_index), 0 (texture)")
    assert "tex_2->sampler_dim = GLSL_SAMPLER_DIM_MS;" in lines
    assert "tex_3->sampler_dim = GLSL_SAMPLER_DIM_3D;" in built_lines(
        LOD, "32x3  %3 = (int32)txs %1 (lod), 0 (texture)"
    )


def test_flags() -> None:
    flags = "texture non-uniform, backend_flags=0x1B"
    line = f"32x4  %2 = (float32)tex %0 (coord), 0 (texture), 0 (sampler), {flags}"
    lines = built_lines(COORDINATE, line)
    assert "tex_2->texture_non_uniform = true;" in lines
    assert "tex_2->backend_flags = 0x1B;" in lines
