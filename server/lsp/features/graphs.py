"""The request `nirls/graph`: a picture of the shader or the pipeline at a place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcContentModified

from nirls.server.engine.linking import LinkedDump
from nirls.server.engine.positions import plain_range
from nirls.server.lsp.features.code_actions import pipelines_with
from nirls.server.lsp.nirls_server import NirlsServer

if TYPE_CHECKING:
    from nirls.server.ide.graphs.drawn import Drawn

GRAPH = "nirls/graph"

_LONGEST = 30.0
"""Seconds that a picture may take."""


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(GRAPH)
    async def graph(params: Any) -> dict[str, Any] | None:
        """Parameters: `textDocument`, `position`, `kind` as for `nirls graph`, `svg` if that is wanted too,

        `whole` for all values instead of the one there. The answer has the `title`, the picture as `dot` (and
        as `svg`, if something can lay it out), how many nodes are `leftOut`, and for each of the `nodes` its
        `id`, `uri`, `range` and number of the dump. `whyNot` says why there is no picture. Null where there
        is no dump.
        """
        from nirls.server.ide.graphs.drawn import draw
        from nirls.server.ide.graphs.kinds import GraphKind, GraphSubject

        kind = str(params.kind)
        document = server.document(str(params.textDocument.uri))
        if document is None or kind not in list(GraphKind):
            return None
        snapshot, place = document.snapshot, params.position
        offset = snapshot.offset(int(place.line), int(place.character), server.client.encoding)
        dump = snapshot.dump_at(offset)
        if dump is None:
            return None
        members: Sequence[LinkedDump] = (LinkedDump(document, dump),)
        position, title = 0, "main"
        linked = pipelines_with(server, document, dump) if kind == GraphKind.VARYINGS else []
        if linked:
            members, title = linked[0].members, linked[0].pipeline.name
            position = linked[0].position_of(dump.piece.slot) or 0
        whole = bool(getattr(params, "whole", False)) and kind == GraphKind.VALUES
        texts = tuple(member.dump.piece.text for member in members)
        subject = GraphSubject(texts, position, None if whole else offset - dump.start, title)
        wants_svg = bool(getattr(params, "svg", False))
        drawn = await server.in_worker(_LONGEST, draw, kind, subject, wants_svg)
        return _plain(server, [_as_it_is_now(server, member) for member in members], drawn)


def _as_it_is_now(server: NirlsServer, member: LinkedDump) -> LinkedDump:
    """Where a dump is by now. Raises JsonRpcContentModified if it has another text than was drawn."""
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
        "nodes": nodes,
        "whyNot": drawn.why_not,
    }
