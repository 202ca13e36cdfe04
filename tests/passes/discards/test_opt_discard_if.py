from __future__ import annotations

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import If
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.discards.opt_discard_if import OptDiscardIf, opt_discard_if
from tests.passes.expectation import assert_becomes, assert_unchanged, assert_valid, parse_body


def out(value: str) -> str:
    return (
        f"@store_output ({value}, %1) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
        " io location=FRAG_RESULT_DATA0 slots=1)"
    )


HEAD = """
block b0:
1     %0 = @load_front_face
32    %1 = load_const (0x00000000)
32    %2 = load_const (0x3f800000)
"""


@pytest.mark.parametrize("kind", ["terminate", "demote"])
def test_discard_alone_under_an_if(kind: str) -> None:
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
            @{kind}
        }} else {{
            block b2:
        }}
        block b3:
        {out("%2")}
        block b4:
        """,
        f"""
        {HEAD}
        @{kind}_if (%0)
        {out("%2")}
        block b1:
        """,
    )


def test_discard_in_the_else_branch_inverts_the_condition() -> None:
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
        }} else {{
            block b2:
            @terminate
        }}
        block b3:
        block b4:
        """,
        f"""
        {HEAD}
        1 %3 = inot %0
        @terminate_if (%3)
        block b1:
        """,
    )


def test_rest_of_the_if_stays_behind_a_terminate() -> None:
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
            @terminate
        }} else {{
            block b2:
            32 %3 = fadd %2, %2
        }}
        block b3:
        32 %4 = phi b1: %2, b2: %3
        {out("%4")}
        block b4:
        """,
        f"""
        {HEAD}
        @terminate_if (%0)
        32 %3 = fadd %2, %2
        {out("%3")}
        block b1:
        """,
    )


def test_demote_leaves_the_if_for_the_other_branch() -> None:
    """Helpers must not run what they would not have run: a neighbour may take a derivative of it."""
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
            @demote
        }} else {{
            block b2:
            32 %3 = fadd %2, %2
        }}
        block b3:
        32 %4 = phi b1: %2, b2: %3
        {out("%4")}
        block b4:
        """,
        f"""
        {HEAD}
        @demote_if (%0)
        if %0 {{
            block b1:
        }} else {{
            block b2:
            32 %3 = fadd %2, %2
        }}
        block b3:
        32 %4 = phi b1: %2, b2: %3
        {out("%4")}
        block b4:
        """,
    )


def test_phi_behind_a_demote_becomes_a_selection() -> None:
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
            @demote
        }} else {{
            block b2:
        }}
        block b3:
        32 %4 = phi b1: %2, b2: %1
        {out("%4")}
        block b4:
        """,
        f"""
        {HEAD}
        @demote_if (%0)
        32 %4 = bcsel %0, %2, %1
        {out("%4")}
        block b1:
        """,
    )


def test_phi_behind_a_terminate_takes_the_other_value() -> None:
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
        }} else {{
            block b2:
            @terminate
        }}
        block b3:
        32 %4 = phi b1: %2, b2: %1
        {out("%4")}
        block b4:
        """,
        f"""
        {HEAD}
        1 %3 = inot %0
        @terminate_if (%3)
        {out("%2")}
        block b1:
        """,
    )


def test_conditional_discard_takes_the_outer_condition_as_well() -> None:
    assert_becomes(
        opt_discard_if,
        """
        block b0:
        1 %0 = @load_front_face
        1 %1 = @load_helper_invocation
        if %0 {
            block b1:
            if %1 {
                block b2:
                @terminate
            } else {
                block b3:
            }
            block b4:
        } else {
            block b5:
        }
        block b6:
        block b7:
        """,
        """
        block b0:
        1 %0 = @load_front_face
        1 %1 = @load_helper_invocation
        1 %2 = iand %0, %1
        @terminate_if (%2)
        block b1:
        """,
    )


def test_conditional_terminate_does_not_end_the_branch_for_all() -> None:
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        1 %9 = @load_helper_invocation
        if %0 {{
            block b1:
            @terminate_if (%9)
        }} else {{
            block b2:
            32 %3 = fadd %2, %2
        }}
        block b3:
        32 %4 = phi b1: %2, b2: %3
        {out("%4")}
        block b4:
        """,
        f"""
        {HEAD}
        1 %9 = @load_helper_invocation
        1 %8 = iand %0, %9
        @terminate_if (%8)
        if %0 {{
            block b1:
        }} else {{
            block b2:
            32 %3 = fadd %2, %2
        }}
        block b3:
        32 %4 = phi b1: %2, b2: %3
        {out("%4")}
        block b4:
        """,
    )


def test_both_branches_discard() -> None:
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
            @demote
        }} else {{
            block b2:
            @demote
        }}
        block b3:
        block b4:
        """,
        f"""
        {HEAD}
        @demote_if (%0)
        1 %3 = inot %0
        @demote_if (%3)
        block b1:
        """,
    )


