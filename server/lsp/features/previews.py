"""The requests `nirls/preview` for the result of passes on a dump or pipeline, and `nirls/passes`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nirls.ir.text.edits import apply_edits
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.server.engine.checks.fix_verdicts import FixVerdicts, PassRuns
from nirls.server.engine.checks.fixing import LONGEST_FIX_ALL, Members, PlacedEdits, texts_of
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.link_status import link_statuses
from nirls.server.engine.documents.linking import LinkedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.preview import WHAT_IF, Preview, PreviewedDump, Verdict, plain_preview
from nirls.server.lsp.answers.cursor import dump_asked_about
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import PlaceRequest

PREVIEW = "nirls/preview"
PASSES = "nirls/passes"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRequest(PlaceRequest):
    """Parameters: the `number` of a dump from 0 or a position, and the names of passes."""

    number: int | None = None
    passes: tuple[str, ...] | None = None


def register(server: NirlsServer) -> None:
    @server.handler(PREVIEW, takes=PreviewRequest)
    async def preview(params: PreviewRequest) -> dict[str, Any] | None:
        """Return a preview, see `nirls.server.ide.preview`; null for an unknown dump or pass.

        Parameters: `textDocument`; the dump `number` from 0 or a `position`; the names of `passes`, by
        default `opt_varyings` and `clean_up`. For pipeline passes, the preview has all stages of the first
        pipeline of the dump. A failure is answered with an error.
        """
        await asyncio.to_thread(registry.all_passes)
        document = server.document(params.text_document.uri)
        dump = None if document is None else dump_asked_about(document, params.number, params.position)
        if document is None or dump is None:
            return None

        names = list(params.passes or WHAT_IF)
        passes = [found for name in names if (found := registry.find(name)) is not None]
        if len(passes) != len(names):
            return None
        shown = await _preview(server, document, dump, passes)
        return await asyncio.to_thread(plain_preview, shown)

    @server.handler(PASSES, otherwise={"passes": []})
    async def passes(_: Any) -> dict[str, Any]:
        """Return all passes in run order.

        Each has its `name`, `summary` and `scope`, shader or pipeline, and whether it `changes` shaders.
        """
        await asyncio.to_thread(registry.all_passes)
        known = registry.all_passes()
        return {"passes": [_plain_pass(one) for one in known]}


def _plain_pass(declared: type[Pass]) -> dict[str, Any]:
    return {
        "name": declared.name,
        "summary": declared.summary,
        "scope": declared.scope,
        "changes": declared.changes_shaders,
    }


async def _preview(
    server: NirlsServer, document: Document, dump: PlacedDump, passes: Sequence[type[Pass]]
) -> Preview:
    linked = server.pipelines_with(document, dump)[:1]
    names = tuple(one.name for one in passes)
    if not linked and names == WHAT_IF:
        status = link_statuses(document, [])[dump.number]
        linked_stage = status.facts.stage
        name = "the dump" if linked_stage is None else linked_stage.abbreviation
        return Preview(f"Linking of {name}", names, Verdict.UNLINKED, (), status.why_not)
    on_pipeline = bool(linked) and any(one.scope == "pipeline" for one in passes)
    members: Members = linked[0].members if on_pipeline else (LinkedDump(document, dump),)
    # A pipeline pass has nothing to do on a single stage.
    useful = [one for one in passes if on_pipeline or one.scope != "pipeline"]
    analyzer = server.analyzers.of(document)
    placed = await server.fixer.apply(analyzer, members, useful, LONGEST_FIX_ALL) if useful else []
    previewed = await asyncio.to_thread(_previewed, members, placed)
    stage = document.state(dump.piece).facts.stage
    shader = "this shader" if stage is None else stage.abbreviation
    where = f"pipeline {linked[0].pipeline.name}" if on_pipeline else shader
    verdict = _verdict(analyzer.fix_verdicts, members, useful, placed)
    return Preview(f"{', '.join(names)} on {where}", names, verdict, previewed)


def _previewed(members: Members, placed: Sequence[PlacedEdits]) -> tuple[PreviewedDump, ...]:
    edits = {one.edits.text: one.edits.edits for one in placed}
    texts = [member.dump.piece.text for member in members]
    return tuple(
        PreviewedDump(member, text, apply_edits(text, list(edits.get(text, ()))))
        for member, text in zip(members, texts, strict=True)
    )


def _verdict(
    verdicts: FixVerdicts, members: Members, passes: Sequence[type[Pass]], placed: Sequence[PlacedEdits]
) -> Verdict:
    texts, runs = texts_of(members), PassRuns(tuple(declared.name for declared in passes))
    if verdicts.is_refused(texts, runs):
        return Verdict.DIFFERENT
    if not placed:
        return Verdict.NOTHING
    unchecked = verdicts.is_unchecked(texts, runs)
    return Verdict.UNCHECKED if unchecked else Verdict.SAME
