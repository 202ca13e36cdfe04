"""With whom each dump of a document is linked and why, or why not, for people to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.linking import LinkedPipeline
from nirls.server.engine.pipelines import DumpFacts, LinkKind, may_link, name_pattern
from nirls.server.engine.project_file import STAGE_KEYS
from nirls.server.engine.workspace import Document

_LINKABLE = frozenset(STAGE_KEYS.values())


@dataclass(frozen=True, slots=True)
class Partner:
    """Another stage of a pipeline: its document, the number of its dump there from 0, its first line."""

    uri: str
    file: str
    number: int
    line: int
    stage: str


@dataclass(frozen=True, slots=True)
class Link:
    """A pipeline that a dump is in, without the dump itself."""

    pipeline: str
    kind: LinkKind
    reason: str
    partners: tuple[Partner, ...]

    def text(self, uri: str) -> str:
        """The link in a line, for a reader of the document `uri`."""
        names = [
            f"{one.stage} (dump {one.number + 1})" if one.uri == uri else one.file for one in self.partners
        ]
        return f"linked with {_listed(names)} ({self.kind.value})"


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """What linking made of a dump. `why_not` is "" for a dump that is linked."""

    dump: PlacedDump
    facts: DumpFacts
    links: tuple[Link, ...]
    why_not: str

    def text(self, uri: str) -> str:
        """The status in a line, for a reader of the document `uri`."""
        if not self.links:
            return f"not linked: {self.why_not}"
        return "; ".join(link.text(uri) for link in self.links)


def link_statuses(document: Document, pipelines: Iterable[LinkedPipeline]) -> list[LinkStatus]:
    """The status of each dump of a document. `pipelines` are those the document is in."""
    links: dict[int, list[Link]] = {}
    for linked in pipelines:
        for member in linked.members:
            if member.document is document:
                links.setdefault(member.dump.piece.slot, []).append(_link(linked, member.dump))
    dumps = document.snapshot.dumps()
    facts = [document.state(dump.piece).facts for dump in dumps]
    runs = _runs(facts)
    found = []
    for dump in dumps:
        own = tuple(links.get(dump.piece.slot, ()))
        why_not = "" if own else _why_not(document, facts, dump.number, runs[dump.number])
        found.append(LinkStatus(dump, facts[dump.number], own, why_not))
    return found


def _link(linked: LinkedPipeline, dump: PlacedDump) -> Link:
    partners = tuple(
        Partner(
            member.document.uri,
            member.document.name,
            member.dump.number,
            member.dump.first_line,
            described.stage.abbreviation,
        )
        for member, described in zip(linked.members, linked.pipeline.members, strict=True)
        if member.dump.piece.slot != dump.piece.slot
    )
    return Link(linked.pipeline.name, linked.pipeline.kind, linked.pipeline.reason, partners)


def _runs(facts: Sequence[DumpFacts]) -> list[range]:
    """For each dump, those in a row with it that show the same shader."""
    runs: list[range] = []
    for _, same in groupby(facts, lambda one: (one.stage, one.name)):
        count = len(list(same))
        runs += [range(len(runs), len(runs) + count)] * count
    return runs


def _why_not(document: Document, facts: Sequence[DumpFacts], number: int, run: range) -> str:
    own = facts[number]
    if own.stage is None:
        return "its `shader:` line names no stage"
    if own.stage not in _LINKABLE:
        return f"{own.stage.abbreviation} has no stage before or behind it"
    if own.pipeline is not None:
        return (
            f"no other dump that goes with {own.stage.abbreviation} says `// nirls: pipeline {own.pipeline}`"
        )
    if run[-1] > number:
        return f"dump {run.stop} shows the same shader later"
    reasons = []
    if run.start > 0:
        reasons.append(_why_not_these(facts[run.start - 1], own, f"dump {run.start}"))
    if number + 1 < len(facts):
        reasons.append(_why_not_these(own, facts[number + 1], f"dump {number + 2}"))
    pattern = None if document.path is None else name_pattern(document.path.name)
    if pattern is not None:
        reasons.append(f"no file {pattern[0]} has a stage that goes with {own.stage.abbreviation}")
    return _listed(reasons) or "there is no other dump beside it"


def _why_not_these(producer: DumpFacts, consumer: DumpFacts, other: str) -> str:
    """Why two neighbours are not linked, one of which the text calls `other`."""
    names = [facts.stage.abbreviation if facts.stage else "no stage" for facts in (producer, consumer)]
    if may_link(producer, consumer):
        return f"{other} is linked otherwise"
    if not may_link(DumpFacts(producer.stage), DumpFacts(consumer.stage)):
        return f"{other}: {names[1]} does not follow {names[0]}"
    if producer.next_stage is not None and producer.next_stage is not consumer.stage:
        return f"{other}: the stage behind {names[0]} is said to be {producer.next_stage.abbreviation}"
    return f"{other} is of another program ({producer.name}, {consumer.name})"


def _listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
