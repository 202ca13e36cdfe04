"""Levels first, and the rest only for patches that survive: what comes out, and when it is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode, Spacing
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.passes.declaration import OptionError
from nirls.passes.tessellation.culled_work.restructure_tcs_flow import (
    RestructureTcsFlow,
    restructure,
)
from nirls.passes.tessellation.culled_work.split import Restructured
from nirls.passes.tessellation.culled_work.split_plan import GiveUp
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_becomes
from tests.passes.tessellation.control_text import (
    HEADER,
    TRIANGLES,
    assert_same_patches,
    control,
    copy,
    entry,
    expand,
    guard_of,
    intrinsics,
)
from tests.passes.tessellation.patches import reread

START = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = load_const (0x00000001)
32 %2 = @load_invocation_id
"""
OF_ONE = f"""
{START}
%3 = in VAR0.x [%2]
32 %4 = fsqrt %3
out VAR0.x [%2] = %4
1 %5 = ieq %2, %0
if %5 {{
    block b1:  // preds: b0
    %6 = in VAR1.x [%2]
    32 %7 = fadd %6, %6
    patch OUTER.x = %6
    patch OUTER.y = %6
    patch OUTER.z = %7
    patch INNER.x = %6
}} else {{
    block b2:  // preds: b0
}}
block b3:  // preds: b1 b2
block b4:
"""
"""One invocation alone computes the levels."""

OF_ALL = f"""
{START}
%3 = in VAR0.x [%2]
32 %4 = fsqrt %3
out VAR0.x [%2] = %4
%5 = in VAR1.x [%1]
32 %6 = fadd %5, %5
patch OUTER.x = %5
patch OUTER.y = %6
patch OUTER.z = %5
patch INNER.x = %5
block b1:
"""
"""Every invocation computes the levels."""


def divided(body: str, rule: CullingRule = TRIANGLES, header: str = HEADER) -> tuple[Shader, Shader]:
    """A control shader before and after, which must do the same."""
    before = control(body, header)
    after = copy(before)
    result = restructure(after, rule)
    assert isinstance(result, Restructured), result
    assert_same_patches(before, after, rule)
    assert restructure(after, rule) is None, "what is divided is not divided again"
    return before, after


def why_not(body: str) -> str:
    shader = control(body)
    before = shader.source
    found = restructure(shader, TRIANGLES)
    assert isinstance(found, GiveUp), found
    assert shader.source == before
    return found.reason


def test_levels_of_one_invocation_reach_the_others_through_outputs_and_a_barrier() -> None:
    assert_becomes(
        lambda shader: isinstance(restructure(shader, TRIANGLES), Restructured),
        expand(OF_ONE),
        expand("""
            block b0:  // preds:
            32 %0 = load_const (0x00000000)
            32 %2 = @load_invocation_id
            1 %5 = ieq %2, %0
            if %5 {
                block b1:  // preds: b0
                %6 = in VAR1.x [%2]
                32 %7 = fadd %6, %6
                patch OUTER.x = %6
                patch OUTER.y = %6
                patch OUTER.z = %7
                patch INNER.x = %6
            } else {
                block b2:  // preds: b0
            }
            block b3:  // preds: b1 b2
            barrier
            %9 = load OUTER.x
            %10 = load OUTER.y
            %11 = load OUTER.z
            32 %12 = load_const (0x00000000)
            1 %13 = flt! %12, %9
            1 %14 = flt! %12, %10
            1 %15 = iand %13, %14
            1 %16 = flt! %12, %11
            1 %17 = iand %15, %16
            if %17 {
                block b5:  // preds: b3
                %3 = in VAR0.x [%2]
                32 %4 = fsqrt %3
                out VAR0.x [%2] = %4
            } else {
                block b6:  // preds: b3
            }
            block b7:  // preds: b5 b6
            block b4:
        """),
        "TESS_CTRL",
        HEADER,
    )


