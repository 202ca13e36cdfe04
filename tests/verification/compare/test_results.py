"""What may stand for what: undefined results, unwritten outputs, wrong values, discards."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.ir.model.stage import Stage
from nirls.verification.compare.results import (
    HARDWARE,
    PlaneComparison,
    cells_agree,
    compare_results,
    number_text,
)
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.result import MemoryCell, OutputKey, OutputPlane, ShaderResult
from tests.passes.tessellation.patches import control, out
from tests.passes.tessellation.patches import store as store_of_patch
from tests.verification.evaluate.shader_text import shader_of, store


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
        block b1:   // preds: b0
        return
        // succs: b99
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b2
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
    assert [(item.what, item.lane) for item in found] == [
        ("memory ssbo0[0]", 0),
        ("memory ssbo0[4]", 1),
        ("memory ssbo0[12]", 3),
    ]
    assert not differ(before, before)


def plane(
    *values: float, bit_size: int = 32, vertices: int = 1, error: float = 0.0, **flags: list[bool]
) -> OutputPlane:
    """A plane with these floats on its instances, all at vertex 0."""
    made = OutputPlane(len(values), vertices)
    floats = {16: np.float16, 32: np.float32, 64: np.float64}[bit_size]
    bits = np.array(values, floats).view(f"uint{bit_size}")
    made.bits[:, 0], made.bit_size[:, 0], made.error[:, 0], made.written[:, 0] = bits, bit_size, error, True
    for name, flag in flags.items():
        getattr(made, name)[:, 0] = flag
    return made


def lanes(
    before: OutputPlane | None, after: OutputPlane | None, *, tolerant: bool, what: str = "x"
) -> list[int]:
    """The lane at which planes differ, if they do."""
    numbers = np.arange(0 if before is None else len(before.bits))
    launch = Launch(Stage.VERTEX, len(numbers), numbers, numbers * 0, numbers)
    comparison = PlaneComparison(launch, tolerant, [])
    usable = np.ones(len(numbers), np.bool_)
    comparison.compare(OutputKey(what, 0), before, after, usable)
    return [item.lane for item in comparison.differences]


NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize("bit_size", [16, 32, 64])
@pytest.mark.parametrize(
    ("before", "after", "error", "is_same"),
    [
        (1.0, 1.0, 0.0, True),
        (1.0, 1.25, 0.0, False),
        # The bounds of the two sides add up.
        (1.0, 1.25, 0.125, True),
        (1.25, 1.0, 0.125, True),
        (1.0, 1.25, 0.12, False),
        (1.25, 1.0, 0.12, False),
        (1.0, -3.0, INFINITY, True),
        (NAN, -NAN, 0.125, True),
        (NAN, 1.0, 0.125, False),
        (1.0, NAN, 0.125, False),
        (0.0, -0.0, 0.125, True),
        (0.0, -0.0, 0.0, False),
    ],
)
def test_rounding_errors_allow_for_other_floats(
    bit_size: int, before: float, after: float, error: float, is_same: bool
) -> None:
    sides = [plane(2.0, value, bit_size=bit_size, error=error) for value in (before, after)]
    assert lanes(*sides, tolerant=True) == ([] if is_same else [1])
    is_identical = sides[0].bits.tolist() == sides[1].bits.tolist()
    assert lanes(*sides, tolerant=False) == ([] if is_identical else [1])


def test_undefined_and_fragile_results() -> None:
    sure, other = plane(1.0, 1.0), plane(1.0, 2.0)
    assert lanes(plane(1.0, 1.0, poison=[False, True]), other, tolerant=False) == []
    assert lanes(sure, plane(1.0, 1.0, poison=[False, True]), tolerant=False) == [1]
    assert lanes(sure, plane(1.0, 1.0, written=[True, False]), tolerant=False) == [1]
    assert lanes(plane(1.0, 1.0, written=[True, False]), other, tolerant=False) == []
    for fragile in ([False, True], [True, False]):
        expected = [] if fragile[1] else [1]
        assert lanes(plane(1.0, 1.0, fragile=fragile), other, tolerant=True) == expected
        assert lanes(sure, plane(1.0, 2.0, fragile=fragile), tolerant=True) == expected
        assert lanes(sure, plane(1.0, 2.0, fragile=fragile), tolerant=False) == [1]


def test_absent_planes() -> None:
    nothing = plane(1.0, 1.0, written=[False, False])
    assert lanes(None, plane(1.0), tolerant=False) == []
    assert lanes(plane(1.0, 1.0, written=[False, True]), None, tolerant=False) == [1]
    assert lanes(nothing, None, tolerant=False) == []


def test_what_hardware_acts_on_may_not_be_written_anew() -> None:
    before, after = plane(1.0, 1.0, written=[True, False]), plane(1.0, 1.0)
    assert lanes(before, after, tolerant=False) == []
    assert lanes(before, after, tolerant=False, what=f"{HARDWARE}export") == [1]
    fragile = plane(1.0, 1.0, fragile=[False, True])
    assert lanes(before, fragile, tolerant=True, what=f"{HARDWARE}export") == []
    assert lanes(before, fragile, tolerant=False, what=f"{HARDWARE}export") == [1]
    assert lanes(after, before, tolerant=False, what=f"{HARDWARE}export") == [1]


def test_planes_of_different_numbers_of_vertices() -> None:
    short, long = plane(1.0, 2.0), plane(1.0, 2.0, vertices=3)
    assert lanes(short, long, tolerant=False) == []
    assert lanes(long.copy(), short.copy(), tolerant=False) == []
    long.bits[1, 2], long.bit_size[1, 2], long.written[1, 2] = 5, 32, True
    assert lanes(short.copy(), long.copy(), tolerant=False) == []
    assert lanes(long, short, tolerant=False) == [1]


@pytest.mark.parametrize(
    ("bits", "bit_size", "text"),
    [
        (0x3C00, 16, "0x3c00 = 1.0"),
        (0x3F800000, 32, "0x3f800000 = 1.0"),
        (0x3FF0000000000000, 64, "0x3ff0000000000000 = 1.0"),
        (0x13F800000, 32, "0x13f800000 = 1.0"),
        (1, 1, "0x1"),
    ],
)
def test_numbers_as_text(bits: int, bit_size: int, text: str) -> None:
    assert number_text(bits, bit_size) == text


FRAGMENT = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000002)
    32     %2 = @load_subgroup_invocation
    1      %3 = OP %2, %1 (0x2)
    1      %4 = load_const (true)
    1      %5 = CONDITION
                @demote_if (%5)
                // succs: b99"""


