"""Assignment of dumps to the stages of pipelines.

These rules apply in order; a dump placed by one rule is not considered by later ones:

1. a comment `// nirls: pipeline NAME` in or directly above the dumps, in any document of the workspace;
2. a `[[pipeline]]` of the workspace's `nirls.toml`;
3. file names: files of one folder whose names differ in the stage word only, `NAME.vert.nir` and
   `NAME.frag.nir`, or `vert.io.nir` and `frag.io.nir`;
4. shaders that follow each other in one document, see `nirls.server.engine.pipelines.shader_sequence`.

Of several snapshots of a shader, the latest at a lowering level that all stages have is linked, if possible
one that writes all varyings that the next stage reads; dumps at different levels are never linked. In each
pipeline the consumer's stage must be able to follow the producer's. Where the user did not name the stages
(rules 3 and 4), `next_stage` and `prev_stage` must not name another stage, and the names that Mesa gives to
programs (`GLSL3`) must not differ. Where a document has several shaders of a stage and their slots are known,
the slots must fit as well.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from nirls.ir.model.stage import Stage
from nirls.server.engine.pipelines.dump_facts import DumpFacts
from nirls.server.engine.pipelines.shader_sequence import (
    VARYING_SLOTS,
    ShaderSnapshots,
    common_snapshots,
    cut_into_pipelines,
    shaders_in_order,
)
from nirls.server.engine.settings.project_file import STAGE_KEYS, DumpReference, ProjectFile

_PROGRAM_NAME = re.compile(r"(?:GLSL|SPIRV|ARB)\d+")

_FOLLOWERS: dict[Stage, frozenset[Stage]] = {
    Stage.TASK: frozenset({Stage.MESH}),
    Stage.MESH: frozenset({Stage.FRAGMENT}),
    Stage.VERTEX: frozenset({Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY, Stage.FRAGMENT}),
    Stage.TESS_CTRL: frozenset({Stage.TESS_EVAL}),
    Stage.TESS_EVAL: frozenset({Stage.GEOMETRY, Stage.FRAGMENT}),
    Stage.GEOMETRY: frozenset({Stage.FRAGMENT}),
}
_ORDER = {stage: position for position, stage in enumerate(STAGE_KEYS.values())}


class LinkKind(Enum):
    """The rule that found a pipeline."""

    COMMENT = "comment"
    PROJECT_FILE = "project file"
    FILE_NAMES = "file names"
    SEQUENCE = "sequence"


_SAID_BY_THE_USER = frozenset({LinkKind.COMMENT, LinkKind.PROJECT_FILE})


@dataclass(frozen=True)
class LinkableDocument:
    """A document as input of linking. `key` is chosen by the caller, such as a path or URI."""

    key: str
    path: Path | None
    dumps: tuple[DumpFacts, ...]

    @cached_property
    def sequences(self) -> tuple[Pipeline, ...]:
        """The pipelines by rule 4, if no other rule placed a dump; slow for thousands of dumps."""
        return tuple(_sequences(self))


@dataclass(frozen=True, slots=True)
class DumpRef:
    """Reference to a dump: the key of its document and its number there, from 0."""

    document: str
    number: int

    def __str__(self) -> str:
        """Format as on the command line: `FILE#1` is the first dump."""
        return f"{self.document}#{self.number + 1}"


@dataclass(frozen=True, slots=True)
class Member:
    """A stage of a pipeline."""

    stage: Stage
    dump: DumpRef


@dataclass(frozen=True, slots=True)
class Pipeline:
    """At least two linked stages in pipeline order. `reason` is a readable explanation of the link."""

    name: str
    members: tuple[Member, ...]
    kind: LinkKind
    reason: str

    @property
    def dumps(self) -> tuple[DumpRef, ...]:
        """The dumps of the stages."""
        return tuple(member.dump for member in self.members)


@dataclass(slots=True)
class _Search:
    """Pipelines found so far, and the dumps placed by them."""

    documents: Mapping[str, LinkableDocument]
    found: list[Pipeline] = field(default_factory=list)
    placed: set[DumpRef] = field(default_factory=set)

    def add(self, name: str, stages: Mapping[Stage, Sequence[DumpRef]], kind: LinkKind, reason: str) -> None:
        """Link snapshots of the stages at a common level, cut where neighbours cannot be linked."""
        by_user = kind in _SAID_BY_THE_USER
        for chain in self._chains(self._members(stages), by_user=by_user):
            pipeline = Pipeline(name, tuple(chain), kind, reason)
            self.found.append(pipeline)
            self.placed.update(member.dump for member in chain)

    def facts(self, dump: DumpRef) -> DumpFacts:
        return self.documents[dump.document].dumps[dump.number]

    def _members(self, stages: Mapping[Stage, Sequence[DumpRef]]) -> list[Member]:
        order = sorted(stages, key=_ORDER.__getitem__)
        places = common_snapshots([[self.facts(dump) for dump in stages[stage]] for stage in order])
        if places is None:
            places = [len(stages[stage]) - 1 for stage in order]
        return [Member(stage, stages[stage][place]) for stage, place in zip(order, places, strict=True)]

    def _chains(self, members: list[Member], *, by_user: bool) -> Iterator[list[Member]]:
        """Cut members where two neighbours cannot be linked; chains of one member are dropped."""
        chain: list[Member] = []
        for member in members:
            if chain and not self._linkable(chain[-1], member, by_user=by_user):
                if len(chain) > 1:
                    yield chain
                chain = []
            chain.append(member)
        if len(chain) > 1:
            yield chain

    def _linkable(self, producer: Member, consumer: Member, *, by_user: bool) -> bool:
        first, second = self.facts(producer.dump), self.facts(consumer.dump)
        if not by_user:
            return may_link(first, second)
        levels = {facts.level for facts in (first, second) if facts.level is not None}
        return may_follow(producer.stage, consumer.stage) and len(levels) < 2


def find_pipelines(
    documents: Sequence[LinkableDocument], project: ProjectFile | None = None
) -> list[Pipeline]:
    """Find all pipelines of the documents by the rules in the module docstring."""
    search = _Search({document.key: document for document in documents})
    _by_comment(search)
    if project is not None:
        _by_project_file(search, project)
    _by_file_name(search)
    for document in documents:
        _by_sequence(search, document)
    return search.found


def may_link(producer: DumpFacts, consumer: DumpFacts) -> bool:
    """Whether `consumer` can be linked to `producer` as its next stage."""
    return obstacle(producer, consumer) is None


def obstacle(producer: DumpFacts, consumer: DumpFacts) -> str | None:
    """Explain why two dumps cannot be linked; None if they can."""
    if producer.stage is None or consumer.stage is None:
        return "a dump names no stage"
    names = producer.stage.abbreviation, consumer.stage.abbreviation
    if not may_follow(producer.stage, consumer.stage):
        return f"{names[1]} does not follow {names[0]}"
    if producer.next_stage not in (None, consumer.stage):
        return f"the next_stage of the {names[0]} is {producer.next_stage.abbreviation}"
    if consumer.prev_stage not in (None, producer.stage):
        return f"the prev_stage of the {names[1]} is {consumer.prev_stage.abbreviation}"
    if program(producer) and program(consumer) and program(producer) != program(consumer):
        return f"they belong to different programs ({producer.name}, {consumer.name})"
    if producer.level is not None and consumer.level is not None and producer.level != consumer.level:
        return f"the {names[0]} has {producer.level.description}, the {names[1]} {consumer.level.description}"
    return None


def may_follow(producer: Stage, consumer: Stage) -> bool:
    """Whether `consumer` can directly follow `producer` in a pipeline."""
    return consumer in _FOLLOWERS.get(producer, ())


def program(facts: DumpFacts) -> str | None:
    """Mesa's program name (`GLSL3`), shared by all stages of the program; None for other names."""
    return facts.name if facts.name is not None and _PROGRAM_NAME.fullmatch(facts.name) else None


