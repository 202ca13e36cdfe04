from __future__ import annotations

import pytest

from nirls.ir.analysis.liveness import Liveness, register_count, register_pressure
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump

HEAD = "shader: MESA_SHADER_COMPUTE\nimpl main {\n"

LOOP = (
    HEAD
    + """    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %9 = load_const (0x00000009)
                // succs: b1
    loop {
        block b1:  // preds: b0 b4
        32     %2 = phi b0: %0, b4: %5
        1      %3 = ige %2, %9
                    // succs: b2 b3
        if %3 {
            block b2:  // preds: b1
            break
            // succs: b5
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b3
        32     %5 = iadd %2, %1
                    // succs: b1
    }
    block b5:  // preds: b2
    32     %6 = iadd %2, %2
    @store_ssbo (%6, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
                // succs: b6
    block b6:
}
"""
)


def body(text: str) -> FunctionImpl:
    (impl,) = parse_dump(text.encode()).impls()
    return impl


def names(values: object) -> list[int]:
    return sorted(value.index for value in values)  # type: ignore[attr-defined]


def test_values_that_a_loop_needs_are_live_around_it() -> None:
    impl = body(LOOP)
    liveness = Liveness(impl)
    live = {
        block.index: (names(liveness.live_in(block)), names(liveness.live_out(block)))
        for block in impl.blocks()
    }
    # %2 is a phi of b1: its source is read at the end of b0 and b4, its value is no live-in of b1.
    assert live[0] == ([], [0, 1, 9])
    assert live[1] == ([0, 1, 9], [0, 1, 2, 3, 9])
    assert live[4] == ([0, 1, 2, 9], [0, 1, 5, 9])
    assert live[5] == ([0, 2], [])


def test_pressure_is_the_most_that_is_live_at_once() -> None:
    assert register_pressure(body(LOOP)) == 5


@pytest.mark.parametrize(("components", "bits", "count"), [(1, 1, 1), (4, 16, 4), (3, 32, 3), (2, 64, 4)])
def test_register_count(components: int, bits: int, count: int) -> None:
    assert register_count(Def(0, components, bits)) == count


def test_a_body_without_values_needs_no_registers() -> None:
    assert register_pressure(body(HEAD + "    block b0:  // preds: , succs: b1\n    block b1:\n}\n")) == 0
