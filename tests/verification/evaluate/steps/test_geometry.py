"""Streams of emitted vertices."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.surroundings.emitted import emitted_streams
from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import VAR0, run, shader_of, store

HEAD = "vertices_out: 6\ninput_primitive: TRIANGLES\noutput_primitive: TRIANGLE_STRIP\n"
EMIT = "                @emit_vertex (stream_id={})"
END = "                @end_primitive (stream_id={})"
CONSTANTS = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = load_const (0x00000002)
    32     %3 = @load_primitive_id
    1      %4 = ieq %3, %1 (0x1)
"""


def run_geometry(*lines: str):  # type: ignore[no-untyped-def]
    return run(
        shader_of("\n".join([CONSTANTS, *lines, "                // succs: b99"]), "GEOMETRY", HEAD), lanes=4
    )


def test_vertices_come_in_order_and_primitives_end() -> None:
    lines = []
    for number, vertex in enumerate(("1", "2", "1")):
        lines += [store(vertex, "0"), EMIT.format(0)]
        if number == 1:
            lines += [END.format(0), END.format(0)]
    stream = emitted_streams(run_geometry(*lines))[0]
    assert stream.strips == [[2, 1]] * 4
    assert stream.planes[OutputKey(VAR0, 0)].bits.tolist() == [[1, 2, 1]] * 4


def test_outputs_do_not_carry_over_to_the_next_vertex() -> None:
    stream = emitted_streams(run_geometry(store("1", "0"), EMIT.format(0), EMIT.format(0)))[0]
    assert stream.planes[OutputKey(VAR0, 0)].written.tolist() == [[True, False]] * 4


def test_streams_are_apart_and_lanes_too() -> None:
    lines = [
        store("1", "0"),
        EMIT.format(0),
        "                // succs: b1 b2",
        "    if %4 {",
        "        block b1:   // preds: b0",
        store("2", "0"),
        EMIT.format(1),
        "                    // succs: b3",
        "    } else {",
        "        block b2:   // preds: b0, succs: b3",
        "    }",
        "    block b3:   // preds: b1 b2",
        store("3", "0"),
        EMIT.format(0),
    ]
    streams = emitted_streams(run_geometry(*lines))
    assert streams[0].strips == [[2]] * 4
    assert streams[0].planes[OutputKey(VAR0, 0)].bits.tolist() == [[1, lane] for lane in range(4)]
    assert streams[1].strips == [[], [1], [], []]
    assert [streams[1].count(lane) for lane in range(4)] == [0, 1, 0, 0]


@pytest.mark.parametrize("line", [EMIT, END])
def test_nothing_is_emitted_without_vertices(line: str) -> None:
    assert len(emitted_streams(run_geometry(line.format(0)))) == (1 if line is EMIT else 0)


def test_a_launch_of_mesh_workgroups_ends_the_invocation() -> None:
    text = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x3   %1 = load_const (0x00000001, 0x00000001, 0x00000001)
                @launch_mesh_workgroups (%1) (base=0, range=0)
                @store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
                // succs: b99"""
    result = run(shader_of(text, "TASK", "workgroup_size: 4, 1, 1\n"))
    assert result.memory == {}
    assert not result.poisoned.any()
    assert [plane.written[:, 0].tolist() for plane in result.outputs.values()] == [[True, True]] * 3


def test_a_launch_by_some_invocations_of_a_workgroup_is_undefined() -> None:
    text = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x3   %1 = load_const (0x00000001, 0x00000001, 0x00000001)
    32     %2 = @load_global_invocation_index
    1      %3 = ine %2, %0
                // succs: b1 b2
    if %3 {
        block b1:   // preds: b0
                    @launch_mesh_workgroups (%1) (base=0, range=0)
                    // succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2, succs: b99"""
    result = run(shader_of(text, "TASK", "workgroup_size: 4, 1, 1\n"))
    assert result.poisoned.tolist() == [False, True, True, True, False, False, False, False]


def test_counters_beside_an_emit_may_be_two_or_more() -> None:
    """Releases differ in how many numbers they pass along; none of them changes what is emitted."""
    lines = [
        store("1", "0"),
        "                @emit_vertex_with_counter (%0 (0x0), %0 (0x0)) (stream_id=0)",
        store("2", "0"),
        "                @emit_vertex_with_counter (%1 (0x1), %0 (0x0), %1 (0x1), %0 (0x0)) (stream_id=0)",
    ]
    stream = emitted_streams(run_geometry(*lines))[0]
    assert stream.planes[OutputKey(VAR0, 0)].bits.tolist() == [[1, 2]] * 4
