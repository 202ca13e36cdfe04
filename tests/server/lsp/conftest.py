"""The session that the tests of features share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.features import configuration
from nirls.server.lsp.language_server import make_server
from tests.server.lsp.features.session import Session


@pytest_asyncio.fixture
async def session(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Session]:
    """A session whose client can do everything; nothing may go wrong in a handler."""
    monkeypatch.setattr(configuration, "FILES_PAUSE", 0.0)
    made = Session(make_server(new_worker=InlineWorker))
    yield made
    made.server.shutdown()
    wrong = [
        one
        for one in caplog.records
        if one.levelname == "ERROR" and one.exc_info and "failed" in one.getMessage()
    ]
    assert not wrong, caplog.text
