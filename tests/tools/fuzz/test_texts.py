"""Mutated dumps through everything, for a bounded time; `make fuzz` does so for long."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nirls.server.engine.worker.job import Budget, Cause
from tools.fuzz.__main__ import main
from tools.fuzz.failures import Failure
from tools.fuzz.minimise import minimise
from tools.fuzz.notes import Wrong
from tools.fuzz.samples import samples
from tools.fuzz.tally import FuzzTally
from tools.fuzz.text_mutations import mutated
from tools.fuzz.texts import fuzz_texts
from tools.fuzz.trial import try_text
from tools.fuzz.watchdog import TrialWatchdog

DUMP = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000001)
    32     %1 = fadd %0, %0
                // succs: b1
    block b1:
}
"""


def test_no_text_is_a_crash_or_a_hang() -> None:
    tally = fuzz_texts(range(12), 12.0, minimise_seconds=0.0)
    assert tally.tried > 0
    assert [f"seed {one.seed}: {one.wrong}" for one in tally.failures] == []


def test_texts_follow_from_their_seeds_and_differ() -> None:
    texts = samples()
    assert len(texts) >= 3
    made = [mutated(texts, random.Random(seed)) for seed in range(30)]
    assert made == [mutated(texts, random.Random(seed)) for seed in range(30)]
    assert len(set(made)) > 25


def test_what_raises_is_noted_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(shader: object) -> list[object]:
        raise RuntimeError("planted")

    assert try_text(DUMP, 0) == ()
    monkeypatch.setattr("tools.fuzz.trial.divergence", broken)
    found = try_text(DUMP, 0)
    assert "divergence" in {wrong.step for wrong in found}
    (wrong,) = (one for one in found if one.step == "divergence")
    assert wrong.detail == "RuntimeError: planted"
    assert wrong.signature[1] == "RuntimeError"


def test_errors_that_handlers_only_log_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr("nirls.server.ide.cursor.entities.entity_at", broken)
    assert any("planted" in wrong.detail for wrong in try_text(DUMP, 0))


def loop(_text: bytes) -> tuple[Wrong, ...]:
    while True:
        pass


def test_the_watchdog_ends_what_hangs() -> None:
    with TrialWatchdog(Budget(seconds=3.0)) as watchdog:
        (wrong,) = watchdog.run(loop, b"")
        assert wrong.detail.startswith(Cause.TIME.value)
        assert FuzzTally(failures=[Failure("text", 0, wrong)]).hangs == 1
        assert watchdog.run(try_text, DUMP, 0) == ()


def test_a_failure_is_made_small() -> None:
    def still_wrong(text: bytes) -> bool:
        return b"fadd" in text and b"load_const" in text

    assert minimise(DUMP, still_wrong, 60.0) in (b"load_constfadd", b"load_const fadd")


def test_a_failure_can_be_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = Failure("text", 3, Wrong("parse", "RuntimeError: planted", "one\ntwo"), b"\xff\x00" + DUMP)
    first, second = failure.write(tmp_path), failure.write(tmp_path)
    assert first != second
    assert Failure.read(first) == failure
    monkeypatch.setattr("sys.argv", ["fuzz", "--replay", str(first)])
    assert main() == 0, "that one does not go wrong"
    assert capsys.readouterr().out == ""