def test_levels_that_all_invocations_compute_need_no_barrier_and_are_stored_once() -> None:
    assert_becomes(
        lambda shader: isinstance(restructure(shader, TRIANGLES), Restructured),
        expand(OF_ALL),
        expand("""
            block b0:  // preds:
            32 %0 = load_const (0x00000000)
            32 %1 = load_const (0x00000001)
            %5 = in VAR1.x [%1]
            32 %6 = fadd %5, %5
            patch OUTER.x = %5
            patch OUTER.y = %6
            patch OUTER.z = %5
            patch INNER.x = %5
            32 %7 = load_const (0x00000000)
            1 %8 = flt! %7, %5
            1 %9 = flt! %7, %6
            1 %10 = iand %8, %9
            if %10 {
                block b2:  // preds: b0
                32 %2 = @load_invocation_id
                %3 = in VAR0.x [%2]
                32 %4 = fsqrt %3
                out VAR0.x [%2] = %4
            } else {
                block b3:  // preds: b0
            }
            block b4:  // preds: b2 b3
            block b1:
        """),
        "TESS_CTRL",
        HEADER,
    )


@pytest.mark.parametrize(
    ("rule", "compared", "operation", "bits"),
    [
        (CullingRule(PrimitiveMode.ISOLINES, Spacing.EQUAL, below_half=True), 2, "fge", 0x3F000000),
        (CullingRule(PrimitiveMode.TRIANGLES, Spacing.EQUAL, below_half=True), 3, "fge", 0x3F000000),
        (CullingRule(PrimitiveMode.QUADS, Spacing.EQUAL, below_half=True), 4, "fge", 0x3F000000),
        (CullingRule(PrimitiveMode.QUADS, Spacing.EQUAL), 4, "flt", 0),
        (CullingRule(PrimitiveMode.QUADS, Spacing.FRACTIONAL_ODD), 4, "flt", 0),
        (CullingRule(PrimitiveMode.TRIANGLES, Spacing.FRACTIONAL_EVEN), 3, "flt", 0),
        (CullingRule(), 2, "flt", 0),
    ],
)
def test_exactly_the_levels_that_the_mode_uses_are_compared(
    rule: CullingRule, compared: int, operation: str, bits: int
) -> None:
    body = OF_ONE.replace("patch INNER.x = %6", "patch OUTER.w = %7\n    patch INNER.x = %6")
    after = control(body, "tcs_vertices_out: 3")
    assert isinstance(restructure(after, rule), Restructured)
    loads = intrinsics(after, "load_output")
    assert [load.int_index("component") for load in loads] == list(range(compared))
    questions = [instr for instr in entry(after).instrs() if isinstance(instr, AluInstr) and instr.exact]
    assert {question.op for question in questions} == {operation}
    for question in questions:
        constants = [src.ssa.instr for src in question.sources if isinstance(src.ssa.instr, LoadConstInstr)]
        assert [constant.values for constant in constants] == [(bits,)]


def test_levels_that_are_constants_of_uniforms_under_an_if_are_computed_by_all() -> None:
    """The value is the same for all, so that those who do not store it can compute it as well."""
    body = OF_ONE.replace("%6 = in VAR1.x [%2]", "%6 = in VAR1.x [%0]")
    _, after = divided(body)
    assert not intrinsics(after, "barrier")
    assert len(intrinsics(after, "store_output")) == 4


def test_levels_of_branches_that_all_take_together_are_merged() -> None:
    _, after = divided(f"""
        {START}
        %3 = in VAR0.x [%2]
        out VAR0.x [%2] = %3
        32 %4 = @load_primitive_id
        1 %5 = ieq %4, %0
        if %5 {{
            block b1:  // preds: b0
            patch OUTER.x = %0
            patch OUTER.y = %0
            patch OUTER.z = %0
        }} else {{
            block b2:  // preds: b0
            %6 = in VAR1.x [%0]
            patch OUTER.x = %6
            patch OUTER.y = %6
            patch OUTER.z = %6
        }}
        block b3:  // preds: b1 b2
        block b4:
    """)
    assert not intrinsics(after, "barrier")


