from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.engine.batch.result_cache import ResultCache
from tests.server.conftest import Run


def test_it_says_where_results_are_and_clears_them(run: Run, tinted: Path, cache_folder: Path) -> None:
    run("check", "tinted.vert.nir")
    found = run("cache")
    assert found.text == f"{cache_folder / 'nirls' / 'check'}\n"
    assert found.err.startswith("1 result, 0.0 MB")
    assert run("cache", "--clear").err.startswith("0 results")
    assert not [path for path in cache_folder.rglob("*") if path.is_file()]


def test_a_user_without_a_cache_folder(run: Run, tinted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ResultCache, "of_user", lambda: None)
    assert run("cache").status == 2
    assert run("check", "tinted.vert.nir").status == 0
