"""What is not known yet of a document: the passes that have not run on its text, changes not verified."""

from __future__ import annotations

from nirls.server.engine.documents.text_document import Document
from nirls.server.lsp.answers.log_verifier import verifier_of
from nirls.server.lsp.nirls_server import NirlsServer


def coverage_text(server: NirlsServer, document: Document) -> str:
    """Say in a few words what is not known yet; "" if everything is."""
    parts = []
    coverage = server.analyzers.of(document).coverage(document, server.linker.pipelines_of(document))
    if not coverage.is_complete:
        parts.append(
            f"passes have run on {coverage.done} of {coverage.total} dumps"
            if server.scheduler.is_running_passes(document)
            else "findings of the saved text: save to run the passes"
        )
    verified, changes = verifier_of(server).progress(document)
    if verified < changes:
        parts.append(f"{verified} of {changes} changes verified")
    return ", ".join(parts)