def test_other_branch_that_leaves_the_loop() -> None:
    assert_becomes(
        opt_discard_if,
        f"""
        {HEAD}
        loop {{
            block b1:
            if %0 {{
                block b2:
                @terminate
            }} else {{
                block b3:
                break
            }}
            block b4:
            32 %3 = fadd %2, %2
        }}
        block b5:
        block b6:
        """,
        f"""
        {HEAD}
        loop {{
            block b1:
            @terminate_if (%0)
            break
        }}
        block b5:
        block b6:
        """,
    )


def test_discard_that_is_not_alone_stays() -> None:
    assert_unchanged(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
            @store_ssbo (%2, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)
            @terminate
        }} else {{
            block b2:
        }}
        block b3:
        block b4:
        """,
    )


def test_old_names() -> None:
    classic = """shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	block block_0:
	/* preds: */
	vec1 1 ssa_0 = intrinsic load_front_face () ()
	/* succs: block_1 block_2 */
	if ssa_0 {
		block block_1:
		/* preds: block_0 */
		intrinsic discard () ()
		/* succs: block_3 */
	} else {
		block block_2:
		/* preds: block_0 */
		/* succs: block_3 */
	}
	block block_3:
	/* preds: block_1 block_2 */
	/* succs: block_4 */
	block block_4:
}
"""
    shader = parse_dump(classic.encode())
    result = clone_shader(shader)
    assert opt_discard_if(result)
    text = apply_edits(shader.source, text_edits(shader, result)).decode()
    assert "\tintrinsic discard_if (ssa_0) ()\n" in text
    assert "if ssa_0" not in text


def test_deep_nesting() -> None:
    depth = 1500
    lines = ["block b0:", "1 %0 = @load_front_face"]
    for level in range(depth):
        lines += ["if %0 {", f"block b{level + 1}:"]
    lines.append("@demote")
    for level in range(depth):
        lines += ["} else {", f"block b{depth + 2 * level + 1}:", "}", f"block b{depth + 2 * level + 2}:"]
    lines.append(f"block b{3 * depth + 2}:")
    shader = parse_body("\n".join(lines), valid=False)
    assert opt_discard_if(shader)
    ifs = [node for impl in shader.impls() for node in impl.cf_nodes() if isinstance(node, If)]
    # The conjunction of two conditions stands beside the discard, which then is not alone any more.
    assert len(ifs) == depth - 2
    innermost = [getattr(instr, "name", getattr(instr, "op", "")) for instr in ifs[-1].then_body[0]]
    assert innermost == ["iand", "demote_if"]
    assert_valid(shader)


def test_finding_offers_the_pass() -> None:
    shader = parse_body(
        f"""
        {HEAD}
        if %0 {{
            block b1:
            @terminate
        }} else {{
            block b2:
        }}
        block b3:
        block b4:
        """
    )
    (finding,) = OptDiscardIf().find([shader])
    assert (finding.code, finding.severity) == ("conditional-discard", Severity.INFORMATION)
    (change,) = OptDiscardIf().fix([shader], finding.fixes[0].request)
    assert b"@terminate_if (%0)" in apply_edits(shader.source, text_edits(change.before, change.after))
    assert OptDiscardIf().run([change.after]) == []


@pytest.mark.parametrize("other", [out("%2"), "32 %3 = fneg %2", "@terminate"])
@pytest.mark.parametrize("discard_is_first", [True, False])
def test_a_discard_that_is_not_alone_stays(other: str, discard_is_first: bool) -> None:
    lines = ["@demote", other] if discard_is_first else [other, "@demote"]
    assert_unchanged(
        opt_discard_if,
        f"""
        {HEAD}
        if %0 {{
            block b1:
            {lines[0]}
            {lines[1]}
        }} else {{
            block b2:
        }}
        block b3:
        block b4:
        """,
    )


@pytest.mark.parametrize(("branch", "is_converted"), [("then", True), ("else", False)])
@pytest.mark.parametrize("condition", ["slt %1, %2", "iadd %1, %2"])
def test_a_number_as_condition_is_not_inverted(condition: str, branch: str, is_converted: bool) -> None:
    """`inot` of 1.0 or of 1 is not 0."""
    bodies = {"then": "", "else": "", branch: "@terminate"}
    text = f"""
        {HEAD}
        32 %3 = {condition}
        if %3 {{
            block b1:
            {bodies["then"]}
        }} else {{
            block b2:
            {bodies["else"]}
        }}
        block b3:
        {out("%2")}
        block b4:
    """
    assert opt_discard_if(parse_body(text)) is is_converted
