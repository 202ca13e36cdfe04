"""Dumps of a document, as long as its text stays the same."""

from __future__ import annotations

import pytest
from pygls.exceptions import JsonRpcContentModified

from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.lsp.answers.current_dumps import current_dumps
from tools.synthetic import fragment_dump


@pytest.fixture
def document() -> Document:
    return Workspace().open("file:///x.log", "\n".join(fragment_dump(10, n) for n in range(3)), 1)


def test_all_dumps_in_order(document: Document) -> None:
    assert list(current_dumps(document)) == list(document.snapshot.dumps())


def test_a_change_ends_the_work(document: Document) -> None:
    dumps = current_dumps(document)
    next(dumps)
    document.snapshot = document.snapshot.at_version(2)
    with pytest.raises(JsonRpcContentModified, match="changed meanwhile"):
        next(dumps)
