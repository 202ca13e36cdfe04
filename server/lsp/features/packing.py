"""The request `nirls/packing`: how varyings are packed into vec4 slots, before and after `opt_varyings`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from nirls.server.engine.documents.link_status import stage_dumps
from nirls.server.engine.documents.linking import LinkedPipeline
from nirls.server.engine.documents.results_by_content import Options
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.packing.packing_plan import plain_packing
from nirls.server.ide.packing.packing_text import packing_text
from nirls.server.lsp.answers.cursor import dumps_asked_about
from nirls.server.lsp.answers.packings import packings_of
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import PlaceRequest

PACKING = "nirls/packing"


def register(server: NirlsServer) -> None:
    @server.on_document(PACKING, otherwise={"pipelines": []}, takes=PlaceRequest)
    async def packing(document: Document, params: PlaceRequest) -> dict[str, Any]:
        """Return the packing of the pipelines of a document.

        Parameters: `textDocument`, and optionally a `position` for the pipelines of the dump there only.
        Result: `pipelines`, each with its `stages` (as in `nirls/linkStatus`), its `pairs` (see
        `nirls.server.ide.packing.packing_plan.plain_packing`), and the tables and ledgers as `text`.
        Unlinked dumps have none.
        """
        linked = server.linker.pipelines_of(document)
        here = dumps_asked_about(document, params.position)
        if here is not None:
            slots = {dump.piece.slot for dump in here}
            linked = [one for one in linked if any(member.dump.piece.slot in slots for member in one.members)]
        options = server.packing_options(document)
        return {"pipelines": [await _plain(server, one, options) for one in linked]}


async def packing_text_of(server: NirlsServer, linked: LinkedPipeline) -> str:
    """Return the packing tables and ledgers of a pipeline as text."""
    options = server.packing_options(linked.members[0].document)
    pairs = await packings_of(server).pairs.of(linked.linked_texts(), options)
    return packing_text(pairs)


async def _plain(server: NirlsServer, linked: LinkedPipeline, options: Options) -> dict[str, Any]:
    pairs = await packings_of(server).pairs.of(linked.linked_texts(), options)
    return {
        "pipeline": linked.pipeline.name,
        "reason": linked.pipeline.reason,
        "stages": [asdict(stage_dump) for stage_dump in stage_dumps(linked)],
        "pairs": [plain_packing(pair) for pair in pairs],
        "text": packing_text(pairs),
    }
