"""The request `nirls/packing`: how varyings are packed into vec4 slots, before and after `opt_varyings`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from nirls.server.engine.documents.link_status import stage_dumps
from nirls.server.engine.documents.linking import LinkedPipeline
from nirls.server.engine.documents.results_by_content import DumpTexts, Options, ResultsByContent
from nirls.server.engine.documents.workspace import Document
from nirls.server.lsp.answers.cursor import dumps_asked_about
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.passes.link_potential.potential import Side
    from nirls.passes.varyings.packing.table import PairPacking

PACKING = "nirls/packing"

LONGEST = 20.0
"""Time limit for a packing in seconds."""

ItemT = TypeVar("ItemT")
Job = Callable[[], Sequence[ItemT]]


def register(server: NirlsServer) -> None:
    """Declare the handler, and compute packings and possible savings in a worker process."""

    # Some clients resolve all lenses of a log at once; a fix must wait for at most one of them.
    one_at_a_time = asyncio.Lock()

    def in_turn(job_of: Callable[[DumpTexts, Options], Job[ItemT]]) -> ResultsByContent[ItemT]:
        async def result_of(texts: DumpTexts, options: Options) -> Sequence[ItemT] | None:
            async with one_at_a_time:
                if not _is_wanted(server, texts):
                    return None
                await server.imports.for_passes()
                return await server.in_worker(LONGEST, job_of(texts, options))

        return ResultsByContent(result_of)

    server.packing = in_turn(_packing_job)
    server.potential = in_turn(_potential_job)

    @server.on_document(PACKING, otherwise={"pipelines": []})
    async def packing(document: Document, params: Any) -> dict[str, Any]:
        """Return the packing of the pipelines of a document.

        Parameters: `textDocument`, and optionally a `position` for the pipelines of the dump there only.
        Result: `pipelines`, each with its `stages` (as in `nirls/linkStatus`), its `pairs` (see
        `nirls.server.ide.packing.packing_plan.plain_packing`), and the tables and ledgers as `text`.
        Unlinked dumps have none.
        """
        linked = server.linker.pipelines_of(document)
        here = dumps_asked_about(document, params)
        if here is not None:
            slots = {dump.piece.slot for dump in here}
            linked = [one for one in linked if any(member.dump.piece.slot in slots for member in one.members)]
        options = server.packing_options(document)
        return {"pipelines": [await _plain(server, one, options) for one in linked]}


def _packing_job(texts: DumpTexts, options: Options) -> Job[PairPacking]:
    from nirls.server.ide.packing.packing_plan import packing_of_texts

    return partial(packing_of_texts, texts.dumps, options, texts.urb_maps)


def _potential_job(texts: DumpTexts, options: Options) -> Job[Side]:
    from nirls.server.ide.packing.packing_plan import potential_of_text

    return partial(potential_of_text, texts.dumps[0], options)


async def packing_text_of(server: NirlsServer, linked: LinkedPipeline) -> str:
    """Return the packing tables and ledgers of a pipeline as text."""
    options = server.packing_options(linked.members[0].document)
    pairs = await server.packing.of(linked.linked_texts(), options)
    from nirls.server.ide.packing.packing_text import packing_text

    return packing_text(pairs)


async def _plain(server: NirlsServer, linked: LinkedPipeline, options: Options) -> dict[str, Any]:
    pairs = await server.packing.of(linked.linked_texts(), options)
    await server.imports.for_passes()
    from nirls.server.ide.packing.packing_plan import plain_packing
    from nirls.server.ide.packing.packing_text import packing_text

    return {
        "pipeline": linked.pipeline.name,
        "reason": linked.pipeline.reason,
        "stages": [asdict(one) for one in stage_dumps(linked)],
        "pairs": [plain_packing(pair) for pair in pairs],
        "text": packing_text(pairs),
    }


def _is_wanted(server: NirlsServer, texts: DumpTexts) -> bool:
    """Whether an open document still contains one of the texts; typing makes requests obsolete."""
    wanted = set(texts.dumps)
    return any(dump.piece.text in wanted for one in server.documents for dump in one.snapshot.dumps())
