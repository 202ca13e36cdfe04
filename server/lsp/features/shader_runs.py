"""Commands that run a dump and show its values, with the code lenses and the code action for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lsprotocol import types

from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.settings.client_settings import RUN_LENSES
from nirls.server.ide.run_view import RunChoice, ShaderRun, line_of_impl
from nirls.server.lsp.answers.cursor import dump_asked_about
from nirls.server.lsp.answers.shader_runs import runs_of
from nirls.server.lsp.nirls_server import NirlsServer, RequestFailedError

RUN = "nirls.run"
"""Command. Arguments: URI, dump number, invocation, seed, whether with the linked stages."""

HIDE = "nirls.hideRun"
"""Command. Arguments: URI, dump number."""

RUN_KIND = "source.run.nirls"
"""Kind of the code actions that run a dump: they change what is shown, not the text."""

PATIENCE = 0.5
"""Seconds that lenses wait for a run; later ones come with a refresh."""


@dataclass(frozen=True, slots=True)
class RunDump:
    """Arguments: a document, the number of a dump from 0, and what to show."""

    uri: str
    dump: int
    invocation: int = 0
    seed: int = 1
    linked: bool = False


@dataclass(frozen=True, slots=True)
class HideDump:
    """Arguments: a document, and the number of a dump from 0."""

    uri: str
    dump: int


def register(server: NirlsServer) -> None:
    @server.command_handler(RUN, RunDump)
    async def run(asked: RunDump) -> dict[str, Any] | None:
        """Run a dump and show its values as inlay hints; return a summary.

        The values follow the text until they are hidden. Raises RequestFailedError if the dump cannot be run.
        """
        document = server.document(asked.uri)
        dump = None if document is None else dump_asked_about(document, asked.dump, None)
        if document is None or dump is None:
            return None
        runs = runs_of(server)
        choice = RunChoice(max(asked.invocation, 0), asked.seed, asked.linked)
        runs.choose(document, dump, choice)
        found = await runs.of(document, dump)
        if found is None:
            server.say("The run takes long; its values are shown when it is done.")
            return None
        if found.problem:
            raise RequestFailedError(f"Dump {asked.dump + 1} cannot be run: {found.problem}.")
        if found.warnings:
            server.say("; ".join(found.warnings), types.MessageType.Warning)
        return {
            "stage": found.stage,
            "invocation": found.invocation,
            "invocations": found.invocations,
            "seed": choice.seed,
            "summary": found.summary,
        }

    @server.command_handler(HIDE, HideDump, otherwise=False)
    async def hide(asked: HideDump) -> bool:
        """Hide the values of a dump; return whether there were any."""
        document = server.document(asked.uri)
        dump = None if document is None else dump_asked_about(document, asked.dump, None)
        if document is None or dump is None or runs_of(server).choice(document, dump) is None:
            return False
        runs_of(server).choose(document, dump, None)
        return True


async def run_lenses(server: NirlsServer, document: Document) -> list[types.CodeLens]:
    """Return the lenses above each `impl`: run it, or what was run and what to choose."""
    if not server.editor_settings(document).is_on(RUN_LENSES):
        return []
    found = []
    runs = runs_of(server)
    for dump in document.snapshot.dumps():
        line = document.state(dump.piece).of_text(line_of_impl)
        if line is None:
            continue
        choice = runs.choice(document, dump)
        run = None if choice is None else await runs.of(document, dump, PATIENCE)
        place = types.Position(dump.first_line + line, 0)
        found += [
            types.CodeLens(types.Range(place, place), command)
            for command in _commands(server, document, dump, choice, run)
        ]
    return found


def _commands(
    server: NirlsServer, document: Document, dump: PlacedDump, choice: RunChoice | None, run: ShaderRun | None
) -> Iterator[types.Command]:
    if choice is None:
        yield _run(document, dump, "Run", RunChoice())
        return
    if run is None:
        yield types.Command("Running", "")
    elif run.problem:
        yield types.Command(_title(f"Cannot be run: {run.problem}"), "")
    else:
        here = f"{run.stage} invocation {run.invocation} of {run.invocations}, seed {choice.seed}"
        yield types.Command(_title(f"{here}: {run.summary}"), "")
        following = (run.invocation + 1) % max(run.invocations, 1)
        yield _run(document, dump, "Next invocation", replace(choice, invocation=following))
        if run.invocation:
            previous = replace(choice, invocation=run.invocation - 1)
            yield _run(document, dump, "Previous", previous)
        yield _run(document, dump, "Other inputs", replace(choice, seed=choice.seed + 1))
    if choice.linked:
        yield _run(document, dump, "Run alone", replace(choice, linked=False))
    elif server.places_in_pipelines(document, dump):
        yield _run(document, dump, "Run with linked stages", replace(choice, linked=True))
    yield types.Command("Hide values", HIDE, arguments=[document.uri, dump.number])


def _title(text: str) -> str:
    """Return a text with names of the dump as a title: one line, without icons of VS Code."""
    return printable(text).replace("$(", "$ (")


def _run(document: Document, dump: PlacedDump, title: str, choice: RunChoice) -> types.Command:
    chosen = [choice.invocation, choice.seed, choice.linked]
    return types.Command(title, RUN, arguments=[document.uri, dump.number, *chosen])


def run_actions(server: NirlsServer, document: Document, dump: PlacedDump) -> Iterator[types.CodeAction]:
    """Yield the code actions that run a dump, or hide its values."""
    choice = runs_of(server).choice(document, dump)
    commands = [_run(document, dump, "Run this shader and show its values", choice or RunChoice())]
    if choice is not None:
        commands = [types.Command("Hide the values", HIDE, arguments=[document.uri, dump.number])]
    elif server.places_in_pipelines(document, dump):
        linked = RunChoice(linked=True)
        commands.append(_run(document, dump, "Run the linked stages and show the values", linked))
    for command in commands:
        yield types.CodeAction(command.title, RUN_KIND, command=command)
