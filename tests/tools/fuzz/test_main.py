"""The time that is given is shared between the kinds."""

from __future__ import annotations

import pytest

from tools.fuzz import __main__ as fuzz


def test_minutes_are_shared(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[tuple[object, ...]] = []

    def fuzz_texts(seeds: range, seconds: float, **_: object) -> fuzz.FuzzTally:
        asked.append((seeds.start, len(seeds), seconds))
        return fuzz.FuzzTally()

    monkeypatch.setattr(fuzz, "fuzz_texts", fuzz_texts)
    monkeypatch.setattr("tools.growth.__main__.check_growth", lambda size: asked.append((size,)))
    monkeypatch.setattr("sys.argv", ["fuzz", "--minutes", "2", "--only", "texts", "growth"])
    assert fuzz.main() == 0
    (first, count, seconds), (size,) = asked
    assert first > 1_000_000_000_000
    assert count > 1_000_000
    assert seconds == 60
    assert size == 300
    assert "60 s for each of texts, growth" in capsys.readouterr().out


def test_every_kind_has_a_count() -> None:
    assert fuzz.RUNS.keys() == fuzz.COUNTS.keys()
