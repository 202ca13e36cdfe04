"""Vertices emitted by geometry shader invocations, in order per invocation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nirls.verification.evaluate.surroundings.result import OutputKey, OutputPlane, ShaderResult
from nirls.verification.evaluate.values.arrays import Array


@dataclass(slots=True)
class EmittedStream:
    """One vertex stream: planes of shape (lanes, vertices), and per lane the sizes of its primitives.

    A primitive consists of the vertices between two `end_primitive`; empty primitives are dropped.
    """

    planes: dict[OutputKey, OutputPlane]
    strips: list[list[int]]

    def count(self, lane: int) -> int:
        """Return the number of vertices that a lane emitted."""
        return sum(self.strips[lane])


def emitted_streams(result: ShaderResult) -> dict[int, EmittedStream]:
    """Collect the emitted vertices by stream number; streams without vertices are left out."""
    streams: dict[int, EmittedStream] = {}
    lanes = result.launch.lanes
    open_strip: dict[int, Array] = {}
    counts: dict[int, Array] = {}
    for event in result.emitted:
        stream = event.stream
        if event.outputs is None:
            if stream in open_strip:
                open_strip[stream][event.lanes] = False
            continue
        if stream not in streams:
            streams[stream] = EmittedStream({}, [[] for _ in range(lanes)])
            open_strip[stream] = np.zeros(lanes, np.bool_)
            counts[stream] = np.zeros(lanes, np.int64)
        emitted_stream = streams[stream]
        _append(emitted_stream.planes, event.outputs, event.lanes, counts[stream])
        for lane in np.nonzero(event.lanes)[0]:
            if open_strip[stream][lane]:
                emitted_stream.strips[lane][-1] += 1
            else:
                emitted_stream.strips[lane].append(1)
        counts[stream][event.lanes] += 1
        open_strip[stream] = open_strip[stream] | event.lanes
    return streams


def _append(
    planes: dict[OutputKey, OutputPlane],
    outputs: dict[OutputKey, OutputPlane],
    lanes: Array,
    counts: Array,
) -> None:
    which = np.nonzero(lanes)[0]
    if not len(which):
        return
    place = counts[which]
    for key, source in outputs.items():
        plane = planes.get(key)
        if plane is None:
            plane = planes[key] = OutputPlane(len(lanes), 1)
        plane.grow(int(place.max()) + 1)
        for name in OutputPlane.__slots__:
            getattr(plane, name)[which, place] = getattr(source, name)[which, 0]
