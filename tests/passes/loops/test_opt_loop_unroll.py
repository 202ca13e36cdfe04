"""Loops that are unrolled, and the reasons against it."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Loop
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.passes.loops.opt_loop_unroll import OptLoopUnroll, opt_loop_unroll, reason_against
from nirls.passes.translation_validation import Equivalent, ValidationOptions, validate_pass
from tests.passes.expectation import assert_becomes, assert_unchanged, assert_valid, parse_body

OUT = (
    "@store_output ({value}, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
    " io location=FRAG_RESULT_DATA0 slots=1)"
)


def counting(
    *body: str,
    bound: int = 3,
    compare: str = "ige %5, %2",
    after: str = OUT.format(value="%6"),
    bound_line: str | None = None,
) -> str:
    """A loop that counts %5 up from 0 to `bound`, and adds to %6; %7 is the fragment's x."""
    lines = "\n".join(body)
    bound_line = bound_line or f"32 %2 = load_const ({bound:#010x})"
    return f"""
block b0:
32 %0 = load_const (0x00000000)
32 %1 = load_const (0x00000001)
{bound_line}
32x4 %3 = @load_frag_coord
32 %7 = mov %3.x
loop {{
block b1:
32 %5 = phi b0: %0, b4: %9
32 %6 = phi b0: %0, b4: %8
1 %4 = {compare}
if %4 {{
block b2:
break
}} else {{
block b3:
}}
block b4:
32 %8 = fadd %6, %7
{lines}
32 %9 = iadd %5, %1
}}
block b5:
{after}
block b6:
"""


def test_counting_loop_becomes_its_iterations() -> None:
    assert_becomes(
        opt_loop_unroll,
        counting(),
        f"""
        block b0:
        32 %0 = load_const (0x00000000)
        32 %1 = load_const (0x00000001)
        32 %2 = load_const (0x00000003)
        32x4 %3 = @load_frag_coord
        32 %7 = mov %3.x
        1 %10 = ige %0, %2
        32 %11 = fadd %0, %7
        32 %12 = iadd %0, %1
        1 %13 = ige %12, %2
        32 %14 = fadd %11, %7
        32 %15 = iadd %12, %1
        1 %16 = ige %15, %2
        32 %17 = fadd %14, %7
        32 %18 = iadd %15, %1
        1 %19 = ige %18, %2
        {OUT.format(value="%17")}
        block b1:
        """,
    )


def test_iterations_with_an_unknown_exit_are_nested() -> None:
    """Mesa: `complex_unroll`."""
    assert_becomes(
        opt_loop_unroll,
        counting(
            "1 %20 = flt %8, %7",
            "if %20 {",
            "block b7:",
            "break",
            "} else {",
            "block b8:",
            "}",
            "block b9:",
            bound=1,
            after="32 %21 = phi b2: %6, b7: %8\n" + OUT.format(value="%21"),
        )
        .replace("b4: %9", "b9: %9")
        .replace("b4: %8", "b9: %8"),
        f"""
        block b0:
        32 %0 = load_const (0x00000000)
        32 %1 = load_const (0x00000001)
        32 %2 = load_const (0x00000001)
        32x4 %3 = @load_frag_coord
        32 %7 = mov %3.x
        1 %10 = ige %0, %2
        32 %11 = fadd %0, %7
        1 %12 = flt %11, %7
        if %12 {{
            block b1:
        }} else {{
            block b2:
            32 %13 = iadd %0, %1
            1 %14 = ige %13, %2
        }}
        block b3:
        {OUT.format(value="%11")}
        block b4:
        """,
    )


BREAK = ("if %20 {", "block b7:", "break", "} else {", "block b8:", "}", "block b9:")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (counting(bound=33), "more than 32 iterations"),
        (counting(bound_line="32 %2 = @load_sample_id"), "unknown"),
        (
            counting(
                "1 %20 = flt %8, %7",
                "if %20 {",
                "block b7:",
                "continue",
                "} else {",
                "block b8:",
                "}",
                "block b9:",
            )
            .replace("b4: %9", "b9: %9, b7: %1")
            .replace("b4: %8", "b9: %8, b7: %8"),
            "not an exit",
        ),
        (
            counting(*(f"32 %{n} = fadd %{n - 1}, %7" for n in range(101, 160)), bound=32).replace(
                "fadd %100", "fadd %7"
            ),
            "cost",
        ),
    ],
)
def test_reasons_against(text: str, words: str) -> None:
    shader = parse_body(text)
    (loop,) = [node for impl in shader.impls() for node in impl.body if isinstance(node, Loop)]
    assert words in reason_against(shader, loop)
    assert_unchanged(opt_loop_unroll, text)


def test_float_counters_and_shifts_count_too() -> None:
    text = (
        counting(compare="ige %5, %2", bound=100)
        .replace("iadd %5, %1", "ishl %22, %1")
        .replace("32 %9 = ishl", "32 %22 = iadd %5, %1\n32 %9 = ishl")
    )
    shader = parse_body(text)
    (finding,) = OptLoopUnroll().find([shader])
    assert finding.data["iterations"] == 6  # 0, 2, 6, 14, 30, 62, 126
    assert finding.message.startswith("this loop has 6 iterations")


@pytest.mark.parametrize("bound", [0, 1, 5])
@pytest.mark.parametrize("has_unknown_exit", [False, True])
def test_result_computes_the_same(bound: int, has_unknown_exit: bool) -> None:
    body = ("1 %20 = flt %8, %7", *BREAK) if has_unknown_exit else ()
    text = counting(*body, bound=bound, after=OUT.format(value="%5"))
    if has_unknown_exit:
        text = text.replace("b4: %", "b9: %")
    before = parse_body(text)
    after = clone_shader(before)
    assert opt_loop_unroll(after)
    assert_valid(after)
    verdict = validate_pass(before, after, ValidationOptions(runs=3))
    assert isinstance(verdict, Equivalent), verdict


def test_fix_writes_the_iterations() -> None:
    shader = parse_body(counting(bound=2))
    (finding,) = OptLoopUnroll().find([shader])
    (change,) = OptLoopUnroll().fix([shader], finding.fixes[0].key)
    text = apply_edits(shader.source, text_edits(change.before, change.after))
    assert b"loop" not in text
    assert text.count(b"fadd") == 2


def test_inner_loop_comes_first() -> None:
    inner = counting("loop {", "block b7:", "break", "}", "block b8:").replace("b4: %", "b8: %")
    shader = parse_body(inner)
    outer = next(node for impl in shader.impls() for node in impl.body if isinstance(node, Loop))
    assert reason_against(shader, outer) == "it contains another loop"
    assert opt_loop_unroll(shader)
    assert not any(isinstance(node, Loop) for impl in shader.impls() for node in impl.cf_nodes())
    assert_valid(shader)
