"""When one output may stand for another: it must be written whenever the other is."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.motion.deduplicate import deduplicate, duplicates
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interface_of, interpolated, vertex

FIRST, SECOND = store("VAR0", "%10"), store("VAR1", "%10")
CONSUMER = (load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5"))


def found(producer: Shader, consumer: Shader) -> list[tuple[int, int]]:
    return [
        (kept.location - 32, slot.location - 32)
        for kept, slot in duplicates(interface_of(producer, consumer))
    ]


def branching(then: str, after: str) -> Shader:
    """One store under a condition, one behind it."""
    plain = vertex("1     %20 = flt %10, %11").source.decode()
    start, _, end = plain.partition("               // succs: b1\n    block b1:\n")
    text = (
        f"{start}    if %20 {{\n        block b1:  // preds: b0\n        {then}\n    }} else {{\n"
        f"        block b2:  // preds: b0\n    }}\n    block b3:  // preds: b1 b2\n    {after}\n"
        f"               // succs: b4\n    block b4:\n{end}"
    )
    parsed = parse_dump(text.encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


def test_same_value_in_one_block() -> None:
    assert found(vertex(FIRST, SECOND), fragment(*CONSUMER)) == [(0, 1)]


def test_an_output_that_nothing_reads_does_not_hide_later_duplicates() -> None:
    producer = vertex(FIRST, SECOND, store("VAR2", "%10"))
    consumer = fragment(load(4, "VAR1"), load(5, "VAR2"), use("%4"), use("%5"))
    assert found(producer, consumer) == [(1, 2)]


def test_loads_of_a_removed_duplicate_equal_those_of_the_kept_output() -> None:
    producer = vertex(FIRST, SECOND.replace("base=0", "base=1"))
    consumer = fragment(CONSUMER[0], CONSUMER[1].replace("base=0", "base=1"), *CONSUMER[2:])
    interface = interface_of(producer, consumer)
    deduplicate(interface)
    kept = interface.in_order()[0]
    assert [one.int_index("base") for one in kept.input_loads] == [0, 0]
    assert len({one.io_semantics for one in kept.input_loads}) == 1


def test_output_under_a_condition_does_not_stand_for_one_that_is_always_written() -> None:
    assert found(branching(FIRST, SECOND), fragment(*CONSUMER)) == []


def test_output_that_is_always_written_stands_for_one_under_a_condition() -> None:
    assert found(branching(SECOND, FIRST), fragment(*CONSUMER)) == [(0, 1)]


@pytest.mark.parametrize(
    ("loads", "expected"),
    [
        ((interpolated(4, "VAR0"), interpolated(5, "VAR1")), [(0, 1)]),
        ((interpolated(4, "VAR0"), interpolated(5, "VAR1", coordinates=3)), []),
        ((interpolated(4, "VAR0"), load(5, "VAR1")), []),
    ],
)
def test_interpolation_must_agree(loads: tuple[str, str], expected: list[tuple[int, int]]) -> None:
    consumer = fragment(*loads, use("%4"), use("%5"))
    assert found(vertex(FIRST, SECOND), consumer) == expected


def test_vertex_emitted_between_keeps_both() -> None:
    emit = "           @emit_vertex (stream_id=0)"
    consumer = fragment(*CONSUMER)
    assert found(vertex(FIRST, SECOND, emit, stage="GEOMETRY"), consumer) == [(0, 1)]
    assert found(vertex(FIRST, emit, SECOND, emit, stage="GEOMETRY"), consumer) == []


def test_outputs_of_a_patch_are_duplicates_of_each_other_only() -> None:
    names = ("PATCH0", "PATCH1")
    producer = vertex(*(store(slot, "%10") for slot in names), stage="TESS_CTRL")
    lines = *(load(4 + number, slot) for number, slot in enumerate(names)), use("%4"), use("%5")
    assert found(producer, shader("TESS_EVAL", ZERO, *lines)) == [(32, 33)]


@pytest.mark.parametrize(
    ("back", "expected"),
    [((), [(-31, -30)]), (("BFC1",), []), (("BFC0", "BFC1"), [(-31, -30)])],
)
def test_a_front_color_does_not_stand_for_a_back_color(
    back: tuple[str, ...], expected: list[tuple[int, int]]
) -> None:
    producer = vertex(*(store(slot, "%10") for slot in ("COL0", "COL1", *back)))
    consumer = fragment(interpolated(4, "COL0"), interpolated(5, "COL1"), use("%4"), use("%5"))
    assert found(producer, consumer) == expected


def test_texcoords_are_never_duplicates() -> None:
    producer = vertex(store("TEX0", "%10"), store("TEX1", "%10"))
    consumer = fragment(interpolated(4, "TEX0"), interpolated(5, "TEX1"), use("%4"), use("%5"))
    assert list(duplicates(interface_of(producer, consumer))) == []


def in_turns(first: tuple[str, ...], later: tuple[str, ...]) -> Shader:
    """Stores of a value of each turn of a loop: in the first turn only, and in the later ones."""
    plain = vertex("32    %13 = load_const (0x00000001)").source.decode()
    start, _, end = plain.partition("               // succs: b1\n    block b1:\n")
    lines = ["".join(f"            {line}\n" for line in stores) for stores in (first, later)]
    text = (
        f"{start}               // succs: b1\n    loop {{\n        block b1:  // preds: b0 b7\n"
        "        32    %20 = phi b0: %0 (0x0), b7: %21\n        32    %21 = iadd %20, %13\n"
        "        32    %22 = u2f32 %20\n        32    %23 = fmul %22, %10\n        1     %24 = ieq %20, %0\n"
        f"        // succs: b2 b3\n        if %24 {{\n            block b2:  // preds: b1\n{lines[0]}"
        f"            // succs: b4\n        }} else {{\n            block b3:  // preds: b1\n{lines[1]}"
        "            // succs: b4\n        }\n        block b4:  // preds: b2 b3\n"
        "        1     %25 = uge %20, %13\n        // succs: b5 b6\n"
        "        if %25 {\n            block b5:  // preds: b4\n            break\n            // succs: b8\n"
        "        } else {\n            block b6:  // preds: b4\n            // succs: b7\n        }\n"
        "        block b7:  // preds: b6\n        // succs: b1\n    }\n"
        f"    block b8:  // preds: b5\n    // succs: b9\n    block b9:\n{end}"
    )
    parsed = parse_dump(text.encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


def test_output_that_a_later_turn_of_a_loop_overwrites_stands_for_no_other() -> None:
    first, second = FIRST.replace("%10", "%23"), SECOND.replace("%10", "%23")
    consumer = fragment(*CONSUMER)
    assert found(in_turns((first, second), (first,)), consumer) == []
    assert found(in_turns((first, second), (first, second)), consumer) == [(0, 1)]
    assert found(in_turns((FIRST, SECOND), (FIRST,)), consumer) == [(0, 1)]


def test_output_that_another_invocation_overwrites_stands_for_no_other() -> None:
    number = "32    %20 = @load_invocation_id"
    value = load(21, "VAR0", name="load_per_vertex_input").replace("(%0 (0x0)", "(%20", 1)
    both = tuple(
        store(slot, "%21", name="store_per_vertex_output").replace(", %0 (0x0)", ", %20", 1)
        for slot in ("VAR0", "VAR1")
    )
    barrier = (
        "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL,"
        " mem_modes=shader_out)"
    )
    of_the_first = store("VAR0", "%21", name="store_per_vertex_output")
    consumer = shader(
        "TESS_EVAL",
        ZERO,
        load(4, "VAR0", name="load_per_vertex_input"),
        load(5, "VAR1", name="load_per_vertex_input"),
        use("%4"),
        use("%5"),
    )
    plain = shader("TESS_CTRL", ZERO, number, value, *both)
    overwritten = shader("TESS_CTRL", ZERO, number, value, *both, barrier, of_the_first)
    assert found(plain, consumer) == [(0, 1)]
    assert found(overwritten, consumer) == []
