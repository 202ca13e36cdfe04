"""Which invocations can be in a block."""

from __future__ import annotations

import pytest

from nirls.passes.tessellation.inline_vs.invocation_range import invocation_ranges, is_invocation_id
from tests.passes.tessellation.patches import control, of_name

CONSTANT = "32    %2 = load_const (0x00000002)"


@pytest.mark.parametrize(
    ("test", "then", "otherwise"),
    [
        ("ilt %1, %2", range(2), range(2, 4)),
        ("ige %1, %2", range(2, 4), range(2)),
        ("ult %2, %1", range(3, 4), range(3)),
        ("uge %2, %1", range(3), range(3, 4)),
        ("ieq %1, %2", range(2, 3), range(4)),
        ("ine %2, %1", range(4), range(2, 3)),
        ("ieq %2, %2", range(4), range(4)),
        ("flt %1, %2", range(4), range(4)),
    ],
)
def test_questions_for_the_number(test: str, then: range, otherwise: range) -> None:
    tcs = control(
        CONSTANT,
        f"1     %3 = {test}",
        "if %3 {",
        "    block b2:  // preds: b0",
        "} else {",
        "    block b3:  // preds: b0",
        "}",
        "block b4:  // preds: b2 b3",
        vertices=4,
    )
    impl = tcs.entrypoint
    assert impl is not None
    ranges = invocation_ranges(impl, 4)
    assert [ranges[block] for block in impl.blocks()] == [range(4), then, otherwise, range(4)]


def test_copies_of_the_number() -> None:
    tcs = control("32    %2 = mov %1", "32    %3 = iadd %1, %0")
    impl = tcs.entrypoint
    assert impl is not None
    assert [is_invocation_id(value) for value in impl.defs()] == [False, True, True, False]
    assert len(of_name(tcs, "load_invocation_id")) == 1
    assert not is_invocation_id(None)
