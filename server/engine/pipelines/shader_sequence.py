"""Pipelines among the dumps of one document, by the order in which the driver printed them.

Dumps of one shader are its snapshots. A shader is identified by stage, source hash and name; without hash and
name, successive dumps of one stage count as one shader. OpenGL prints the first dumps of a shader without
them: the next shader of the stage that has the same global variables is the same one. A new compilation
starts with a snapshot at an earlier lowering level than the previous one, with the first snapshot repeated
after other shaders, or with one that names another neighbouring stage.

Shaders compiled in succession form one pipeline, in any order of stages (RADV starts with the fragment
shader). The sequence of shaders is cut so that many shaders are linked in long pipelines; among equal cuts,
stages printed in pipeline order are preferred.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nirls.ir.io.level import LoweringLevel
from nirls.ir.model.stage import Stage
from nirls.server.engine.pipelines.dump_facts import DumpFacts, are_linked_elsewhere

VARYING_SLOTS = 0xFFFFFFFF << 32 | 0xFFE
"""Slots written only by user shaders: COL0, COL1, FOGC, TEX0 to TEX7, VAR0 to VAR31."""

_MOST_STAGES = 5
"""The longest pipeline: VS, TCS, TES, GS, FS."""
_POSITION: dict[Stage | None, int] = {stage: position for position, stage in enumerate(Stage)}


@dataclass(slots=True)
class ShaderSnapshots:
    """One compilation of a shader: the ascending numbers of its dumps in the document."""

    facts: DumpFacts
    """Facts of the first snapshot, or of the first one with a hash or name."""
    numbers: list[int] = field(default_factory=list)


def shaders_in_order(dumps: Sequence[DumpFacts]) -> list[ShaderSnapshots]:
    """Group the dumps of a document by shader, in the order of their first dumps."""
    shader_snapshotses: list[ShaderSnapshots] = []
    by_identity: dict[object, ShaderSnapshots] = {}
    for number, facts in enumerate(dumps):
        is_named = facts.source is not None or facts.name is not None
        identity = (facts.stage, facts.source or facts.name)
        shader = (
            by_identity.get(identity)
            if is_named
            else (shader_snapshotses[-1] if shader_snapshotses else None)
        )
        unnamed = _without_header(facts, shader_snapshotses, dumps) if is_named else None
        if unnamed is not None and (shader is None or unnamed.numbers[0] > shader.numbers[-1]):
            shader = by_identity[identity] = unnamed
            shader.facts = facts
        if shader is not None and not _continues(shader, facts, dumps, is_named, number):
            shader = None
        if shader is None:
            shader = ShaderSnapshots(facts)
            shader_snapshotses.append(shader)
            by_identity[identity] = shader
        shader.numbers.append(number)
    return shader_snapshotses


def _without_header(
    facts: DumpFacts, shaders: Sequence[ShaderSnapshots], dumps: Sequence[DumpFacts]
) -> ShaderSnapshots | None:
    """Return the latest shader of the stage if its dumps have no hash and name, but the same variables."""
    shader = next((shader for shader in reversed(shaders) if shader.facts.stage is facts.stage), None)
    if shader is None or shader.facts.source is not None or shader.facts.name is not None:
        return None
    variables = dumps[shader.numbers[-1]].variables, facts.variables
    is_same = 2 * len(variables[0] & variables[1]) >= max(map(len, variables)) > 0
    return shader if is_same else None


def last_snapshots(dumps: Sequence[DumpFacts]) -> list[int]:
    """Numbers of the last dumps of all shaders."""
    return sorted(shader.numbers[-1] for shader in shaders_in_order(dumps))


def _continues(
    shader: ShaderSnapshots, facts: DumpFacts, dumps: Sequence[DumpFacts], is_named: bool, number: int
) -> bool:
    """Whether a dump with matching identity is the next snapshot of a shader, not a new compilation."""
    last_number = shader.numbers[-1]
    last, first = dumps[last_number], dumps[shader.numbers[0]]
    if not is_named:
        return (facts.stage, None, None) == (last.stage, last.source, last.name)
    if facts.name is not None and shader.facts.name is not None and facts.name != shader.facts.name:
        return False
    if facts.level is not None and last.level is not None and facts.level < last.level:
        return False
    if are_linked_elsewhere(facts.neighbours, last.neighbours):
        return False
    is_first_again = facts.fingerprint is not None and facts.fingerprint == first.fingerprint
    return not (is_first_again and last_number + 1 < number)


def common_snapshots(stages: Sequence[Sequence[DumpFacts]]) -> list[int] | None:
    """For each stage, find the index of its latest snapshot at a level common to all stages.

    Lowered I/O is preferred, as link-time passes require it, then variables, then backend I/O. `stages` holds
    the snapshots of each stage, in pipeline order. A snapshot without inputs and outputs matches every level.
    Snapshots that write all varyings that the next stage reads are preferred. None if there is no common
    level.
    """
    for level in (LoweringLevel.LOWERED_IO, LoweringLevel.VARIABLES, LoweringLevel.BACKEND_IO):
        fitting = [
            [place for place, facts in enumerate(snapshots) if facts.level in (level, None)]
            for snapshots in stages
        ]
        if all(fitting):
            return _latest_complete(stages, fitting)
    return None


def _latest_complete(stages: Sequence[Sequence[DumpFacts]], fitting: Sequence[Sequence[int]]) -> list[int]:
    """Choose the latest fitting snapshot of each stage, preferably one that writes what the next stage reads.

    Drivers print variants of a shader that write fewer outputs, such as one for binning, after the shader.
    """
    chosen: list[int] = []
    read = 0
    for snapshots, places in zip(reversed(stages), reversed(fitting), strict=True):
        complete = [place for place in places if not read & ~_written(snapshots[place])]
        chosen.append((complete or places)[-1])
        read = (snapshots[chosen[-1]].inputs_read or 0) & VARYING_SLOTS
    return chosen[::-1]


def _written(facts: DumpFacts) -> int:
    """Return the slots that a snapshot writes, all varyings if they are not known."""
    if facts.outputs_written is None:
        return 0 if facts.level is None else VARYING_SLOTS
    return facts.outputs_written


def cut_into_pipelines(
    shaders: Sequence[ShaderSnapshots], can_link: Callable[[list[ShaderSnapshots]], bool]
) -> list[list[ShaderSnapshots]]:
    """Cut a sequence of shaders into runs of distinct stages that can be linked.

    The score of a cut is the sum of the squared lengths: one pipeline of four stages is worth more than two
    of two and three, which a recompiled shader would make possible.

    `can_link` decides whether a run, in pipeline order, can be linked as one pipeline. Returns the runs of
    at least two shaders, each in pipeline order.
    """
    # best[n], for the first n shaders: (score, number of runs in pipeline order, start of the last run).
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
