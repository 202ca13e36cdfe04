"""Commands and code actions on differences between successive snapshots in a log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lsprotocol import types

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.lsp.answers.finding_diagnostics import diagnostic_of
from nirls.server.lsp.answers.log_verifier import verifier_of
from nirls.server.lsp.answers.shown_texts import show_text
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict

SHOW = "nirls.showTransition"
"""Command. Arguments: URI, dump number, and `counterexample`, `values`, `difference` or `reduced`."""

TITLES: Mapping[str, str] = {
    "counterexample": "Show the counterexample",
    "values": "Show both snapshots with the values of the counterexample",
    "difference": "Show both snapshots at the first difference",
    "reduced": "Reduce the two snapshots",
}

_LONGEST_TEXT = 150.0
_SUFFIXES = {"counterexample": ".txt", "values": ".txt", "difference": ".diff", "reduced": ".log"}


@dataclass(frozen=True, slots=True)
class ShowTransition:
    """Arguments: a document, the number of a dump from 0, and a key of `TITLES`."""

    uri: str
    dump: int
    what: Literal["counterexample", "values", "difference", "reduced"]


def register(server: NirlsServer) -> None:
    @server.command_handler(SHOW, ShowTransition)
    async def show(asked: ShowTransition) -> str | None:
        """Write the requested text to a file and show it; returns the path."""
        document, what = server.document(asked.uri), asked.what
        found = None if document is None else verifier_of(server).difference(document, asked.dump)
        text = None if found is None else await _text(server, what, *found)
        if text is None:
            server.say("There is nothing to show: the text has changed, or only the pipeline differs.")
            return None
        return show_text(server, f"{what}{_SUFFIXES[what]}", *text)


async def _text(
    server: NirlsServer, what: str, unit: TransitionUnit, verdict: TransitionVerdict
) -> tuple[str, int | None] | None:
    """Return a text, and the line of it that is to be in view."""
    # Imports the evaluator; code actions, which import this module, do without.
    from nirls.server.ide.history.difference_view import difference_view
    from nirls.server.ide.history.transition_texts import counterexample_text, difference_text, reduced_text

    if what == "counterexample":
        return counterexample_text(unit.pass_name, verdict), None
    # Not in the process that makes fixes: a fix would wait for it, and end the job at its own time limit.
    call = server.verifier.call
    if what == "values":
        view = await asyncio.to_thread(call, _LONGEST_TEXT, difference_view, unit)
        return None if view is None else (view.text, view.first)
    if what == "difference":
        return await asyncio.to_thread(call, _LONGEST_TEXT, difference_text, unit, verdict), None
    reduced = await asyncio.to_thread(call, _LONGEST_TEXT, reduced_text, unit)
    return None if reduced is None else (reduced, None)


def transition_actions(
    server: NirlsServer, document: Document, dump: PlacedDump
) -> Iterator[types.CodeAction]:
    """Yield the code actions for a dump that differs from its predecessor."""
    for mark in document.transition_marks.get(dump.piece.slot, ()):
        for what, title in TITLES.items():
            arguments = [document.uri, dump.number, what]
            yield types.CodeAction(
                title,
                types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic_of(server, document, dump, mark)],
                command=types.Command(title, SHOW, arguments=arguments),
            )
