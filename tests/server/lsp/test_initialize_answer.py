"""The answer to `initialize` that is kept in a file; tests/tools says that it is the server's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.lsp.initialize_answer import answer_to


@pytest.mark.parametrize("params", [None, 3, [], {}, {"capabilities": None}, {"capabilities": []}])
def test_what_is_odd_is_left_to_the_server(params: object) -> None:
    assert answer_to(params) is None


def test_without_its_file_the_server_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nirls.server.lsp.initialize_answer.FILE", tmp_path / "none.json")
    assert answer_to({"capabilities": {}}) is None
    (tmp_path / "none.json").write_text('{"pla')
    assert answer_to({"capabilities": {}}) is None
