"""Effects that may not be repeated, left out or delayed."""

from __future__ import annotations

import pytest

from nirls.passes.tessellation.give_up import effect_in_the_way, works_together
from tests.passes.tessellation.control_text import control, entry

START = "block b0:  // preds:\n32 %0 = load_const (0x00000000)\n32 %1 = @load_invocation_id\n"
LOOP = """
loop {
    block b1:  // preds: b0 b1
    32 %2 = iadd %0, %1
}
block b2:  // preds:
block b3:
"""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("out VAR0.x [%1] = %0", None),
        ("barrier", None),
        ("32 %2 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)", None),
        (
            "@store_global (%0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)",
            "stores to memory (store_global)",
        ),
        ("32 %2 = @decl_reg () (num_components=1, bit_size=32, num_array_elems=0, divergent=1)", "registers"),
        ("@store_scratch (%0, %0) (align_mul=4, align_offset=0, wrmask=x)", "scratch"),
        ("32 %2 = @ssbo_atomic (%0, %0, %0) (access=none, atomic_op=iadd)", "has an atomic"),
        ("halt", "ends early (halt)"),
    ],
)
def test_one_instruction(line: str, reason: str | None) -> None:
    shader = control(f"{START}{line}\nblock b1:")
    found = effect_in_the_way(shader, entry(shader))
    assert (None if found is None else found.because_of) is (
        None if reason is None else list(entry(shader).instrs())[-1]
    )
    if reason is not None:
        assert found is not None
        assert reason in found.reason


def test_a_loop_that_nothing_leaves() -> None:
    shader = control(START + LOOP)
    found = effect_in_the_way(shader, entry(shader))
    assert found is not None
    assert found.reason == "has a loop that never ends"


def test_work_of_a_subgroup() -> None:
    shader = control(f"{START}1 %2 = @elect\n32 %3 = @read_first_invocation (%1)\nblock b1:")
    assert [works_together(instr) for instr in entry(shader).instrs()] == [False, False, True, True]
