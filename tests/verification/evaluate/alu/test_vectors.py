"""Known answers of vector opcodes."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.alu.alu_lanes import Lane, run
from tests.verification.evaluate.alu.exact_float import bits_of_float

NAN, ONE = 0x7FC00000, 0x3F800000


def floats(*values: float) -> tuple[int, ...]:
    return tuple(bits_of_float(value, 32) for value in values)


@pytest.mark.parametrize(
    ("opcode", "size", "sources", "result"),
    [
        ("mov", 1, (1,), 1),
        ("mov", 16, (0x7C01,), 0x7C01),
        ("vec4", 32, (1, NAN, 0x7F800001, 4), (1, NAN, 0x7F800001, 4)),
        ("vec2", 1, (1, 0), (1, 0)),
        ("vec16", 8, tuple(range(16)), tuple(range(16))),
        ("ball_fequal2", 32, ((0, ONE), (0x80000000, ONE)), 1),
        ("ball_fequal3", 32, ((0, ONE, NAN), (0, ONE, NAN)), 0),
        ("b32any_fnequal2", 32, ((0, NAN), (0, NAN)), 0xFFFFFFFF),
        ("b8all_iequal5", 16, ((1, 2, 3, 4, 5), (1, 2, 3, 4, 5)), 0xFF),
        ("bany_inequal8", 8, ((1, 2, 3, 4, 5, 6, 7, 8), (1, 2, 3, 4, 5, 6, 7, 9)), 1),
        ("fall_equal2", 32, ((1, 2), (1, 2)), ONE),
        ("fany_nequal2", 32, ((1, 2), (1, 2)), 0),
        ("fdot3", 32, (floats(1, 2, 3), floats(4, 5, 6)), bits_of_float(32.0, 32)),
        ("fdph", 32, (floats(1, 2, 3), floats(4, 5, 6, 7)), bits_of_float(39.0, 32)),
        # (w + z) + (y + x): adding from the left would give 1.
        ("fdot4", 32, (floats(1e8, 1, -1e8, 1), floats(1, 1, 1, 1)), bits_of_float(0.0, 32)),
        ("fdot3", 32, (floats(1, 1e8, -1e8), floats(1, 1, 1)), ONE),
        ("fsum3", 32, (floats(1, 1e8, -1e8),), 0),
        ("fsum4", 32, (floats(1, 2, 3, 4),), bits_of_float(10.0, 32)),
        # Products and sums of halves are kept in float32 until the end.
        ("fdot2", 16, ((0x7BFF, 0x7BFF), (0x4000, 0xC000)), 0),
    ],
)
def test_known_results(opcode: str, size: int, sources: tuple[Lane, ...], result: Lane) -> None:
    assert run(opcode, size, *sources) == result
