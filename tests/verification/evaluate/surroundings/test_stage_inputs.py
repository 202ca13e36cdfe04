"""What a stage reads from the outputs of the previous one."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.pipeline import run_pipeline
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment, PipelineState
from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.pipelines import FLAT, NOTHING, SMOOTH, VERTEX, differ, pipeline
from tests.verification.evaluate.shader_text import DATA0, shader_of, store


def test_an_input_that_nobody_wrote_is_undefined() -> None:
    orphan = SMOOTH.replace("SLOT_VAR0", "SLOT_VAR9")
    result = run_pipeline(pipeline(VERTEX, orphan), Environment(1)).results[-1]
    assert result.outputs[OutputKey(DATA0, 0)].poison.all()
    layer = FLAT.replace("SLOT_VAR0", "SLOT_LAYER")
    result = run_pipeline(pipeline(VERTEX, layer), Environment(1)).results[-1]
    assert not result.outputs[OutputKey(DATA0, 0)].poison.any()
    assert not result.outputs[OutputKey(DATA0, 0)].bits.any()


def test_a_layer_that_is_stored_on_another_path_only_is_undefined() -> None:
    store_layer = store("0", "0", "VARYING_SLOT_LAYER")
    vertex = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    1      %1 = load_const (false)
                // succs: b1 b2
    if %1 {{
        block b1:   // preds: b0
{store_layer}
                // succs: b3
    }} else {{
        block b2:   // preds: b0, succs: b3
    }}
    block b3:   // preds: b1 b2
                // succs: b99"""
    layer = FLAT.replace("SLOT_VAR0", "SLOT_LAYER")
    result = run_pipeline(pipeline(vertex, layer), Environment(1)).results[-1]
    assert result.outputs[OutputKey(DATA0, 0)].poison.all()


def test_interpolated_zeros_keep_that_their_sign_is_uncertain() -> None:
    zero = VERTEX.replace(
        store("1", "0"),
        "    32     %2 = load_const (0x80000000 = -0.000000)\n    32     %3 = load_const (0x3f800000 = 1.0)\n"
        "    32     %4 = fmul %2, %3\n" + store("4", "0"),
    )
    certain = VERTEX.replace(store("1", "0"), store("0", "0"))
    assert not differ(pipeline(zero, SMOOTH), pipeline(certain, SMOOTH))


def test_coordinate_replacement_sets_all_four_components() -> None:
    state = PipelineState(sprite_coords=0b10)
    for component, number in ((2, 0.0), (3, 1.0)):
        point = SMOOTH.replace("SLOT_VAR0", "SLOT_TEX1").replace(
            "component=0, dest", f"component={component}, dest"
        )
        result = run_pipeline(pipeline(VERTEX, point), Environment(1, state=state)).results[-1]
        output = result.outputs[OutputKey(DATA0, 0)]
        assert not output.poison.any()
        assert (output.bits.astype(np.uint32).view(np.float32) == number).all()


def test_the_primitive_number_comes_from_the_stage_before_where_that_makes_primitives() -> None:
    fragment = FLAT.replace("SLOT_VAR0", "SLOT_PRIMITIVE_ID")
    for stage, undefined in (("TESS_EVAL", False), ("MESH", True)):
        machines = [Machine(shader_of(NOTHING, stage)), Machine(shader_of(fragment, "FRAGMENT"))]
        result = run_pipeline(machines, Environment(1)).results[-1]
        assert result.outputs[OutputKey(DATA0, 0)].poison.all() == undefined


def test_colors_of_vertices_may_be_clamped() -> None:
    color, two = FLAT.replace("SLOT_VAR0", "SLOT_COL0"), "0x40000000"
    for slot, state, number in (
        ("COL0", PipelineState(), 2.0),
        ("COL0", PipelineState(clamp_color=True), 1.0),
        ("BFC0", PipelineState(clamp_color=True, two_side=True), 1.0),
    ):
        vertex = VERTEX.replace("SLOT_VAR0", f"SLOT_{slot}").replace(
            store("1", "0", f"VARYING_SLOT_{slot}"),
            f"    32     %2 = load_const ({two})\n" + store("2", "0", f"VARYING_SLOT_{slot}"),
        )
        output = run_pipeline(pipeline(vertex, color), Environment(1, state=state)).results[-1]
        plane = output.outputs[OutputKey(DATA0, 0)]
        assert set(plane.bits[~plane.poison].astype(np.uint32).view(np.float32)) == {np.float32(number)}


def test_clamped_color_is_certain_beyond_the_range() -> None:
    state = PipelineState(clamp_color=True)
    body = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x3f8ccccd = 1.1)
    32     %2 = load_const (VALUE)
    32     %3 = fmul %1, %2
STORE
                // succs: b99"""
    body = body.replace("STORE", store("3", "0", "VARYING_SLOT_COL0"))
    color = FLAT.replace("SLOT_VAR0", "SLOT_COL0")
    for value, certain in (("0x40000000", True), ("0x3e99999a", False), ("0xbf800000", True)):
        result = run_pipeline(
            pipeline(body.replace("VALUE", value), color),
            Environment(1, state=state),
            options=RunOptions(track_error=True),
        ).results[-1]
        assert bool((result.outputs[OutputKey(DATA0, 0)].error == 0).all()) is certain


def test_a_color_that_is_a_system_value_comes_from_the_stage_before() -> None:
    color = SMOOTH.replace(
        "32     %2 = @load_interpolated_input (%1, %0 (0x0)) (base=0, component=0, dest_type=float32,"
        " io location=VARYING_SLOT_VAR0 slots=1)",
        "32x4   %3 = @load_color0\n    32     %2 = mov %3.x",
    )
    assert "load_color0" in color
    vertex = VERTEX.replace("SLOT_VAR0", "SLOT_COL0")
    plain = pipeline(vertex, SMOOTH.replace("SLOT_VAR0", "SLOT_COL0").replace("SMOOTH", "NONE"))
    for state in (PipelineState(), PipelineState(flat_shade=True, provoking_last=True)):
        bits = [
            run_pipeline(shaders, Environment(1, state=state)).results[-1].outputs[OutputKey(DATA0, 0)].bits
            for shaders in (plain, pipeline(vertex, color))
        ]
        assert (bits[0] == bits[1]).all()
    assert differ(pipeline(vertex, color), pipeline(NOTHING, color))


def test_the_primitive_number_as_a_system_value_is_what_a_geometry_shader_writes() -> None:
    emitted = store("1", "0", "VARYING_SLOT_PRIMITIVE_ID") + "\n                @emit_vertex (stream_id=0)\n"
    geometry = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000007)
{emitted * 3}                // succs: b99"""
    fragment = FLAT.replace(
        "@load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VARYING_SLOT_VAR0 slots=1)",
        "@load_primitive_id",
    )
    machines = [Machine(shader_of(geometry, "GEOMETRY")), Machine(shader_of(fragment, "FRAGMENT"))]
    assert (run_pipeline(machines, Environment(1)).results[-1].outputs[OutputKey(DATA0, 0)].bits == 7).all()
    other = [Machine(shader_of(geometry.replace("(0x00000007)", "(0x00000008)"), "GEOMETRY")), machines[1]]
    assert differ(machines, other)
