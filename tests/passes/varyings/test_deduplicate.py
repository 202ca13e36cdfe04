"""When one output may stand for another: it must be written whenever the other is."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.deduplicate import deduplicate, duplicates
from tests.passes.shader_text import load, store, use
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


def test_texcoords_are_never_duplicates() -> None:
    producer = vertex(store("TEX0", "%10"), store("TEX1", "%10"))
    consumer = fragment(interpolated(4, "TEX0"), interpolated(5, "TEX1"), use("%4"), use("%5"))
    assert list(duplicates(interface_of(producer, consumer))) == []
