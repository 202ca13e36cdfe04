"""Which barriers go, and which must stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.finding import Place
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.barriers.opt_barriers import OptBarriers, opt_barriers
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.barriers.bodies import barrier, barriers, compute, control, in_stage
from tests.passes.expectation import assert_valid, parse_body
from tests.passes.tessellation.control_text import expand


def left(shader: Shader) -> int:
    """How many barriers stay; the result must do the same, and running the pass again changes nothing."""
    after = clone_shader(shader)
    removed = opt_barriers(after)
    assert_valid(after)
    assert len(removed) == len(barriers(shader)) - len(barriers(after))
    assert not isinstance(verify_shaders(shader, after), Different)
    assert opt_barriers(after) == []
    return len(barriers(after))


@pytest.mark.parametrize(
    ("body", "stay"),
    [
        ("out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%0]\nout VAR1.x [%1] = %9", 1),
        ("out VAR0.x [%1] = %1\nbarrier\nbarrier\n%9 = load VAR0.x [%0]\nout VAR1.x [%1] = %9", 1),
        ("out VAR0.x [%1] = %1\nbarrier\nout VAR1.x [%1] = %1", 0),
        ("barrier\nout VAR0.x [%1] = %1", 0),
        # The invocation's own output is in order anyway.
        ("out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%1]\nout VAR1.x [%1] = %9", 0),
        # Another component, another slot.
        ("out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.y [%0]\nout VAR1.x [%1] = %9", 0),
        # A load before and a store after: the store may not come early.
        ("%9 = load VAR0.x [%0]\nbarrier\nout VAR0.x [%1] = %1", 1),
        # Two stores of the patch's output: which one is the last.
        ("patch PATCH0.x = %0\nbarrier\npatch PATCH0.x = %1", 1),
        # Two barriers with a load between, which the first one is for.
        (
            "out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%0]\nbarrier\nout VAR0.x [%1] = %9\n",
            2,
        ),
        # The second one orders what the first one does not.
        (
            "out VAR0.x [%1] = %1\nbarrier\nout VAR1.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%0]\n"
            "%10 = load VAR1.x [%0]\n32 %11 = fadd %9, %10\nout VAR2.x [%1] = %11",
            1,
        ),
    ],
)
def test_outputs_of_a_patch(body: str, stay: int) -> None:
    assert left(control(body)) == stay


IO = "src_type=float32, io location=VARYING_SLOT_{slot} slots={count}"
CONSTANTS = "32 %20 = load_const (0x00000001)\n32x2 %21 = load_const (0x00000000, 0x00000001)\n"
VECTOR = "32x3 %22 = vec3 %1, %1, %1\n"
UNKNOWN = "32 %23 = iand %1, %20\n"
WIDE = "64x2 %22 = load_const (0x0000000000000001, 0x0000000000000002)\n"


def stored(value: str, *, mask: str, slot: str = "VAR0", offset: str = "%0", count: int = 1) -> str:
    return (
        f"@store_per_vertex_output ({value}, %1, {offset}) (base=0, range={count}, wrmask={mask},"
        f" component=0, {IO.format(slot=slot, count=count)})"
    )


def loaded(lane: int, *, slot: str = "VAR0", offset: str = "%0", count: int = 1) -> str:
    io = IO.format(slot=slot, count=count).replace("src", "dest")
    return (
        f"32 %30 = @load_per_vertex_output (%0, {offset}) (base=0, range={count}, component={lane}, {io})\n"
        "out VAR9.x [%1] = %30"
    )


@pytest.mark.parametrize(
    ("before", "after", "stay"),
    [
        # Components of a vector: written ones, a gap in the mask, and behind the end.
        (VECTOR + stored("%22", mask="xz"), loaded(0), 1),
        (VECTOR + stored("%22", mask="xz"), loaded(1), 0),
        (VECTOR + stored("%22", mask="xz"), loaded(2), 1),
        (VECTOR + stored("%22", mask="xyz"), loaded(3), 0),
        # Values of 64 bits take two components each.
        (WIDE + stored("%22", mask="y").replace("float32", "float64"), loaded(1), 0),
        (WIDE + stored("%22", mask="y").replace("float32", "float64"), loaded(2), 1),
        (WIDE + stored("%22", mask="y").replace("float32", "float64"), loaded(3), 1),
        # An offset by a constant is another slot, one that is not constant may be any of the array.
        (stored("%1", mask="x", offset="%20", count=2), loaded(0, slot="VAR1"), 1),
        (stored("%1", mask="x", offset="%20", count=2), loaded(0), 0),
        (UNKNOWN + stored("%1", mask="x", offset="%23", count=2), loaded(0, slot="VAR1"), 1),
        (UNKNOWN + stored("%1", mask="x", offset="%23", count=2), loaded(0, slot="VAR2"), 0),
        # The invocation that stores vertex 0 stores it to slot 0.
        (stored("%1", mask="x", offset="%1", count=2), loaded(0), 1),
        (stored("%1", mask="x", offset="%1", count=2), loaded(0, slot="VAR1"), 0),
        (stored("%1", mask="x", offset="%1", count=2), loaded(0, slot="VAR2"), 0),
        (stored("%1", mask="x", offset="%1", count=2), loaded(3), 0),
    ],
)
def test_components_and_slots_of_outputs(before: str, after: str, stay: int) -> None:
    assert left(control(f"{CONSTANTS}{before}\nbarrier\n{after}")) == stay


OUTPUTS = (
    "tcs_vertices_out: 3\ndecl_var shader_out INTERP_MODE_NONE none vec4[3] o (VARYING_SLOT_VAR1, 0, 0)\n"
    "decl_var patch shader_out INTERP_MODE_NONE none float[3] p (VARYING_SLOT_PATCH1.x, 0, 0)"
)


@pytest.mark.parametrize(
    ("variable", "type_", "index", "stay"),
    [
        ("o", "vec4", "%1", 0),
        ("o", "vec4", "0", 1),
        ("o", "vec4", "%0", 1),
        ("p", "float", "%1", 1),
    ],
)
def test_output_variables(variable: str, type_: str, index: str, stay: int) -> None:
    """The first index of an output is the vertex, unless it belongs to the patch."""
    number = "" if type_ == "float" else "x4"
    array = f"32 %8 = deref_var &{variable} (shader_out {type_}[3])"
    body = f"""
        block b0:  // preds:
        32 %0 = load_const (0x00000000)
        32 %1 = @load_invocation_id
        32{number} %2 = undefined
        {array}
        32 %9 = deref_array &(*%8)[%1] (shader_out {type_})
        @store_deref (%9, %2) (wrmask={"x" if not number else "xyzw"}, access=none)
        {barrier(modes="shader_out")}
        32 %10 = deref_array &(*%8)[{index}] (shader_out {type_})
        32{number} %11 = @load_deref (%10) (access=none)
        32 %12 = mov %11.x
        out VAR9.x [%1] = %12
        block b99:
    """
    after = parse_body(expand(body), "TESS_CTRL", OUTPUTS)
    opt_barriers(after)
    assert_valid(after)
    assert len(barriers(after)) == stay


ONE_INVOCATION = """
1 %8 = ieq %1, %NUMBER
if %8 {
    block b1:  // preds: b0
    out VAR0.x [%0] = %1
} else {
    block b2:  // preds: b0
}
block b3:  // preds: b1 b2
barrier
%9 = load VAR0.x [%1]
out VAR1.x [%1] = %9
"""


@pytest.mark.parametrize(("number", "stay"), [("0", 0), ("20", 1), ("1", 1)])
def test_the_vertex_of_the_one_invocation_that_stores(number: str, stay: int) -> None:
    """Invocation 0 stores to its own vertex 0; another one stores to that of another invocation."""
    body = CONSTANTS + ONE_INVOCATION.replace("%NUMBER", f"%{number}")
    after = control(body)
    opt_barriers(after)
    assert len(barriers(after)) == stay


@pytest.mark.parametrize(("lane", "stay"), [("x", 0), ("y", 1)])
def test_the_component_of_a_constant_that_is_compared(lane: str, stay: int) -> None:
    after = control(CONSTANTS + ONE_INVOCATION.replace("%NUMBER", f"%21.{lane}"))
    opt_barriers(after)
    assert len(barriers(after)) == stay


def test_fences_on_the_two_sides_of_a_wait() -> None:
    """A release, a wait that orders no memory, and an acquire: each is needed."""
    wait = barrier("WORKGROUP", "NONE", "0", "NONE")
    body = f"sst %2 [%3]\nfence shared\n{wait}\nfence shared\n%9 = sld [%0]\ngst %9"
    assert left(compute(body)) == 3


@pytest.mark.parametrize(
    ("body", "stay"),
    [
        ("sst %2 [%3]\nwait shared\n%9 = sld [%0]\ngst %9", 1),
        ("sst %2 [%3]\nwait shared\nwait shared\n%9 = sld [%0]\ngst %9", 1),
        ("sst %2 [%3]\nwait shared\ngst %2", 0),
        ("%9 = sld [%0]\nwait shared\nsst %2 [%3]", 1),
        # Memory alone, and waiting together with it.
        ("sst %2 [%3]\nfence shared\nwait shared\n%9 = sld [%0]\ngst %9", 1),
        # The one that waits orders another kind of memory, so both are needed.
        ("sst %2 [%3]\nfence shared\nwait image\n%9 = sld [%0]\ngst %9", 2),
        # Memory that others may look at without waiting.
        ("gst %2\nfence ssbo\ngst %1", 1),
        ("gst %2\nfence ssbo", 0),
        ("gst %2\nfence image\ngst %1", 0),
        # Bytes that are known to be others.
        ("sst %2 [%0]\nwait shared\n%9 = sld [%1]\ngst %9", 0),
        (f"sst %2 [%3]\n{barrier(semantics='NONE', modes='none')}\n%9 = sld [%0]\ngst %9", 1),
        (f"sst %2 [%3]\n{barrier('NONE', 'NONE', 'none', 'NONE')}\n%9 = sld [%0]\ngst %9", 0),
        # The first one is for more than the second one.
        (f"sst %2 [%3]\nwait shared\n{barrier('SUBGROUP', 'SUBGROUP')}\n%9 = sld [%0]\ngst %9", 1),
        (
            f"gst %2\n{barrier(reaches='DEVICE', modes='ssbo')}\n{barrier(modes='ssbo')}\n"
            "%9 = gld\nsst %9 [%3]",
            1,
        ),
        (f"sst %2 [%3]\n{barrier(semantics='REL')}\n{barrier(semantics='ACQ')}\n%9 = sld [%0]\ngst %9", 2),
    ],
)
def test_shared_and_other_memory(body: str, stay: int) -> None:
    assert left(compute(body)) == stay


LOOP = """
loop {{
    block b1:  // preds: b0 b5
    32 %8 = phi b0: %0, b5: %12
    {head}
    1 %10 = ige %8, %1
    if %10 {{
        block b2:  // preds: b1
        break
    }} else {{
        block b3:  // preds: b1
    }}
    block b5:  // preds: b3
    {tail}
    32 %12 = iadd %8, %1
}}
block b6:  // preds: b2
"""


@pytest.mark.parametrize(
    ("head", "tail", "stay"),
    [
        ("%9 = sld [%0]\nwait shared", "sst %9 [%3]\nwait shared", 2),
        # What is stored in one turn is loaded in the next one.
        ("%9 = sld [%0]", "wait shared\nsst %9 [%3]", 1),
        ("%9 = sld [%0]", "wait shared\n32 %13 = iadd %9, %9", 0),
        ("wait shared", "wait shared\nsst %8 [%3]", 1),
    ],
)
def test_turns_of_a_loop_follow_each_other(head: str, tail: str, stay: int) -> None:
    assert left(compute(LOOP.format(head=head, tail=tail))) == stay


ATTRIBUTES = (
    "32x4 %4 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)\n"
    "@store_buffer_amd (%4, %4, %0, %3, %0) (base=0, wrmask=xyzw, mem_modes={modes}, access=coherent,"
    " align_mul=16, align_offset=0)\n"
    "{fence}\n"
    "@export_amd (%4) (target=12, enabled_channels=15, flags=2)"
)


@pytest.mark.parametrize(
    ("stage", "body", "stay"),
    [
        ("VERTEX", "gst %2\nfence ssbo", 1),
        ("GEOMETRY", "gst %2\nfence ssbo", 1),
        ("FRAGMENT", "gst %2\nfence ssbo", 0),
        # The last one is enough, and it must reach beyond the workgroup.
        ("VERTEX", "gst %2\nfence ssbo\nfence ssbo", 1),
        ("VERTEX", f"gst %2\n{barrier('NONE', modes='ssbo')}", 0),
        ("VERTEX", "%9 = gld\nfence ssbo", 0),
        ("VERTEX", "fence ssbo\ngst %2", 0),
        # AMD's ring of attributes is complete before the export of the position starts fragments.
        (
            "VERTEX",
            ATTRIBUTES.format(modes="shader_out", fence=barrier("SUBGROUP", "DEVICE", "shader_out")),
            1,
        ),
        ("VERTEX", ATTRIBUTES.format(modes="shader_out", fence=barrier("SUBGROUP", "DEVICE", "image")), 0),
    ],
)
def test_later_stages_read_what_is_stored_before_they_start(stage: str, body: str, stay: int) -> None:
    assert left(in_stage(stage, body)) == stay


def test_a_barrier_of_the_workgroup_does_not_order_outputs_in_a_buffer() -> None:
    fences = f"{barrier('NONE', 'DEVICE', 'shader_out')}\n{barrier(modes='shader_out')}"
    shader = in_stage("TESS_CTRL", ATTRIBUTES.format(modes="shader_out", fence=fences))
    opt_barriers(shader)
    assert [str(one.indices["memory_scope"]) for one in barriers(shader)] == ["DEVICE", "WORKGROUP"]


@pytest.mark.parametrize(
    ("stage", "body", "stay"),
    [
        # The geometry shader waits for what the vertex shader ahead of it has stored.
        ("GEOMETRY", "wait shared\n%9 = sld [%0]\ngst %9", 1),
        ("TESS_CTRL", "wait shared\n%9 = sld [%0]\ngst %9", 1),
        ("VERTEX", "sst %2 [%3]\nwait shared", 1),
        ("GEOMETRY", "wait shared\nwait shared\n%9 = sld [%0]\ngst %9", 1),
        ("GEOMETRY", "wait shared\ngst %2", 0),
        ("GEOMETRY", "wait image\ngst %2", 0),
        ("COMPUTE", "wait shared\n%9 = sld [%0]\ngst %9", 0),
    ],
)
def test_merged_shaders_share_their_memory(stage: str, body: str, stay: int) -> None:
    assert left(in_stage(stage, body)) == stay


def test_every_way_counts() -> None:
    body = """
        1 %8 = ieq %2, %2
        if %8 {
            block b1:  // preds: b0
            sst %2 [%3]
        } else {
            block b2:  // preds: b0
        }
        block b3:  // preds: b1 b2
        wait shared
        if %8 {
            block b4:  // preds: b3
            %9 = sld [%0]
            gst %9
        } else {
            block b5:  // preds: b3
        }
        block b6:  // preds: b4 b5
    """
    assert left(compute(body)) == 1
    assert left(compute(body.replace("%9 = sld [%0]\n            gst %9", "gst %2"))) == 0


def test_what_one_invocation_does_alone_needs_no_barrier() -> None:
    body = """
        1 %8 = ieq %2, %0
        if %8 {{
            block b1:  // preds: b0
            sst %2 [%0]
        }} else {{
            block b2:  // preds: b0
        }}
        block b3:  // preds: b1 b2
        wait shared
        1 %9 = ieq %2, {number}
        if %9 {{
            block b4:  // preds: b3
            %10 = sld [%0]
            gst %10
        }} else {{
            block b5:  // preds: b3
        }}
        block b6:  // preds: b4 b5
    """
    assert left(compute(body.format(number="%0"))) == 0
    assert left(compute(body.format(number="%1"))) == 1


def test_an_atomic_or_something_unknown_is_not_passed() -> None:
    atomic = "32 %9 = @shared_atomic (%0, %1) (base=0, atomic_op=iadd)"
    assert left(compute(f"sst %2 [%3]\nfence shared\n{atomic}")) == 1
    assert left(compute(f"sst %2 [%3]\nwait shared\n{atomic}\ngst %9")) == 1


def test_older_barriers() -> None:
    """Up to 22.3, one intrinsic waits and others order memory."""
    text = b"""shader: MESA_SHADER_COMPUTE
