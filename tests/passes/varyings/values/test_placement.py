"""Where an expression ends, and where it can be computed."""

from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.values.placement import PlacementBlocks, PostDominators, is_selection
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, vertex


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


BRANCH = (
    "1     %25 = flt %10, %11",
    "// succs: b2 b3",
    "if %25 {",
    "block b2: // preds: b0",
    store("VAR1", "%11"),
    "} else {",
    "block b3: // preds: b0",
    "}",
    "block b4: // preds: b2 b3",
)
CONSUMER = (
    load(4, "VAR0"),
    load(5, "VAR1"),
    "32    %6 = fadd %4, %1",
    "32    %7 = fadd %6, %5",
    "1     %8 = flt %5, %1",
    "32    %9 = bcsel %8, %5, %1",
    "32    %10 = fmul %9, %5",
    "32    %11 = fadd %1, %1",
    "1     %12 = flt %4, %1",
    "32    %13 = bcsel %12, %4, %1",
    "32    %14 = ffma %7, %4, %4",
    *(use(f"%{number}") for number in (10, 11, 13, 14)),
)


@pytest.fixture
def placement() -> tuple[PlacementBlocks, Shader, list[Block]]:
    """%4 is stored in the first block, %5 under a condition."""
    producer, consumer = vertex(*BRANCH), fragment(*CONSUMER)
    impl = producer.entrypoint
    assert impl is not None
    blocks = list(impl.blocks())
    inputs = {maker(consumer, 4): blocks[0], maker(consumer, 5): blocks[1]}
    return PlacementBlocks(impl, inputs), consumer, blocks


@pytest.mark.parametrize(
    ("number", "expected"),
    [(4, 0), (5, 1), (6, 0), (7, None), (14, None), (8, 1), (9, None), (10, None), (11, None), (13, 0)],
    ids=[
        "an input",
        "an input under a condition",
        "an expression of one input",
        "inputs from two blocks",
        "what is made of them and of others",
        "a comparison under a condition",
        "a selection under a condition",
        "what is made of such a selection",
        "no input at all",
        "a selection that always happens",
    ],
)
def test_homes(
    placement: tuple[PlacementBlocks, Shader, list[Block]], number: int, expected: int | None
) -> None:
    found, consumer, blocks = placement
    assert found.block_for(maker(consumer, number)) is (None if expected is None else blocks[expected])


def test_selections() -> None:
    consumer = fragment(*CONSUMER)
    assert [number for number in (6, 8, 9, 13) if is_selection(maker(consumer, number))] == [9, 13]


@pytest.mark.sweep
def test_long_expression_does_not_recurse() -> None:
    steps = [f"32    %{20 + step} = fneg %{19 + step if step else 4}" for step in range(20_000)]
    consumer = fragment(load(4, "VAR0"), *steps, use("%20019"))
    impl = vertex(store("VAR0", "%10")).entrypoint
    assert impl is not None
    found = PlacementBlocks(impl, {maker(consumer, 4): impl.start_block})
    assert found.block_for(maker(consumer, 20_019)) is impl.start_block
