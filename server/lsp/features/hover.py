"""Hover."""

from __future__ import annotations

import json
from urllib.parse import quote

from lsprotocol import types

from nirls.ir.model.shader import Variable
from nirls.ir.model.span import Span
from nirls.ir.model.values import Def
from nirls.server.ide.convergence import Convergence
from nirls.server.ide.cursor.entities import (
    CursorToken,
    Entity,
    HeaderKeyEntity,
    IntrinsicEntity,
    OpcodeEntity,
    SlotEntity,
)
from nirls.server.ide.history.value_history import blame_text
from nirls.server.ide.hover import Stages, hover
from nirls.server.ide.packing.hover import is_sent, ledger_around, packing_around
from nirls.server.lsp.answers.conversion import markup, range_of
from nirls.server.lsp.answers.cursor import Cursor, entity_at
from nirls.server.lsp.answers.log_verifier import verifier_of
from nirls.server.lsp.answers.packings import packings_of
from nirls.server.lsp.answers.shader_histories import histories_of
from nirls.server.lsp.answers.shader_runs import runs_of
from nirls.server.lsp.features.verification import SHOW, TITLES
from nirls.server.lsp.nirls_server import NirlsServer

PATIENCE = 0.3
"""Seconds that a hover waits for packing and blame; a later result appears in the next hover."""


def register(server: NirlsServer) -> None:
    @server.handler(types.TEXT_DOCUMENT_HOVER, reads_ir=True)
    async def show(params: types.HoverParams) -> types.Hover | None:
        found = entity_at(server, params)
        if found is None:
            return None
        cursor, token, entity = found
        state = cursor.state
        pipelines = _pipelines(server, cursor) if isinstance(entity, SlotEntity | Variable) else []
        options = server.analyzers.of(cursor.document).settings.options
        driver = server.driver_of(cursor.document).text if isinstance(entity, HeaderKeyEntity) else ""

        def link(span: Span) -> str:
            start = cursor.dump.range(span.start, span.start, server.client.encoding).start
            uri = cursor.document.uri.replace("(", "%28").replace(")", "%29")  # they end a link in Markdown
            return f"{uri}#L{start.line + 1},{start.character + 1}"

        text = hover(
            cursor.io_view(),
            entity,
            state.of_shader(Convergence),
            pipelines,
            options,
            driver,
            link if server.client.markdown else None,
        )
        if text is None:
            return None
        if isinstance(entity, HeaderKeyEntity) and entity.field.key == "shader":
            text = "\n\n".join([text, *_verification(server, cursor)])
        if isinstance(entity, SlotEntity | IntrinsicEntity):
            text = "\n\n".join([text, *await _packings(server, cursor, entity)])
        text = "\n\n".join(
            [text, *await _run(server, cursor, entity), *await _blame(server, cursor, token, entity)]
        )
        range_ = range_of(server.client, cursor.dump, token.start, token.end)
        return types.Hover(markup(text, as_markdown=server.client.markdown), range_)


async def _run(server: NirlsServer, cursor: Cursor, entity: Entity) -> list[str]:
    """Describe a value on the invocations of the run that is shown, if there is one."""
    if not isinstance(entity, Def):
        return []
    run = await runs_of(server).of(cursor.document, cursor.dump, PATIENCE)
    lines = () if run is None else run.spreads.get(f"%{entity.index}", ())
    return ["Run:\n" + "\n".join(f"- {line}" for line in lines)] if lines else []


async def _blame(server: NirlsServer, cursor: Cursor, token: CursorToken, entity: Entity) -> list[str]:
    """Name the pass that changed an instruction last, if it is known within `PATIENCE`."""
    if len(cursor.document.snapshot.dump_indices) <= 1 or not isinstance(
        entity, Def | OpcodeEntity | IntrinsicEntity
    ):
        return []
    line = cursor.state.text.count(b"\n", 0, token.start)
    if isinstance(entity, Def):
        if entity.instr is None or entity.instr.span is None:
            return []
        line = entity.instr.span.line
    history = await histories_of(server).soon(cursor.document, cursor.dump.number, PATIENCE)
    blamed = None if history is None else history.blame_line(cursor.dump.number, line)
    return [] if blamed is None else [f"Passes: {blame_text(blamed)}"]


def _verification(server: NirlsServer, cursor: Cursor) -> list[str]:
    """Describe the verdict on the change from the previous snapshot of the shader, if it is known."""
    document = cursor.document
    verdict = verifier_of(server).verdicts(document, document.snapshot).get(cursor.dump.number)
    if verdict is None:
        return []
    found = [f"**Since the previous snapshot: {verdict.verdict}.** {verdict.reason}"]
    if document.transition_marks.get(cursor.dump.piece.slot):
        found.append(_way_to_values(server, cursor))
    missing = (verdict.tried or {}).get("not_met") or []
    return [*found, "Not covered:\n" + "\n".join(f"- {one}" for one in missing)] if missing else found


def _way_to_values(server: NirlsServer, cursor: Cursor) -> str:
    """Return a link that shows the values of the counterexample, or the name of the code action that does.

    Only a client that declares the command follows such a link.
    """
    title = TITLES["values"]
    if SHOW not in server.client.commands or not server.client.markdown:
        return f"Code action on this line: {title}."
    arguments = quote(json.dumps([cursor.document.uri, cursor.dump.number, "values"]), safe="")
    return f"[{title}](command:{SHOW}?{arguments})"


async def _packings(server: NirlsServer, cursor: Cursor, entity: SlotEntity | IntrinsicEntity) -> list[str]:
    """Describe the packing around a slot, or the ledger of an access, in each pipeline.

    Only what is available within `PATIENCE` is included.
    """
    view = cursor.io_view()
    if not is_sent(view, entity):
        return []
    found = []
    told = _told(cursor, entity)
    options = server.packing_options(cursor.document)
    for linked, position in server.places_in_pipelines(cursor.document, cursor.dump):
        pairs = await packings_of(server).pairs.soon(linked.linked_texts(), options, PATIENCE)
        if isinstance(entity, SlotEntity):
            found.append(packing_around(pairs, position, entity, told))
        else:
            found.append(ledger_around(pairs, position, entity.instr, view, told))
    return [text for text in found if text]


def _told(cursor: Cursor, entity: SlotEntity | IntrinsicEntity) -> set[str]:
    """Return the scalars that findings on the access are about: VAR1.x and VAR1.y of `VAR1.xy`."""
    node = entity.node if isinstance(entity, SlotEntity) else entity.instr
    span = getattr(node, "span", None)
    if not isinstance(span, Span):
        return set()
    marks = cursor.document.pass_findings.get(cursor.dump.piece.slot, ())
    names = [str(mark.data.get("slot", "")) for mark in marks if mark.place.start == span.start]
    return {
        f"{location}.{component}"
        for name in names
        for slot in name.split(", ")
        for location, _, components in [slot.partition(".")]
        for component in components
    }


def _pipelines(server: NirlsServer, cursor: Cursor) -> list[Stages]:
    return [
        Stages([member.io_view() for member in linked.members], position, linked.pipeline.reason)
        for linked, position in server.places_in_pipelines(cursor.document, cursor.dump)
    ]
