"""What is checked while somebody waits."""

from __future__ import annotations

import pytest

from nirls.server.engine import quick_check
from nirls.server.engine.dump_state import DumpState
from nirls.server.engine.engine import Engine
from nirls.server.engine.quick_check import check_text, check_what_is_quick, unchecked
from nirls.server.engine.workspace import Document, Workspace
from tools.synthetic import fragment_dump, vertex_dump


@pytest.fixture
def workspace() -> Workspace:
    return Workspace()


@pytest.fixture
def document(workspace: Workspace) -> Document:
    return workspace.open("file:///x.log", f"{vertex_dump(30)}\nbetween\n{fragment_dump(30)}", 1)


def test_all_of_a_small_document_is(
    workspace: Workspace, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_check, "AT_ONCE", 60.0)
    assert len(list(unchecked(document))) == 2
    complete, cost = check_what_is_quick(Engine(workspace), document)
    assert complete
    assert cost is not None
    assert list(unchecked(document)) == []
    assert check_what_is_quick(Engine(workspace), document) == (True, None)


@pytest.mark.parametrize(("limit", "value"), [("AT_ONCE", -1.0), ("SMALL_DUMP", 10)])
def test_what_takes_long_is_left(
    workspace: Workspace, document: Document, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    monkeypatch.setattr(quick_check, limit, value)
    assert check_what_is_quick(Engine(workspace), document) == (False, None)
    assert len(list(unchecked(document))) == 2


def test_what_is_visible_comes_first(document: Document) -> None:
    last = document.snapshot.dumps()[-1]
    document.visible = (last.first_line, last.first_line + 20)
    assert next(unchecked(document)) is document.state(last.piece)


def test_a_check_that_raises_has_found_nothing(
    workspace: Workspace, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Engine, state: DumpState) -> None:
        raise RuntimeError

    monkeypatch.setattr(Engine, "check_text", fail)
    state = next(unchecked(document))
    check_text(Engine(workspace), state)
    assert state.problems == ()
