"""Float controls of the header: the layouts of bits by release, and what they settle."""

from __future__ import annotations

import pytest

from nirls.ir.model.float_controls import USUAL, FloatControls
from nirls.ir.text.parse import parse_dump

DENORMAL = 0x00000001
NORMAL = 0x3F800000
ALL = frozenset((16, 32, 64))

CLASSIC = (
    "impl main {\n\tblock block_0:\n\t/* preds: */\n\tvec1 32 ssa_0 = load_const (0x00000000 = 0.000000)\n}\n"
)
MODERN = "impl main {\n    block b0:  // preds:\n    32    %0 = load_const (0x00000000)\n}\n"
NEWEST = f"max_subgroup_size: 64\n{MODERN}"


def controls(value: str | None, rest: str = NEWEST) -> FloatControls:
    field = "" if value is None else f"float_controls_execution_mode: {value}\n"
    return FloatControls.of(parse_dump(f"shader: MESA_SHADER_COMPUTE\n{field}{rest}".encode()))


@pytest.mark.parametrize(
    ("value", "rest", "expected"),
    [
        (None, NEWEST, USUAL),
        ("0x0000", NEWEST, USUAL),
        # 26: 3 bits each for denormals kept, denormals flushed, RTE, RTZ.
        ("0x0005", NEWEST, USUAL),
        ("0x0010", NEWEST, FloatControls(frozenset((32,)))),
        ("0x0040", NEWEST, FloatControls(rounds=True)),
        # 24 and 25: signed zeros, infinities, NaNs, kept, flushed, RTE, RTZ.
        ("0x00000005", MODERN, FloatControls(preserved_zeros=frozenset((16, 64)))),
        ("0x00000010", MODERN, FloatControls(preserved_infs=frozenset((32,)))),
        ("0x00000080", MODERN, FloatControls(preserved_nans=frozenset((32,)))),
        ("0x00005000", MODERN, FloatControls(frozenset((16, 64)))),
        ("0x00008000", MODERN, FloatControls(rounds=True)),
        # 2019 to 23: kept, flushed, signed zeros with infinities and NaNs, RTE, RTZ.
        ("0x0010", CLASSIC, FloatControls(frozenset((32,)))),
        (
            "0x0080",
            CLASSIC,
            FloatControls(frozenset(), False, frozenset((32,)), frozenset((32,)), frozenset((32,))),
        ),
        ("0x0200", CLASSIC, FloatControls(rounds=True)),
        ("what is this", NEWEST, FloatControls(frozenset(), True, ALL, ALL, ALL)),
    ],
)
def test_bits_of_the_header(value: str | None, rest: str, expected: FloatControls) -> None:
    assert controls(value, rest) == expected


def test_bits_that_two_layouts_could_have_preserve_what_either_does() -> None:
    found = controls("0x0080", MODERN)
    assert found.preserved_nans == {32}
    assert found.preserved_infs == {32}
    assert found.rounds


def test_denormal_results_are_settled_unless_they_are_flushed() -> None:
    assert USUAL.settles("fadd", (DENORMAL,), 32)
    flushing = controls("0x0010")
    assert not flushing.settles("fadd", (NORMAL, DENORMAL), 32)
    assert not flushing.settles("fadd", (0x80000001,), 32)
    assert flushing.settles("fadd", (NORMAL, 0, 0x80000000, 0x7F800000), 32)
    assert flushing.settles("fadd", (1,), 16)


def test_denormal_operands_are_flushed_too() -> None:
    flushing = controls("0x0010")
    sources = [((DENORMAL,), 32), ((NORMAL,), 32)]
    assert not flushing.settles("fmul", (NORMAL,), 32, sources)
    assert not flushing.settles("flt", (1,), 1, sources)
    assert flushing.settles("ult", (1,), 1, sources)
    assert USUAL.settles("fmul", (NORMAL,), 32, sources)


def test_an_unknown_layout_may_flush() -> None:
    sources = [((DENORMAL,), 32), ((0,), 32)]
    assert not controls("0x0080", MODERN).settles("flt", (1,), 1, sources)


def test_integers_and_copies_are_not_floats() -> None:
    flushing = controls("0x0050")
    assert flushing.settles("iadd", (DENORMAL,), 32)
    assert flushing.settles("mov", (DENORMAL,), 32)
    assert not flushing.settles("fadd", (NORMAL,), 32)
