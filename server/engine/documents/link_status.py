"""Link status of each dump as text: its pipelines with the reasons, or why it is not linked; its changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.finding import listed
from nirls.passes.varyings.interface.driver_profiles import GENERIC, Detected
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.linking import LinkedPipeline, Linker, places_by_slot
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.pipelines.dump_facts import DumpFacts
from nirls.server.engine.pipelines.pipelines import Pipeline, name_pattern, obstacle
from nirls.server.engine.pipelines.shader_sequence import ShaderSnapshots, shaders_in_order
from nirls.server.engine.settings.project_file import STAGE_KEYS

_LINKABLE = frozenset(STAGE_KEYS.values())


@dataclass(frozen=True, slots=True)
class StageDump:
    """The dump of a stage of a pipeline: its document, its number from 0 and its first line."""

    uri: str
    file: str
    number: int
    line: int
    stage: str


@dataclass(frozen=True, slots=True)
class Link:
    """A pipeline of a dump, without the dump itself."""

    pipeline: Pipeline
    partners: tuple[StageDump, ...]

    def text(self, uri: str) -> str:
        """One-line description of the link, relative to the document `uri`."""
        names = [
            f"{partner.stage} (dump {partner.number + 1})" if partner.uri == uri else partner.file
            for partner in self.partners
        ]
        return f"linked with {listed(names)} ({self.pipeline.kind.value})"


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """Link status of a dump. `why_not` is "" for a linked dump; `driver` is the profile that applies."""

    dump: PlacedDump
    facts: DumpFacts
    links: tuple[Link, ...]
    why_not: str
    driver: Detected | None = None

    def text(self, uri: str) -> str:
        """One-line description of the status, relative to the document `uri`."""
        if not self.links:
            return f"not linked: {self.why_not}"
        parts = [link.text(uri) for link in self.links]
        if self.driver is not None:
            if self.facts.is_separate and not self.driver.profile.sets_separate_shader.value:
                parts.append("a separate shader: its varyings are not optimized")
            if self.driver.profile.name != GENERIC:
                parts.append(f"driver profile {self.driver.text}")
        return "; ".join(parts)


def link_statuses(
    document: Document, pipelines: Iterable[LinkedPipeline], driver: Detected | None = None
) -> list[LinkStatus]:
    """Compute the link status of each dump of a document.

    `pipelines` are those of the document, `driver` is its driver profile.
    """
    places = places_by_slot(pipelines)
    dumps = document.snapshot.dumps()
    facts = [document.state(dump.piece).facts for dump in dumps]
    shaders = shaders_in_order(facts)
    found = []
    for dump in dumps:
        own = tuple(_link(linked, position) for linked, position in places.get(dump.piece.slot, ()))
        why_not = "" if own else _why_not(document, facts, dump.number, shaders)
        found.append(LinkStatus(dump, facts[dump.number], own, why_not, driver))
    return found


def stage_dumps(linked: LinkedPipeline) -> list[StageDump]:
    """Return the dumps of a pipeline, in pipeline order."""
    return [
        StageDump(
            member.document.uri,
            member.document.name,
            member.dump.number,
            member.dump.first_line,
            described.stage.abbreviation,
        )
        for member, described in zip(linked.members, linked.pipeline.members, strict=True)
    ]


def _link(linked: LinkedPipeline, position: int) -> Link:
    partners = stage_dumps(linked)
    del partners[position]
    return Link(linked.pipeline, tuple(partners))


def _why_not(
    document: Document, facts: Sequence[DumpFacts], number: int, shaders: Sequence[ShaderSnapshots]
) -> str:
    own = facts[number]
    if own.stage is None:
        return "its `shader:` line names no stage"
    if own.stage not in _LINKABLE:
        return f"{own.stage.abbreviation} has no stage before or behind it"
    if own.pipeline is not None:
        return (
            f"no other dump that goes with {own.stage.abbreviation} says `// nirls: pipeline {own.pipeline}`"
        )
    place = next(place for place, shader in enumerate(shaders) if number in shader.numbers)
    later = [other for other in shaders[place].numbers if other > number and facts[other].level == own.level]
    if later:
        return f"dump {later[-1] + 1} shows the same shader later"
    reasons = []
    for neighbour in (place - 1, place + 1):
        if 0 <= neighbour < len(shaders):
            other = shaders[neighbour].numbers[-1]
            reasons.append(f"dump {other + 1}: {_why_not_these(own, facts[other])}")
    pattern = None if document.path is None else name_pattern(document.path.name)
    if pattern is not None:
        reasons.append(f"no file {pattern[0]} has a stage that goes with {own.stage.abbreviation}")
    return listed(reasons) if reasons else "there is no other dump beside it"


def _why_not_these(own: DumpFacts, other: DumpFacts) -> str:
    """Reason why two neighbours are not linked."""
    order = list(STAGE_KEYS.values())
    pair = [own, other]
    if all(facts.stage in order for facts in pair):
        pair.sort(key=lambda facts: order.index(facts.stage) if facts.stage is not None else 0)
    return obstacle(*pair) or "other stages or slots fit better"


PAUSE = 0.3
"""Debounce delay in seconds between a change of any document and the next comparison of links."""


class LinkWatch:
    """Reports the open documents whose links changed since the last report. Idle unless `is_on`."""

    def __init__(
        self, documents: Iterable[Document], linker: Linker, on_change: Callable[[list[str]], None]
    ) -> None:
        self._documents = documents
        self._linker = linker
        self._on_change = on_change
        self._timer: asyncio.TimerHandle | None = None
        self._known: dict[str, object] = {}
        self.is_on = False

    def schedule(self) -> None:
        """Schedule a comparison after a document was opened, edited or closed, or a file changed on disk."""
        if not self.is_on:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE, self.compare)

    def compare(self) -> None:
        """Compare the links now and report changes."""
        now: dict[str, object] = {
            document.uri: tuple(linked.pipeline for linked in self._linker.pipelines_of(document))
            for document in self._documents
        }
        changed = [uri for uri, links in now.items() if self._known.get(uri) != links]
        self._known = now
        if changed:
            self._on_change(changed)
