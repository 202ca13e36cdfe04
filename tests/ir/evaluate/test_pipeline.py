"""Stages on top of each other: interpolation, what nobody wrote, and differences that must show."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.environment import Environment, PipelineState
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.pipeline import compare_pipelines, run_pipeline
from nirls.ir.evaluate.result import OutputKey
from nirls.ir.evaluate.state import RunOptions
from tests.ir.evaluate.shader_text import DATA0, VAR0, shader_of, store
from tests.passes.shader_text import ZERO, shader

VERTEX = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_POS slots=1)
{store("1", "0")}
                // succs: b99"""  # noqa: E501
SMOOTH = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x2   %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32     %2 = @load_interpolated_input (%1, %0 (0x0)) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
{store("2", "0", "FRAG_RESULT_DATA0")}
                // succs: b99"""  # noqa: E501
FLAT = SMOOTH.replace(
    "@load_interpolated_input (%1, %0 (0x0)) (base=0,", "@load_input (%0 (0x0)) (base=0, range=1,"
)

NOTHING = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
                // succs: b99"""


def pipeline(vertex: str, fragment: str) -> list[Machine]:
    return [Machine(shader_of(vertex)), Machine(shader_of(fragment, "FRAGMENT"))]


def differ(before: list[Machine], after: list[Machine]) -> bool:
    environment = Environment(1)
    options = RunOptions(track_error=True)
    results = [run_pipeline(item, environment, options=options) for item in (before, after)]
    return bool(compare_pipelines(*results, float_tolerance=True))


def test_interpolation_tells_itself_apart() -> None:
    smooth = pipeline(VERTEX, SMOOTH)
    assert not differ(smooth, pipeline(VERTEX, SMOOTH))
    assert differ(smooth, pipeline(VERTEX, FLAT))
    assert differ(smooth, pipeline(VERTEX, SMOOTH.replace("SMOOTH", "NOPERSPECTIVE")))
    assert differ(smooth, pipeline(VERTEX, SMOOTH.replace("barycentric_pixel", "barycentric_centroid")))
    assert differ(smooth, pipeline(VERTEX, SMOOTH.replace("barycentric_pixel", "barycentric_sample")))


def test_moving_a_varying_to_another_slot_changes_nothing() -> None:
    moved = pipeline(VERTEX.replace("SLOT_VAR0", "SLOT_VAR5"), SMOOTH.replace("SLOT_VAR0", "SLOT_VAR5"))
    assert not differ(pipeline(VERTEX, SMOOTH), moved)


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


def test_an_output_that_is_no_varying_is_not_sent() -> None:
    plain = pipeline(VERTEX, SMOOTH)
    kept = pipeline(VERTEX.replace("slots=1,", "slots=1 no_varying,"), SMOOTH)
    assert run_pipeline(kept, Environment(1)).results[-1].outputs[OutputKey(DATA0, 0)].poison.all()
    assert differ(plain, kept)
    twice = pipeline(
        VERTEX.replace(
            store("1", "0"),
            store("1", "0").replace("slots=1,", "slots=1 no_varying,") + "\n" + store("1", "0"),
        ),
        SMOOTH,
    )
    assert not differ(plain, twice)


def test_an_output_for_the_next_stage_only_is_none_for_the_hardware() -> None:
    plain = VERTEX.replace("SLOT_VAR0", "SLOT_POS")
    sent = plain.replace("slots=1,", "slots=1 no_sysval_output,")
    assert differ(pipeline(plain, NOTHING), pipeline(sent, NOTHING))
    size, of_varying = (text.replace("SLOT_POS", "SLOT_PSIZ") for text in (plain, sent))
    assert differ(pipeline(of_varying, NOTHING), pipeline(size, NOTHING))
    assert not differ(
        pipeline(of_varying, NOTHING), pipeline(of_varying.replace("%1, %0)", "%0, %0)"), NOTHING)
    )


def test_what_a_vertex_stream_captures_counts() -> None:
    captured = store("1", "0").replace("xfb()", "xfb(component=0 buffer=1 offset=8)")
    captured = captured.replace("slots=1,", "slots=1 gs_streams(x=1 y=0 z=0 w=0),")
    geometry = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000007)
{store("0", "0")}
                @emit_vertex (stream_id=0)
{captured}
                @emit_vertex (stream_id=1)
                // succs: b99"""
    before, after = (
        [
            Machine(shader_of(VERTEX)),
            Machine(shader_of(text, "GEOMETRY")),
            Machine(shader_of(SMOOTH, "FRAGMENT")),
        ]
        for text in (geometry, geometry.replace("(0x00000007)", "(0x00000008)"))
    )
    assert (run_pipeline(before, Environment(1)).captured[1, 8].bits == 7).all()
    assert differ(before, after)


