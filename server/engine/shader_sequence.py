"""Pipelines among the dumps of one document, by the order in which a driver printed them.

Dumps of one shader are its snapshots. A shader is known by its stage, the hash of its source and its name;
without hash and name, dumps of one stage in a row count as one shader. A snapshot at an earlier lowering
level than the one before, or the first snapshot again behind other shaders, starts another compilation.

Shaders that were compiled one after the other are one pipeline, in whatever order the driver went through the
stages (RADV starts with the fragment shader). The sequence of shaders is cut so that many shaders are linked
in long pipelines; among equal cuts, stages that were printed in pipeline order come first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nirls.ir.io.level import LoweringLevel
from nirls.ir.model.stage import Stage
from nirls.server.engine.dump_facts import DumpFacts

_MOST_STAGES = 5
"""The longest pipeline: VS, TCS, TES, GS, FS."""
_POSITION: dict[Stage | None, int] = {stage: position for position, stage in enumerate(Stage)}


@dataclass(slots=True)
class ShaderSnapshots:
    """One compilation of a shader: the numbers of its dumps in the document, in order."""

    facts: DumpFacts
    """Those of the first snapshot, with what later ones add to the identity."""
    numbers: list[int] = field(default_factory=list)


def shaders_in_order(dumps: Sequence[DumpFacts]) -> list[ShaderSnapshots]:
    """The shaders of a document in the order of their first dumps."""
    found: list[ShaderSnapshots] = []
    by_identity: dict[object, ShaderSnapshots] = {}
    for number, facts in enumerate(dumps):
        is_named = facts.source is not None or facts.name is not None
        identity = (facts.stage, facts.source or facts.name)
        shader = by_identity.get(identity) if is_named else (found[-1] if found else None)
        if shader is not None and not _continues(shader, facts, dumps, is_named, number):
            shader = None
        if shader is None:
            shader = ShaderSnapshots(facts)
            found.append(shader)
            by_identity[identity] = shader
        shader.numbers.append(number)
    return found


def last_snapshots(dumps: Sequence[DumpFacts]) -> list[int]:
    """The numbers of the dumps that show their shader for the last time."""
    return sorted(shader.numbers[-1] for shader in shaders_in_order(dumps))


def _continues(
    shader: ShaderSnapshots, facts: DumpFacts, dumps: Sequence[DumpFacts], is_named: bool, number: int
) -> bool:
    """Whether a dump is the next snapshot of a shader that it may belong to by its identity."""
    last_number = shader.numbers[-1]
    last, first = dumps[last_number], dumps[shader.numbers[0]]
    if not is_named:
        return (facts.stage, None, None) == (last.stage, last.source, last.name)
    if facts.name is not None and shader.facts.name is not None and facts.name != shader.facts.name:
        return False
    if facts.level is not None and last.level is not None and facts.level < last.level:
        return False
    is_first_again = facts.fingerprint is not None and facts.fingerprint == first.fingerprint
    return not (is_first_again and last_number + 1 < number)


def common_snapshots(stages: Sequence[Sequence[DumpFacts]]) -> list[int] | None:
    """For each stage the position of its latest snapshot at one level that all stages have.

    Lowered I/O is preferred, which the link-time passes work on, then variables, then backend I/O. `stages`
    has the snapshots of each stage, from first to last. A snapshot without inputs and outputs goes with
    every level. None if there is no common level.
    """
    for level in (LoweringLevel.LOWERED_IO, LoweringLevel.VARIABLES, LoweringLevel.BACKEND_IO):
        fitting = [
            [place for place, facts in enumerate(snapshots) if facts.level in (level, None)]
            for snapshots in stages
        ]
        if all(fitting):
            return [places[-1] for places in fitting]
    return None


def cut_into_pipelines(
    shaders: Sequence[ShaderSnapshots], can_link: Callable[[list[ShaderSnapshots]], bool]
) -> list[list[ShaderSnapshots]]:
    """Cut a sequence of shaders into runs of distinct stages that are linked.

    The score of a cut is the sum of the squared lengths: one pipeline of four stages is worth more than two
    of two and three, which a shader compiled again would make possible.

    `can_link` tells whether a run, given in pipeline order, can be linked as one pipeline. Returns the runs
    of two shaders and more, each in pipeline order.
    """
    # best[n]: of the first n shaders (score, runs in pipeline order, start of the last run).
    best: list[tuple[int, int, int]] = [(0, 0, 0)]
    for end in range(1, len(shaders) + 1):
        options = []
        stages: set[Stage | None] = set()
        for start in range(end - 1, max(-1, end - 1 - _MOST_STAGES), -1):
            if shaders[start].facts.stage in stages:
                break
            stages.add(shaders[start].facts.stage)
            run = list(shaders[start:end])
            ordered = _in_pipeline_order(run)
            if len(run) > 1 and not can_link(ordered):
                continue
            score, in_order, _ = best[start]
            if len(run) > 1:
                score, in_order = score + len(run) ** 2, in_order + (ordered == run)
            options.append((score, in_order, start))
        best.append(max(options))
    pipelines = []
    end = len(shaders)
    while end:
        start = best[end][-1]
        if end - start > 1:
            pipelines.append(_in_pipeline_order(list(shaders[start:end])))
        end = start
    return pipelines[::-1]


def _in_pipeline_order(run: list[ShaderSnapshots]) -> list[ShaderSnapshots]:
    return sorted(run, key=lambda shader: _POSITION.get(shader.facts.stage, -1))
