"""`inline_vs_in_tcs`: what becomes of both shaders, run against what went in."""

from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.buffers.lower_dynamic_bo_access import LowerDynamicBoAccess
from nirls.passes.tessellation.inline_vs.inline_vs_in_tcs import (
    Inlined,
    InlineVsInTcs,
    inline_vs_in_tcs,
    put_in_front,
    stages_of,
    why_not_inlined,
)
from nirls.passes.tessellation.inline_vs.obstacles import InlineVsObstacle
from tests.passes.tessellation.patches import (
    assert_same,
    control,
    copies,
    load,
    names,
    of_name,
    out,
    store,
    vertex,
)

LEVELS = [store("%9", "TESS_LEVEL_OUTER", lane) for lane in range(4)]
TWICE = "32    %2 = fadd %1, %1"
LEVEL = "32    %9 = load_const (0x40000000)"


def inlined(vs: Shader, tcs: Shader) -> tuple[Shader, Shader, Inlined]:
    """Inline in copies, and see that the pair still does the same."""
    after = copies([vs, tcs])
    done = inline_vs_in_tcs(after[0], after[1])
    assert isinstance(done, Inlined), done
    assert_same([vs, tcs], after)
    return after[0], after[1], done


def test_own_inputs_become_values() -> None:
    vs = vertex(TWICE, store("%2", "VAR0"))
    tcs = control(LEVEL, load(3, "VAR0"), out("%3", "VAR1"), *LEVELS)
    vs, tcs, done = inlined(vs, tcs)
    assert names(vs) == []
    assert done == Inlined(0, 0, ())
    assert "load_per_vertex_input" not in names(tcs)
    order = [names(tcs).index(name) for name in ("load_input", "fadd", "store_per_vertex_output")]
    assert order == sorted(order)
    assert "barrier" not in names(tcs)


def test_other_vertices_come_through_outputs_and_a_barrier() -> None:
    vs = vertex(TWICE, store("%2", "VAR0"))
    tcs = control(
        LEVEL, load(3, "VAR0", "%0"), load(4, "VAR0"), out("%3", "VAR1"), out("%4", "VAR2"), *LEVELS
    )
    _, tcs, done = inlined(vs, tcs)
    assert done == Inlined(1, 1, ())
    order = names(tcs)
    assert (
        order.index("store_per_vertex_output")
        < order.index("barrier")
        < order.index("load_per_vertex_output")
    )
    (barrier,) = of_name(tcs, "barrier")
    assert barrier.block is not None
    assert isinstance(barrier.block.parent, FunctionImpl)
    (read,) = of_name(tcs, "load_per_vertex_output")
    assert read.io_semantics is not None
    assert read.io_semantics.has("no_varying")


def test_new_outputs_take_slots_that_nobody_uses() -> None:
    vs = vertex(store("%1", "VAR0"))
    tcs = control(LEVEL, load(3, "VAR0", "%0"), out("%3", "VAR0"), out("%3", "VAR1"), *LEVELS)
    _, tcs, _ = inlined(vs, tcs)
    (read,) = of_name(tcs, "load_per_vertex_output")
    assert read.io_semantics is not None
    assert read.io_semantics.location == 34


def test_inputs_under_a_tree_of_questions_for_the_number_are_own() -> None:
    """What Mesa makes of gl_in[gl_InvocationID] where inputs cannot be indexed by a variable."""
    vs = vertex(TWICE, store("%2", "VAR0"))
    tcs = control(
        LEVEL,
        "32    %3 = load_const (0x00000001)",
        "1     %4 = ilt %1, %3",
        "if %4 {",
        "    block b2:  // preds: b0",
        load(5, "VAR0", "%0"),
        "    // succs: b4",
        "} else {",
        "    block b3:  // preds: b0",
        load(6, "VAR0", "%3"),
        "    // succs: b4",
        "}",
        "block b4:  // preds: b2 b3",
        "32    %7 = phi b2: %5, b3: %6",
        out("%7", "VAR1"),
        *LEVELS,
        vertices=2,
    )
    _, tcs, done = inlined(vs, tcs)
    assert done.outputs_added == 0
    assert "phi" not in names(tcs)


