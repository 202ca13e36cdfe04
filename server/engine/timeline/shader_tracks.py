"""Assignment of the dumps of a log to shaders, whose snapshots may be interleaved.

A shader is identified by its header: stage, name, label and source hash. In OpenGL, the first dumps have no
hash, and the next ones no name: a header that says more goes on with the latest shader of its stage, if that
has no other hash or name, also where an earlier shader had that header. Dumps with a stage only are assigned
to the shader that shares the most declared inputs and outputs.

A dump of a translator to NIR, such as `glsl_to_nir`, is the first one of a shader. A dump printed after the
same pass as the first snapshot (or without a pass name, as that), and equal to it in its text or in its
instructions, starts a new compilation, which is treated as another shader. So does a dump without a pass name
below the heading of the first one, also right behind it, since a driver prints one form of each variant, or
with variables where the last one had lowered I/O. A dump that nothing names starts one too if it has the form
for the backend, as the last one has, behind dumps of other shaders: drivers print that form once. Another
pass may well restore the first snapshot. A dump without pass name and heading is a shader of its own if text
of people stands in front of it, or if it is internal to Mesa, has no source, and declares other inputs or
outputs than the last one: many such shaders have the same name. A dump goes on with a compilation that was
linked with the same stages: a fragment shader behind a vertex shader is not a snapshot of the same source
behind tessellation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nirls.ir.io.level import LoweringLevel
from nirls.server.engine.pipelines.dump_facts import are_linked_elsewhere
from nirls.server.engine.timeline.dump_digest import DumpDigest, ShaderIdentity

_TRANSLATOR = re.compile(r"\w+_to_nir")
_MOST_CANDIDATES = 64
"""Latest anonymous shaders compared with an anonymous dump."""


class TrackedDump(NamedTuple):
    """A dump with its digest, and the pass that printed it or the heading above it, None if unknown.

    `is_foreign` as in `TextBetween`.
    """

    text: bytes
    digest: DumpDigest
    pass_name: str | None = None
    heading: str | None = None
    is_foreign: bool = False

    @property
    def is_untitled(self) -> bool:
        """Whether neither a pass nor a heading says what the dump is."""
        return self.pass_name is None and self.heading is None

    @property
    def is_translated(self) -> bool:
        """Whether the dump is what a translator from another language made."""
        return self.pass_name is not None and _TRANSLATOR.fullmatch(self.pass_name) is not None


@dataclass(eq=False)
class ShaderTrack:
    """Snapshots of one shader, as indices in the sequence of dumps. `compile_number` counts from 1."""

    identity: ShaderIdentity
    compile_number: int
    dumps: list[int] = field(default_factory=list)


def shader_tracks(dumps: Iterable[TrackedDump]) -> list[ShaderTrack]:
    """Group the dumps of a log by shader, in the order of their first dumps."""
    tracks: dict[ShaderIdentity, list[ShaderTrack]] = {}
    found: list[ShaderTrack] = []
    latest: dict[str, ShaderTrack] = {}
    seen: list[TrackedDump] = []
    for position, dump in enumerate(dumps):
        seen.append(dump)
        identity = dump.digest.identity
        candidates = tracks.setdefault(identity, [])
        is_first = dump.is_translated or (dump.is_untitled and dump.is_foreign)
        track = None if is_first else _track_of(dump, candidates, seen)
        less = None if is_first else _known_by_less(dump, latest.get(identity.stage), seen)
        # A source that was compiled before: its dumps without a hash begin the next compilation.
        if less is not None and (not candidates or less.dumps[0] > candidates[-1].dumps[-1]):
            track = less
            tracks[track.identity].remove(track)
            track.identity, track.compile_number = identity, len(candidates) + 1
            candidates.append(track)
        if track is None:
            track = ShaderTrack(identity, len(candidates) + 1)
            candidates.append(track)
            found.append(track)
        track.dumps.append(position)
        latest[identity.stage] = track
    return found


def _known_by_less(
    dump: TrackedDump, track: ShaderTrack | None, seen: Sequence[TrackedDump]
) -> ShaderTrack | None:
    """Return the latest shader of the stage if the header of a dump says more than its dumps so far.

    If these had no header at all, the dump must have mostly the same instructions.
    """
    identity = dump.digest.identity
    if track is None or not track.identity.is_completed_by(identity):
        return None
    if track.identity.source is not None:
        return track
    last, now = seen[track.dumps[-1]].digest.instructions, dump.digest.instructions
    return track if 2 * (last & now).total() >= max(last.total(), now.total()) > 0 else None


def _track_of(
    dump: TrackedDump, candidates: Sequence[ShaderTrack], seen: Sequence[TrackedDump]
) -> ShaderTrack | None:
    neighbours = dump.digest.neighbours
    candidates = [
        track
        for track in candidates
        if not are_linked_elsewhere(neighbours, seen[track.dumps[-1]].digest.neighbours)
    ]
    if not candidates:
        return None
    track = candidates[-1]
    if dump.digest.identity.is_anonymous:
        # The most recent candidate among those that share the most names.
        names = dump.digest.io_names
        track = max(
            reversed(candidates[-_MOST_CANDIDATES:]),
            key=lambda candidate: _likeness(names, seen[candidate.dumps[-1]].digest.io_names),
        )
        if _likeness(names, seen[track.dumps[-1]].digest.io_names) < 0:
            return None
    if dump.is_untitled and _is_another_internal_shader(dump.digest, seen[track.dumps[-1]].digest):
        return None
    is_next = track.dumps[-1] + 1 == len(seen) - 1
    if not is_next and dump.is_untitled and _are_in_backend_form(dump, seen[track.dumps[-1]]):
        return None
    if _starts_over(dump, seen[track.dumps[0]], seen[track.dumps[-1]]):
        return None
    return track


def _is_another_internal_shader(digest: DumpDigest, last: DumpDigest) -> bool:
    """Whether an internal shader without source declares inputs or outputs besides those of the last dump.

    Passes remove declarations and add others, but not both at once without a name in the log.
    """
    if not digest.is_internal or digest.identity.source is not None:
        return False
    names, others = digest.io_names, last.io_names
    return not names <= others and not others <= names


def _are_in_backend_form(dump: TrackedDump, last: TrackedDump) -> bool:
    return dump.digest.io_level is last.digest.io_level is LoweringLevel.BACKEND_IO


def _starts_over(dump: TrackedDump, first: TrackedDump, last: TrackedDump) -> bool:
    """Whether a dump repeats the first snapshot of its shader, after the same pass, and not the last one."""
    if dump.text == last.text or dump.pass_name != first.pass_name:
        return False
    if dump.pass_name is None and dump.heading is not None and dump.heading == first.heading:
        return True
    if first is last:
        return False
    if dump.text == first.text:
        return True
    if dump.pass_name is None:
        return last.digest.has_lowered_io and dump.digest.has_io_variables
    return dump.digest.shape == first.digest.shape and dump.digest.shape != last.digest.shape


def _likeness(names: frozenset[bytes], others: frozenset[bytes]) -> int:
    """Number of names shared by two dumps; -1 if both have names and share none."""
    shared = len(names & others)
    return -1 if not shared and names and others else shared
