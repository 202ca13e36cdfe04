"""Loops that are unrolled, and the reasons against it."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Loop
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.passes.declaration import OptionError
from nirls.passes.loops.opt_loop_unroll import OptLoopUnroll, opt_loop_unroll
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
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


def reasons(text: str, **options: object) -> list[str]:
    found = OptLoopUnroll.with_options(options).find([parse_body(text, declarations=ARRAYS)])
    return [str(one.data["reason"]) for one in found if one.code == "rolled-loop"]


ARRAYS = """
decl_var uniform INTERP_MODE_NONE none sampler2D[32] tex (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none vec4[32] u (0, 0, 0)
decl_var shader_temp INTERP_MODE_NONE none float[32] t
decl_var shader_temp INTERP_MODE_NONE none float[40] longer
"""
LONG = [f"32 %{n} = fadd %{n - 1 if n > 101 else 7}, %7" for n in range(101, 160)]
LOADS = {
    "t": (
        "32 %30 = deref_var &t (shader_temp float[32])",
        "32 %31 = deref_array &(*%30)[%5] (shader_temp float)",
    ),
    "longer": (
        "32 %30 = deref_var &longer (shader_temp float[40])",
        "32 %31 = deref_array &(*%30)[%5] (shader_temp float)",
    ),
    "u": ("32 %30 = deref_var &u (uniform vec4[32])", "32 %31 = deref_array &(*%30)[%5] (uniform vec4)"),
}


def over(array: str, bound: int = 32) -> str:
    """A long loop that loads elements of an array by its counter."""
    size = "32x4" if array == "u" else "32"
    load = f"{size} %32 = @load_deref (%31) (access=none)"
    return counting(*LONG, *LOADS[array], load, bound=bound)


def unrolls(text: str, **options: object) -> bool:
    shader = parse_body(text, declarations=ARRAYS)
    before = clone_shader(shader)
    changed = bool(OptLoopUnroll.with_options(options).run([shader]))
    if changed:
        assert_valid(shader)
        verdict = verify_shaders(before, shader, VerificationOptions(runs=2, most_runs=2))
        assert not isinstance(verdict, Different), verdict
    return changed


def test_loop_over_a_whole_array_is_unrolled_at_any_cost() -> None:
    """Mesa: `force_unroll_array_access`."""
    assert unrolls(over("t"))
    assert not unrolls(over("t", bound=31))
    assert not unrolls(over("longer"))
    assert not unrolls(over("u"))


def test_driver_forces_modes_and_samplers() -> None:
    assert unrolls(over("u"), force_indirect_unrolling="uniform")
    assert not unrolls(over("u"), force_indirect_unrolling="shader_in, shader_temp")
    assert unrolls(over("longer"), force_indirect_unrolling="shader_in, shader_temp")
    fetch = (
        "32x2 %29 = vec2 %7, %7",
        "32 %30 = deref_var &tex (uniform sampler2D[32])",
        "32 %31 = deref_array &(*%30)[%5] (uniform sampler2D)",
        "32x4 %32 = (float32)txl %31 (texture_deref), %31 (sampler_deref), %29 (coord), %7 (lod)",
    )
    assert not unrolls(counting(*LONG, *fetch, bound=32))
    assert unrolls(counting(*LONG, *fetch, bound=32), force_indirect_unrolling_sampler=True)


def test_forced_loops_have_the_limit_of_iterations() -> None:
    assert not unrolls(over("t"), max_unroll_iterations=31)


def test_unknown_mode_is_an_error() -> None:
    with pytest.raises(OptionError, match="not 'inputs'"):
        OptLoopUnroll(force_indirect_unrolling="inputs").check([parse_body(counting())])


def test_control_of_the_loop() -> None:
    asked = counting(*LONG, bound=33).replace("loop {", "loop // unroll {")
    assert unrolls(asked)
    assert not unrolls(asked.replace("// unroll", ""))
    forbidden = counting().replace("loop {", "loop // don't unroll {")
    assert reasons(forbidden) == ["its control is `don't unroll`"]
    assert not unrolls(forbidden)


def test_partial_unrolling_is_declined() -> None:
    text = counting(
        *LOADS["t"], "32 %32 = @load_deref (%31) (access=none)", bound_line="32 %2 = @load_sample_id"
    )
    (reason,) = reasons(text)
    assert "Mesa unrolls 32 iterations, as many as an array has elements" in reason
    assert "not printed" in reason


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
    (reason,) = reasons(text)
    assert words in reason
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
    verdict = verify_shaders(before, after, VerificationOptions(runs=3))
    assert isinstance(verdict, Equivalent), verdict


def test_fix_writes_the_iterations() -> None:
    shader = parse_body(counting(bound=2))
    (finding,) = OptLoopUnroll().find([shader])
    (change,) = OptLoopUnroll().fix([shader], finding.fixes[0].request)
    text = apply_edits(shader.source, text_edits(change.before, change.after))
    assert b"loop" not in text
    assert text.count(b"fadd") == 2


def test_inner_loop_comes_first() -> None:
    inner = counting("loop {", "block b7:", "break", "}", "block b8:").replace("b4: %", "b8: %")
    shader = parse_body(inner)
    assert reasons(inner) == ["it contains another loop"]
    assert opt_loop_unroll(shader)
    assert not any(isinstance(node, Loop) for impl in shader.impls() for node in impl.cf_nodes())
    assert_valid(shader)