def discarding(op: str, condition: str = "mov %3") -> ShaderResult:
    text = FRAGMENT.replace("OP", op).replace("CONDITION", condition)
    return Machine(shader_of(text, "FRAGMENT")).run(Environment(1), lanes=4)


def test_discards() -> None:
    some, all_of_them, undefined = (
        discarding("ult"),
        discarding("ult", "mov %4"),
        discarding("ult", "undefined"),
    )
    assert compare_results(some, discarding("ult")) == []
    assert [(one.what, one.lane) for one in compare_results(some, all_of_them)] == [("discard", 2)]
    assert [(one.what, one.lane) for one in compare_results(some, discarding("uge"))] == [("discard", 0)]
    assert compare_results(undefined, some) == []
    assert [one.what for one in compare_results(some, undefined)] == ["control flow"]


def patches(*levels: str, output: str = "%3", tolerant: bool = False) -> ShaderResult:
    constants = (
        "32    %2 = load_const (0x00000000)",
        "32    %3 = load_const (0x3f800000)",
        "32    %4 = undefined",
    )
    stores = [store_of_patch(level, "TESS_LEVEL_OUTER", lane) for lane, level in enumerate(levels)]
    stores.append(store_of_patch("%3", "TESS_LEVEL_INNER"))
    return Machine(control(*constants, *stores, out(output, "VAR0"))).run(
        Environment(1), lanes=6, options=RunOptions(track_error=tolerant)
    )


@pytest.mark.parametrize("tolerant", [False, True])
def test_patches_that_are_culled(tolerant: bool) -> None:
    whole = patches("%3", "%3", "%3", "%3", tolerant=tolerant)
    culled = patches("%3", "%2", "%3", "%3", tolerant=tolerant)
    undefined = patches("%3", "%4", "%3", "%3", tolerant=tolerant)

    def found(before: ShaderResult, after: ShaderResult) -> list[str]:
        return [one.what for one in compare_results(before, after, float_tolerance=tolerant)]

    assert found(whole, whole) == []
    assert "culling" in found(whole, culled)
    assert "culling" in found(culled, whole)
    assert "culling" in found(whole, undefined)
    assert found(undefined, whole) == []
    assert found(undefined, culled) == []
    # Outputs of a patch count only where it is not culled.
    other_culled = patches("%3", "%2", "%3", "%3", output="%2", tolerant=tolerant)
    assert found(culled, other_culled) == []
    other = patches("%3", "%3", "%3", "%3", output="%2", tolerant=tolerant)
    assert found(whole, other) == ["VARYING_SLOT_VAR0.x of vertex 0"]


