"""Diagnostics that fade the blocks which the shown invocation of a run did not reach.

Editors show code faint by the tag `Unnecessary` of a hint; clients without it get none.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.text_document import Document
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.answers.shader_runs import runs_of
from nirls.server.lsp.nirls_server import NirlsServer


def idle_diagnostics(
    server: NirlsServer, document: Document, snapshot: Snapshot
) -> Iterator[types.Diagnostic]:
    """Yield a hint on each block of a snapshot that was not run."""
    runs = runs_of(server)
    if not server.client.unnecessary_tag or not runs.has_idle_blocks(document):
        return
    for dump in snapshot.dumps():
        lines = dump.piece.lines
        for first, last in runs.idle_blocks(document, dump):
            yield types.Diagnostic(
                range=range_of(server.client, dump, lines.starts[first], lines.line_end(last)),
                severity=types.DiagnosticSeverity.Hint,
                source="nirls",
                message="not run by the invocation whose values are shown",
                tags=[types.DiagnosticTag.Unnecessary],
            )
