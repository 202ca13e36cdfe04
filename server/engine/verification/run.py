"""Verification of the transitions of logs and of shaders between two logs, with verdicts in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.batch.run import Compute, results_of
from nirls.server.engine.timeline.timeline import ShaderTimeline
from nirls.server.engine.verification.log import ReadLog
from nirls.server.engine.verification.unit import UNCHANGED, VERIFY, TransitionUnit, TransitionVerdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two dumps of a shader to compare, both in `file`, or the second in `against` if that is not None.

    `from_line` and `line` are the first lines of the two dumps, from 0. `unit` is None for equal code.
    """

    file: str
    shader: str
    pass_name: str
    from_line: int
    line: int
    unit: TransitionUnit | None
    against: str | None = None

    @property
    def title(self) -> str:
        """The shader and the pass."""
        return f"{self.shader}: {self.pass_name}"


Verdicts = Iterator[tuple[int, TransitionVerdict]]


def comparisons_of(file: str, log: ReadLog) -> list[Comparison]:
    """Compare each snapshot of a log with the previous one."""
    return [
        Comparison(
            file,
            transition.shader,
            transition.pass_name,
            log.line(transition.before),
            log.line(transition.after),
            log.unit(transition) if transition.is_changed else None,
        )
        for transition in log.transitions
    ]


def comparisons_between(file: str, log: ReadLog, against: str, other: ReadLog) -> list[Comparison]:
    """Compare the last snapshots of the shaders that two logs share."""
    name = f"{file} -> {against}"
    found = []
    for shader, twin in shared_shaders(log, other):
        lines = log.line(shader.last_dump), other.line(twin.last_dump)
        texts = log.text(shader.last_dump), other.text(twin.last_dump)
        unit = None if texts[0] == texts[1] else TransitionUnit(*texts, name)
        found.append(Comparison(file, shader.title, name, *lines, unit, against))
    return found


Progress = Callable[[Verdicts, Callable[[], int | None], Callable[[], str]], Verdicts]
"""Wraps the iterator of results; given their number, None while that is unknown, and what is compared now."""


def verdicts_of(
    comparisons: Iterable[Comparison],
    cache: ResultCache | None,
    compute: Compute[TransitionUnit, TransitionVerdict],
    progress: Progress,
    *,
    stop_at_first: bool = False,
) -> Iterator[tuple[Comparison, TransitionVerdict]]:
    """Yield the verdicts of comparisons in order, each as soon as it and those before are known.

    With `stop_at_first` up to the first difference.
    """
    listed: list[Comparison] = []
    changed: list[int] = []
    verdicts: dict[int, TransitionVerdict] = {}
    is_listed = False
    position = 0

    def units() -> Iterator[TransitionUnit]:
        nonlocal is_listed
        for number, comparison in enumerate(comparisons):
            listed.append(comparison)
            if comparison.unit is None:
                verdicts[number] = UNCHANGED
                continue
            changed.append(number)
            yield comparison.unit
        is_listed = True

    def current() -> str:
        waiting = next((at for at in range(position, len(listed)) if at not in verdicts), None)
        return "" if waiting is None else listed[waiting].title

    results = results_of(VERIFY, units(), cache, compute)
    for index, verdict in progress(results, lambda: len(changed) if is_listed else None, current):
        verdicts[changed[index]] = verdict
        while position in verdicts:
            yield listed[position], verdicts[position]
            if stop_at_first and verdicts[position].verdict == "different":
                results.close()
                return
            position += 1
    for number in range(position, len(listed)):
        yield listed[number], verdicts[number]


def shared_shaders(one: ReadLog, other: ReadLog) -> Iterator[tuple[ShaderTimeline, ShaderTimeline]]:
    """Yield the shaders in both logs, matched by stage, and source hash or name.

    Repeated compilations are matched in order. A shader without hash and name matches the other log's shader
    of its stage if there is only one of this stage in each log.
    """
    for shader in one.shaders:
        same = [
            twin
            for twin in other.shaders
            if _key(twin) == _key(shader) and twin.compile_number == shader.compile_number
        ]
        if not same and _is_alone(shader, one):
            same = [twin for twin in other.shaders if twin.stage == shader.stage and _is_alone(twin, other)]
            same = [twin for twin in same if shader.identity.is_anonymous or twin.identity.is_anonymous]
        if len(same) == 1:
            yield shader, same[0]


def _key(shader: ShaderTimeline) -> tuple[str, str | None]:
    identity = shader.identity
    return identity.stage, identity.source or identity.name or identity.label


def _is_alone(shader: ShaderTimeline, log: ReadLog) -> bool:
    return sum(other.stage == shader.stage for other in log.shaders) == 1
