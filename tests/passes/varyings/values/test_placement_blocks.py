"""The block of the producer where an expression of the consumer could be computed."""

from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.values.placement_blocks import PlacementBlocks, is_selection
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, vertex

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


def maker(parsed: Shader, number: int) -> Instr:
    return next(
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if instr.def_ is not None and instr.def_.index == number
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


def test_long_expression_does_not_recurse() -> None:
    steps = [f"32    %{20 + step} = fneg %{19 + step if step else 4}" for step in range(20_000)]
    consumer = fragment(load(4, "VAR0"), *steps, use("%20019"))
    impl = vertex(store("VAR0", "%10")).entrypoint
    assert impl is not None
    found = PlacementBlocks(impl, {maker(consumer, 4): impl.start_block})
    assert found.block_for(maker(consumer, 20_019)) is impl.start_block
