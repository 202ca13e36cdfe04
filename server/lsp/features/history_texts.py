"""Code actions for editors without views: what the views show, as text files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lsprotocol import types

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.graphs.kinds import GraphKind, GraphSubject, draw
from nirls.server.ide.history.snapshot_diff import texts_of_dumps
from nirls.server.lsp.answers.shader_histories import histories_of
from nirls.server.lsp.answers.shown_texts import show_text
from nirls.server.lsp.features.blame_lenses import SHOW_TIMELINE
from nirls.server.lsp.features.packing import packing_text_of
from nirls.server.lsp.nirls_server import NirlsServer

SHOW_HISTORY = "nirls.showHistory"
"""Command. Arguments: URI, dump number, and a key of `TITLES`."""

HISTORY = "source.history.nirls"

TITLES = {
    "diff": "Show what the pass changed",
    "blame": "Show which pass changed each line",
    "packing": "Show the packing of varyings",
    "cfg": "Show the control flow graph as DOT",
    "values": "Show the graph of values as DOT",
}
_SUFFIXES = {"diff": ".diff", "blame": ".txt", "packing": ".txt", "cfg": ".dot", "values": ".dot"}
_LONGEST = 30.0
_FIRST = "There is nothing to show: this is the first snapshot of its shader."
NOTHING_TO_SHOW = {
    "diff": _FIRST,
    "blame": _FIRST,
    "packing": "There is nothing to show: the dump is not linked.",
}
"""Messages for a dump without such a text."""


@dataclass(frozen=True, slots=True)
class ShowHistory:
    """Arguments: a document, the number of a dump from 0, and a key of `TITLES`."""

    uri: str
    dump: int
    what: Literal["diff", "blame", "packing", "cfg", "values"]


def register(server: NirlsServer) -> None:
    @server.command_handler(SHOW_HISTORY, ShowHistory)
    async def show(asked: ShowHistory) -> str | None:
        """Write the requested text to a file and show it; returns the path."""
        document, number, what = server.document(asked.uri), asked.dump, asked.what
        is_known = document is not None and 0 <= number < len(document.snapshot.dumps())
        text = await _text(server, document, number, what) if document is not None and is_known else None
        if text is None:
            server.say(NOTHING_TO_SHOW.get(what, "There is nothing to show."))
            return None
        return show_text(server, f"{what}{_SUFFIXES[what]}", text)


async def _text(server: NirlsServer, document: Document, number: int, what: str) -> str | None:
    if what == "blame":
        history = await histories_of(server).of(document, number)
        lines = [] if history is None else history.blame(number)
        rows = [(f"{line.step.number} {line.step.label}", line.event.value, line.text) for line in lines]
        widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
        return "".join(f"{who:{widths[0]}}  {did:{widths[1]}}  {text}\n" for who, did, text in rows) or None
    if what == "packing":
        linked = server.pipelines_with(document, document.snapshot.dump(number))
        return "\n".join([await packing_text_of(server, one) for one in linked]) or None

    if what in list(GraphKind):
        subject = GraphSubject((document.snapshot.dump(number).piece.text,), whole_blocks=True)
        return (await server.in_worker(_LONGEST, draw, what, subject, False)).dot or None
    shader = await histories_of(server).shader(document, number)
    step = None if shader is None else next(step for step in shader.steps if step.dump == number)
    if step is None or step.previous is None:
        return None

    texts = (document.snapshot.dump(one).piece.text for one in (step.previous, number))
    found = await server.in_worker(_LONGEST, texts_of_dumps, *texts)
    return found.unified(f"before {step.name}", f"after {step.name}") or None


def history_actions(server: NirlsServer, document: Document, dump: PlacedDump) -> Iterator[types.CodeAction]:
    """Yield the code actions for a dump, if the client has no views."""
    if SHOW_TIMELINE in server.client.commands:
        return
    is_log = len(document.snapshot.dump_indices) > 1
    left_out = set() if is_log else {"diff", "blame"}
    if not server.pipelines_with(document, dump):
        left_out.add("packing")
    for what, title in TITLES.items():
        if what in left_out:
            continue
        command = types.Command(title, SHOW_HISTORY, arguments=[document.uri, dump.number, what])
        yield types.CodeAction(title, HISTORY, command=command)
