"""Counts of verdicts on miscompiles."""

from __future__ import annotations

from pathlib import Path

from nirls.server.engine.documents.document import Snapshot
from tools.corpus.bugs import OWN, count_log, tasks


def write_case(folder: Path, log: str, before: bytes, after: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / log
    path.write_bytes(b"nir_opt_dce\n" + before + b"\nnir_opt_cse\n" + after)
    return path


def test_a_case_is_right_if_the_wrong_result_is_named(tmp_path: Path) -> None:
    log = OWN / "variables_wrong.log"
    before, after = (dump.piece.text for dump in Snapshot.of(log.read_bytes()).dumps()[:2])
    buggy = count_log(write_case(tmp_path / "case", "buggy.log", before, after), was_wrong=True)
    assert buggy.of("Mesa's: wrong results named") == (1, 0, 0)
    missed = count_log(write_case(tmp_path / "case", "missed.log", before, before), was_wrong=True)
    assert missed.of("Mesa's: wrong results named") == (0, 0, 1)
    alarm = count_log(write_case(tmp_path / "case", "correct.log", before, after), was_wrong=False)
    assert alarm.of("Mesa's: right results not called different") == (0, 0, 1)


def test_each_log_is_a_task(tmp_path: Path) -> None:
    (tmp_path / "bugs" / "case").mkdir(parents=True)
    own = len(list(tasks(tmp_path)))
    assert own == len(list(OWN.glob("*.log"))) > 5
    for name in ("buggy", "correct"):
        (tmp_path / "bugs" / "case" / f"{name}.log").write_bytes(b"")
    assert len(list(tasks(tmp_path))) == own + 2
