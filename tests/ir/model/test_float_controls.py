"""What a header says of how floats are computed."""

from __future__ import annotations

import pytest

from nirls.ir.model.float_controls import USUAL, FloatControls
from nirls.ir.text.parse import parse_dump

DENORMAL = 0x00000001
NORMAL = 0x3F800000


def controls(value: str | None) -> FloatControls:
    field = "" if value is None else f"float_controls_execution_mode: {value}\n"
    return FloatControls.of(parse_dump(f"shader: MESA_SHADER_COMPUTE\n{field}".encode()))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, USUAL),
        ("0x00000005", USUAL),
        ("0x00000010", FloatControls(frozenset((32,)))),
        ("0x00000028", FloatControls(frozenset((16, 64)))),
        ("0x00040001", FloatControls(rounds=True)),
        ("what is this", FloatControls(rounds=True)),
    ],
)
def test_bits_of_the_header(value: str | None, expected: FloatControls) -> None:
    assert controls(value) == expected


def test_denormal_results_are_settled_unless_they_are_flushed() -> None:
    assert USUAL.settles("fadd", (DENORMAL,), 32)
    flushing = controls("0x00000010")
    assert not flushing.settles("fadd", (NORMAL, DENORMAL), 32)
    assert not flushing.settles("fadd", (0x80000001,), 32)
    assert flushing.settles("fadd", (NORMAL, 0, 0x80000000, 0x7F800000), 32)
    assert flushing.settles("fadd", (1,), 16)


def test_integers_and_copies_are_not_floats() -> None:
    flushing = controls("0x00040010")
    assert flushing.settles("iadd", (DENORMAL,), 32)
    assert flushing.settles("mov", (DENORMAL,), 32)
    assert not flushing.settles("fadd", (NORMAL,), 32)
