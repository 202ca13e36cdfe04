from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.discards.kinds import is_discard
from nirls.passes.discards.opt_discard_if import OptDiscardIf
from nirls.passes.discards.opt_move_discards_to_top import (
    OptMoveDiscardsToTop,
    opt_move_discards_to_top,
)
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_becomes, assert_unchanged, assert_valid, parse_body

DECLARATIONS = """
decl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 0, 0)
decl_var ssbo INTERP_MODE_NONE restrict writeonly buf b (0, 0, 0)
decl_var ssbo INTERP_MODE_NONE volatile int v (0, 1, 0)
"""
TEX = """
32 %10 = deref_var &tex (uniform sampler2D)
32x2 %11 = vec2 %1, %1
"""
FETCH = f"{TEX}\n32x4 %12 = (float32)txl %10 (texture_deref), %10 (sampler_deref), %11 (coord), %1 (lod)"
SAMPLE = f"{TEX}\n32x4 %12 = (float32)tex %10 (texture_deref), %10 (sampler_deref), %11 (coord)"
OUT = (
    "@store_output (%1, %1) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
    " io location=FRAG_RESULT_DATA0 slots=1)"
)
VOLATILE_LOAD = "32 %2 = @load_ssbo (%1, %1) (access=volatile, align_mul=4, align_offset=0)"
SSBO_STORE = "@store_ssbo (%1, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def body(*lines: str) -> str:
    """Lines around a constant %1 and, first, a condition %0 that can be known early."""
    head = "block b0:\n1 %0 = @load_front_face\n32 %1 = load_const (0x00000000)\n"
    return head + "\n".join(line.strip("\n") for line in lines) + "\nblock b99:"


def discard_of(shader: Shader) -> IntrinsicInstr:
    found = [one for impl in shader.impls() for one in impl.instrs() if is_discard(one)]
    assert len(found) == 1
    assert isinstance(found[0], IntrinsicInstr)
    return found[0]


def reason(*lines: str, **options: bool) -> str:
    shader = parse_body(body(*lines), declarations=DECLARATIONS)
    return OptMoveDiscardsToTop.with_options(options).why_not_movable(shader, discard_of(shader))


@pytest.mark.parametrize("kind", ["terminate_if", "demote_if"])
def test_discard_moves_with_what_it_depends_on(kind: str) -> None:
    result = assert_becomes(
        opt_move_discards_to_top,
        body(FETCH, "1 %2 = @load_front_face", "1 %3 = inot %2", f"@{kind} (%3)", OUT),
        f"""
        block b0:
        1 %2 = @load_front_face
        1 %3 = inot %2
        @{kind} (%3)
        1 %0 = @load_front_face
        32 %1 = load_const (0x00000000)
        {FETCH.strip()}
        {OUT}
        block b99:
        """.replace("\n32x", "\n        32x"),
        declarations=DECLARATIONS,
    )
    first = next(iter(result.impls())).start_block.first
    assert isinstance(first, IntrinsicInstr)


def test_all_movable_discards_move_in_their_order() -> None:
    shader = parse_body(
        body(FETCH, "1 %2 = inot %0", "@terminate_if (%2)", OUT, "1 %3 = iand %0, %2", "@demote_if (%3)"),
        declarations=DECLARATIONS,
    )
    assert opt_move_discards_to_top(shader)
    assert_valid(shader)
    kinds = [getattr(one, "name", getattr(one, "op", "")) for one in next(iter(shader.impls())).instrs()]
    assert kinds[:5] == ["load_front_face", "inot", "terminate_if", "iand", "demote_if"]


def test_only_the_first_as_mesa_of_2022() -> None:
    lines = [OUT, "@terminate_if (%0)", "1 %3 = inot %0", "@demote_if (%3)"]
    shader = parse_body(body(*lines), declarations=DECLARATIONS)
    assert opt_move_discards_to_top(shader, only_first=True)
    kinds = [getattr(one, "name", getattr(one, "op", "")) for one in next(iter(shader.impls())).instrs()]
    assert kinds == ["load_front_face", "terminate_if", "", "store_output", "inot", "demote_if"]