def name_pattern(file_name: str) -> tuple[str, Stage] | None:
    """Replace the stage word of a file name by `*` and return both; None without a unique stage word.

    >>> name_pattern("terrain.vert.nir")
    ('terrain.*.nir', <Stage.VERTEX: 'VERTEX'>)
    """
    words = file_name.split(".")
    if len(words) < 2 or words[-1] != "nir":
        return None
    places = [place for place, word in enumerate(words) if word in STAGE_KEYS]
    if len(places) != 1:
        return None
    stage = STAGE_KEYS[words[places[0]]]
    words[places[0]] = "*"
    return ".".join(words), stage


def partner_names(file_name: str) -> list[str]:
    """File names of the other stages by the naming convention."""
    pattern = name_pattern(file_name)
    if pattern is None:
        return []
    head, _, tail = pattern[0].partition("*")
    return [f"{head}{word}{tail}" for word, stage in STAGE_KEYS.items() if stage is not pattern[1]]


def _by_comment(search: _Search) -> None:
    groups: dict[str, dict[Stage, list[DumpRef]]] = {}
    for document in search.documents.values():
        for number, facts in enumerate(document.dumps):
            if facts.pipeline is not None and facts.stage in _ORDER:
                stages = groups.setdefault(facts.pipeline, {})
                stages.setdefault(facts.stage, []).append(DumpRef(document.key, number))
    for name, stages in groups.items():
        search.add(name, stages, LinkKind.COMMENT, f"comment `// nirls: pipeline {name}`")
        search.placed.update(dump for dumps in stages.values() for dump in dumps)


