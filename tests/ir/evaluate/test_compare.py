"""What may stand for what: undefined results, unwritten outputs, wrong values, discards."""

from __future__ import annotations

from nirls.ir.evaluate.compare import cells_agree, compare_results
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.result import MemoryCell
from tests.ir.evaluate.shader_text import shader_of, store


def shader(value: str, *, slot: str = "VARYING_SLOT_VAR0") -> Machine:
    lines = {
        "one": "    32     %1 = load_const (0x00000001)",
        "two": "    32     %1 = load_const (0x00000002)",
        "undefined": "    32     %1 = undefined",
    }
    stores = store("1", "0", slot) if value in lines else ""
    return Machine(
        shader_of(
            f"    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n"
            f"{lines.get(value, '')}\n{stores}\n                // succs: b99"
        )
    )


def differ(before: Machine, after: Machine) -> bool:
    environment = Environment(1)
    return bool(compare_results(before.run(environment), after.run(environment)))


def test_undefined_may_become_anything_but_not_the_reverse() -> None:
    assert not differ(shader("undefined"), shader("one"))
    assert differ(shader("one"), shader("undefined"))


def test_other_values_and_lost_stores_differ() -> None:
    assert not differ(shader("one"), shader("one"))
    assert differ(shader("one"), shader("two"))
    assert differ(shader("one"), shader("nothing"))


def test_a_new_varying_is_harmless_and_a_new_point_size_is_not() -> None:
    assert not differ(shader("nothing"), shader("one"))
    assert differ(shader("nothing"), shader("one", slot="VARYING_SLOT_PSIZ"))


def test_memory_within_the_bounds_of_both_sides_agrees() -> None:
    one, close = MemoryCell(0x3F800000, 32, error=1e-6), MemoryCell(0x3F800004, 32, error=1e-6)
    assert cells_agree(one, close, tolerant=True)
    assert not cells_agree(one, close, tolerant=False)
    assert not cells_agree(one, MemoryCell(0x3F810000, 32, error=1e-6), tolerant=True)


MEMORY = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000002)
    32     %2 = @load_vertex_id_zero_base
    1      %3 = ieq %2, %1 (0x2)
    1      %4 = undefined
    1      %5 = iand %3, %4
    32     %6 = ishl %2, %1 (0x2)
                // succs: b1 b2
    if %5 {
        block b1:   // preds: b0, succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2
    32     %7 = iadd %2, %DELTA
                @store_ssbo (%7, %0 (0x0), %6) (wrmask=x, access=none, align_mul=4, align_offset=0)
                // succs: b99"""


def test_only_cells_of_lost_lanes_are_left_out() -> None:
    selected = MEMORY.replace("iand %3, %4", "bcsel %3, %4, %3")
    before = Machine(shader_of(selected.replace("%DELTA", "%0")))
    environment = Environment(1)
    assert before.run(environment, lanes=4).poisoned.tolist() == [False, False, True, False]
    wrong_everywhere = Machine(shader_of(selected.replace("%DELTA", "%1")))
    found = compare_results(before.run(environment, lanes=4), wrong_everywhere.run(environment, lanes=4))
    assert [item.what for item in found] == ["memory ssbo/0/0", "memory ssbo/0/1", "memory ssbo/0/3"]
    assert not differ(before, before)