EMITS = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
"""


def emitting(count: int, value: str = "1") -> ShaderResult:
    one = store(value, "0") + "\n                @emit_vertex (stream_id=0)\n"
    return Machine(
        shader_of(EMITS + one * count + "                // succs: b99", "GEOMETRY", "vertices_in: 3\n")
    ).run(Environment(1), lanes=2)


def test_emitted_vertices() -> None:
    assert compare_results(emitting(2), emitting(2)) == []
    assert [one.what for one in compare_results(emitting(2), emitting(3))] == ["primitives of stream 0"]
    assert [one.what for one in compare_results(emitting(2), emitting(0))] == ["primitives of stream 0"]
    assert [one.what for one in compare_results(emitting(0), emitting(2))] == ["primitives of stream 0"]
    assert [one.what for one in compare_results(emitting(2), emitting(2, "0"))] == [
        "VARYING_SLOT_VAR0.x of vertex 0"
    ]


def storing(*lines: str) -> Machine:
    start = "32 %0 = load_const (0x00000000)\n32 %1 = load_const (0x00000004)\n32 %2 = undefined\n"
    stores = "\n".join(
        f"@store_ssbo ({line}) (wrmask=x, access=none, align_mul=4, align_offset=0)" for line in lines
    )
    return Machine(shader_of(f"    block b0:   // preds:\n{start}{stores}\n    // succs: b99"))


@pytest.mark.parametrize(
    ("before", "after", "agree"),
    [
        (MemoryCell(0x3F800000, 32, error=1e-6), MemoryCell(0x3F800001, 32), True),
        (MemoryCell(0x3F800000, 32, error=1e-9), MemoryCell(0x3F800001, 32), False),
        (MemoryCell(0x3F800000, 32), MemoryCell(0x3F800001, 32), False),
        # A bound says nothing of an integer of a size that no float has.
        (MemoryCell(0x40, 8, error=1.0), MemoryCell(0x41, 8), False),
        # All NaNs are one value; a NaN is not a number near it.
        (MemoryCell(0x7FC00000, 32, error=1.0), MemoryCell(0x7FC00001, 32), True),
        (MemoryCell(0x7FC00000, 32, error=1.0), MemoryCell(0x3F800000, 32), False),
        (MemoryCell(0x3F800000, 32, error=1.0), MemoryCell(0x7FC00000, 32), False),
        (MemoryCell(0x3F800000, 32, error=float("inf")), MemoryCell(0x7FC00000, 32), True),
        (MemoryCell(0, 32, fragile=True), MemoryCell(1, 32), True),
        (MemoryCell(0, 32, poison=True), MemoryCell(1, 32), True),
        (MemoryCell(0, 32), MemoryCell(0, 32, poison=True), False),
        (MemoryCell(0, 32, fragile=True), MemoryCell(0, 32, poison=True), True),
        (MemoryCell(0x1234, 32, holes=0b1), MemoryCell(0x1256, 32), True),
        (MemoryCell(0x1234, 32, holes=0b1), MemoryCell(0x2234, 32), False),
        (MemoryCell(0x1234, 32, holes=0b1), MemoryCell(0x1234, 32, holes=0b11), False),
    ],
)
def test_cells_agree_within_their_bounds(before: MemoryCell, after: MemoryCell, agree: bool) -> None:
    assert cells_agree(before, after, tolerant=True) is agree
    assert cells_agree(before, after, tolerant=False) is (agree and (before.poison or before.holes > 0))


def test_cells_of_memory() -> None:
    one, both = storing("%1, %0, %0"), storing("%1, %0, %0", "%1, %0, %1")
    assert not differ(both, both)
    assert differ(one, both)
    assert differ(both, one)
    assert not differ(storing("%2, %0, %0"), one)
    assert differ(one, storing("%2, %0, %0"))