VECTORS = (
    "32x4 %8 = vec4 %6, %7, %6, %7\n32x2 %9 = vec2 %6, %7\n"
    "@store_output (%8, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32,"
    " io location=VARYING_SLOT_TESS_LEVEL_OUTER slots=1, xfb(), xfb2())\n"
    "@store_output (%9, %0) (base=0, range=1, wrmask=xy, component=0, src_type=float32,"
    " io location=VARYING_SLOT_TESS_LEVEL_INNER slots=1, xfb(), xfb2())\n"
)


@pytest.mark.parametrize("rule", [TRIANGLES, CullingRule(PrimitiveMode.QUADS, Spacing.FRACTIONAL_ODD)])
@pytest.mark.parametrize(("vertex", "waits"), [("%0", 0), ("%2", 1)])
def test_levels_as_vectors(rule: CullingRule, vertex: str, waits: int) -> None:
    levels = f"%6 = in VAR1.x [{vertex}]\n32 %7 = fadd %6, %6\n{VECTORS}"
    start = OF_ONE[: OF_ONE.index("%6 = in")]
    _, after = divided(start + levels + OF_ONE[OF_ONE.index("} else {") :], rule, "tcs_vertices_out: 3")
    assert len(intrinsics(after, "barrier")) == waits


def test_what_levels_are_computed_from_comes_first_with_its_barriers() -> None:
    before, after = divided(f"""
        {START}
        %3 = in VAR0.x [%2]
        out VAR0.x [%2] = %3
        out VAR1.x [%2] = %3
        barrier
        %4 = load VAR0.x [%1]
        %5 = load VAR1.x [%1]
        patch OUTER.x = %4
        patch OUTER.y = %4
        patch OUTER.z = %4
        out VAR2.x [%2] = %5
        block b1:
    """)
    assert len(intrinsics(before, "barrier")) == 1
    first = [instr for node in entry(after).body if isinstance(node, Block) for instr in node]
    names = [instr.name for instr in first if isinstance(instr, IntrinsicInstr)]
    assert names.count("store_per_vertex_output") == 1
    assert names.index("store_per_vertex_output") < names.index("barrier")
    assert names.count("store_output") == 3
    guarded = [instr for node in guard_of(after).then_body if isinstance(node, Block) for instr in node]
    assert [instr.name for instr in guarded if isinstance(instr, IntrinsicInstr)] == [
        "store_per_vertex_output",
        "barrier",
        "load_per_vertex_output",
        "store_per_vertex_output",
    ]


@pytest.mark.sweep
@pytest.mark.parametrize(
    "names",
    [
        ("hand_tess_pn_triangles/classic/tesc.io.nir", "hand_tess_pn_triangles/classic/tese.io.nir"),
        ("hand_tess_pn_triangles/modern/tesc.io.nir", "hand_tess_pn_triangles/modern/tese.io.nir"),
        ("hand_tess_patch_array/modern/tesc.io.nir", "hand_tess_patch_array/modern/tese.io.nir"),
    ],
)
def test_corpus(corpus: Path, names: tuple[str, str]) -> None:
    before = [parse_dump((corpus / "pipelines" / name).read_bytes()) for name in names]
    after = [copy(shader) for shader in before]
    assert RestructureTcsFlow().run(after) == after[:1]
    assert RestructureTcsFlow().run(after) == []
    again = reread(before, after)
    assert isinstance(verify_shaders(before, again, VerificationOptions(runs=2, most_runs=2)), Equivalent)


