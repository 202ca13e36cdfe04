"""Packings of linked dumps and possible savings of unlinked ones, computed in a worker process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

from nirls.server.engine.documents.results_by_content import DumpTexts, Options, ResultsByContent
from nirls.server.lsp.nirls_server import NirlsServer

# The passes, which take half a second to import, are needed by hovers over slots only, not by all hovers.
if TYPE_CHECKING:
    from nirls.passes.link_potential.potential import Side
    from nirls.passes.varyings.packing.table import PairPacking

LONGEST = 20.0
"""Time limit for a packing in seconds."""

ItemT = TypeVar("ItemT")
Job = Callable[[], Sequence[ItemT]]


class Packings:
    """The packings of pipelines and the possible savings of dumps, by content."""

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        # Some clients resolve all lenses of a log at once; a fix must wait for at most one of them.
        self._one_at_a_time = asyncio.Lock()
        self.pairs: ResultsByContent[PairPacking] = self._in_turn(_packing_job)
        self.potential: ResultsByContent[Side] = self._in_turn(_potential_job)

    def _in_turn(self, job_of: Callable[[DumpTexts, Options], Job[ItemT]]) -> ResultsByContent[ItemT]:
        async def result_of(texts: DumpTexts, options: Options) -> Sequence[ItemT] | None:
            async with self._one_at_a_time:
                if not self._is_wanted(texts):
                    return None
                job = await asyncio.to_thread(job_of, texts, options)
                return await self._server.in_worker(LONGEST, job)

        return ResultsByContent(result_of)

    def _is_wanted(self, texts: DumpTexts) -> bool:
        """Whether an open document still contains one of the texts; typing makes requests obsolete."""
        wanted = set(texts.dumps)
        documents = self._server.documents
        return any(dump.piece.text in wanted for document in documents for dump in document.snapshot.dumps())


def _packing_job(texts: DumpTexts, options: Options) -> Job[PairPacking]:
    from nirls.server.ide.packing.packing_plan import packing_of_texts  # see above

    return partial(packing_of_texts, texts.dumps, options, texts.urb_maps)


def _potential_job(texts: DumpTexts, options: Options) -> Job[Side]:
    from nirls.server.ide.packing.packing_plan import potential_of_text  # see above

    return partial(potential_of_text, texts.dumps[0], options)


@cache
def packings_of(server: NirlsServer) -> Packings:
    """Return the packings of a server, created on first use."""
    return Packings(server)
