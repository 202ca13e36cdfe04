"""Frames of functions, loops and ifs."""

from __future__ import annotations

from tests.verification.evaluate.state.test_state import frame


def test_each_function_starts_outside_of_loops_and_ifs() -> None:
    first, second = frame(), frame()
    assert (first.loops, first.branches, first.goto) == ([], [], None)
    assert first.loops is not second.loops
