"""What is made of a text goes with it, whatever was asked about it."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path

import pytest

from nirls.server.engine.documents.document import Piece, Snapshot
from nirls.server.engine.documents.text_document import Document
from tests.server.lsp.features.session import URI, Session
from tools.synthetic import fragment_dump, vertex_dump

EDITS = 20
# One place of the producer and one of the consumer, with what is written there in turn.
PLACES = (
    ("dest_type=float32, io location=VERT", "dest_type=uint32, io location=VERT"),
    ("interp_mode=INTERP_MODE_SMOOTH", "interp_mode=INTERP_MODE_NONE"),
)


def living() -> Counter[str]:
    """How many objects there are that hold texts, by their kind."""
    gc.collect()
    kinds = (Piece, Snapshot, Document)
    return Counter(type(one).__name__ for one in gc.get_objects() if isinstance(one, kinds))


async def ask_everything(session: Session, uri: str = URI) -> None:
    text = session.texts[uri]
    middle = session.position(text[: len(text) // 2])
    for method in ("documentSymbol", "foldingRange", "textDocument/semanticTokens/full", "codeLens"):
        await session.ask_about(method, uri)
    for method in ("hover", "definition", "completion", "documentHighlight"):
        await session.ask_at(method, middle, uri)
    await session.ask_about("documentLink", uri)
    await session.ask_about("nirls/timeline", uri)


async def ask_about_values(session: Session, uri: str = URI) -> None:
    at = session.at("fmul", uri=uri)
    for method in ("prepareRename", "selectionRange", "signatureHelp", "prepareCallHierarchy"):
        await session.ask_at(method, at, uri, positions=[at])
    await session.ask_at("references", at, uri, context={"includeDeclaration": True})
    await session.ask_at("rename", session.at("%9 ", 1, uri), uri, newName="%99")
    lines = {"start": {"line": 0, "character": 0}, "end": {"line": 40, "character": 0}}
    context = {"diagnostics": []}
    for method in ("codeAction", "inlayHint"):
        await session.ask_about(method, uri, range=lines, context=context)
    await session.ask_about("formatting", uri, options={"tabSize": 4, "insertSpaces": True})
    for kind in ("cfg", "values"):
        await session.ask_about("nirls/graph", uri, position=at, kind=kind, whole=True)
    await session.ask_about("nirls/packing", uri, position=at)


@pytest.mark.sweep
async def test_texts_that_were_edited_are_let_go(session: Session) -> None:
    """The findings of linked dumps speak of each other; each is edited while the other stays."""
    session.open(f"{vertex_dump(20)}\n{fragment_dump(20)}")
    await session.passes_have_run()
    counts = []
    for number in range(EDITS):
        old, new = PLACES[number % 2]
        session.change(*((old, new) if number % 4 < 2 else (new, old)))
        await ask_everything(session)
        if number % 8 == 7:
            session.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
            await session.passes_have_run()
        counts.append(living())
    early, late = counts[EDITS // 4], counts[-1]
    assert late["Piece"] <= early["Piece"] + 4
    assert late["Snapshot"] <= early["Snapshot"] + 4


@pytest.mark.sweep
async def test_documents_that_were_closed_are_let_go(session: Session, tmp_path: Path) -> None:
    """With the files beside them that were read because they are linked."""
    counts = []
    for number in range(EDITS):
        (tmp_path / f"{number}.frag.nir").write_text(fragment_dump(20, number), encoding="utf-8")
        uri = (tmp_path / f"{number}.vert.nir").as_uri()
        session.open(vertex_dump(20, number), uri)
        await session.passes_have_run(uri)
        await ask_everything(session, uri)
        session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        counts.append(living())
    early, late = counts[EDITS // 4], counts[-1]
    assert late["Document"] <= early["Document"] + 2
    assert late["Piece"] <= early["Piece"] + 8
