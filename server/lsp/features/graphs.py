"""The request `nirls/graph`: a graph of the shader or pipeline at a position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from nirls.server.engine.documents.linking import LinkedDump
from nirls.server.engine.documents.positions import plain_range
from nirls.server.ide.graphs.kinds import Drawn, GraphKind, GraphSubject, draw
from nirls.server.lsp.answers.cursor import cursor_at
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DocumentRequest

GRAPH = "nirls/graph"

_LONGEST = 30.0
"""Time limit for a graph in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRequest(DocumentRequest):
    """Parameters: a position, the kind of graph, and what it has."""

    position: types.Position
    kind: str
    svg: bool = False
    whole: bool = False


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(GRAPH, takes=GraphRequest)
    async def graph(params: GraphRequest) -> dict[str, Any] | None:
        """Return a graph of the dump at a position; null outside of dumps.

        Parameters: `textDocument`, `position`, `kind` as for `nirls graph`, `svg` to include SVG, `whole` for
        all values instead of the one at the position, or all instructions of each block. Result: `title`, the
        graph as `dot` (and as `svg` if a layout program is available), the number of nodes `leftOut` and of
        `cutBlocks`, the `id`, `uri`, `range` and dump number of each of the `nodes`, and in `whyNot` the
        reason for a missing graph.
        """

        kind = params.kind
        cursor = cursor_at(server, params.text_document.uri, params.position)
        if cursor is None or kind not in list(GraphKind):
            return None
        document, dump = cursor.document, cursor.dump
        members: Sequence[LinkedDump] = (LinkedDump(document, dump),)
        position, title = 0, "main"
        places = server.places_in_pipelines(document, dump) if kind == GraphKind.VARYINGS else []
        if places:
            linked, position = places[0]
            members, title = linked.members, linked.pipeline.name
        whole = params.whole
        has_focus = not (whole and kind == GraphKind.VALUES)
        texts = tuple(member.dump.piece.text for member in members)
        subject = GraphSubject(texts, position, cursor.offset if has_focus else None, title, whole)
        drawn = await server.in_worker(_LONGEST, draw, kind, subject, params.svg)
        return _plain(server, [_as_it_is_now(server, member) for member in members], drawn)


def _as_it_is_now(server: NirlsServer, member: LinkedDump) -> LinkedDump:
    """Return the dump at its current position. Raises JsonRpcContentModified if its text changed."""
    place = server.documents.now(member.document, member.dump)
    if place is None:
        raise JsonRpcContentModified(f"{member.document.uri} changed meanwhile")
    return LinkedDump(*place)


def _plain(server: NirlsServer, members: Sequence[LinkedDump], drawn: Drawn) -> dict[str, Any]:
    encoding = server.client.encoding
    nodes = []
    for name, place in drawn.places:
        member = members[place.shader]
        where = plain_range(member.dump.range(place.start, place.end, encoding))
        nodes.append({"id": name, "uri": member.document.uri, "dump": member.dump.number, "range": where})
    return {
        "title": drawn.title,
        "dot": drawn.dot,
        "svg": drawn.svg,
        "leftOut": drawn.left_out,
        "cutBlocks": drawn.cut_blocks,
        "nodes": nodes,
        "whyNot": drawn.why_not,
    }
