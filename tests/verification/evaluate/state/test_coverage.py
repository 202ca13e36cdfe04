"""What runs note of comparisons and loops."""

from __future__ import annotations

import numpy as np

from nirls.ir.model.control_flow import Loop
from nirls.ir.model.instructions import AluInstr
from nirls.verification.evaluate.state.coverage import (
    ALL_SIDES,
    EQUAL,
    GREATER,
    LESS,
    UNORDERED,
    Coverage,
    compares,
)
from tests.passes.shader_text import ONE, ZERO, shader, store


def comparison(opcode: str) -> AluInstr:
    parsed = shader("VERTEX", ZERO, ONE, f"1 %2 = {opcode} %0, %1", store("VAR0"))
    assert parsed.entrypoint is not None
    return next(
        instr for instr in parsed.entrypoint.instrs() if isinstance(instr, AluInstr) and instr.op == opcode
    )


def test_what_compares() -> None:
    assert compares(comparison("flt"))
    assert compares(comparison("uge"))
    assert compares(comparison("ine"))
    assert not compares(comparison("iand"))


def test_sides_add_up_over_usable_lanes() -> None:
    coverage, instr = Coverage(), comparison("flt")
    left = np.array([[0.0, 1.0, 2.0, np.nan]], np.float32)
    right = np.ones((1, 4), np.float32)
    coverage.compare(instr, left, right, np.array([True, False, False, False]))
    assert coverage.comparisons[instr].met == LESS
    coverage.compare(instr, left, right, np.array([False, True, False, False]))
    assert coverage.comparisons[instr].met == LESS | EQUAL
    coverage.compare(instr, left, right, np.ones(4, np.bool_))
    assert coverage.comparisons[instr].met == ALL_SIDES | UNORDERED
    assert ALL_SIDES == LESS | EQUAL | GREATER


def test_an_outcome_is_met_if_every_component_had_it() -> None:
    coverage, instr = Coverage(), comparison("flt")
    right, lanes = np.ones((2, 2), np.float32), np.ones(2, np.bool_)
    coverage.compare(instr, np.array([[0.0, 1.0], [0.0, 2.0]], np.float32), right, lanes)
    compared = coverage.comparisons[instr]
    assert compared.met == LESS
    assert [compared.missing(side) for side in (LESS, EQUAL, GREATER)] == [[], [1], [0]]
    coverage.compare(instr, np.array([[2.0, 2.0], [1.0, 0.0]], np.float32), right, lanes)
    assert compared.met == ALL_SIDES


def test_lanes_that_do_not_count_meet_nothing() -> None:
    coverage, instr = Coverage(), comparison("flt")
    coverage.compare(instr, np.zeros((1, 2)), np.ones((1, 2)), np.zeros(2, np.bool_))
    assert not coverage.comparisons


def test_rounds_of_a_loop() -> None:
    coverage, loop = Coverage(), Loop()
    coverage.leave(loop, 0)
    coverage.leave(loop, 7)
    assert coverage.rounds[loop] == 0b101