def test_the_primitive_number_comes_from_the_stage_before_where_that_makes_primitives() -> None:
    fragment = FLAT.replace("SLOT_VAR0", "SLOT_PRIMITIVE_ID")
    for stage, undefined in (("TESS_EVAL", False), ("MESH", True)):
        machines = [Machine(shader_of(NOTHING, stage)), Machine(shader_of(fragment, "FRAGMENT"))]
        result = run_pipeline(machines, Environment(1)).results[-1]
        assert result.outputs[OutputKey(DATA0, 0)].poison.all() == undefined


def test_the_last_stage_captures_though_those_before_do_not() -> None:
    captured = store("1", "0").replace("xfb()", "xfb(component=0 buffer=1 offset=8)")
    geometry = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000007)
{captured}
                @emit_vertex (stream=0)
                // succs: b99"""
    result = run_pipeline(
        [Machine(shader_of(VERTEX)), Machine(shader_of(geometry, "GEOMETRY"))], Environment(1)
    )
    assert list(result.captured) == [(1, 8)]
    assert (result.captured[1, 8].bits == 7).all()


def test_what_lost_lanes_captured_means_nothing() -> None:
    captured = store("1", "0").replace("xfb()", "xfb(component=0 buffer=0 offset=0)")
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_vertex_id_zero_base
    1      %2 = CONDITION
                // succs: b1 b2
    if %2 {{
        block b1:   // preds: b0
        return
        // succs: b99
    }} else {{
        block b2:   // preds: b0, succs: b3
    }}
    block b3:   // preds: b2
{captured}
                // succs: b99"""
    for condition, lost in (("undefined", True), ("load_const (false)", False)):
        machines = [Machine(shader_of(body.replace("CONDITION", condition)))]
        plane = run_pipeline(machines, Environment(1)).captured[0, 0]
        assert plane.written.all()
        assert plane.poison.all() == plane.poison.any() == lost


def test_layer_of_a_culled_patch_is_nothing_to_compare() -> None:
    """Nobody writes it there, but that does not make it 0: there are no such fragments."""
    levels = "".join(
        store("0", "0", f"VARYING_SLOT_TESS_LEVEL_{name}").replace("component=0", f"component={component}")
        + "\n"
        for name, count in (("OUTER", 4), ("INNER", 2))
        for component in range(count)
    )
    control = f"block b0:   // preds:\n32 %0 = load_const (0x00000000)\n{levels}// succs: b99"
    evaluation = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
{store("1", "0", "VARYING_SLOT_LAYER")}
                // succs: b99"""
    fragment = FLAT.replace("VARYING_SLOT_VAR0", "VARYING_SLOT_LAYER")
    stages = (control, "TESS_CTRL"), (evaluation, "TESS_EVAL"), (fragment, "FRAGMENT")
    result = run_pipeline([Machine(shader_of(text, stage)) for text, stage in stages], Environment(1))
    assert result.culled.all()
    (plane,) = (plane for key, plane in result.results[-1].outputs.items() if key.slot == DATA0)
    assert plane.poison.all()


ATTRIBUTE = (
    "32     %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)"
)
KEEP = (
    "@store_per_vertex_output (%1, %2, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
    " io location=VARYING_SLOT_VAR0 slots=1)"
)


def test_a_control_shader_finds_the_attributes_of_its_vertices() -> None:
    """Fetched in the control shader, an attribute is what the vertex shader would have passed on."""
    start, end = "block b0:   // preds:\n32 %0 = load_const (0x00000000)", "// succs: b99"
    own = "32 %2 = @load_invocation_id"
    passing = f"{start}\n{ATTRIBUTE}\n{store('1', '0', 'VARYING_SLOT_VAR0')}\n{end}"
    reading = ATTRIBUTE.replace("@load_input (%0)", "@load_per_vertex_input (%2, %0)")
    reading = reading.replace("VERT_ATTRIB_GENERIC0", "VARYING_SLOT_VAR0")
    planes = []
    for vertex, control in (
        (passing, f"{start}\n{own}\n{reading}\n{KEEP}\n{end}"),
        (f"{start}\n{end}", f"{start}\n{own}\n{ATTRIBUTE}\n{KEEP}\n{end}"),
    ):
        stages = (vertex, "VERTEX"), (control, "TESS_CTRL")
        result = run_pipeline([Machine(shader_of(text, stage)) for text, stage in stages], Environment(1))
        (plane,) = result.results[-1].outputs.values()
        assert plane.written.all()
        assert not plane.poison.any()
        planes.append(plane.bits)
    assert (planes[0] == planes[1]).all()
    assert len(set(planes[0].flatten().tolist())) > 6


