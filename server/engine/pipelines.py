"""Which dumps are the stages of one pipeline, and why.

A pipeline is found, in this order; a dump that one rule placed is not looked at by the next:

1. a comment `// nirls: pipeline NAME` in or directly above the dumps, in any document of the workspace;
2. a `[[pipeline]]` of the workspace's `nirls.toml`;
3. file names: files of one folder whose names differ in the stage word only, `NAME.vert.nir` and
   `NAME.frag.nir`, or `vert.io.nir` and `frag.io.nir`;
4. dumps that follow each other in one document. Dumps of one shader in a row, as NIR_DEBUG=print makes
   them, count as its snapshots, of which the last is the shader as it came out; a later stage behind an
   earlier one continues the pipeline, anything else starts the next.

In each pipeline the consumer's stage must be able to follow the producer's. Where the user did not say so
(rules 3 and 4), the producer's `next_stage` must not name another stage either, and the names that Mesa
gives to programs (`GLSL3`) must not differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from nirls.ir.model.stage import Stage
from nirls.server.engine.project_file import STAGE_KEYS, DumpReference, ProjectFile

_HEADER_LINES = re.compile(rb"^(shader|name|next_stage):[ \t]*([^\r\n]*)", re.MULTILINE)
_END_OF_HEADER = re.compile(rb"^(?:decl_|impl\b|[ \t])", re.MULTILINE)
_DIRECTIVE = re.compile(rb"//[ \t]*nirls:[ \t]*pipeline[ \t]+([^\r\n]+)")
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


@dataclass(frozen=True, slots=True)
class DumpFacts:
    """What linking needs to know of a dump, read from its header without parsing the rest."""

    stage: Stage | None
    name: str | None = None
    next_stage: Stage | None = None
    pipeline: str | None = None


@dataclass(frozen=True, slots=True)
class LinkableDocument:
    """A document as linking sees it. `key` is whatever the caller calls it: a path, a URI."""

    key: str
    path: Path | None
    dumps: tuple[DumpFacts, ...]


@dataclass(frozen=True, slots=True)
class DumpRef:
    """A dump: its document's key and its number in it, counted from 0."""

    document: str
    number: int

    def __str__(self) -> str:
        """As the command line names it: `FILE#1` is the first dump."""
        return f"{self.document}#{self.number + 1}"


@dataclass(frozen=True, slots=True)
class Member:
    """A stage of a pipeline."""

    stage: Stage
    dump: DumpRef


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Linked stages in pipeline order, two at least. `reason` says in words why they are linked."""

    name: str
    members: tuple[Member, ...]
    kind: LinkKind
    reason: str

    def position(self, dump: DumpRef) -> int | None:
        """Where in the pipeline a dump is, None if it is not in it."""
        return next((index for index, member in enumerate(self.members) if member.dump == dump), None)


@dataclass(slots=True)
class _Search:
    """The pipelines found so far, and the dumps that have their place."""

    documents: Mapping[str, LinkableDocument]
    found: list[Pipeline] = field(default_factory=list)
    placed: set[DumpRef] = field(default_factory=set)

    def add(self, name: str, members: Iterable[Member], kind: LinkKind, reason: str) -> None:
        for chain in self._chains(list(members), strict=kind not in _SAID_BY_THE_USER):
            pipeline = Pipeline(name, tuple(chain), kind, reason)
            self.found.append(pipeline)
            self.placed.update(member.dump for member in chain)

    def facts(self, dump: DumpRef) -> DumpFacts:
        return self.documents[dump.document].dumps[dump.number]

    def _chains(self, members: list[Member], *, strict: bool) -> Iterator[list[Member]]:
        """The members cut where two neighbours cannot be linked; pieces of one are dropped."""
        chain: list[Member] = []
        for member in members:
            if chain and not self._linkable(chain[-1], member, strict=strict):
                if len(chain) > 1:
                    yield chain
                chain = []
            chain.append(member)
        if len(chain) > 1:
            yield chain

    def _linkable(self, producer: Member, consumer: Member, *, strict: bool) -> bool:
        if strict:
            return may_link(self.facts(producer.dump), self.facts(consumer.dump))
        return consumer.stage in _FOLLOWERS.get(producer.stage, ())


def dump_facts(text: bytes) -> DumpFacts:
    """What linking needs to know of a dump, from its text."""
    end = _END_OF_HEADER.search(text)
    header = {
        match[1].decode(): match[2].decode("utf-8", "replace").strip()
        for match in _HEADER_LINES.finditer(text, 0, len(text) if end is None else end.start())
    }
    directive = _DIRECTIVE.search(text)
    next_stage = Stage.from_mesa_name(header.get("next_stage", ""))
    return DumpFacts(
        Stage.from_mesa_name(header.get("shader", "")),
        header.get("name"),
        # Mesa's field is 0, which is the vertex stage, where nobody has set it.
        None if next_stage is Stage.VERTEX else next_stage,
        None if directive is None else directive[1].decode("utf-8", "replace").strip(),
    )


def find_pipelines(
    documents: Sequence[LinkableDocument], project: ProjectFile | None = None
) -> list[Pipeline]:
    """All pipelines of the documents; the rules are those of this module's description."""
    search = _Search({document.key: document for document in documents})
    _by_comment(search)
    if project is not None:
        _by_project_file(search, project)
    _by_file_name(search)
    for document in documents:
        _by_sequence(search, document)
    return search.found


