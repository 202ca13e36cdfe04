from __future__ import annotations

import pytest

from nirls.passes import registry
from nirls.passes.registry import BrokenPass
from tests.server.conftest import Run


def test_passes_are_listed_with_what_they_find(run: Run) -> None:
    text = run("passes").text
    assert "opt_varyings_dead_io\n    Remove outputs" in text
    assert "dead-output" in text
    assert "linked stages" in text


def test_broken_pass_is_reported_not_fatal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = BrokenPass("x = package:thing", "ImportError: no package")
    monkeypatch.setattr(registry, "broken_passes", lambda: (broken,))
    result = run("passes")
    assert result.status == 0
    assert "warning: cannot be used: x = package:thing: ImportError: no package" in result.err