def test_nothing_is_known_of_a_patch_with_an_undefined_level() -> None:
    start, end = "block b0:   // preds:\n32 %0 = load_const (0x00000000)", "// succs: b99"
    level = "VARYING_SLOT_TESS_LEVEL_OUTER"
    control = f"{start}\n32 %1 = undefined\n{store('1', '0', level)}\n{end}"
    evaluation = f"{start}\n{store('0', '0', 'VARYING_SLOT_POS')}\n{end}"
    stages = (control, "TESS_CTRL"), (evaluation, "TESS_EVAL")
    result = run_pipeline([Machine(shader_of(text, stage)) for text, stage in stages], Environment(1))
    assert not result.culled.any()
    assert result.results[-1].poisoned.all()


def test_a_patch_whose_levels_depend_on_an_undefined_condition_may_be_culled() -> None:
    level = "VARYING_SLOT_TESS_LEVEL_OUTER"
    start, end = "block b0:   // preds:\n32 %0 = load_const (0x00000000)", "// succs: b99"
    one = "32 %1 = load_const (0x3f800000 = 1.000000)"
    either = f"""
    {start}
    {one}
    1      %2 = undefined
                // succs: b1 b2
    if %2 {{
        block b1:   // preds: b0
{store("0", "0", level)}
                    // succs: b3
    }} else {{
        block b2:   // preds: b0
{store("1", "0", level)}
                    // succs: b3
    }}
    block b3:   // preds: b1 b2
                {end}"""
    evaluation = (f"{start}\n{store('0', '0', 'VARYING_SLOT_POS')}\n{end}", "TESS_EVAL")
    before, culled, kept = (
        run_pipeline(
            [Machine(shader_of(text, stage)) for text, stage in ((control, "TESS_CTRL"), evaluation)],
            Environment(1),
        )
        for control in (
            either,
            f"{start}\n{store('0', '0', level)}\n{end}",
            f"{start}\n{one}\n{store('1', '0', level)}\n{end}",
        )
    )
    assert culled.culled.all()
    assert not kept.culled.any()
    assert compare_pipelines(before, culled) == compare_pipelines(before, kept) == []
    assert compare_pipelines(kept, culled)


def task_and_mesh(value: str = "%2 (1.0)", count: str = "0x00000002", base: int = 0) -> list[Machine]:
    """A task shader that stores four bytes of payload, and a mesh shader that loads them at a base."""
    task = shader(
        "TASK",
        ZERO,
        f"32    %1 = load_const ({count})",
        "32    %2 = load_const (0x3f800000 = 1.000000)",
        "32    %3 = @load_local_invocation_index",
        "32    %4 = u2f32 %3",
        f"     @store_task_payload ({value}, %0 (0x0)) (base=0, wrmask=x, align_mul=4, align_offset=0)",
        "32x3  %90 = vec3 %1, %1, %1",
        "     @launch_mesh_workgroups (%90) (base=0, range=4)",
        header=("workgroup_size: 4, 1, 1",),
    )
    mesh = shader(
        "MESH",
        ZERO,
        f"32    %1 = @load_task_payload (%0) (base={base}, align_mul=4, align_offset=0)",
        "32    %2 = @load_local_invocation_index",
        "32x3  %3 = @load_workgroup_id",
        "32    %4 = u2f32 %3.x",
        "32    %5 = fadd %1, %4",
        "     @store_per_vertex_output (%5, %2, %0) (base=0, range=1, wrmask=x, component=0,"
        " src_type=float32, io location=VARYING_SLOT_POS slots=1)",
        header=("workgroup_size: 8, 1, 1",),
    )
    return [Machine(task), Machine(mesh)]


OTHER_VALUE = "%4"


