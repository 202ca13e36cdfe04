from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from nirls.ir.model.float_bits import float_bits, float_of
from nirls.verification.evaluate.alu.run import evaluate_alu
from nirls.verification.inputs.inverses import inverses

FLOATS = (float_bits(1.5, 32), float_bits(4.0, 32), float_bits(-0.75, 32))
HALF = float_bits(0.5, 32)


def results(op: str, held: Sequence[int], wanted: int) -> list[int]:
    """The results with each source that is solved for."""
    found = []
    for source, bits in inverses(op, held, [32] * len(held), wanted, 32):
        rows = [np.array([[bits if at == source else number]], np.uint32) for at, number in enumerate(held)]
        sizes = (32,) * len(held)
        result = evaluate_alu(op, rows, dest_components=1, dest_bit_size=32, source_bit_sizes=sizes)
        found.append(int(result[0, 0]))
    return found


@pytest.mark.parametrize(
    ("op", "width"),
    [
        *((op, 1) for op in ("fneg", "fsqrt", "frsq", "frcp", "fexp2", "flog2", "fsin", "fcos")),
        *((op, 2) for op in ("fadd", "fsub", "fmul", "fdiv", "fpow")),
        *((op, 3) for op in ("ffma", "flrp")),
    ],
)
def test_a_solved_float_gives_about_the_wanted_result(op: str, width: int) -> None:
    found = results(op, FLOATS[:width], HALF)
    assert found
    assert [float_of(bits, 32) for bits in found] == [pytest.approx(0.5, rel=1e-5)] * len(found)


@pytest.mark.parametrize(
    ("op", "held", "wanted"),
    [
        *((op, (3, 4), 0x30) for op in ("iadd", "isub", "ixor", "ishl", "ushr", "imul")),
        *((op, (3,), 7) for op in ("ineg", "inot", "f2i32", "f2u32")),
        *((op, (3,), float_bits(8.0, 32)) for op in ("i2f32", "u2f32")),
    ],
)
def test_a_solved_integer_gives_the_wanted_result(op: str, held: Sequence[int], wanted: int) -> None:
    assert set(results(op, held, wanted)) == {wanted}


def test_an_operand_that_must_be_known() -> None:
    assert list(inverses("iadd", [None, 5], [32, 32], 7, 32)) == [(0, 2)]
    assert list(inverses("fmul", [0, None], [32, 32], float_bits(1.0, 32), 32)) == [], "0 times anything is 0"
    assert list(inverses("imul", [3, 0], [32, 32], 7, 32)) == []


def test_a_result_that_no_source_gives() -> None:
    assert list(inverses("fsqrt", [0], [32], float_bits(-1.0, 32), 32)) == []
    assert list(inverses("frsq", [0], [64], 1, 64)) == [], "the square of a denormal is 0"
    assert list(inverses("u2f32", [0], [32], float_bits(float("inf"), 32), 32)) == []