def test_nothing_to_skip_is_no_progress() -> None:
    assert_unchanged(
        opt_move_discards_to_top,
        """
        block b0:
        1 %0 = @load_front_face
        @terminate_if (%0)
        32 %1 = load_const (0x00000000)
        block b1:
        """,
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([SAMPLE, "@terminate_if (%0)"], "implicit derivatives"),
        (["32 %2 = @ddx (%1)", "@terminate_if (%0)"], "a derivative"),
        (["32 %2 = @quad_swap_horizontal (%1)", "@terminate_if (%0)"], "the quad"),
        ([SSBO_STORE, "@demote_if (%0)"], "write to external memory"),
        (
            [
                "32 %2 = @ssbo_atomic (%1, %1, %1) (access=none, atomic_op=iadd)",
                "@demote_if (%0)",
            ],
            "an atomic",
        ),
        (
            [
                "@barrier () (execution_scope=NONE, memory_scope=DEVICE, mem_semantics=ACQ|REL,"
                " mem_modes=ssbo)",
                "@demote_if (%0)",
            ],
            "a barrier",
        ),
        (["1 %2 = @vote_any (%0)", "@demote_if (%0)"], "cannot be reordered"),
        (["1 %2 = @is_helper_invocation", "@demote_if (%0)"], "depends on discards"),
        (["@terminate"], "unconditional"),
        (
            [
                "32 %2 = @load_ssbo (%1, %1) (access=none, align_mul=4, align_offset=0)",
                "1 %3 = ieq %2, %1",
                "@demote_if (%3)",
            ],
            "may be written",
        ),
        (
            [
                *("loop {", "block b1:", "if %0 {", "block b2:", "break", "} else {", "block b3:", "}"),
                *("block b4:", OUT, "1 %5 = inot %0", "@demote_if (%5)", "}", "block b5:"),
            ],
            "inside a loop, after a break",
        ),
        (
            [
                *("loop {", "block b1:", "32 %2 = phi b0: %1, b1: %3", "32 %3 = iadd %2, %2"),
                *("1 %4 = ieq %2, %1", "@demote_if (%4)", "}", "block b5:"),
            ],
            "%2, a phi",
        ),
        ([VOLATILE_LOAD, "@demote_if (%0)"], "a volatile access"),
        (
            ["32 %2 = deref_var &v (ssbo int)", "32 %3 = @load_deref (%2) (access=none)", "@demote_if (%0)"],
            "a volatile access",
        ),
        (
            [
                "if %0 {",
                "block b1:",
                "32x4 %3 = @load_ubo (%1, %1) (access=none, align_mul=4, align_offset=0, range_base=0,"
                " range=16)",
                "1 %4 = flt %3.x, %3.y",
                "32 %5 = fadd %3.x, %3.x",
                OUT,
                "@terminate_if (%4)",
                "} else {",
                "block b2:",
                "}",
                "block b3:",
            ],
            "load_ubo in a branch",
        ),
        (
            [
                "if %0 {",
                "block b1:",
                "return",
                "} else {",
                "block b2:",
                "}",
                "block b3:",
                "@demote_if (%0)",
            ],
            "a return",
        ),
        (
            [
                "if %0 {",
                "block b1:",
                "} else {",
                "block b2:",
                "1 %2 = inot %0",
                "}",
                "block b3:",
                "1 %3 = phi b1: %0, b2: %2",
                "@demote_if (%3)",
            ],
            "a phi",
        ),
    ],
)
def test_what_a_discard_cannot_pass(lines: list[str], words: str) -> None:
    assert words in reason(*lines)
    assert_unchanged(opt_move_discards_to_top, body(*lines), declarations=DECLARATIONS)


@pytest.mark.parametrize("line", [SAMPLE, "32 %2 = @ddx (%1)", "32 %2 = @quad_swap_horizontal (%1)"])
def test_demote_passes_what_needs_helpers(line: str) -> None:
    assert reason(line, "@demote_if (%0)") == ""


def test_driver_option_lets_terminates_pass_derivatives() -> None:
    assert reason(SAMPLE, "@terminate_if (%0)", derivatives_safe_after_discard=True) == ""
    assert reason(SSBO_STORE, "@terminate_if (%0)", derivatives_safe_after_discard=True) != ""
    shader = parse_body(body(SAMPLE, "@terminate_if (%0)"), declarations=DECLARATIONS)
    assert OptMoveDiscardsToTop(derivatives_safe_after_discard=False).run([shader]) == []
    assert OptMoveDiscardsToTop(derivatives_safe_after_discard=True).run([shader]) == [shader]


@pytest.mark.parametrize(
    "line",
    [
        FETCH,
        OUT,
        "32 %2 = @load_ssbo (%1, %1) (access=none, align_mul=4, align_offset=0)",
        "32 %2 = load_const (0x00000001)",
    ],
)
def test_what_any_discard_passes(line: str) -> None:
    assert reason(line, "@terminate_if (%0)") == ""


