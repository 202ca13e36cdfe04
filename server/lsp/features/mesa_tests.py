"""The code action "Write a unit test for Mesa", for the pass that made a snapshot of a log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from lsprotocol import types

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.timeline.timeline import PassRun
from nirls.server.lsp.answers.log_verifier import verifier_of
from nirls.server.lsp.answers.shader_histories import histories_of
from nirls.server.lsp.answers.shown_texts import show_text
from nirls.server.lsp.nirls_server import NirlsServer

WRITE = "nirls.writeMesaTest"
"""Command. Arguments: URI, dump number."""

TITLE = "Write a unit test for Mesa"
MESA_TEST = "source.mesaTest.nirls"
_LONGEST = 60.0


@dataclass(frozen=True, slots=True)
class WriteMesaTest:
    """Arguments: a document, and the number of the snapshot that the pass made, from 0."""

    uri: str
    dump: int


def register(server: NirlsServer) -> None:
    @server.command_handler(WRITE, WriteMesaTest)
    async def write(asked: WriteMesaTest) -> str | None:
        """Write the test to a file and show it; returns the path. What cannot be built is told instead."""
        # Imports the evaluator; code actions, which import this module, do without.
        from nirls.server.ide.history.transition_texts import mesa_test_text

        document, number = server.document(asked.uri), asked.dump
        if document is None or not 0 <= number < len(document.snapshot.dumps()):
            server.say("There is nothing to test: the text has changed.")
            return None
        snapshots = await _snapshots(server, document, number)
        if snapshots is None:
            server.say("There is nothing to test: this is the first snapshot of its shader.")
            return None
        verdict = verifier_of(server).verdicts(document, document.snapshot).get(number)
        before, after, step = snapshots
        call = server.verifier.call
        result = await asyncio.to_thread(
            call, _LONGEST, mesa_test_text, before, after, step.name, verdict, step.unprinted
        )
        if result.text is None:
            server.say(f"No test was written. nir_builder cannot build {result.problem}.")
            return None
        for note in result.notes:
            server.say(note)
        return show_text(server, "unit_test.cpp", result.text)


async def _snapshots(
    server: NirlsServer, document: Document, number: int
) -> tuple[bytes, bytes, PassRun] | None:
    """Return the snapshots before and after a pass, and its run; None for the first one of a shader."""
    shader = await histories_of(server).shader(document, number)
    step = None if shader is None else next((step for step in shader.steps if step.dump == number), None)
    if step is None or step.previous is None:
        return None
    before, after = (document.snapshot.dump(one).piece.text for one in (step.previous, number))
    return before, after, step


def mesa_test_actions(document: Document, dump: PlacedDump) -> Iterator[types.CodeAction]:
    """Yield the code action for a snapshot of a log."""
    if len(document.snapshot.dump_indices) > 1:
        command = types.Command(TITLE, WRITE, arguments=[document.uri, dump.number])
        yield types.CodeAction(TITLE, MESA_TEST, command=command)
