from __future__ import annotations

import pytest

from nirls.verification.verdict import Counterexample, Different, Equivalent, InputValue, Unchecked


def test_equivalent_says_on_what() -> None:
    assert str(Equivalent(2, 64)) == "equivalent on 2 runs of 64 invocations in all"
    text = str(Equivalent(2, 64, True, tuple(f"FS b{number}" for number in range(10))))
    assert text.endswith(
        ", within the rounding of inexact operations"
        " (never run: FS b0, FS b1, FS b2, FS b3, FS b4, FS b5, FS b6, FS b7 and 2 more)"
    )


@pytest.mark.parametrize(("count", "rest"), [(24, "%23 load_input = 0"), (25, "and 1 more")])
def test_as_many_inputs_as_are_shown(count: int, rest: str) -> None:
    inputs = tuple(InputValue(f"%{number} load_input", "0") for number in range(count))
    text = str(Different(Counterexample(7, "plain numbers", 3, "discard", "True", "False", inputs)))
    assert text.splitlines()[-1] == f"    {rest}"


@pytest.mark.parametrize(("count", "rest"), [(8, "b7)"), (9, "b7 and 1 more)")])
def test_as_many_blocks_as_are_shown(count: int, rest: str) -> None:
    assert str(Equivalent(2, 64, False, tuple(f"b{number}" for number in range(count)))).endswith(rest)


def test_many_inputs_are_cut() -> None:
    inputs = tuple(InputValue(f"%{number} load_input", "0") for number in range(30))
    text = str(Different(Counterexample(7, "plain numbers", 3, "discard", "True", "False", inputs)))
    lines = text.splitlines()
    assert lines[0] == "different: discard: True before, False after"
    assert lines[1] == "  on invocation 3 of seed 7 (plain numbers)"
    assert lines[2] == "    %0 load_input = 0"
    assert lines[-1] == "    and 6 more"
    assert str(Unchecked("reasons")) == "unchecked: reasons"
