"""Transitions of a log: two successive snapshots of a shader, and the pass that produced the second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

from nirls.ir.model.stage import Stage
from nirls.server.engine.settings.project_file import STAGE_KEYS
from nirls.server.engine.timeline.dump_digest import DumpDigest, Scalar
from nirls.server.engine.timeline.timeline import ChangeKind, ShaderTimeline
from nirls.verification.contract import rule_of

_ORDER = [stage for stage in Stage if stage in STAGE_KEYS.values()]
_MOST_CANDIDATES = 3
_MADE_BY_HARDWARE = frozenset(
    f"VARYING_SLOT_{name}".encode()
    for name in ("POS", "FACE", "PNTC", "PRIMITIVE_ID", "LAYER", "VIEWPORT", "VIEW_INDEX")
)


@dataclass(frozen=True, slots=True)
class LinkedStates:
    """Dump numbers of the stages of a pipeline, in order, before and after a change."""

    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Transition:
    """Two successive snapshots of a shader, as dump numbers. `shader` is the title of the timeline.

    If the interface of the shader changed, or another stage has snapshots in between, a pass over two stages
    may have run, which a log may not name. `linked` holds the pipelines to compare, the most likely first;
    after such a pass, a log may contain a dump of only one stage, or none.
    `is_variant` and `unprinted` as in `PassRun`. `is_named` is false if the log does not say which pass ran.
    """

    shader: str
    pass_name: str
    before: int
    after: int
    is_changed: bool
    linked: tuple[LinkedStates, ...] = ()
    is_variant: bool = False
    is_named: bool = True
    unprinted: tuple[str, ...] = ()


def transitions_of(pipeline: Sequence[ShaderTimeline], digests: Sequence[DumpDigest]) -> list[Transition]:
    """Find the transitions of the shaders of a pipeline, in stage order, in the order of their dumps.

    `digests` are those of all dumps of the log.
    """
    tracks = [_Track(shader) for shader in pipeline]
    transitions = [_transition(track, change, tracks, digests) for track in tracks for change in track.steps]
    return sorted(transitions, key=lambda transition: transition.after)


class _Change(NamedTuple):
    """Two successive snapshots, as dump numbers."""

    before: int
    after: int


class _Track:
    """Snapshots of a shader, and the steps between them."""

    def __init__(self, shader: ShaderTimeline) -> None:
        self.shader = shader
        self.dumps = shader.dumps
        self.steps = {_Change(*pair): step for pair, step in shader.pairs().items()}

    def state_at(self, dump: int) -> int:
        """Last snapshot before a dump of the log; the first snapshot if there is none."""
        return max((own for own in self.dumps if own < dump), default=self.dumps[0])


def _transition(
    track: _Track, change: _Change, pipeline: Sequence[_Track], digests: Sequence[DumpDigest]
) -> Transition:
    step = track.steps[change]
    is_changed = step.change is not ChangeKind.NONE
    # A variant, such as one for binning, is not what the next stage reads.
    is_compared = is_changed and not step.is_variant
    linked = tuple(_linked(track, change, pipeline, digests)) if is_compared else ()
    return Transition(
        track.shader.title,
        step.name,
        change.before,
        change.after,
        is_changed,
        linked,
        step.is_variant,
        step.named_by == "pass",
        step.unprinted,
    )


def _changes_interface(change: _Change, digests: Sequence[DumpDigest]) -> bool:
    before, after = digests[change.before], digests[change.after]
    return (
        before.interface != after.interface
        or before.io_slots != after.io_slots
        or before.accessed_io != after.accessed_io
    )


def _reads(digest: DumpDigest) -> tuple[frozenset[Scalar], frozenset[bytes]]:
    """Return the inputs that a dump reads: slots, and names of variables."""
    return digest.interface[0], frozenset(name for name, mode in digest.accessed_io if mode == b"shader_in")


def _linked(
    track: _Track, change: _Change, pipeline: Sequence[_Track], digests: Sequence[DumpDigest]
) -> Iterator[LinkedStates]:
    """Pipelines to compare, one for each change of another stage that may be due to the same pass.

    The first ones have the changes of all stages at one moment, as `nir_opt_varyings` makes them, if several
    other stages change. There is none if the interface is the same and no other stage has snapshots in
    between. A pass over both stages ran between the snapshots of both, so their ranges in the log overlap. A
    candidate with unchanged other stages is added if there is a change of another stage, if other stages have
    snapshots in between, if the shader reads other inputs, or if the pass links stages.
    """
    others = [other for other in pipeline if other is not track]
    is_interrupted = any(change.before < dump < change.after for other in others for dump in other.dumps)
    if not is_interrupted and not _changes_interface(change, digests):
        return
    same_time = [
        (other, twin)
        for other in others
        for twin, step in other.steps.items()
        if twin.before < change.after and change.before < twin.after and step.change is not ChangeKind.NONE
    ]
    # Packing may exchange varyings among the same slots.
    same_time.sort(
        key=lambda found: (not _changes_interface(found[1], digests), abs(found[1].after - change.after))
    )
    candidates = [{other: twin} for other, twin in same_time[:_MOST_CANDIDATES]]
    # Linking may let a shader read another input with the same value, and the producer stays as it is.
    reads_others = _reads(digests[change.before]) != _reads(digests[change.after])
    if candidates or is_interrupted or reads_others or rule_of(track.steps[change].name).links:
        candidates.append({})

    def linked(changed: Mapping[_Track, _Change], at: int = change.after) -> LinkedStates | None:
        at_change = {other: other.state_at(at) for other in others}
        states = {other: changed.get(other, _Change(dump, dump)) for other, dump in at_change.items()}
        states[track] = change
        found = LinkedStates(
            tuple(states[one].before for one in pipeline), tuple(states[one].after for one in pipeline)
        )
        return found if _fits(found.before, digests) and _fits(found.after, digests) else None

    if not others:
        return
    moments = sorted({change.before, *(dump for other in others for dump in other.dumps)})
    together: dict[tuple[tuple[_Track, _Change], ...], int] = {}
    for moment in moments:
        if change.before <= moment < change.after:
            at_moment = tuple(found for found in same_time if found[1].before <= moment < found[1].after)
            together.setdefault(at_moment, moment)
    several = [changed for changed in together if len(changed) > 1]
    several.sort(key=lambda changed: -sum(_changes_interface(twin, digests) for _, twin in changed))
    at_once = (linked(dict(changed), together[changed] + 1) for changed in several)
    yield from islice(filter(None, at_once), _MOST_CANDIDATES)
    yield from filter(None, map(linked, candidates))


def _fits(dumps: Sequence[int], digests: Sequence[DumpDigest]) -> bool:
    """Whether each stage with lowered I/O writes all slots that the next one reads."""
    for producer, consumer in pairwise(dumps):
        written, read = digests[producer].interface[1], digests[consumer].interface[0]
        wanted = {_place(one) for one in read if one[0] not in _MADE_BY_HARDWARE}
        if written and not wanted <= {_place(one) for one in written}:
            return False
    return True


def _place(scalar: Scalar) -> tuple[bytes, int]:
    return scalar[0], scalar[2]


def pipelines_of(shaders: Iterable[ShaderTimeline]) -> Iterator[tuple[ShaderTimeline, ...]]:
    """Group the shaders of a log, in the order of their first snapshots, by pipelines.

    A pipeline consists of shaders whose first snapshots follow each other in the log in stage order.
    """
    group: list[ShaderTimeline] = []
    for shader in shaders:
        if group and not _follows(_stage_of(group[-1]), _stage_of(shader)):
            yield tuple(group)
            group = []
        group.append(shader)
    if group:
        yield tuple(group)


def _stage_of(shader: ShaderTimeline) -> Stage | None:
    return Stage.from_mesa_name(shader.identity.stage)


def _follows(stage: Stage | None, other: Stage | None) -> bool:
    if stage not in _ORDER or other not in _ORDER:
        return False
    return _ORDER.index(stage) < _ORDER.index(other)