def pipelines_of(pipelines: Iterable[Pipeline], dump: DumpRef) -> list[Pipeline]:
    """The pipelines that a dump is in."""
    return [pipeline for pipeline in pipelines if pipeline.position(dump) is not None]


def may_link(producer: DumpFacts, consumer: DumpFacts) -> bool:
    """Whether a dump of the one can be linked with a dump of the other as its next stage."""
    if producer.stage is None or consumer.stage not in _FOLLOWERS.get(producer.stage, ()):
        return False
    if producer.next_stage is not None and producer.next_stage is not consumer.stage:
        return False
    names = [facts.name for facts in (producer, consumer) if facts.name is not None]
    programs = {name for name in names if _PROGRAM_NAME.fullmatch(name)}
    return len(programs) < 2


def name_pattern(file_name: str) -> tuple[str, Stage] | None:
    """A file name with `*` for its one stage word, and the stage; None if it has no stage word.

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
    """The names that files of the other stages would have by the naming convention."""
    pattern = name_pattern(file_name)
    if pattern is None:
        return []
    head, _, tail = pattern[0].partition("*")
    return [f"{head}{word}{tail}" for word, stage in STAGE_KEYS.items() if stage is not pattern[1]]


def last_snapshots(dumps: Sequence[DumpFacts]) -> list[int]:
    """The numbers of the dumps that show their shader for the last time, of those that follow each other."""
    shaders = [(facts.stage, facts.name) for facts in dumps]
    return [number for number, shader in enumerate(shaders) if shaders[number + 1 : number + 2] != [shader]]


def _by_comment(search: _Search) -> None:
    groups: dict[str, dict[Stage, DumpRef]] = {}
    for document in search.documents.values():
        for number, facts in enumerate(document.dumps):
            if facts.pipeline is not None and facts.stage in _ORDER:
                # A later dump of the same stage is a later snapshot of it.
                groups.setdefault(facts.pipeline, {})[facts.stage] = DumpRef(document.key, number)
    for name, stages in groups.items():
        search.add(name, _in_order(stages), LinkKind.COMMENT, f"comment `// nirls: pipeline {name}`")
        search.placed.update(stages.values())


def _by_project_file(search: _Search, project: ProjectFile) -> None:
    by_path = {document.path: document for document in search.documents.values() if document.path is not None}
    for declared in project.pipelines:
        stages: dict[Stage, DumpRef] = {}
        for stage, reference in declared.members:
            document = by_path.get(reference.path)
            dump = None if document is None else _referenced(document, stage, reference)
            if dump is not None and dump not in search.placed:
                stages[stage] = dump
        reason = f"pipeline {declared.name!r} of {project.path.name if project.path else 'nirls.toml'}"
        search.add(declared.name, _in_order(stages), LinkKind.PROJECT_FILE, reason)


def _referenced(document: LinkableDocument, stage: Stage, reference: DumpReference) -> DumpRef | None:
    if reference.number is None:
        return _last_of_stage(document, stage)
    number = reference.number - 1
    if number >= len(document.dumps) or document.dumps[number].stage is not stage:
        return None
    return DumpRef(document.key, number)


def _by_file_name(search: _Search) -> None:
    groups: dict[tuple[Path, str], dict[Stage, DumpRef]] = {}
    for document in search.documents.values():
        pattern = None if document.path is None else name_pattern(document.path.name)
        if document.path is None or pattern is None:
            continue
        dump = _last_of_stage(document, pattern[1])
        if dump is not None and dump not in search.placed:
            groups.setdefault((document.path.parent, pattern[0]), {})[pattern[1]] = dump
    for (_, pattern_text), stages in groups.items():
        name = pattern_text.removesuffix(".nir").replace("*", "").replace("..", ".").strip(".")
        reason = f"file names {pattern_text}"
        search.add(name or pattern_text, _in_order(stages), LinkKind.FILE_NAMES, reason)


def _by_sequence(search: _Search, document: LinkableDocument) -> None:
    chain: list[DumpRef] = []
    for dump in (DumpRef(document.key, number) for number in last_snapshots(document.dumps)):
        if chain and not may_link(search.facts(chain[-1]), search.facts(dump)):
            _add_sequence(search, chain)
            chain = []
        chain.append(dump)
    _add_sequence(search, chain)


def _add_sequence(search: _Search, chain: list[DumpRef]) -> None:
    free = [dump for dump in chain if dump not in search.placed]
    # A pipeline with a hole where another rule has taken a stage is none.
    if len(chain) < 2 or len(free) != len(chain):
        return
    members = [Member(stage, dump) for dump in chain if (stage := search.facts(dump).stage) is not None]
    numbers = " and ".join(
        f"{member.stage.abbreviation} (dump {member.dump.number + 1})" for member in members
    )
    name = f"dumps {chain[0].number + 1}-{chain[-1].number + 1}"
    search.add(name, members, LinkKind.SEQUENCE, f"{numbers} follow each other")


def _last_of_stage(document: LinkableDocument, stage: Stage) -> DumpRef | None:
    numbers = [number for number, facts in enumerate(document.dumps) if facts.stage is stage]
    return DumpRef(document.key, numbers[-1]) if numbers else None


def _in_order(stages: dict[Stage, DumpRef]) -> list[Member]:
    return [Member(stage, stages[stage]) for stage in sorted(stages, key=_ORDER.__getitem__)]