def test_load_of_a_uniform_moves_along() -> None:
    shader = parse_body(
        body(
            FETCH,
            "32 %2 = deref_var &t (uniform float)",
            "32 %3 = @load_deref (%2) (access=none)",
            "1 %4 = flt %3, %1",
            "@terminate_if (%4)",
        ),
        declarations=DECLARATIONS + "decl_var uniform INTERP_MODE_NONE none float t (1, 0, 0)\n",
    )
    assert OptMoveDiscardsToTop().why_not_movable(shader, discard_of(shader)) == ""


def test_register_condition_does_not_move() -> None:
    old = b"""shader: MESA_SHADER_FRAGMENT
inputs: 0
decl_function main (0 params)

impl main {
	decl_reg vec1 32 r0
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
	r0 = mov ssa_0
	intrinsic discard_if (r0) ()
	/* succs: block_1 */
	block block_1:
}
"""
    shader = parse_dump(old)
    assert "register" in OptMoveDiscardsToTop().why_not_movable(shader, discard_of(shader))
    assert not opt_move_discards_to_top(shader)


def test_findings_say_what_is_skipped() -> None:
    shader = parse_body(body(FETCH, OUT, "@terminate_if (%0)"), declarations=DECLARATIONS)
    (finding,) = OptMoveDiscardsToTop().find([shader])
    assert finding.code == "movable-discard"
    assert finding.message == (
        "terminate_if can move up: discarded invocations skip 1 texture fetch, 1 store and 1 ALU instruction"
    )
    (related,) = finding.related
    assert b"txl" in shader.source[related.place.start : related.place.end]
    (change,) = OptMoveDiscardsToTop().fix([shader], finding.fixes[0].request)
    text = apply_edits(shader.source, text_edits(change.before, change.after))
    assert text.index(b"terminate_if") < text.index(b"txl")


def test_fix_of_one_discard_leaves_the_others() -> None:
    shader = parse_body(
        body(FETCH, "@terminate_if (%0)", "1 %3 = inot %0", "@terminate_if (%3)"), declarations=DECLARATIONS
    )
    first, second = OptMoveDiscardsToTop().find([shader])
    assert [fix.request.scope for fix in first.fixes] == ["one", "pass"]
    (change,) = OptMoveDiscardsToTop().fix([shader], second.fixes[0].request)
    order = [one for one in next(iter(change.after.impls())).instrs() if is_discard(one)]
    assert [one.sources[0].ssa.index for one in order if isinstance(one, IntrinsicInstr)] == [3, 0]
    (change,) = OptMoveDiscardsToTop().fix([shader], second.fixes[1].request)
    order = [one for one in next(iter(change.after.impls())).instrs() if is_discard(one)]
    assert [one.sources[0].ssa.index for one in order if isinstance(one, IntrinsicInstr)] == [0, 3]


def test_finding_names_the_reason_and_its_place() -> None:
    shader = parse_body(body(SAMPLE, "@terminate_if (%0)"), declarations=DECLARATIONS)
    (finding,) = OptMoveDiscardsToTop().find([shader])
    assert finding.code == "unmovable-discard"
    assert "because" not in finding.message
    assert finding.data["reason"] == "it follows %12 = tex, which takes implicit derivatives"
    (related,) = finding.related
    assert b"tex %10" in shader.source[related.place.start : related.place.end]


@pytest.mark.sweep
def test_chain_of_ten_thousand() -> None:
    lines = [f"32 %{number} = fneg %{number - 1}" for number in range(2, 10_000)]
    discards = [f"1 %{20_000 + n} = flt %{9_999 - n}, %1\n@demote_if (%{20_000 + n})" for n in range(300)]
    shader = parse_body(body(*lines, *discards), valid=False)
    result = clone_shader(shader)
    assert opt_move_discards_to_top(result)
    # All but the front face, which nothing needs, is above the last discard now.
    *_, last = next(iter(result.impls())).instrs()
    assert last.def_ is not None
    assert last.def_.index == 0


def test_example_of_what_is_skipped_is_worth_it() -> None:
    shader = parse_body(body("32 %2 = load_const (0x00000001)", OUT, "@terminate_if (%0)"))
    (finding,) = OptMoveDiscardsToTop().find([shader])
    assert finding.message == "terminate_if can move up: discarded invocations skip 1 store"
    (related,) = finding.related
    assert b"store_output" in shader.source[related.place.start : related.place.end]


LONE = "if %0 {\nblock b1:\n@terminate\n} else {\nblock b2:\n}\nblock b3:"


def test_discard_alone_in_a_branch_moves() -> None:
    assert_becomes(
        opt_move_discards_to_top,
        body(FETCH, LONE, OUT),
        "block b0:\n1 %0 = @load_front_face\n@terminate_if (%0)\n32 %1 = load_const (0x00000000)\n"
        + FETCH.strip()
        + f"\n{OUT}\nblock b99:",
        declarations=DECLARATIONS,
    )