def test_control_flow_of_the_vertex_shader() -> None:
    vs = vertex(
        store("%1", "VAR0"),
        "1     %2 = flt %1, %0",
        "if %2 {",
        "    block b2:  // preds: b0",
        "    32    %3 = fneg %1",
        f"    {store('%3', 'VAR0')}",
        "    // succs: b4",
        "} else {",
        "    block b3:  // preds: b0",
        "    // succs: b4",
        "}",
        "block b4:  // preds: b2 b3",
    )
    tcs = control(
        LEVEL, load(3, "VAR0"), load(4, "VAR0", "%0"), out("%3", "VAR1"), out("%4", "VAR2"), *LEVELS
    )
    vs, tcs, _ = inlined(vs, tcs)
    assert names(vs) == []
    assert names(tcs).count("phi") == 1


def test_arrays_at_variable_places() -> None:
    number = ["32    %2 = iand %1, %3", "32    %3 = load_const (0x00000001)"][::-1]
    elements = [store("%1", "VAR4", offset="%0", slots=2), store("%4", "VAR4", offset="%3", slots=2)]
    vs = vertex(*number, "32    %4 = fneg %1", *elements, store("%0", "VAR4", offset="%2", slots=2))
    tcs = control(
        LEVEL,
        "32    %3 = load_const (0x00000001)",
        "32    %2 = iand %1, %3",
        load(4, "VAR4", offset="%2", slots=2),
        load(5, "VAR4", "%3", offset="%2", slots=2),
        load(6, "VAR4", "%3", offset="%3", slots=2),
        out("%4", "VAR1"),
        out("%5", "VAR2"),
        out("%6", "VAR3"),
        *LEVELS,
    )
    _, tcs, done = inlined(vs, tcs)
    assert done.outputs_added == 2
    assert [
        read.io_semantics.num_slots for read in of_name(tcs, "load_per_vertex_output") if read.io_semantics
    ] == [2, 1]


def test_system_values_are_passed_on() -> None:
    vs = vertex(
        "32    %2 = @load_vertex_id", "32    %3 = u2f32 %2", "32    %4 = fadd %3, %1", store("%4", "VAR0")
    )
    tcs = control(LEVEL, load(3, "VAR0"), out("%3", "VAR1"), *LEVELS)
    vs, tcs, done = inlined(vs, tcs)
    assert done.system_values == ("vertex_id",)
    assert [name for name in names(vs) if name != "load_const"] == ["load_vertex_id", "store_output"]
    assert "fadd" in names(tcs)
    assert "load_vertex_id" not in names(tcs)


def test_resources_keep_the_bindings_of_the_vertex_shader() -> None:
    vs = vertex(
        "32    %2 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
        "32    %3 = @load_uniform (%0) (base=0, range=4, dest_type=float32)",
        "32x2  %4 = vec2 %2, %3",
        "32x4  %5 = (float32)txl %4 (coord), %0 (lod), 0 (texture), 0 (sampler)",
        "32    %6 = fadd %5.x, %1",
        store("%6", "VAR0"),
    )
    tcs = control(
        LEVEL,
        "32    %2 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
        load(3, "VAR0"),
        out("%3", "VAR1"),
        out("%2", "VAR2"),
        *LEVELS,
    )
    _, tcs, _ = inlined(vs, tcs)
    text = [str(read.indices["access"]) for read in of_name(tcs, "load_ubo")]
    assert sorted(text) == ["0", str(1 << 30)]
    assert of_name(tcs, "load_uniform")[0].int_index("access") == 1 << 30
    impl = tcs.entrypoint
    assert impl is not None
    (texture,) = [instr for instr in impl.instrs() if instr.kind == "tex"]
    assert "vs-bindings" in texture.flags  # type: ignore[attr-defined]


def test_patches_of_one_control_point_read_their_only_vertex() -> None:
    vs = vertex(store("%1", "VAR0"))
    tcs = control(LEVEL, load(3, "VAR0", "%0"), out("%3", "VAR1"), *LEVELS, vertices=1)
    _, _, done = inlined(vs, tcs)
    assert done.outputs_added == 0


def test_nothing_changes_where_it_gives_up() -> None:
    vs, tcs = vertex(store("%1", "VAR0")), control(LEVEL, out("%9", "VAR1"), *LEVELS)
    before = names(vs), names(tcs)
    assert isinstance(inline_vs_in_tcs(vs, tcs), InlineVsObstacle)
    assert (names(vs), names(tcs)) == before
    assert InlineVsInTcs().run([vs, tcs]) == []


def test_size_of_input_patches_must_agree() -> None:
    vs, tcs = vertex(store("%1", "VAR0")), control(LEVEL, load(3, "VAR0"), out("%3", "VAR1"), *LEVELS)
    assert why_not_inlined(vs, tcs, patch_vertices=3) is None
    obstacle = why_not_inlined(vs, tcs, patch_vertices=4)
    assert obstacle is not None
    assert "4 control points" in obstacle.reason


