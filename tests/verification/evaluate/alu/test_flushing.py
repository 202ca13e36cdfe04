"""Flushing of denormals by the float controls of a shader, and marks of results."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.ir.model.float_controls import FloatControls
from nirls.verification.evaluate.alu.flushing import Flush, combine_marks
from nirls.verification.evaluate.alu.run import plan_of
from nirls.verification.evaluate.values.value import Value


@pytest.mark.parametrize(
    ("op", "sources", "result"),
    [
        ("fadd", (0x00000001, 0x00000001), 0),
        ("fmul", (0x80000001, 0x4B000000), 0x80000000),
        ("fmax", (0x00000001, 0x80000000), 0),
        ("fadd", (0x3F800000, 0x3F800000), 0x40000000),
    ],
)
def test_float_controls_flush_denormals(op: str, sources: tuple[int, ...], result: int) -> None:
    plan = plan_of(op, 1, 32, (32, 32))
    flush = Flush.of(plan, FloatControls(frozenset((32,))))
    assert flush is not None
    decoded = plan.decoded([np.array([[bits]], np.uint32) for bits in sources])
    assert flush.result(plan.compute(flush.sources(decoded))) == result


@pytest.mark.parametrize(("op", "count", "size"), [("fneg", 1, 32), ("iadd", 2, 32), ("fadd", 2, 16)])
def test_what_float_controls_do_not_flush(op: str, count: int, size: int) -> None:
    assert Flush.of(plan_of(op, 1, size, (size,) * count), FloatControls(frozenset((32,)))) is None
    assert Flush.of(plan_of("fadd", 1, 32, (32, 32)), FloatControls()) is None


@pytest.mark.parametrize(
    ("op", "bits", "doubt", "undefined"),
    [
        ("iand", 0, "", False),
        ("iand", 1, "", True),
        ("ior", 0xFFFF, "", False),
        ("ior", 0, "", True),
        ("ixor", 0, "", True),
        ("iand", 0, "poison", True),
        ("iand", 0, "fragile", True),
        ("iand", 0, "error", True),
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_a_certain_source_absorbs_an_undefined_one(
    op: str, bits: int, doubt: str, undefined: bool, swapped: bool
) -> None:
    mark = np.ones((1, 1), np.bool_)
    source, other = Value(np.array([[bits]], np.uint16), 16), Value(np.array([[7]], np.uint16), 16, mark)
    if doubt:
        setattr(source, doubt, mark.astype(np.float64) if doubt == "error" else mark)
    sources = [other, source] if swapped else [source, other]
    found = combine_marks([one.poison for one in sources], sources, plan_of(op, 1, 16, (16, 16)))
    assert found is not None
    assert found.tolist() == [[undefined]]


@pytest.mark.parametrize(
    ("op", "condition", "selects_first"),
    [
        ("b32csel", 0xFFFFFFFF, True),
        ("b32csel", 0, False),
        ("b32fcsel_mdg", 0xFFFFFFFF, True),
        ("b32fcsel_mdg", 0, False),
        ("fcsel", 0x80000000, False),
        ("fcsel_ge", 0x80000000, True),
        ("i32csel_gt", 0x80000000, False),
        ("icsel_eqz", 0, True),
        ("icsel_eqz", 0x80000000, False),
    ],
)
def test_a_selection_depends_on_the_selected_source_only(
    op: str, condition: int, selects_first: bool
) -> None:
    mark = np.ones((1, 1), np.bool_)
    sources = [Value(np.array([[bits]], np.uint32), 32) for bits in (condition, 1, 2)]
    plan = plan_of(op, 1, 32, (32, 32, 32))
    result = plan.compute(plan.decoded([source.bits for source in sources]))
    assert result.tolist() == [[1 if selects_first else 2]]
    for position, is_marked in enumerate((True, selects_first, not selects_first)):
        marks = [mark if number == position else None for number in range(3)]
        found = combine_marks(marks, sources, plan)
        assert (found is not None and found.any()) == is_marked
