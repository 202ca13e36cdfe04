from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.discards.kinds import is_discard
from nirls.passes.discards.opt_move_discards_to_top import (
    OptMoveDiscardsToTop,
    opt_move_discards_to_top,
)
from tests.passes.expectation import assert_becomes, assert_unchanged, assert_valid, parse_body

DECLARATIONS = """
decl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 0, 0)
decl_var ssbo INTERP_MODE_NONE restrict writeonly buf b (0, 0, 0)
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
    return OptMoveDiscardsToTop.with_options(options).why_not_movable(discard_of(shader))


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
            ["loop {", "block b1:", "@demote_if (%0)", "break", "}", "block b2:"],
            "inside a loop",
        ),
        (
            ["if %0 {", "block b1:", "@demote_if (%0)", "} else {", "block b2:", "}", "block b3:"],
            "inside an if",
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
    assert OptMoveDiscardsToTop().why_not_movable(discard_of(shader)) == ""


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
    assert "register" in OptMoveDiscardsToTop().why_not_movable(discard_of(shader))
    assert not opt_move_discards_to_top(shader)


def test_findings_say_what_is_skipped() -> None:
    shader = parse_body(body(FETCH, OUT, "@terminate_if (%0)"), declarations=DECLARATIONS)
    (finding,) = OptMoveDiscardsToTop().find([shader])
    assert finding.code == "movable-discard"
    assert finding.message == "terminate_if can move 5 instructions up, past 1 texture fetch"
    (related,) = finding.related
    assert b"txl" in shader.source[related.place.start : related.place.end]
    (change,) = OptMoveDiscardsToTop().fix([shader], finding.fixes[0].key)
    text = apply_edits(shader.source, text_edits(change.before, change.after))
    assert text.index(b"terminate_if") < text.index(b"txl")


def test_fix_of_one_discard_leaves_the_others() -> None:
    shader = parse_body(
        body(FETCH, "@terminate_if (%0)", "1 %3 = inot %0", "@terminate_if (%3)"), declarations=DECLARATIONS
    )
    first, second = OptMoveDiscardsToTop().find([shader])
    assert [fix.kind for fix in first.fixes] == ["one", "pass"]
    (change,) = OptMoveDiscardsToTop().fix([shader], second.fixes[0].key)
    order = [one for one in next(iter(change.after.impls())).instrs() if is_discard(one)]
    assert [one.sources[0].ssa.index for one in order if isinstance(one, IntrinsicInstr)] == [3, 0]
    (change,) = OptMoveDiscardsToTop().fix([shader], second.fixes[1].key)
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
    assert finding.message == "terminate_if can move 3 instructions up"
    (related,) = finding.related
    assert b"store_output" in shader.source[related.place.start : related.place.end]
