from __future__ import annotations

from nirls.ir.finding import Finding, Fix
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.passes.cleanup.clean_up import CleanUp
from tests.passes.expectation import parse_body

HEAD = """
block b0:
32x4  %0 = @load_frag_coord
32    %1 = load_const (0x3f800000)
"""


def use(value: str) -> str:
    return f"@store_ssbo ({value}, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def findings(*lines: str) -> tuple[Shader, list[Finding]]:
    shader = parse_body("\n".join([HEAD, use("%0"), *lines, "block b1:"]))
    return shader, list(CleanUp().find([shader]))


def text_after(shader: Shader, fix: Fix) -> str:
    (change,) = CleanUp().fix([shader], fix.key)
    return apply_edits(change.before.source, text_edits(change.before, change.after)).decode()


def test_dead_values() -> None:
    shader, found = findings("32 %2 = fneg %1", "32 %3 = fabs %2")
    assert [(one.code, one.message) for one in found] == [
        ("dead-value", "nothing needs %2"),
        ("dead-value", "nothing needs %3"),
    ]
    # What reads a dead value is dead, too.
    after = text_after(shader, found[0].fixes[0])
    assert "fneg" not in after
    assert "fabs" not in after
    after = text_after(shader, found[1].fixes[0])
    assert "fabs" not in after
    assert text_after(shader, found[0].fixes[1]).count("%") == text_after(shader, found[0].fixes[0]).count(
        "%"
    )


def test_common_subexpressions() -> None:
    shader, found = findings("32 %2 = fadd %0.x, %1", "32 %3 = fadd %1, %0.x", use("%2"), use("%3"))
    (one,) = found
    assert one.code == "common-subexpression"
    assert one.message == "%3 is the same as %2"
    (related,) = one.related
    assert b"%2 = fadd" in shader.source[related.place.start : related.place.end]
    after = text_after(shader, one.fixes[0])
    assert after.count("fadd") == 1
    assert after.count("store_ssbo (%2") == 2


def test_constants_and_derefs_may_be_repeated() -> None:
    _, found = findings("32 %2 = load_const (0x3f800000)", use("%2"))
    assert found == []


def test_foldable_constants() -> None:
    shader, found = findings("32 %2 = fadd %1, %1", use("%2"))
    (one,) = found
    assert one.code == "foldable-constant"
    assert "fadd" in one.message
    assert "load_const (0x40000000 = 2.000000" in text_after(shader, one.fixes[0])


def test_finding_changes_nothing() -> None:
    shader, found = findings("32 %2 = fadd %1, %1", "32 %3 = fadd %1, %1", use("%2"), use("%3"))
    assert {one.code for one in found} == {"common-subexpression", "foldable-constant"}
    for one in found:
        for fix in one.fixes:
            assert CleanUp().fix([shader], fix.key)
    assert text_edits(shader, shader) == []
    assert len(list(CleanUp().find([shader]))) == len(found)


def test_dead_phis_of_a_loop_go_together() -> None:
    shader = parse_body(
        f"""
        {HEAD}
        1 %2 = @load_front_face
        loop {{
            block b1:
            32 %3 = phi b0: %1, b4: %4
            if %2 {{
                block b2:
                break
            }} else {{
                block b3:
            }}
            block b4:
            32 %4 = fadd %3, %1
        }}
        block b5:
        {use("%0")}
        block b6:
        """
    )
    found = list(CleanUp().find([shader]))
    assert [one.message for one in found] == ["nothing needs %3", "nothing needs %4"]
    after = text_after(shader, found[0].fixes[0])
    assert "phi" not in after
    assert "fadd" not in after