def test_discard_alone_in_a_branch_has_one_finding() -> None:
    shader = parse_body(body(FETCH, LONE, OUT), declarations=DECLARATIONS)
    (finding,) = [*OptMoveDiscardsToTop().find([shader]), *OptDiscardIf().find([shader])]
    assert finding.message == (
        "terminate can move up as terminate_if: discarded invocations skip"
        " 1 texture fetch and 1 ALU instruction"
    )
    (change,) = OptMoveDiscardsToTop().fix([shader], finding.fixes[0].request)
    text = apply_edits(shader.source, text_edits(change.before, change.after))
    assert text.index(b"@terminate_if (%0)") < text.index(b"txl")


def test_fix_of_one_discard_in_a_branch_leaves_those_in_other_branches() -> None:
    other = LONE.replace("%0", "%3").replace("b3", "b6").replace("b1", "b4").replace("b2", "b5")
    shader = parse_body(body(FETCH, LONE, "1 %3 = inot %0", other, OUT), declarations=DECLARATIONS)
    first, second = OptMoveDiscardsToTop().find([shader])
    for finding, moved, left in ((first, 0, "if %3"), (second, 3, "if %0")):
        (change,) = OptMoveDiscardsToTop().fix([shader], finding.fixes[0].request)
        assert_valid(change.after)
        found = [one for impl in change.after.impls() for one in impl.instrs() if is_discard(one)]
        assert isinstance(found[0], IntrinsicInstr)
        assert [one.kind if not isinstance(one, IntrinsicInstr) else one.name for one in found] == [
            "terminate_if",
            "terminate",
        ]
        assert found[0].sources[0].ssa.index == moved
        assert left.encode() in apply_edits(shader.source, text_edits(change.before, change.after))


def test_a_dump_without_discards_does_not_hide_those_of_the_next() -> None:
    shaders = [parse_body(body(*lines, OUT), declarations=DECLARATIONS) for lines in ([], [FETCH, LONE])]
    assert [one.place.dump for one in OptMoveDiscardsToTop().find(shaders)] == [1]


def test_if_with_a_phi_behind_stays_when_its_discard_leaves() -> None:
    shader = parse_body(
        body(
            FETCH,
            "32 %5 = fneg %1",
            LONE.replace("terminate", "demote"),
            "32 %6 = phi b1: %1, b2: %5",
            OUT.replace("(%1,", "(%6,"),
        ),
        declarations=DECLARATIONS,
    )
    after = clone_shader(shader)
    assert opt_move_discards_to_top(after)
    assert_valid(after)
    assert isinstance(verify_shaders(shader, after), Equivalent)


@pytest.mark.parametrize("lines", [[SAMPLE, LONE], [LONE]])
def test_discard_alone_that_gains_nothing_by_moving_has_the_finding_of_opt_discard_if(
    lines: list[str],
) -> None:
    shader = parse_body(body(*lines), declarations=DECLARATIONS)
    (finding,) = [*OptMoveDiscardsToTop().find([shader]), *OptDiscardIf().find([shader])]
    assert finding.code == "conditional-discard"


@pytest.mark.parametrize("kind", ["terminate", "demote"])
def test_discard_in_nested_ifs_takes_their_conditions(kind: str) -> None:
    assert_becomes(
        opt_move_discards_to_top,
        body(
            "1 %7 = flt %1, %1",
            FETCH,
            "if %0 {",
            "block b1:",
            "} else {",
            "block b2:",
            "if %7 {",
            "block b3:",
            OUT,
            "32 %8 = fneg %1",
            "1 %9 = flt %8, %1",
            f"@{kind}_if (%9)",
            "} else {",
            "block b4:",
            "}",
            "block b5:",
            "}",
            "block b6:",
        ),
        f"""
        block b0:
        1 %0 = @load_front_face
        32 %1 = load_const (0x00000000)
        1 %7 = flt %1, %1
        32 %8 = fneg %1
        1 %9 = flt %8, %1
        1 %20 = inot %0
        1 %21 = iand %20, %7
        1 %22 = iand %21, %9
        @{kind}_if (%22)
        32 %10 = deref_var &tex (uniform sampler2D)
        32x2 %11 = vec2 %1, %1
        32x4 %12 = (float32)txl %10 (texture_deref), %10 (sampler_deref), %11 (coord), %1 (lod)
        if %0 {{
            block b1:
        }} else {{
            block b2:
            if %7 {{
                block b3:
                {OUT}
            }} else {{
                block b4:
            }}
            block b5:
        }}
        block b6:
        block b99:
        """,
        declarations=DECLARATIONS,
    )


