from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nirls.server.ide.run_text import (
    float_text,
    is_odd,
    lost_text,
    number_text,
    plain_value,
    spread_lines,
    value_text,
)
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.tracing.trace import TracedValue, TraceRequest, traced_run
from tests.passes.shader_text import ONE, ZERO, shader


@pytest.mark.parametrize(
    ("bits", "bit_size", "base", "text"),
    [
        (0x3FC00000, 32, "float", "1.5"),
        (0x40000000, 32, "float", "2.0"),
        (0x3EAAAAAB, 32, "float", "0.333333"),
        (0x80000000, 32, "float", "-0.0"),
        (0x7FC00000, 32, "float", "NaN"),
        (0xFF800000, 32, "float", "-inf"),
        (0x3C00, 16, "float", "1.0"),
        (7, 32, "int", "7"),
        (42, 32, "int", "42 (0x2a)"),
        (0xFFFFFFFD, 32, "int", "-3"),
        (0xFFFFFFFD, 32, "uint", "4294967293 (0xfffffffd)"),
        (1, 1, "int", "true"),
        (0, 32, "bool", "false"),
        (0x3F800000, 32, "mixed", "0x3f800000 = 1.0"),
        (0, 32, "mixed", "0"),
        (20, 32, "mixed", "20 (0x14)"),
        (0x7FC00000, 32, "mixed", "0x7fc00000 = NaN"),
        (300, 8, "uint", "300 (0x12c)"),
    ],
)
def test_numbers_are_short(bits: int, bit_size: int, base: str, text: str) -> None:
    assert number_text(bits, bit_size, base) == text


def test_floats_look_like_floats() -> None:
    assert [float_text(number) for number in (0.0, 1e30, 1e-8, 123456789.0)] == [
        *("0.0", "1e+30", "1e-08", "1.23457e+08"),
    ]


def traced(bits: list[list[int]], base: str = "float", runs: list[int] | None = None) -> TracedValue:
    rows: Array = np.array(bits, np.uint64)
    undefined = rows == UNDEFINED
    ran = np.array(runs or [1] * rows.shape[1], np.int64)
    return TracedValue("%1", 3, base, 32, rows, undefined, ran)


UNDEFINED = 0xDEAD
ONE_, TWO, NAN = 0x3F800000, 0x40000000, 0x7FC00000


def test_vectors_undefined_and_not_run() -> None:
    value = traced([[ONE_, UNDEFINED, UNDEFINED, 0], [TWO, TWO, UNDEFINED, 0]], runs=[1, 1, 1, 0])
    assert [value_text(value, lane) for lane in range(4)] == [
        *("(1.0, 2.0)", "(undefined, 2.0)", "undefined", "not run"),
    ]
    assert [is_odd(value, lane) for lane in range(4)] == [False, True, True, False]
    assert is_odd(traced([[NAN]]), 0)
    assert not is_odd(traced([[NAN]], "int"), 0)


def test_spread_over_the_invocations() -> None:
    assert spread_lines(traced([[ONE_, TWO, TWO, NAN]])) == [
        "invocations 0 to 3: 1.0, 2.0, 2.0, NaN",
        "smallest 1.0, largest 2.0, undefined or NaN on 1",
        "3 different values on 4 invocations",
    ]
    assert spread_lines(traced([[5] * 20], "int")) == [
        "invocations 0 to 7: 5, 5, 5, 5, 5, 5, 5, 5, ...",
        "smallest 5, largest 5",
        "the same on 20 invocations",
    ]
    assert spread_lines(traced([[1, 2, 3]], "uint", runs=[1, 0, 2])) == [
        "invocations 0, 2: 1, 3",
        "smallest 1, largest 3",
        "2 different values on 2 of 3 invocations, which ran it",
    ]
    assert spread_lines(traced([[1, 2]], runs=[0, 0])) == ["not run by any of 2 invocations"]


def test_negative_integers_are_the_smallest() -> None:
    assert spread_lines(traced([[0xFFFFFFFF, 3]], "int"))[1] == "smallest -1, largest 3"
    assert spread_lines(traced([[0xFFFFFFFF, 3]], "uint"))[1] == "smallest 3, largest 4294967295 (0xffffffff)"


def test_lost_invocations_are_not_told_apart() -> None:
    (trace,) = traced_run([shader("VERTEX", ZERO, ONE)], TraceRequest()).stages
    assert lost_text(trace) == "its control flow depends on an undefined value, or did not end"
    assert lost_text(replace(trace, given_up=("a loop",))).endswith("did not end (a loop)")


def test_plain_values_are_json() -> None:
    (stage,) = traced_run([shader("VERTEX", ZERO, ONE)], TraceRequest()).stages
    one = next(value for value in stage.values if value.name == "%1")
    assert plain_value(one, 0, 10) == {
        "name": "%1",
        "line": 10 + (one.line or 0),
        "type": "mixed",
        "bit_size": 32,
        "runs": 1,
        "values": [{"bits": "0x3f800000", "text": "0x3f800000 = 1.0"}],
    }