def test_mesh_shader_gets_the_payload_of_its_task_shader() -> None:
    assert not differ(task_and_mesh(), task_and_mesh())
    assert differ(task_and_mesh(), task_and_mesh(value="%0 (0.0)"))


def test_number_of_mesh_workgroups_counts() -> None:
    assert differ(task_and_mesh(), task_and_mesh(count="0x00000003"))


def test_mesh_shader_that_is_not_launched_counts_for_nothing() -> None:
    nothing = task_and_mesh(count="0x00000000")
    assert not differ(nothing, task_and_mesh(count="0x00000000", value="%0 (0.0)"))


def test_payload_that_invocations_race_for_is_undefined() -> None:
    assert not differ(task_and_mesh(value=OTHER_VALUE), task_and_mesh())
    assert differ(task_and_mesh(), task_and_mesh(value=OTHER_VALUE))


def test_payload_that_is_not_stored_is_undefined() -> None:
    assert not differ(task_and_mesh(base=4), task_and_mesh())
    assert differ(task_and_mesh(), task_and_mesh(base=4))


def test_primitives_of_a_vertex_with_undefined_control_flow_count_for_nothing() -> None:
    """A pass may move what the fragment shader computes to such a vertex."""
    vertex = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    1      %1 = CONDITION
                // succs: b1 b2
    if %1 {
        block b1:   // preds: b0
        return
        // succs: b99
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b2
                // succs: b99"""
    fragment = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
""" + store("0", "0", "FRAG_RESULT_DATA0")
    for condition, lost in (("undefined", True), ("load_const (false)", False)):
        result = run_pipeline(pipeline(vertex.replace("CONDITION", condition), fragment), Environment(1))
        assert result.results[-1].poisoned.all() == result.results[-1].poisoned.any() == lost


def test_payload_of_a_task_shader_alone_is_compared() -> None:
    assert differ(task_and_mesh()[:1], task_and_mesh(value="%0 (0.0)")[:1])


def test_stores_of_a_mesh_shader_that_may_not_be_launched_are_left_out_in_later_stages() -> None:
    header = ("workgroup_size: 1, 1, 1",)

    def stages(count: str) -> list[Machine]:
        size = (f"32 %1 = {count}", "32x3 %2 = vec3 %1, %1, %1")
        task = shader("TASK", *size, "     @launch_mesh_workgroups (%2) (base=0, range=4)", header=header)
        ssbo_store = "     @store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
        mesh = shader("MESH", ZERO, ssbo_store, header=header)
        return [Machine(one) for one in (task, mesh, shader("FRAGMENT", ZERO))]

    none, one = "load_const (0x00000000)", "load_const (0x00000001)"
    assert not differ(stages("undefined"), stages(none))
    assert not differ(stages("undefined"), stages(one))
    assert differ(stages(one), stages(none))
    assert differ(stages(one), stages("undefined"))


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


def test_each_stage_numbers_its_uniform_buffers() -> None:
    def loads(index: str, access: str = "none") -> str:
        indices = f"access={access}, align_mul=4, align_offset=0, range_base=0, range=4"
        return f"    32     %7 = @load_ubo ({index}, %0) ({indices})"

    binding = (
        "    32     %8 = @vulkan_resource_index (%0) (desc_set=0, binding=0, desc_type=UBO)\n"
        "    32     %9 = mov %8\n"
    )
    vertex = VERTEX.replace(store("1", "0"), "LOAD\n" + store("7", "0"))
    fragment = FLAT.replace(
        store("2", "0", "FRAG_RESULT_DATA0"), "LOAD\n" + store("7", "0", "FRAG_RESULT_DATA0")
    )

    def are_equal(load: str) -> bool:
        machines = pipeline(vertex.replace("LOAD", load), fragment.replace("LOAD", load))
        first, second = run_pipeline(machines, Environment(1)).results
        stored, shown = first.outputs[OutputKey(VAR0, 0)].bits, second.outputs[OutputKey(DATA0, 0)].bits
        return set(stored.flat) == set(shown.flat)

    own = "    32     %7 = @load_{} (%0) (base=0, range=4)"
    assert not are_equal(loads("%0"))
    assert not are_equal(own.format("uniform"))
    assert not are_equal(own.format("constant"))
    assert are_equal(own.format("push_constant"))
    assert are_equal(binding + loads("%9"))
    assert are_equal(loads("%0", "vs-bindings"))


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
