"""Which dumps of a log are snapshots of one shader, where those of several shaders mix.

The header says it: stage, name, label and the hash of the source. Dumps whose header says the stage alone go
with the shader that declares the most of the same inputs and outputs. One that starts over, with the very
text of its first snapshot, is compiled another time: another shader.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from nirls.server.timeline.dump_digest import DumpDigest, ShaderIdentity

_MOST_CANDIDATES = 64
"""Shaders without a name that a dump without one is compared with, the latest ones."""


@dataclass(eq=False)
class ShaderTrack:
    """The snapshots of one shader, as positions in the sequence of dumps. `compile_number` counts from 1."""

    identity: ShaderIdentity
    compile_number: int
    dumps: list[int] = field(default_factory=list)


def shader_tracks(dumps: Iterable[tuple[bytes, DumpDigest]]) -> list[ShaderTrack]:
    """The shaders of a log in the order of their first dumps. Each dump is a text with its digest."""
    tracks: dict[ShaderIdentity, list[ShaderTrack]] = {}
    found: list[ShaderTrack] = []
    seen: list[tuple[bytes, DumpDigest]] = []
    for position, (text, digest) in enumerate(dumps):
        seen.append((text, digest))
        candidates = tracks.setdefault(digest.identity, [])
        track = _track_of(text, digest, candidates, seen)
        if track is None:
            track = ShaderTrack(digest.identity, len(candidates) + 1)
            candidates.append(track)
            found.append(track)
        track.dumps.append(position)
    return found


def _track_of(
    text: bytes, digest: DumpDigest, candidates: list[ShaderTrack], seen: list[tuple[bytes, DumpDigest]]
) -> ShaderTrack | None:
    if not candidates:
        return None
    track = candidates[-1]
    if digest.identity.is_anonymous:
        # The most recent one of those that share the most.
        track = max(
            reversed(candidates[-_MOST_CANDIDATES:]),
            key=lambda one: _likeness(digest.io_names, seen[one.dumps[-1]][1].io_names),
        )
        if _likeness(digest.io_names, seen[track.dumps[-1]][1].io_names) < 0:
            return None
    starts_over = (
        len(track.dumps) > 1 and text == seen[track.dumps[0]][0] and text != seen[track.dumps[-1]][0]
    )
    return None if starts_over else track


def _likeness(names: frozenset[bytes], others: frozenset[bytes]) -> int:
    """How many names two dumps share, -1 if both have names and share none."""
    shared = len(names & others)
    return -1 if not shared and names and others else shared
