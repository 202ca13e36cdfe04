"""Matching of shaders between two logs of different drivers, releases or options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.server.engine.timeline.timeline import ShaderTimeline
from nirls.server.engine.verification.log import ReadLog
from nirls.server.engine.verification.unit import TransitionUnit


@dataclass(frozen=True, slots=True)
class SharedShader:
    """A shader in two logs, with the number of its last dump in each."""

    shader: str
    first: int
    second: int

    def unit(self, one: ReadLog, other: ReadLog, name: str) -> TransitionUnit:
        """Create the unit that compares both dumps; `name` stands for the pass."""
        return TransitionUnit(one.text(self.first), other.text(self.second), name)


def shared_shaders(one: ReadLog, other: ReadLog) -> list[SharedShader]:
    """Find the shaders in both logs by stage, and source hash or name.

    Repeated compilations are matched in order. A shader without hash and name matches the other log's shader
    of its stage if there is only one of this stage in each log.
    """
    return [SharedShader(shader.title, _last(shader), _last(twin)) for shader, twin in _pairs(one, other)]


def _pairs(one: ReadLog, other: ReadLog) -> Iterator[tuple[ShaderTimeline, ShaderTimeline]]:
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


def _last(shader: ShaderTimeline) -> int:
    return max(step.dump for step in shader.steps if step.dump is not None)