workgroup-size: 8, 1, 1
decl_function main (0 params)

impl main {
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
\tvec1 32 ssa_2 = intrinsic load_local_invocation_index () ()
\tvec1 32 ssa_3 = ishl ssa_2, ssa_2
\tintrinsic store_shared (ssa_2, ssa_3) (base=0, wrmask=x /*1*/, align_mul=4, align_offset=0)
\tintrinsic memory_barrier_shared () ()
\tintrinsic control_barrier () ()
\tintrinsic memory_barrier_buffer () ()
\tvec1 32 ssa_4 = intrinsic load_shared (ssa_0) (base=0, align_mul=4, align_offset=0)
\tintrinsic memory_barrier_shared () ()
\tintrinsic control_barrier () ()
\tintrinsic store_ssbo (ssa_4, ssa_0, ssa_0) (wrmask=x /*1*/, access=0, align_mul=4, align_offset=0)
\t/* succs: block_1 */
\tblock block_1:
}
"""
    shader = parse_dump(text)
    assert not shader.unreadable
    after = clone_shader(shader)
    assert OptBarriers().run([after]) == [after]
    assert [one.name for one in barriers(after)] == ["memory_barrier_shared", "control_barrier"]
    assert not isinstance(verify_shaders(shader, after), Different)


def test_finding_says_why_and_which_barrier_orders_the_rest() -> None:
    shader = control("out VAR0.x [%1] = %1\nbarrier\nbarrier\n%9 = load VAR0.x [%0]\nout VAR1.x [%1] = %9")
    (finding,) = OptBarriers().find([shader])
    first, second = barriers(shader)
    assert finding.place == Place.of(first.span)
    assert finding.message.startswith("barrier orders no accesses: ")
    assert [related.place for related in finding.related] == [Place.of(second.span)]
    (fix,) = finding.fixes
    (change,) = OptBarriers().fix([shader], fix.request)
    assert [one.span for one in barriers(change.after)] == [second.span]


def test_fixes_remove_one_barrier_or_all() -> None:
    shader = control("barrier\nout VAR0.x [%1] = %1\nbarrier\nout VAR1.x [%1] = %1")
    first, second = OptBarriers().find([shader])
    one, all_of_them = second.fixes
    after = [OptBarriers().fix([shader], fix.request)[0].after for fix in (one, all_of_them)]
    assert [len(barriers(changed)) for changed in after] == [1, 0]
    assert first.fixes[1].request.scope == "pass"


def test_functions_that_are_called_keep_their_barriers(data: Path) -> None:
    text = (
        "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 8, 1, 1\ndecl_function main () (entrypoint)\n"
        "decl_function helper ()\n\nimpl main {\n    block b0:  // preds:\n    call helper\n"
        "    block b1:\n}\n\n"
        f"impl helper {{\n    block b0:  // preds:\n    {barrier()}\n    block b1:\n}}\n"
    )
    shader = parse_dump(text.encode())
    assert not shader.unreadable
    assert opt_barriers(shader) == []


@pytest.mark.sweep
def test_corpus_stays_the_same(corpus: Path) -> None:
    kept = {}
    for path in sorted(corpus.glob("pipelines/hand_comp_*/*/comp.io.nir")):
        shader = parse_dump(path.read_bytes())
        after = clone_shader(shader)
        opt_barriers(after)
        assert_valid(after)
        if barriers(shader):
            kept[f"{path.parent.parent.name}/{path.parent.name}"] = len(barriers(after))
            quick = VerificationOptions(runs=1, most_runs=1, lanes=16)
            assert not isinstance(verify_shaders(shader, after, quick), Different)
    assert kept
    assert all(kept.values()), "shared memory of these is used by all, so that a barrier must be left"


def test_shared_memory_of_a_control_shader_holds_its_outputs() -> None:
    shader = parse_body(
        "block b0:\n"
        "32 %0 = load_const (0x00000000)\n"
        "32 %1 = @load_invocation_id\n"
        "@store_shared (%1, %1) (base=0, wrmask=x, align_mul=4, align_offset=0)\n"
        "@memory_barrier_tcs_patch\n"
        "@barrier () (execution_scope=WORKGROUP, memory_scope=NONE, mem_semantics=NONE, mem_modes=none)\n"
        "32 %2 = @load_shared (%0) (base=0, align_mul=4, align_offset=0)\n"
        "@store_shared (%2, %1) (base=64, wrmask=x, align_mul=4, align_offset=0)\n"
        "block b1:",
        stage="TESS_CTRL",
        valid=False,
    )
    assert not opt_barriers(shader)
