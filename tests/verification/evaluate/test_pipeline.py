"""Stages in order: what they pass on, capture and launch."""

from __future__ import annotations

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.pipeline import run_pipeline
from nirls.verification.evaluate.surroundings.captured import captured_planes
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.pipelines import FLAT, SMOOTH, VERTEX, differ, pipeline, task_and_mesh
from tests.verification.evaluate.shader_text import DATA0, VAR0, shader_of, store


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
    planes = captured_planes(result.results[-1])
    assert list(planes) == [(1, 8)]
    assert (planes[1, 8].bits == 7).all()


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
        plane = captured_planes(run_pipeline(machines, Environment(1)).results[0])[0, 0]
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


def test_mesh_shader_gets_the_payload_of_its_task_shader() -> None:
    assert not differ(task_and_mesh(), task_and_mesh())
    assert differ(task_and_mesh(), task_and_mesh(value="%0 (0.0)"))


def test_number_of_mesh_workgroups_counts() -> None:
    assert differ(task_and_mesh(), task_and_mesh(count="0x00000003"))


def test_mesh_shader_that_is_not_launched_counts_for_nothing() -> None:
    nothing = task_and_mesh(count="0x00000000")
    assert not differ(nothing, task_and_mesh(count="0x00000000", value="%0 (0.0)"))


def test_payload_that_invocations_race_for_is_undefined() -> None:
    invocation = "%4"
    assert not differ(task_and_mesh(value=invocation), task_and_mesh())
    assert differ(task_and_mesh(), task_and_mesh(value=invocation))


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
    assert (captured_planes(run_pipeline(before, Environment(1)).results[1])[1, 8].bits == 7).all()
    assert differ(before, after)


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
