"""Post-dominators of values: what everything made of a value passes through."""

from __future__ import annotations

from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.values.value_graph import PostDominators
from tests.passes.shader_text import use
from tests.passes.varyings.pairs import vertex


def maker(parsed: Shader, number: int) -> Instr:
    return next(
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if instr.def_ is not None and instr.def_.index == number
    )


def immediate(parsed: Shader, number: int) -> int | None:
    impl = parsed.entrypoint
    assert impl is not None
    above = PostDominators(impl).immediate(maker(parsed, number))
    return None if above is None or above.def_ is None else above.def_.index


def test_chain() -> None:
    parsed = vertex("32    %20 = fneg %10", "32    %21 = fabs %20", use("%21"))
    assert immediate(parsed, 10) == 20
    assert immediate(parsed, 20) == 21


def test_diamond_meets_below() -> None:
    parsed = vertex("32    %20 = fneg %10", "32    %21 = fabs %10", "32    %22 = fadd %20, %21", use("%22"))
    assert immediate(parsed, 10) == 22


def test_two_effects_have_nothing_in_common() -> None:
    parsed = vertex("32    %20 = fneg %10", use("%20"), use("%10"))
    assert immediate(parsed, 10) is None


def test_value_that_is_not_read_is_an_end() -> None:
    parsed = vertex("32    %20 = fneg %10", "32    %21 = fabs %10", use("%21"))
    assert immediate(parsed, 10) is None


def test_value_that_decides_a_branch_is_an_end_whatever_else_reads_it() -> None:
    parsed = vertex(
        "1     %20 = flt %10, %11",
        "32    %21 = b2i32 %20",
        *(use("%21"), "// succs: b2 b3", "if %20 {", "block b2: // preds: b0"),
        *("} else {", "block b3: // preds: b0", "}", "block b4: // preds: b2 b3"),
    )
    assert immediate(parsed, 20) is None
    assert immediate(parsed, 10) == 20


def test_deep_chain_does_not_recurse() -> None:
    lines = [f"32    %{number} = fneg %{number - 1 if number > 20 else 10}" for number in range(20, 5020)]
    parsed = vertex(*lines, use("%5019"))
    assert immediate(parsed, 10) == 20
