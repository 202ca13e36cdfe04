"""Code lenses on the first line, above each dump, and above each `impl`.

The first line has pending work, a dump its links and the savings from linking, an `impl` the run.
What is pending and linked is available at once. Savings take a run of `opt_varyings`, so they are computed
when the client resolves the lens, which clients do for visible lenses. An unlinked dump has a lens with the
possible savings.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from nirls.ir.model.stage import Stage
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.link_status import LinkStatus, link_statuses
from nirls.server.engine.documents.results_by_content import DumpTexts
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.packing.link_savings import potential_text, savings_text
from nirls.server.lsp.answers.coverage_text import coverage_text
from nirls.server.lsp.answers.packings import packings_of
from nirls.server.lsp.features.blame_lenses import blame_lenses
from nirls.server.lsp.features.shader_runs import run_lenses
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DumpItem, item_of, plain_item

SHOW_PACKING = "nirls.showPacking"
"""Client command that shows the packing of varyings. Arguments: URI, line."""

_WITH_VARYINGS = frozenset(
    (Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY, Stage.MESH, Stage.FRAGMENT)
)


def register(server: NirlsServer) -> None:
    @server.on_document(types.TEXT_DOCUMENT_CODE_LENS, otherwise=[])
    async def lenses(document: Document, _: types.CodeLensParams) -> list[types.CodeLens]:
        found: list[types.CodeLens] = []
        top = types.Position(0, 0)
        pending = coverage_text(server, document)
        if pending:
            found.append(types.CodeLens(types.Range(top, top), types.Command(f"Pending: {pending}", "")))
        statuses = link_statuses(document, server.linker.pipelines_of(document), server.driver_of(document))
        for number, status in enumerate(statuses):
            if not status.links and not _is_separate(statuses, number):
                continue
            place = types.Position(status.dump.first_line, 0)
            here = types.Range(place, place)
            if status.links:
                # A command with an empty name makes the lens plain text.
                found.append(types.CodeLens(here, types.Command(status.text(document.uri), "")))
            item = DumpItem(uri=document.uri, slot=status.dump.piece.slot)
            found.append(types.CodeLens(here, data=plain_item(item)))
        return [*found, *await run_lenses(server, document), *await blame_lenses(server, document)]

    @server.handler(types.CODE_LENS_RESOLVE)
    async def resolve(params: types.CodeLens) -> types.CodeLens:
        found = server.dump_of(item_of(DumpItem, params.data))
        params.command = command = types.Command("", "")
        if found is None:
            return params
        document, dump = found
        title = await _savings(server, document, dump)
        place = server.documents.now(document, dump)
        if place is None:
            raise JsonRpcContentModified("the dump changed meanwhile")
        document, now = place
        command.title = title
        if SHOW_PACKING in server.client.commands and server.pipelines_with(document, dump):
            command.command = SHOW_PACKING
            command.arguments = [document.uri, now.first_line]
        return params


async def _savings(server: NirlsServer, document: Document, dump: PlacedDump) -> str:
    """Describe the savings in the first pipeline of a dump, or the possible savings of an unlinked dump."""
    options = server.packing_options(document)
    places = server.places_in_pipelines(document, dump)
    if not places:
        return potential_text(await packings_of(server).potential.of(DumpTexts((dump.piece.text,)), options))
    linked, position = places[0]
    return savings_text(await packings_of(server).pairs.of(linked.linked_texts(), options), position)


def _is_separate(statuses: Sequence[LinkStatus], number: int) -> bool:
    """Whether an unlinked dump is the last dump of a shader of a stage with varyings."""
    own = statuses[number].facts
    if own.stage not in _WITH_VARYINGS:
        return False
    following = statuses[number + 1].facts if number + 1 < len(statuses) else None
    return following is None or (following.stage, following.name) != (own.stage, own.name)