def _by_project_file(search: _Search, project: ProjectFile) -> None:
    by_path = {document.path: document for document in search.documents.values() if document.path is not None}
    for declared in project.pipelines:
        stages: dict[Stage, list[DumpRef]] = {}
        for stage, reference in declared.members:
            document = by_path.get(reference.path)
            dumps = [] if document is None else _referenced(document, stage, reference)
            if dumps and dumps[-1] not in search.placed:
                stages[stage] = dumps
        reason = f"pipeline {declared.name!r} of {project.path.name}"
        search.add(declared.name, stages, LinkKind.PROJECT_FILE, reason)


def _referenced(document: LinkableDocument, stage: Stage, reference: DumpReference) -> list[DumpRef]:
    """Snapshots referenced by an entry of the project file."""
    if reference.number is None:
        return _snapshots_of_stage(document, stage)
    number = reference.number - 1
    if number >= len(document.dumps) or document.dumps[number].stage is not stage:
        return []
    return [DumpRef(document.key, number)]


def _by_file_name(search: _Search) -> None:
    groups: dict[tuple[Path, str], dict[Stage, list[DumpRef]]] = {}
    for document in search.documents.values():
        pattern = None if document.path is None else name_pattern(document.path.name)
        if document.path is None or pattern is None:
            continue
        dumps = _snapshots_of_stage(document, pattern[1])
        if dumps and dumps[-1] not in search.placed:
            groups.setdefault((document.path.parent, pattern[0]), {})[pattern[1]] = dumps
    for (_, pattern_text), stages in groups.items():
        name = pattern_text.removesuffix(".nir").replace("*", "").replace("..", ".").strip(".")
        search.add(name or pattern_text, stages, LinkKind.FILE_NAMES, f"file names {pattern_text}")


_Sources = tuple[str | None, str | None]
"""Hashes of the sources of two stages."""


def _by_sequence(search: _Search, document: LinkableDocument) -> None:
    for pipeline in document.sequences:
        # Do not link around a stage that another rule has placed.
        if search.placed.isdisjoint(pipeline.dumps):
            search.found.append(pipeline)
            search.placed.update(pipeline.dumps)


