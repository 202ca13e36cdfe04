"""Semantic tokens of a range or document, and the delta since the last result."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from itertools import count
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.cursor.tokens import encode, last_line_of, tokens
from nirls.server.lsp.answers.current_dumps import current_dumps
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.protocol import Encoded

LARGEST_TEXT = 4 << 20
"""Largest document in bytes for which all tokens are sent. The tokens take about as many bytes as the text;
for larger documents, clients such as VS Code request the visible range."""

Answer = types.SemanticTokensDelta | Encoded | None


class _Results:
    """The last full result for each open document, for the next delta."""

    def __init__(self) -> None:
        self._results: WeakKeyDictionary[Document, tuple[str, array[int]]] = WeakKeyDictionary()
        self._ids = count(1)

    def keep(self, document: Document, data: array[int]) -> str:
        result_id = str(next(self._ids))
        self._results[document] = (result_id, data)
        return result_id

    def previous(self, document: Document, result_id: str) -> array[int] | None:
        known = self._results.get(document)
        return known[1] if known is not None and known[0] == result_id else None


def register(server: NirlsServer) -> None:
    results = _Results()

    def answer(document: Document, previous: str | None) -> Answer:
        """Return the tokens of a document, as changes of a previous result if that is kept."""
        if len(document.snapshot) > LARGEST_TEXT:
            return None
        data = _all_tokens(server, document)
        before = None if previous is None else results.previous(document, previous)
        result_id = results.keep(document, data)
        if before is None:
            return _whole(result_id, data)
        return types.SemanticTokensDelta(delta_edits(before, data), result_id)

    @server.on_document(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, reads_text=True)
    def full(document: Document, _: types.SemanticTokensParams) -> Answer:
        return answer(document, None)

    @server.on_document(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, reads_text=True)
    def delta(document: Document, params: types.SemanticTokensDeltaParams) -> Answer:
        return answer(document, params.previous_result_id)

    @server.on_document(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, reads_text=True)
    def of_range(document: Document, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
        visible = (params.range.start.line, params.range.end.line)
        if document.visible != visible:
            document.visible = visible
            server.scheduler.prioritize(document)
        return types.SemanticTokens(_range_tokens(server, document, params.range).tolist())


def _all_tokens(server: NirlsServer, document: Document) -> array[int]:
    """Return the tokens of every dump."""
    joined = _Joined()
    for dump in current_dumps(document):
        joined.add(dump.first_line, _dump_tokens(server, document, dump))
    return joined.data


def _whole(result_id: str, data: array[int]) -> Encoded:
    """Encode all tokens as a result: half a million numbers are too many objects for lsprotocol."""
    return Encoded(f'{{"resultId":"{result_id}","data":{json.dumps(data.tolist(), separators=(",", ":"))}}}')


def _dump_tokens(server: NirlsServer, document: Document, dump: PlacedDump) -> array[int]:
    piece = dump.piece
    if piece.tokens is None:
        piece.tokens = encode(tokens(document.state(piece).tree), piece.lines, server.client.encoding)
    return piece.tokens


def _range_tokens(server: NirlsServer, document: Document, range_: types.Range) -> array[int]:
    encoding = server.client.encoding
    snapshot = document.snapshot
    start = snapshot.offset(range_.start.line, range_.start.character, encoding)
    end = snapshot.offset(range_.end.line, range_.end.character, encoding)
    joined = _Joined()
    for dump in snapshot.dumps_in_lines(range_.start.line, range_.end.line):
        tree = document.state(dump.piece).tree
        found = tokens(tree, max(start - dump.start, 0), max(end - dump.start, 0))
        joined.add(dump.first_line, encode(found, dump.piece.lines, encoding))
    return joined.data


class _Joined:
    """The tokens of several dumps as one sequence, each position relative to the previous token."""

    def __init__(self) -> None:
        self.data: array[int] = array("I")
        self._last_line = 0

    def add(self, first_line: int, data: array[int]) -> None:
        if not data:
            return
        position = len(self.data)
        self.data.extend(data)
        self.data[position] += first_line - self._last_line
        self._last_line = first_line + last_line_of(data)


def delta_edits(before: array[int], after: array[int]) -> list[types.SemanticTokensEdit]:
    """Return one edit of whole tokens that turns `before` into `after`; none if they are equal."""
    limit = min(len(before), len(after)) // 5
    head = _common(before, after, limit, from_end=False)
    tail = _common(before, after, limit - head, from_end=True)
    deleted = len(before) - 5 * (head + tail)
    inserted = after[5 * head : len(after) - 5 * tail]
    if not deleted and not inserted:
        return []
    return [types.SemanticTokensEdit(5 * head, deleted, inserted.tolist())]


def _common(before: array[int], after: array[int], limit: int, *, from_end: bool) -> int:
    """Return the length in tokens, up to `limit`, of the common prefix or suffix."""

    def differ(count: int) -> bool:
        size = 5 * count
        if from_end:
            return before[len(before) - size :] != after[len(after) - size :]
        return before[:size] != after[:size]

    return bisect_left(range(1, limit + 1), True, key=differ)
