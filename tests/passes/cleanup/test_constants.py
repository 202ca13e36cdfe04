from __future__ import annotations

import math

import pytest

from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.passes.cleanup.constants import (
    become_constant,
    evaluate,
    float_of,
    fold_alu,
    is_finite,
    read_constant,
)
from tests.passes.expectation import assert_valid, parse_body

BODY = """
block b0:
32x2 %0 = load_const (0x00000007, 0x00000009)
32   %1 = load_const (0x3f800000)
32   %2 = iadd %0.y, %0.x
32   %3 = fneg %2
block b1:
"""


def alu(number: int) -> AluInstr:
    (impl,) = parse_body(BODY).impls()
    (found,) = [one for one in impl.instrs() if one.def_ is not None and one.def_.index == number]
    assert isinstance(found, AluInstr)
    return found


def test_constants_of_sources() -> None:
    add, negation = alu(2), alu(3)
    assert read_constant(add.sources[0]) == (9,)
    assert fold_alu(add) == (16,)
    assert fold_alu(negation) is None


def test_component_that_is_not_there() -> None:
    (impl,) = parse_body(BODY.replace("%0.y, %0.x", "%0.w, %0.x"), valid=False).impls()
    add = next(one for one in impl.instrs() if isinstance(one, AluInstr))
    assert read_constant(add.sources[0]) is None
    assert fold_alu(add) is None


def test_operations_that_mean_nothing() -> None:
    assert evaluate("iadd", [((1,), 32), ((2,), 32)], 1, 32) == (3,)
    assert evaluate("no_such_op", [((1,), 32)], 1, 32) is None
    assert evaluate("iadd", [((1,), 32), ((2,), 16)], 1, 32) is None
    assert evaluate("iadd", [((1,), 32)], 1, 32) is None
    assert evaluate("iadd", [], 1, 32) is None


def test_floats() -> None:
    assert float_of(0x3C00, 16) == 1.0
    assert float_of(0xC0000000, 32) == -2.0
    assert math.isnan(float_of(0x7FF8000000000000, 64))
    assert is_finite(0x7F7FFFFF, 32)
    assert not is_finite(0x7F800000, 32)
    assert not is_finite(0x7FC00000, 32)
    assert not is_finite(1, 8)


def test_constant_in_place_of_an_instruction() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    add, negation = [one for one in impl.instrs() if isinstance(one, AluInstr)]
    constant = become_constant(add, (5,))
    assert isinstance(constant, LoadConstInstr)
    assert constant.span == add.span
    assert negation.sources[0].def_ is constant.def_
    assert constant.def_ is not None
    assert constant.def_.index == 2
    assert add.block is None
    assert_valid(shader)
    with pytest.raises(ValueError, match="in a block"):
        become_constant(add, (5,))