def test_no_slot_is_left() -> None:
    vs = vertex(store("%1", "VAR0"))
    stores = [out("%3", f"VAR{slot}") for slot in range(32)]
    tcs = control(LEVEL, load(3, "VAR0", "%0"), *stores, *LEVELS)
    obstacle = why_not_inlined(vs, tcs)
    assert obstacle is not None
    assert "not enough free outputs" in obstacle.reason


def test_finding_and_its_fix() -> None:
    vs, tcs = vertex(store("%1", "VAR0")), control(LEVEL, load(3, "VAR0", "%0"), out("%3", "VAR1"), *LEVELS)
    (finding,) = InlineVsInTcs().find([vs, tcs])
    assert finding.code == "inlinable-vertex-shader"
    assert finding.place.dump == 0
    assert finding.data["outputs_added"] == 1
    assert finding.message.endswith(
        "only for patches of 3 control points: it adds 1 scalar output for inputs of other vertices"
    )
    assert [(fix.title, fix.preferred) for fix in finding.fixes] == [
        ("Inline the vertex shader, only for patches of 3 control points", False)
    ]
    changes = InlineVsInTcs().fix([vs, tcs], finding.fixes[0].request)
    assert [change.before for change in changes] == [vs, tcs]
    assert_same([vs, tcs], [change.after for change in changes])
    assert list(InlineVsInTcs().find([tcs])) == []


def test_every_kind_of_obstacle_is_reported_once() -> None:
    clock = "32    %{} = @load_subgroup_invocation"
    write = "@store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
    vs = vertex(clock.format(2), clock.format(3), write, store("%1", "VAR0"))
    tcs = control(load(3, "VAR0"), out("%3", "VAR1"))
    found = list(InlineVsInTcs().find([vs, tcs]))
    assert {finding.code for finding in found} == {"uninlinable-vertex-shader"}
    assert [finding.data["reason"] for finding in found] == [
        "load_subgroup_invocation has a different meaning in a control shader",
        "the vertex shader writes memory (store_ssbo)",
    ]
    texts = [vs.source[finding.place.start : finding.place.end] for finding in found]
    assert [text.split()[0] for text in texts] == [b"32", b"@store_ssbo"]
    assert found[0].fixes == ()


def test_a_vertex_shader_without_outputs_is_no_obstacle() -> None:
    assert list(InlineVsInTcs().find([vertex(), control(load(3, "VAR0"), out("%3", "VAR1"))])) == []
    vs, tcs = vertex(store("%1", "VAR0")), control(load(3, "VAR0"), out("%3", "VAR1"))
    assert InlineVsInTcs().run([vs, tcs]) == [vs, tcs]
    assert list(InlineVsInTcs().find([vs, tcs])) == []


@pytest.mark.parametrize("count", [1, 2])
def test_stages_of_a_pipeline(count: int) -> None:
    shaders = [vertex(), control()][:count]
    assert [shader is not None for shader in stages_of(shaders)] == [True, count == 2, False]


def test_variable_index_of_a_buffer_of_the_vertex_shader() -> None:
    """The control shader's header counts its own buffers, so nothing is known of the index any more."""
    ubo = "@load_ubo (%2, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)"
    vs = vertex("32    %2 = f2u32 %1", f"32    %3 = {ubo}", store("%3", "VAR0"), header=("num_ubos: 9",))
    tcs = control(LEVEL, load(3, "VAR0"), out("%3", "VAR1"), *LEVELS, header=("num_ubos: 1",))
    _, tcs, _ = inlined(vs, tcs)
    assert LowerDynamicBoAccess().run([tcs]) == []


def test_descriptors_keep_their_set_and_binding() -> None:
    vs = vertex(
        "32x4  %2 = @vulkan_resource_index (%0) (desc_set=1, binding=2, desc_type=UBO)",
        "32x4  %3 = @load_vulkan_descriptor (%2) (desc_type=UBO)",
        "32x4  %4 = @load_ubo (%3, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)",
        "32    %5 = fadd %4.y, %1",
        store("%5", "VAR0"),
    )
    tcs = control(
        LEVEL, load(3, "VAR0"), load(4, "VAR0", "%0"), out("%3", "VAR1"), out("%4", "VAR2"), *LEVELS
    )
    _, tcs, _ = inlined(vs, tcs)
    (index,) = of_name(tcs, "vulkan_resource_index")
    assert (index.indices["desc_set"], index.int_index("access")) == (1, 1 << 30)


