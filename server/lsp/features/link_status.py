"""The request `nirls/linkStatus` for the links between dumps, and its notification."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from nirls.server.engine.documents.link_status import Link, LinkStatus, link_statuses
from nirls.server.engine.documents.text_document import Document
from nirls.server.lsp.answers.coverage_text import coverage_text
from nirls.server.lsp.answers.cursor import dumps_asked_about
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import PlaceRequest

LINK_STATUS = "nirls/linkStatus"


def register(server: NirlsServer) -> None:
    @server.handler(LINK_STATUS, otherwise={"dumps": []}, takes=PlaceRequest)
    def link_status(params: PlaceRequest) -> dict[str, Any]:
        """Return the link status of each dump of a document, see `_plain`.

        Parameters: `textDocument`, and optionally a `position` for the dump there only. After the first
        request, `nirls/linkStatusChanged` is sent with the `uri` of each document whose links changed, or of
        which more is known. `pending` says what is not known yet, null if everything is.
        """
        server.shows_links = server.link_watch.is_on = True
        document = server.document(params.text_document.uri)
        if document is None:
            return {"dumps": []}
        found = link_statuses(document, server.linker.pipelines_of(document), server.driver_of(document))
        here = dumps_asked_about(document, params.position)
        if here is not None:
            numbers = {dump.number for dump in here}
            found = [status for status in found if status.dump.number in numbers]
        pending = coverage_text(server, document)
        return {"dumps": [_plain(document, status) for status in found], "pending": pending or None}


def _plain(document: Document, status: LinkStatus) -> dict[str, Any]:
    """Convert to JSON values. `number` and lines count from 0; `text` is a summary in one line."""
    dump, facts = status.dump, status.facts
    return {
        "number": dump.number,
        "firstLine": dump.first_line,
        "lastLine": dump.first_line + max(dump.piece.line_ends - 1, 0),
        "stage": None if facts.stage is None else facts.stage.abbreviation,
        "name": facts.name,
        "links": [_plain_link(link) for link in status.links],
        "whyNot": status.why_not or None,
        "driver": None if status.driver is None else status.driver.profile.name,
        "text": status.text(document.uri),
    }


def _plain_link(link: Link) -> dict[str, Any]:
    return {
        "pipeline": link.pipeline.name,
        "kind": link.pipeline.kind.value,
        "reason": link.pipeline.reason,
        "with": [asdict(partner) for partner in link.partners],
    }