def test_if_that_a_discard_leaves_empty_goes() -> None:
    assert_becomes(
        opt_move_discards_to_top,
        body(
            FETCH,
            "if %0 {",
            "block b1:",
            "1 %9 = inot %0",
            "@demote_if (%9)",
            "} else {",
            "block b2:",
            "}",
            "block b3:",
            OUT,
        ),
        f"""
        block b0:
        1 %0 = @load_front_face
        1 %9 = inot %0
        1 %10 = iand %0, %9
        @demote_if (%10)
        32 %1 = load_const (0x00000000)
        32 %20 = deref_var &tex (uniform sampler2D)
        32x2 %11 = vec2 %1, %1
        32x4 %12 = (float32)txl %20 (texture_deref), %20 (sampler_deref), %11 (coord), %1 (lod)
        {OUT}
        block b99:
        """,
        declarations=DECLARATIONS,
    )


@pytest.mark.parametrize(("count", "words"), [(8, ""), (9, "9 instructions of its branch")])
def test_branch_gives_up_a_few_instructions_only(count: int, words: str) -> None:
    chain = [f"32 %{20 + n} = fneg %{19 + n if n else 1}" for n in range(count - 1)]
    lines = [
        *("if %0 {", "block b1:", OUT, *chain, f"1 %50 = flt %{18 + count}, %1", "@demote_if (%50)"),
        *("} else {", "block b2:", "}", "block b3:"),
    ]
    found = reason(*lines)
    assert words in found if words else not found


def test_demoted_helpers_still_run_unless_the_whole_quad_is_demoted() -> None:
    shader = parse_body(body(FETCH, "@demote_if (%0)"), declarations=DECLARATIONS)
    (finding,) = OptMoveDiscardsToTop().find([shader])
    assert "demoted quads skip 1 texture fetch" in finding.message
    assert finding.data["fetches"] == 1
    assert finding.data["alu"] == 1


@pytest.mark.parametrize("kind", ["terminate_if", "demote_if"])
def test_discard_of_the_first_iteration_of_a_loop_moves(kind: str) -> None:
    lines = ("loop {", "block b1:", OUT, "1 %3 = inot %0", f"@{kind} (%3)", "if %0 {", "block b2:", "break")
    end = ("} else {", "block b3:", "}", "block b4:", "}", "block b5:")
    assert_becomes(
        opt_move_discards_to_top,
        body(*lines, *end),
        f"""
        block b0:
        1 %0 = @load_front_face
        1 %3 = inot %0
        @{kind} (%3)
        32 %1 = load_const (0x00000000)
        loop {{
        block b1:
        {OUT}
        if %0 {{
        block b2:
        break
        }} else {{
        block b3:
        }}
        block b4:
        }}
        block b5:
        block b99:
        """,
    )


def test_discard_in_an_if_of_a_loop_takes_its_condition() -> None:
    lines = ("loop {", "block b1:", "if %0 {", "block b2:", OUT, "@demote", "} else {", "block b3:", "}")
    shader = parse_body(body(*lines, "block b4:", "break", "}", "block b5:"))
    assert opt_move_discards_to_top(shader)
    assert_valid(shader)
    kinds = [getattr(one, "name", getattr(one, "op", "")) for one in next(iter(shader.impls())).instrs()]
    assert kinds[:3] == ["load_front_face", "demote_if", ""]


def test_jump_of_another_loop_is_no_obstacle() -> None:
    other = ("loop {", "block b1:", "break", "}", "block b2:")
    assert reason(*other, "loop {", "block b3:", OUT, "@demote_if (%0)", "break", "}", "block b4:") == ""


def test_discard_above_a_loop_that_only_it_ends() -> None:
    """The shader of the review: where the discard is not executed, the loop has no end."""
    loop = (
        *("loop {", "block b1:", "32 %5 = phi b0: %1, b4: %6", "32 %7 = load_const (0x00000008)"),
        *("1 %8 = ige %5, %7", "if %8 {", "block b2:", "break", "} else {", "block b3:", "}"),
        *("block b4:", "32 %6 = iadd %5, %3", "}", "block b5:"),
    )
    before = parse_body(
        body(OUT, "32 %2 = b2i32 %0", "32 %3 = iadd %2, %2", "1 %4 = ieq %3, %1", "@terminate_if (%4)", *loop)
    )
    after = clone_shader(before)
    assert opt_move_discards_to_top(after)
    assert_valid(after)
    assert isinstance(verify_shaders(before, after), Equivalent)
