"""The request `nirls/packing`: how varyings are packed into vec4 slots, before and after `opt_varyings`."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nirls.server.linking import LinkedPipeline
from nirls.server.nirls_server import NirlsServer
from nirls.server.packing_results import Options, Packing, PackingResults, Texts

PACKING = "nirls/packing"


def register(server: NirlsServer) -> None:
    """Declare the handler, and how packings are worked out."""
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nirls-packing")

    async def work(texts: Texts, options: Options) -> Packing | None:
        def run() -> Packing | None:
            if not _is_wanted(server, texts):
                return None
            from nirls.server.packing import packing_of_texts

            return packing_of_texts(texts, options)

        return await asyncio.get_running_loop().run_in_executor(pool, run)

    server.packing = PackingResults(work)

    @server.handler(PACKING, otherwise={"pipelines": []})
    async def packing(params: Any) -> dict[str, Any]:
        """Parameters: `textDocument`, and `position` for the pipelines of the dump there alone.

        The answer is plain data: `pipelines`, each with its `stages` (as in `nirls/linkStatus`) and `pairs`
        (see `nirls.server.packing.plain_packing`). A dump that is linked with nothing is in none.
        """
        document = server.document(str(params.textDocument.uri))
        position = getattr(params, "position", None)
        if document is None:
            return {"pipelines": []}
        linked = server.linker.pipelines_of(document)
        if position is not None:
            line = int(position.line)
            slots = {dump.piece.slot for dump in document.snapshot.dumps_in_lines(line, line)}
            linked = [one for one in linked if any(one.position_of(slot) is not None for slot in slots)]
        return {"pipelines": [await _plain(server, one) for one in linked]}


async def _plain(server: NirlsServer, linked: LinkedPipeline) -> dict[str, Any]:
    pairs = await server.packing.of(linked.texts(), server.packing_options())
    from nirls.server.packing import plain_packing

    return {
        "pipeline": linked.pipeline.name,
        "reason": linked.pipeline.reason,
        "stages": [
            {
                "uri": member.document.uri,
                "file": member.document.name,
                "number": member.dump.number,
                "line": member.dump.first_line,
                "stage": described.stage.abbreviation,
            }
            for member, described in zip(linked.members, linked.pipeline.members, strict=True)
        ],
        "pairs": [plain_packing(pair) for pair in pairs],
    }


def _is_wanted(server: NirlsServer, texts: Texts) -> bool:
    """Whether an open document still has one of the texts: typing makes new ones all the time."""
    wanted = set(texts)
    return any(dump.piece.text in wanted for one in server.documents for dump in one.snapshot.dumps())
