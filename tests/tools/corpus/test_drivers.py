"""Counts over driver logs."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tools.corpus.drivers import count_log, read_logs, tasks

DUMP = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    con block b0:   // preds:
    con 32     %0 = load_const (0x3f800000 = 1.000000)
    %1
                    // succs: b1
    block b1:
}
"""


def test_a_dump_is_counted_once_with_its_errors() -> None:
    tally = count_log("driver12_chip.log", DUMP + b"something else\n" + DUMP)
    assert tally.of("driver: printed byte for byte") == (1, 0, 0)
    assert tally.of("driver: values with con or div") == (1, 0, 0)
    assert tally.of("all: printed byte for byte") == (1, 0, 0)
    (note,) = tally.noted("other")
    assert note.startswith("driver: without an error: driver12_chip.log#1: ")


def test_a_log_without_dumps_is_noted() -> None:
    assert count_log("driver.log", b"nothing\n").noted("other") == ["driver: logs with dumps: driver.log"]


def test_results_are_validated() -> None:
    dead = DUMP.replace(b"    %1\n", b"    con 32     %1 = fneg %0\n")
    tally = count_log("driver.log", dead)
    assert tally.of("driver: verdicts on clean_up") == tally.of("all: verdicts on clean_up") == (1, 0, 0)
    assert "driver: verdicts on clean_up" not in count_log("driver.log", dead, verifies=False).rows


def test_logs_of_folders_and_archives(tmp_path: Path) -> None:
    (tmp_path / "one.log").write_bytes(DUMP)
    with tarfile.open(tmp_path / "more.tar.xz", "w:xz") as tar:
        tar.add(tmp_path / "one.log", "drivers/two.log")
    assert list(read_logs(tmp_path)) == [("one.log", DUMP), ("two.log", DUMP)]
    assert len(list(tasks(tmp_path))) == 2
