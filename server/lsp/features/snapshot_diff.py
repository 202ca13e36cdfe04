"""The request `nirls/snapshotDiff`: two snapshots of a log, numbered alike and aligned."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.history.snapshot_diff import SnapshotTexts, texts_of_dumps
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DocumentRequest

SNAPSHOT_DIFF = "nirls/snapshotDiff"

_LONGEST_DIFF = 30.0
"""Time limit for the texts of two snapshots in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotDiffRequest(DocumentRequest):
    """Parameters: the numbers of two dumps from 0."""

    before: int
    after: int


def register(server: NirlsServer) -> None:
    @server.on_document(SNAPSHOT_DIFF, takes=SnapshotDiffRequest, reads_text=True)
    async def snapshot_diff(document: Document, params: SnapshotDiffRequest) -> dict[str, Any] | None:
        """Return the texts of two dumps with corresponding numbers; null for an unknown dump.

        Parameters: `textDocument`, and the dump numbers `before` and `after` from 0. Result: the texts
        `before` and `after`, whether they are the `same`, and their `hunks`: objects with `equal`, and
        `before` and `after` as [first line, line behind]. `first` has the lines of the first change of code
        on both sides, null without one. `beforeLines` and `afterLines` give for each line its line in the
        document, null without one; `numbers` gives by function the numbers in the second dump of values that
        have another number in its text.
        """
        dumps = document.snapshot.dumps()
        wanted = params.before, params.after
        if any(not 0 <= number < len(dumps) for number in wanted):
            return None

        before, after = (dumps[number] for number in wanted)
        texts = await server.in_worker(_LONGEST_DIFF, texts_of_dumps, before.piece.text, after.piece.text)
        return await asyncio.to_thread(_plain, texts, before, after)


def _plain(texts: SnapshotTexts, before: PlacedDump, after: PlacedDump) -> dict[str, Any]:
    first = texts.first_code_change()
    return {
        "before": texts.before,
        "after": texts.after,
        "same": texts.same,
        "first": None if first is None else {"before": first.before, "after": first.after},
        "hunks": [
            {
                "equal": hunk.is_equal,
                "before": [hunk.before, hunk.before_end],
                "after": [hunk.after, hunk.after_end],
            }
            for hunk in texts.hunks()
        ],
        "beforeLines": [None if line is None else before.first_line + line for line in texts.before_lines],
        "afterLines": [None if line is None else after.first_line + line for line in texts.after_lines],
        "numbers": {
            function: {str(shown): own for shown, own in numbers.items()}
            for function, numbers in texts.numbers.items()
        },
    }
