from __future__ import annotations

import pytest

from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.passes.cleanup.constants import (
    become_constant,
    evaluate,
    fold_alu,
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


@pytest.mark.parametrize("component", ["z", "w"])
def test_component_that_is_not_there(component: str) -> None:
    (impl,) = parse_body(BODY.replace("%0.y, %0.x", f"%0.{component}, %0.x"), valid=False).impls()
    add = next(one for one in impl.instrs() if isinstance(one, AluInstr))
    assert read_constant(add.sources[0]) is None
    assert fold_alu(add) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fadd -%1, %1", 0),
        ("fmul abs(%4), %1", 0x40000000),
        ("fmul -abs(%4), %1", 0xC0000000),
        ("fmul.sat %4, %4", 0x3F800000),
        ("fadd.sat %4, %1", 0),
        ("iadd -%0.x, %0.y", 2),
        ("iadd abs(%5), %0.x", 8),
        ("u2f32 -%5", 0x3F800000),
    ],
)
def test_modifiers_of_old_dialects(line: str, expected: int) -> None:
    body = BODY.replace(
        "block b1:",
        f"32 %4 = load_const (0xc0000000)\n32 %5 = load_const (0xffffffff)\n32 %6 = {line}\nblock b1:",
    )
    (impl,) = parse_body(body, valid=False).impls()
    last = impl.start_block.last
    assert isinstance(last, AluInstr)
    assert fold_alu(last) == (expected,)


def test_operations_that_mean_nothing() -> None:
    assert evaluate("iadd", [((1,), 32), ((2,), 32)], 1, 32) == (3,)
    assert evaluate("no_such_op", [((1,), 32)], 1, 32) is None
    assert evaluate("iadd", [((1,), 32), ((2,), 16)], 1, 32) is None
    assert evaluate("iadd", [((1,), 32)], 1, 32) is None
    assert evaluate("iadd", [], 1, 32) is None


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


@pytest.mark.parametrize(("word", "divergent"), [("", None), ("div", False), ("con", False)])
def test_a_constant_is_convergent_if_divergence_is_printed(word: str, divergent: bool | None) -> None:
    lines = [f"{word} {line}" if line.startswith("32") else line for line in BODY.splitlines()]
    (impl,) = parse_body("\n".join(lines)).impls()
    add = next(one for one in impl.instrs() if isinstance(one, AluInstr))
    value = become_constant(add, (5,)).def_
    assert value is not None
    assert value.divergent is divergent