def test_stores_go_to_the_end_of_the_guarded_block() -> None:
    _, after = divided(f"""
        {START}
        %3 = in VAR0.x [%2]
        out VAR0.x [%2] = %3
        32 %4 = fsin %3
        1 %5 = ilt %2, %1
        if %5 {{
            block b1:  // preds: b0
            32 %6 = fcos %3
            out VAR1.x [%2] = %6
            32 %7 = fexp2 %3
        }} else {{
            block b2:  // preds: b0
            out VAR1.x [%2] = %4
            32 %8 = fcos %4
        }}
        block b3:  // preds: b1 b2
        32 %9 = phi b1: %7, b2: %8
        %10 = in VAR1.x [%0]
        out VAR2.x [%2] = %9
        patch OUTER.x = %10
        patch OUTER.y = %10
        patch OUTER.z = %10
        block b4:
    """)
    guarded = guard_of(after).then_body
    last_work = max(
        position for position, instr in enumerate(_instrs(guarded)) if isinstance(instr, AluInstr)
    )
    stores = [
        position for position, instr in enumerate(_instrs(guarded)) if "store" in getattr(instr, "name", "")
    ]
    assert min(stores) > last_work
    assert len(stores) == 4


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("@store_ssbo (%4, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)", "stores to memory"),
        (
            "32 %90 = @ssbo_atomic (%0, %0, %1) (access=none, atomic_op=iadd)",
            "has an atomic",
        ),
        ("32 %90 = @load_ssbo (%0, %0) (access=volatile, align_mul=4, align_offset=0)", "volatile"),
        ("return", "ends early (return)"),
    ],
)
def test_what_may_not_be_repeated_or_left_out_keeps_the_shader_whole(line: str, reason: str) -> None:
    assert reason in why_not(OF_ALL.replace("block b1:", f"{line}\nblock b1:"))


def test_outputs_that_are_stored_again_cannot_come_first() -> None:
    assert "VAR0.x, which is stored again" in why_not(f"""
        {START}
        %3 = in VAR0.x [%2]
        out VAR0.x [%2] = %3
        barrier
        %4 = load VAR0.x [%1]
        32 %5 = fsin %4
        out VAR1.x [%2] = %5
        1 %6 = ieq %2, %0
        if %6 {{
            block b1:  // preds: b0
            %7 = load VAR0.x [%1]
            out VAR2.x [%2] = %7
        }} else {{
            block b2:  // preds: b0
        }}
        block b3:  // preds: b1 b2
        barrier
        out VAR0.x [%2] = %1
        barrier
        %8 = load VAR0.x [%0]
        patch OUTER.x = %8
        patch OUTER.y = %8
        patch OUTER.z = %8
        block b4:
    """)


def test_other_outputs_may_not_depend_on_who_else_runs() -> None:
    body = OF_ALL.replace("32 %4 = fsqrt %3", "32 %4 = @reduce (%3) (reduction_op=fadd, cluster_size=0)")
    assert "computes other outputs with reduce" in why_not(body)


def test_variables_must_be_lowered_first() -> None:
    shader = control(
        """
        block b0:  // preds:
        32 %0 = deref_var &o (shader_out float)
        32 %1 = load_const (0x00000000)
        @store_deref (%0, %1) (wrmask=x, access=none)
        block b1:
        """,
        HEADER + "\ndecl_var patch shader_out INTERP_MODE_NONE none float o (VARYING_SLOT_PATCH0.x, 0, 0)",
    )
    (finding,) = RestructureTcsFlow().find([shader])
    assert finding.code == "unsplittable-control-shader"
    assert "lower I/O" in finding.message


@pytest.mark.parametrize(
    "body",
    [
        OF_ALL.replace("out VAR0.x [%2] = %4", ""),
        f"{START}\n%3 = in VAR0.x [%2]\nout VAR0.x [%2] = %3\nblock b1:\n",
    ],
)
def test_nothing_to_gain_without_levels_or_other_outputs(body: str) -> None:
    shader = control(body)
    assert restructure(shader, TRIANGLES) is None
    assert list(RestructureTcsFlow().find([shader])) == []


def test_a_guard_that_somebody_wrote_is_enough() -> None:
    shader = control(f"""
        {START}
        %3 = in VAR1.x [%0]
        patch OUTER.x = %3
        patch OUTER.y = %3
        patch OUTER.z = %3
        1 %4 = flt %0, %3
        if %4 {{
            block b1:  // preds: b0
            out VAR0.x [%2] = %3
        }} else {{
            block b2:  // preds: b0
        }}
        block b3:  // preds: b1 b2
        block b4:
    """)
    assert restructure(shader, TRIANGLES) is None


