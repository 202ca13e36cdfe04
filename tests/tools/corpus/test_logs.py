from __future__ import annotations

from pathlib import Path

from tests.server.cli.commands.test_verify import FIRST, MOVED, WRONG
from tools.corpus import logs

ROW = "verify: logs"


def test_verdicts_and_faults() -> None:
    log = f"nir_a\n{FIRST}nir_b\n{MOVED}nir_c\n{MOVED}".encode()
    tally = logs.verify_log("a.log", log, ROW)
    assert tally.of(ROW) == (1, 0, 0)
    assert tally.of("verify: unchanged") == (1, 0, 0)
    assert tally.is_right
    faults = logs.name_faults(log, 3, 1)
    assert faults.rows
    assert faults.is_right
    wrong = logs.verify_log("a.log", f"nir_a\n{FIRST}nir_b\n{WRONG}".encode(), ROW)
    assert wrong.of(ROW) == (0, 0, 1)
    assert wrong.noted("wrong", ROW)[0].startswith(f"a.log:{FIRST.count(chr(10)) + 3}: nir_b: ")


def test_tasks_of_a_corpus(corpus: Path) -> None:
    count = len(list((corpus / "logs").glob("*.log")))
    assert len(list(logs.tasks(corpus))) >= 5 * count > 0
