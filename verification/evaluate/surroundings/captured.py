"""What transform feedback captures of a run, by buffer and byte offset."""

from __future__ import annotations

import numpy as np

from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.storage.output_bits import plane_of_width
from nirls.verification.evaluate.surroundings.emitted import emitted_streams
from nirls.verification.evaluate.surroundings.result import OutputPlane, ShaderResult, XfbOutput

_WORD_BITS, _WORD_BYTES = 32, 4


def captured_planes(result: ShaderResult) -> dict[tuple[int, int], OutputPlane]:
    """Return the captured words, planes of shape (instances, vertices), by (buffer, byte offset).

    Stores of lost lanes are undefined, and so is a word that several outputs are captured to.
    """
    if not result.xfb:
        return {}
    streams = emitted_streams(result) if result.stage is Stage.GEOMETRY else {}
    captured: dict[tuple[int, int], OutputPlane] = {}
    for item in sorted(result.xfb, key=lambda item: (item.buffer, item.offset, item.stream, str(item.key))):
        planes = result.outputs
        if result.stage is Stage.GEOMETRY:
            planes = streams[item.stream].planes if item.stream in streams else {}
        plane = planes.get(item.key)
        if plane is None or (plane.bit_size > _WORD_BITS).any():
            plane = plane_of_width(planes, item.key, _WORD_BITS)
        if plane is not None:
            is_alone = not any(_share_bytes(item, other) for other in result.xfb)
            captured[item.buffer, item.offset] = _with_marks(plane, result, is_alone=is_alone)
    return captured


def _share_bytes(one: XfbOutput, other: XfbOutput) -> bool:
    is_near = one.buffer == other.buffer and abs(one.offset - other.offset) < _WORD_BYTES
    return is_near and one != other


def _with_marks(plane: OutputPlane, result: ShaderResult, *, is_alone: bool) -> OutputPlane:
    lost = result.poisoned | result.fragile
    has_lanes = len(plane.bits) == result.launch.lanes
    if is_alone and not (has_lanes and lost.any()):
        return plane
    marked = plane.copy()
    if has_lanes:
        marked.poison |= result.poisoned[:, None]
        marked.fragile |= result.fragile[:, None]
    if not is_alone:
        marked.poison |= np.True_
    return marked
