from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.analysis.compare import difference
from nirls.ir.finding import Finding, Fix
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.passes.cleanup.clean_up import SHADER_PASSES, CleanUp, clean_up
from nirls.passes.cleanup.copy_prop import CopyProp
from nirls.passes.cleanup.lower_alu_to_scalar import lower_alu_to_scalar
from nirls.passes.cleanup.lower_io_to_scalar import lower_io_to_scalar
from nirls.passes.cleanup.lower_phis_to_scalar import lower_phis_to_scalar
from nirls.passes.cleanup.opt_algebraic import OptAlgebraic
from nirls.passes.cleanup.opt_constant_folding import OptConstantFolding
from nirls.passes.cleanup.opt_cse import OptCse
from nirls.passes.cleanup.opt_dce import OptDce
from nirls.passes.declaration import Pass
from tests.passes.expectation import assert_becomes, parse_body
from tools.corpus.mesa_passes import count_log
from tools.corpus.tally import CaseTally

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
    (change,) = CleanUp().fix([shader], fix.request)
    return apply_edits(change.before.source, text_edits(change.before, change.after)).decode()


def test_all_readers_of_a_dead_value_are_removed() -> None:
    shader, found = findings("32 %2 = fneg %1", "32 %3 = fabs %2", "32 %4 = fsqrt %2", "32 %5 = fadd %2, %4")
    after = text_after(shader, found[0].fixes[0])
    assert not [op for op in ("fneg", "fabs", "fsqrt", "fadd") if op in after]


def test_dead_values() -> None:
    shader, found = findings("32 %2 = fneg %1", "32 %3 = fabs %2")
    assert [(one.code, one.message) for one in found] == [
        ("dead-value", "%2 is unused"),
        ("dead-value", "%3 is unused"),
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
    assert one.message == "%3 computes the same value as %2"
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
            assert CleanUp().fix([shader], fix.request)
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
    assert [one.message for one in found] == ["%3 is unused", "%4 is unused"]
    after = text_after(shader, found[0].fixes[0])
    assert "phi" not in after
    assert "fadd" not in after


def errors(shader: Shader) -> int:
    return sum(problem.severity == "error" for problem in validate(shader))


def test_passes_feed_each_other() -> None:
    store = "@store_ssbo ({}, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
    assert_becomes(
        clean_up,
        f"""
        block b0:
        32 %0 = load_const (0x00000000)
        1 %1 = ilt %0, %0
        1 %2 = inot %1
        32 %3 = @load_sample_mask_in
        if %2 {{
            block b1:
            32 %4 = iadd %3, %0
        }} else {{
            block b2:
            32 %5 = undefined
        }}
        block b3:
        32 %6 = phi b1: %4, b2: %5
        32x2 %7 = vec2 %6, %6
        32 %8 = mov %7.y
        {store.format("%8")}
        block b4:
        """,
        f"""
        block b0:
        32 %0 = load_const (0x00000000)
        32 %3 = @load_sample_mask_in
        {store.format("%3")}
        block b1:
        """,
    )


@pytest.mark.sweep
def test_ten_thousand_instructions() -> None:
    lines = ["block b0:", "32 %0 = @load_sample_mask_in", "32 %1 = load_const (0x00000000)"]
    lines += [f"32 %{number} = iadd %{number - 1}, %{number % 2}" for number in range(2, 10_000)]
    lines += ["@store_ssbo (%9999, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)", "block b1:"]
    shader = parse_body("\n".join(lines))
    assert clean_up(shader)
    assert errors(shader) == 0
    assert not clean_up(shader)


@pytest.mark.sweep
def test_corpus_stays_valid_and_its_text_follows(corpus: Path) -> None:
    paths = (
        sorted(corpus.glob("pipelines/*/*/*.raw.nir"))[::12]
        + sorted(corpus.glob("pipelines/*/*/*.io.nir"))[::12]
    )
    assert paths
    for path in paths:
        shader = parse_dump(path.read_bytes())
        result = clone_shader(shader)
        for lower in (lower_alu_to_scalar, lower_phis_to_scalar, lower_io_to_scalar):
            lower(result)
        clean_up(result)
        assert errors(result) <= errors(shader), path
        assert not any(one(result) for one in SHADER_PASSES), path
        edited = parse_dump(apply_edits(shader.source, text_edits(shader, result)))
        assert difference(edited, result) is None, path


@pytest.fixture(scope="module")
def counts(corpus: Path) -> CaseTally:
    tally = CaseTally()
    for path in sorted(corpus.glob("logs/*.log")):
        tally.merge(count_log(path))
    return tally


@pytest.mark.parametrize(
    "name",
    [
        "nir_copy_prop",
        "nir_lower_alu_to_scalar",
        "nir_lower_io_to_scalar",
        "nir_lower_phis_to_scalar",
        "nir_opt_constant_folding",
        "nir_opt_cse",
        "nir_opt_dce",
        "nir_opt_dead_cf",
        "nir_opt_remove_phis",
        "nir_opt_undef",
    ],
)
@pytest.mark.sweep
def test_agreement_with_mesa(counts: CaseTally, name: str) -> None:
    rows = [counts.of(f"{name}: {kind} by Mesa") for kind in ("changed", "left alone")]
    assert sum(right for right, _, _ in rows)
    assert sum(wrong for _, _, wrong in rows) == 0, counts.noted("wrong")
    # See `count_log`.
    assert sum(other for _, other, _ in rows) == (1 if name == "nir_opt_dce" else 0), counts.noted("other")


UNSTRUCTURED = """
block b0:  // preds:, succs: b1
32    %0 = load_const (0x00000000)
32    %1 = @load_sample_id
{}
goto b1
block b1:  // preds: b0, succs: b2
@store_ssbo (%9, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
goto b2
block b2:
"""


@pytest.mark.parametrize(
    ("declared", "before", "after"),
    [
        (CopyProp, "32 %8 = mov %1\n32 %9 = inot %8", "32 %9 = inot %1"),
        (OptAlgebraic, "32 %9 = iadd %1, %0 (0x0)", "32 %9 = mov %1"),
        (OptConstantFolding, "32 %9 = iadd %0 (0x0), %0 (0x0)", "32 %9 = load_const (0x00000000)"),
        (
            OptCse,
            "32 %8 = ineg %1\n32 %7 = ineg %1\n32 %9 = iadd %8, %7",
            "32 %8 = ineg %1\n32 %9 = iadd %8, %8",
        ),
        (OptDce, "32 %8 = ineg %1\n32 %9 = inot %1", "32 %9 = inot %1"),
    ],
)
def test_passes_on_values_take_unstructured_control_flow(
    declared: type[Pass], before: str, after: str
) -> None:
    assert declared.applies_to([parse_body(UNSTRUCTURED.format(before))])
    assert_becomes(declared().apply, UNSTRUCTURED.format(before), UNSTRUCTURED.format(after))