def _sequences(document: LinkableDocument) -> Iterator[Pipeline]:
    written: dict[str | None, int] = {}
    for facts in document.dumps:
        written[facts.source] = written.get(facts.source, 0) | (facts.outputs_written or 0)
    groups: dict[object, list[ShaderSnapshots]] = {}
    for shader in shaders_in_order(document.dumps):
        if shader.facts.stage in _ORDER:
            # Internal shaders of the driver and those of a named program may be interleaved with others.
            groups.setdefault((shader.facts.is_internal, program(shader.facts)), []).append(shader)
    for shaders in groups.values():
        # If there is only one shader per stage, neighbours are unambiguous.
        is_clear = len({shader.facts.stage for shader in shaders}) == len(shaders)

        apart: set[_Sources] = set()

        def can_link(
            run: list[ShaderSnapshots], is_clear: bool = is_clear, apart: Container[_Sources] = apart
        ) -> bool:
            if any(_sources(*pair) in apart for pair in pairwise(run)):
                return False
            chosen = _chosen(run, document.dumps)
            facts = [document.dumps[number] for number in chosen or ()]
            return chosen is not None and all(
                may_link(producer, consumer)
                and (
                    is_clear
                    or (_belong_together(producer, consumer) and not _is_variant(producer, consumer, written))
                )
                for producer, consumer in pairwise(facts)
            )

        runs = cut_into_pipelines(shaders, can_link)
        apart.update(_with_stages_between(runs))
        if any(_sources(*pair) in apart for run in runs for pair in pairwise(run)):
            runs = cut_into_pipelines(shaders, can_link)
        for run in runs:
            yield _of_sequence(document, _chosen(run, document.dumps) or [])


def _sources(producer: ShaderSnapshots, consumer: ShaderSnapshots) -> _Sources:
    return producer.facts.source, consumer.facts.source


def _with_stages_between(runs: Iterable[Sequence[ShaderSnapshots]]) -> Iterator[_Sources]:
    """Yield the sources of two shaders of a pipeline that have other stages between them.

    A driver that compiles a pipeline again, for other state, leaves out the stages that the state does not
    concern. Those on both sides of them are still not linked directly.
    """
    for run in runs:
        for place, producer in enumerate(run):
            for sources in (_sources(producer, consumer) for consumer in run[place + 2 :]):
                if None not in sources:
                    yield sources


def _of_sequence(document: LinkableDocument, numbers: Sequence[int]) -> Pipeline:
    stages = [(stage, number) for number in numbers if (stage := document.dumps[number].stage) is not None]
    members = tuple(Member(stage, DumpRef(document.key, number)) for stage, number in stages)
    words = " and ".join(f"{stage.abbreviation} (dump {number + 1})" for stage, number in stages)
    name = f"dumps {min(numbers) + 1}-{max(numbers) + 1}"
    return Pipeline(name, members, LinkKind.SEQUENCE, f"{words} follow each other")


def _chosen(run: Sequence[ShaderSnapshots], dumps: Sequence[DumpFacts]) -> list[int] | None:
    """Number of the snapshot to link of each shader; None if the shaders have no common level."""
    places = common_snapshots([[dumps[number] for number in shader.numbers] for shader in run])
    if places is None:
        return None
    return [shader.numbers[place] for shader, place in zip(run, places, strict=True)]


def _belong_together(producer: DumpFacts, consumer: DumpFacts) -> bool:
    """Whether neighbours in a log may be stages of one program, according to their slots.

    True if they have the same program name or the slots of one are not known. Otherwise the producer must
    write all varyings that the consumer reads, and the consumer must read one or both must name the adjacent
    stage.
    """
    if program(producer) is not None and program(producer) == program(consumer):
        return True
    if producer.outputs_written is None or consumer.inputs_read is None:
        return True
    read = consumer.inputs_read & VARYING_SLOTS
    written = producer.outputs_written
    name_each_other = producer.next_stage is not None and consumer.prev_stage is not None
    return not read & ~written and (read != 0 or name_each_other)


def _is_variant(producer: DumpFacts, consumer: DumpFacts, written: Mapping[str | None, int]) -> bool:
    """Whether a producer leaves out slots that the consumer reads and other dumps of its source write.

    Drivers compile such variants, for binning, behind the shader itself. `written` has the slots that the
    dumps of each source write.
    """
    if producer.source is None or producer.outputs_written is None or consumer.inputs_read is None:
        return False
    missing = consumer.inputs_read & VARYING_SLOTS & ~producer.outputs_written
    return bool(missing & written.get(producer.source, 0))


def _snapshots_of_stage(document: LinkableDocument, stage: Stage) -> list[DumpRef]:
    """Snapshots of the last shader of a stage."""
    shaders = [shader for shader in shaders_in_order(document.dumps) if shader.facts.stage is stage]
    return [DumpRef(document.key, number) for number in shaders[-1].numbers] if shaders else []