def with_more_work(body: str) -> str:
    roots = "\n".join(f"32 %{number} = fsqrt %{number - 1}" for number in range(41, 60))
    return body.replace("32 %4 = fsqrt %3", f"32 %40 = fsqrt %3\n{roots}\n32 %4 = fsqrt %59")


def test_finding_counts_what_is_skipped_and_its_fix_does_it() -> None:
    shader = control(with_more_work(OF_ONE))
    (finding,) = RestructureTcsFlow().find([shader])
    assert finding.message.startswith(
        "culled patches could skip 23 of 33 instructions; this adds 9 instructions, including 1 barrier and"
        " 3 output loads (kept:"
    )
    assert (finding.data["instructions"], finding.data["barriers_added"]) == (23, 1)
    assert finding.related
    (fix,) = finding.fixes
    (change,) = RestructureTcsFlow().fix([shader], fix.request)
    assert change.before is shader
    assert change.assumptions.culling == TRIANGLES
    assert_same_patches(shader, change.after)


def test_no_fix_where_the_split_adds_more_than_it_saves() -> None:
    (finding,) = RestructureTcsFlow().find([control(OF_ONE)])
    assert finding.code == "unsplittable-control-shader"
    assert finding.data["reason"] == "cost"
    assert not finding.fixes
    (offered,) = RestructureTcsFlow().find([control(OF_ALL)])
    assert offered.code == "culled-patch-work"
    assert offered.data["barriers_added"] == 0


def test_rule_comes_from_the_evaluation_shader_then_from_the_options() -> None:
    tcs = control(OF_ONE, "tcs_vertices_out: 3")
    options = {"primitive_mode": "quads", "spacing": "equal"}
    assert RestructureTcsFlow.with_options(options).culling([tcs]) == CullingRule(
        PrimitiveMode.QUADS, Spacing.EQUAL
    )
    half = RestructureTcsFlow.with_options({**options, "cull_below_half": True}).culling([tcs])
    assert half == CullingRule(PrimitiveMode.QUADS, Spacing.EQUAL, below_half=True)
    assert RestructureTcsFlow().culling([tcs]) == CullingRule()
    with pytest.raises(OptionError, match="takes triangles, quads, isolines"):
        RestructureTcsFlow.with_options({"primitive_mode": "points"}).check([tcs])


def test_only_control_shaders_change() -> None:
    tcs = control(OF_ONE)
    assert RestructureTcsFlow().run([tcs]) == [tcs]
    assert RestructureTcsFlow().run([tcs]) == []


def _instrs(body: list[object]) -> list[object]:
    found: list[object] = []
    work = body[::-1]
    while work:
        node = work.pop()
        if isinstance(node, Block):
            found += node
        else:
            work += [inner for nested in node.bodies()[::-1] for inner in nested[::-1]]  # type: ignore[attr-defined]
    return found


def test_skipping_patches_below_half_is_refused_by_the_rule_of_the_api() -> None:
    """With equal spacing a level of 0.3 is drawn, so only the levels of the API may cull."""
    shader = control(OF_ALL, HEADER)
    refused, kept = copy(shader), copy(shader)
    half = CullingRule(PrimitiveMode.TRIANGLES, Spacing.EQUAL, below_half=True)
    assert isinstance(restructure(refused, half), Restructured)
    assert isinstance(restructure(kept, TRIANGLES), Restructured)
    options = VerificationOptions(assumptions=Assumptions(culling=half))
    assert isinstance(verify_shaders(shader, refused, options), Different)
    assert isinstance(verify_shaders(shader, kept, options), Equivalent)


def test_printed_edges_follow_the_new_branches() -> None:
    shader = control(f"""
{START}
%3 = in VAR0.x [%2]
%4 = in VAR1.x [%0]
out VAR0.x [%2] = %3
patch OUTER.x = %4
patch OUTER.y = %4
patch OUTER.z = %4
patch INNER.x = %4
// succs: b1
""")
    assert isinstance(restructure(shader, TRIANGLES), Restructured)
    assert [found.message for found in validate(shader)] == []
