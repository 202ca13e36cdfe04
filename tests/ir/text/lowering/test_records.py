"""Records depend on the bytes of their line alone, so they can be kept by them."""

from __future__ import annotations

import pytest

from nirls.ir.text.lowering.records import AluSrcRecord, DestRecord, ValueRecord
from tests.ir.text.lowering.test_lines import line_of

LINES = (
    "32x4 %5 = ffma! %1.yyyy, %7 (0.3).x, %2",
    "@store_output (%1, %2 (0x0)) (base=0, wrmask=x, io location=VARYING_SLOT_VAR0 slots=1 no_varying)",
    "32x4 %6 = (float32)tg4 %3 (coord), 1 (gather_component), { (0, 0), (1, 0) } (offsets), 0 (texture)",
    "32 %4 = phi b0: %1, b3: %9",
)


@pytest.mark.parametrize("line", LINES)
def test_the_same_line_is_the_same_record_wherever_it_stands(line: str) -> None:
    one, other = line_of(line), line_of(line, block="block b0:  // preds: b7")
    assert one == other
    assert hash(one.instr) == hash(other.instr)


def test_what_is_not_printed_has_a_default() -> None:
    assert ValueRecord(3) == ValueRecord(3, is_register=False, offset=0, indirect=None)
    assert AluSrcRecord(ValueRecord(3), None).negate is False
    assert DestRecord(1, 4, 32).divergent is None
