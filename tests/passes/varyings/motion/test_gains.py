"""The gain of a motion is what the motion then does."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.motion.backward_motion import carry_out, motions
from nirls.passes.varyings.motion.gains import MotionGain, gain_of
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, interface_of, stores, vertex

INPUTS = load(4, "VAR0"), load(5, "VAR1")


def alu(parsed: Shader) -> int:
    return sum(isinstance(instr, AluInstr) for impl in parsed.impls() for instr in impl.instrs())


@pytest.mark.parametrize(
    ("gain", "saved"),
    [
        (MotionGain(2, 1, 2, 3), 1),
        (MotionGain(2, 2, 5, 2), 3),
        (MotionGain(1, 1, 2, 2), 0),
        (MotionGain(1, 2, 5, 0), -1),
    ],
)
def test_varyings_count_before_instructions(gain: MotionGain, saved: int) -> None:
    assert gain.saved == saved


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["32    %6 = fmax %4, %5", "32    %7 = fsin %6", use("%7")], MotionGain(2, 1, 2, 0)),
        (["32    %6 = fmax %4, %5", "32    %7 = fsin %5", use("%6"), use("%7")], MotionGain(2, 2, 2, 1)),
        (
            ["1     %6 = flt %4, %5", "32    %7 = bcsel %6, %1, %0", use("%7")],
            MotionGain(2, 1, 2, 0),
        ),
        # A boolean is compared with 0 again.
        (
            [
                "1     %6 = flt %4, %5",
                *("32    %7 = bcsel %6, %1, %0", "32    %8 = bcsel %6, %0, %1"),
                *(use("%7"), use("%8")),
            ],
            MotionGain(2, 1, 3, 3),
        ),
    ],
)
def test_gain_is_what_the_motion_does(lines: list[str], expected: MotionGain) -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(*INPUTS, *lines)
    interface = interface_of(producer, consumer)
    motion = motions(interface)[0]
    gain = gain_of(interface, motion)
    assert gain == expected
    before = alu(consumer)
    carry_out(interface, motion)
    assert (before, alu(consumer)) == (gain.instructions_before, gain.instructions_after)
    assert len(stores(producer)) == gain.varyings_after
