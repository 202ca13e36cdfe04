"""opt_varyings decides the same for every form of a program, and the fuzzer finds a pass that does not."""

from __future__ import annotations

import pytest

from nirls.passes.varyings import link_pair, opt_varyings
from tools.fuzz.decisions import SAME_PROGRAM, fuzz_decisions, other_decisions


def test_every_form_of_a_program_is_linked_the_same() -> None:
    assert [other_decisions(number) for number in range(25)] == [[]] * 25


def test_a_pass_that_stops_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opt_varyings, "_MOST_ROUNDS", 1)
    assert any(form == "a second run" for number in range(10) for form, _ in other_decisions(number))


def test_a_pass_that_counts_dead_code_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opt_varyings, "CLEAN_UP", ())
    monkeypatch.setattr(link_pair, "opt_dce", lambda shader: False)
    assert fuzz_decisions(range(4), None)
    out = capsys.readouterr().out
    assert "cleaned up: " in out
    assert out.splitlines()[-1].startswith("decisions: 4 tried, ")


def test_what_was_tried_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert not fuzz_decisions(range(1), None)
    assert capsys.readouterr().out == "decisions: 1 tried, 0 other\n"
    assert not fuzz_decisions(range(1), -1.0)
    assert "another order" in SAME_PROGRAM