OLD = """shader: MESA_SHADER_{}
inputs: 0
outputs: 0
uniforms: 0
shared: 0
{}decl_function main (0 params)

impl main {{
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
{}\t/* succs: block_1 */
\tblock block_1:
}}
"""
OLD_VS = (
    "vec4 32 ssa_1 = intrinsic load_input (ssa_0) (0, 0, 160, 144)"
    " /* base=0 */ /* component=0 */ /* dest_type=float32 */ /* location=16 slots=1 */",
    "vec1 32 ssa_2 = intrinsic load_uniform (ssa_0) (0, 16, 160)"
    " /* base=0 */ /* range=16 */ /* dest_type=float32 */",
    "vec4 32 ssa_3 = fmul ssa_1, ssa_2.xxxx",
    "intrinsic store_output (ssa_3, ssa_0) (0, 15, 0, 160, 160)"
    " /* base=0 */ /* wrmask=xyzw */ /* component=0 */ /* src_type=float32 */ /* location=32 slots=1 */",
)
OLD_LOAD = (
    "vec4 32 ssa_{} = intrinsic load_per_vertex_input ({}, ssa_0) (0, 0, 160, 160)"
    " /* base=0 */ /* component=0 */ /* dest_type=float32 */ /* location=32 slots=1 */"
)
OLD_TCS = (
    "vec1 32 ssa_1 = intrinsic load_invocation_id () ()",
    OLD_LOAD.format(2, "ssa_1"),
    OLD_LOAD.format(3, "ssa_0"),
    "vec4 32 ssa_4 = fadd ssa_2, ssa_3",
    "intrinsic store_per_vertex_output (ssa_4, ssa_1, ssa_0) (0, 15, 0, 160, 161)"
    " /* base=0 */ /* wrmask=xyzw */ /* component=0 */ /* src_type=float32 */ /* location=33 slots=1 */",
    "vec1 32 ssa_5 = load_const (0x40000000 /* 2.000000 */)",
    "intrinsic store_output (ssa_5, ssa_0) (1, 1, 0, 160, 282)"
    " /* base=1 */ /* wrmask=x */ /* component=0 */ /* src_type=float32 */ /* location=26 slots=2 */",
)


def test_old_dumps_without_a_size_in_their_header() -> None:
    declared = "decl_var shader_out INTERP_MODE_NONE vec4[3] o (VARYING_SLOT_VAR1, 0, 0)\n"
    vs, tcs = (
        parse_dump(OLD.format(stage, head, "".join(f"\t{line}\n" for line in lines)).encode())
        for stage, head, lines in (("VERTEX", "", OLD_VS), ("TESS_CTRL", declared, OLD_TCS))
    )
    assert not vs.unreadable
    assert not tcs.unreadable
    _, tcs, done = inlined(vs, tcs)
    assert done.outputs_added == 4
    assert names(tcs).index("memory_barrier_tcs_patch") + 1 == names(tcs).index("control_barrier")
    assert of_name(tcs, "load_uniform")[0].int_index("access") == 1 << 30


BRANCH = (
    "1     %2 = flt %1, %0",
    "if %2 {",
    "    block b2:  // preds: b0",
    "    32    %3 = fneg %1",
    "} else {",
    "    block b3:  // preds: b0",
    "}",
    "block b4:  // preds: b2 b3",
    "32    %4 = phi b2: %3, b3: %1",
)


def test_numbers_are_unique_and_edges_right() -> None:
    vs, tcs = vertex(*BRANCH), control("32    %2 = iadd %1, %0")
    guest, host = vs.entrypoint, tcs.entrypoint
    assert guest is not None
    assert host is not None
    first = host.start_block.first
    joint, following = put_in_front(guest, host)
    assert following is first
    assert joint is host.blocks()[-1]
    assert names(tcs) == [
        "load_const",
        "load_input",
        "flt",
        "fneg",
        "phi",
        "load_const",
        "load_invocation_id",
        "iadd",
    ]
    numbers = [value.index for value in host.defs()]
    assert len(set(numbers)) == len(numbers)
    blocks = [block.index for block in (*host.blocks(), host.end_block)]
    assert len(set(blocks)) == len(blocks)
    assert {src.pred for phi in joint.phis() for src in phi.sources} == set(joint.predecessors)
    assert guest.body == []


def test_single_block_goes_into_the_first_one() -> None:
    vs, tcs = vertex(), control()
    guest, host = vs.entrypoint, tcs.entrypoint
    assert guest is not None
    assert host is not None
    put_in_front(guest, host)
    assert len(host.blocks()) == 1
    assert names(tcs)[0] == "load_const"
