"""The request `nirls/packing`: how varyings are packed into vec4 slots, before and after `opt_varyings`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nirls.server.engine.linking import LinkedPipeline
from nirls.server.engine.results_by_content import LinkedTexts, Options, ResultsByContent
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.passes.link_potential.potential import Side
    from nirls.passes.varyings.packing_table import PairPacking

PACKING = "nirls/packing"

LONGEST = 20.0
"""Time limit for a packing in seconds."""


def register(server: NirlsServer) -> None:
    """Declare the handler, and compute packings and possible savings in a worker process."""

    # Some clients resolve all lenses of a log at once; a fix must wait for at most one of them.
    one_at_a_time = asyncio.Lock()

    async def packing_of(texts: LinkedTexts, options: Options) -> Sequence[PairPacking] | None:
        async with one_at_a_time:
            if not _is_wanted(server, texts):
                return None
            await server.imports.for_passes()
            from nirls.server.ide.packing_plan import packing_of_texts

            return await server.in_worker(LONGEST, packing_of_texts, texts.dumps, options, texts.urb_maps)

    async def potential_of(texts: LinkedTexts, options: Options) -> Sequence[Side] | None:
        async with one_at_a_time:
            if not _is_wanted(server, texts):
                return None
            await server.imports.for_passes()
            from nirls.server.ide.packing_plan import potential_of_text

            return await server.in_worker(LONGEST, potential_of_text, texts.dumps[0], options)

    server.packing = ResultsByContent(packing_of)
    server.potential = ResultsByContent(potential_of)

    @server.handler(PACKING, otherwise={"pipelines": []})
    async def packing(params: Any) -> dict[str, Any]:
        """Return the packing of the pipelines of a document.

        Parameters: `textDocument`, and optionally a `position` for the pipelines of the dump there only.
        Result: `pipelines`, each with its `stages` (as in `nirls/linkStatus`), its `pairs` (see
        `nirls.server.ide.packing_plan.plain_packing`), and the tables and ledgers as `text`. Unlinked dumps
        have none.
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
        options = server.packing_options(document)
        return {"pipelines": [await _plain(server, one, options) for one in linked]}


async def _plain(server: NirlsServer, linked: LinkedPipeline, options: Options) -> dict[str, Any]:
    pairs = await server.packing.of(linked.linked_texts(), options)
    await server.imports.for_passes()
    from nirls.server.ide.packing_plan import plain_packing
    from nirls.server.ide.packing_text import packing_text

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
        "text": packing_text(pairs),
    }


def _is_wanted(server: NirlsServer, texts: LinkedTexts) -> bool:
    """Whether an open document still contains one of the texts; typing makes requests obsolete."""
    wanted = set(texts.dumps)
    return any(dump.piece.text in wanted for one in server.documents for dump in one.snapshot.dumps())
