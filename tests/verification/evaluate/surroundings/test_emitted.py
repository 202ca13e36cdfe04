"""Emitted vertices put in order."""

from __future__ import annotations

import numpy as np

from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.surroundings.emitted import emitted_streams
from nirls.verification.evaluate.surroundings.launch import launch_for
from nirls.verification.evaluate.surroundings.result import (
    EmittedVertex,
    OutputKey,
    OutputPlane,
    ShaderResult,
)
from tests.verification.evaluate.shader_text import shader_of

KEY = OutputKey(32, 0)


def vertex(number: int, *lanes: int, stream: int = 0) -> EmittedVertex:
    plane = OutputPlane(3, 1)
    plane.bits[:, 0] = number
    plane.written[:] = True
    return EmittedVertex(stream, np.isin(np.arange(3), lanes), {KEY: plane})


def end(*lanes: int, stream: int = 0) -> EmittedVertex:
    return EmittedVertex(stream, np.isin(np.arange(3), lanes), None)


def streams(*events: EmittedVertex):  # type: ignore[no-untyped-def]
    launch = launch_for(shader_of("    block b0:", "GEOMETRY"), 3)
    return emitted_streams(ShaderResult(Stage.GEOMETRY, launch, emitted=list(events)))


def test_each_lane_counts_for_itself() -> None:
    found = streams(vertex(5, 0, 2), end(0), vertex(6, 0, 1))[0]
    assert found.strips == [[1, 1], [1], [1]]
    assert [found.count(lane) for lane in range(3)] == [2, 1, 1]
    plane = found.planes[KEY]
    assert plane.bits[0].tolist() == [5, 6]
    assert (plane.bits[1, 0], plane.bits[2, 0]) == (6, 5)
    assert plane.written.tolist() == [[True, True], [True, False], [True, False]]


def test_ends_without_vertices_do_not_show() -> None:
    assert streams(end(0, 1, 2)) == {}
    assert streams(end(0), vertex(1, 0), end(0), end(0), vertex(1, 0))[0].strips == [[1, 1], [], []]


def test_an_end_is_for_its_own_stream() -> None:
    found = streams(vertex(1, 0), vertex(2, 0, stream=1), end(0, stream=1), vertex(3, 0))
    assert found[0].strips[0] == [2]
    assert found[1].strips[0] == [1]
