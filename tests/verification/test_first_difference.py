from __future__ import annotations

import pytest

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.first_difference import FirstDifference, first_difference
from tests.passes.shader_text import ONE, ZERO, load, shader, store

INPUTS = (
    ZERO,
    ONE,
    load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB"),
    load(3, "POS", 1).replace("VARYING_SLOT", "VERT_ATTRIB"),
)
BODY = (
    "32 %4 = fadd %2, %1",
    "32 %5 = fsub %2, %3",
    "32 %6 = fmul %5, %4",
    "32 %7 = fadd %6, %1",
    store("VAR0", "%7"),
)


def found(*after: str) -> FirstDifference | None:
    machines = [Machine(shader("VERTEX", *INPUTS, *body)) for body in (BODY, after)]
    return first_difference(*machines, Environment(5), 7)


def test_equal_shaders_have_none() -> None:
    assert found(*BODY) is None


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (1, "32 %5 = fsub %3, %2"),
        (2, "32 %6 = fadd %5, %4"),
        (3, "32 %7 = fadd %6, %0"),
    ],
)
def test_the_first_instruction_that_gives_another_value(line: int, wrong: str) -> None:
    after = (*BODY[:line], wrong, *BODY[line + 1 :])
    result = found(*after)
    assert result is not None
    assert (result.before, result.after) == (BODY[line], wrong)
    assert result.before_line == result.after_line == 5 + len(INPUTS) + line
    assert result.values[-1].before != result.values[-1].after
    assert result.values[-1].before_name == BODY[line].split()[1]


def test_a_store_that_is_gone() -> None:
    result = found(*BODY[:-1])
    assert result is not None
    assert "@store_output" in result.before
    assert (result.after, result.after_line) == ("", None)


def test_a_store_of_another_value() -> None:
    result = found(*BODY[:-1], store("VAR0", "%4"))
    assert result is not None
    assert next((one.before_name, one.after_name) for one in result.values) == ("%7", "%4")
