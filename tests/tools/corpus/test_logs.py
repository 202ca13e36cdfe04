from __future__ import annotations

from pathlib import Path

from tests.server.cli.commands.test_verify import FIRST, MOVED, WRONG
from tools.corpus import logs


def test_verdicts_and_faults(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    path = folder / "a.log"
    path.write_text(f"nir_a\n{FIRST}nir_b\n{MOVED}nir_c\n{MOVED}")
    tally = logs.verify_log(path)
    assert tally.of("verify: passes") == (1, 0, 0)
    assert tally.of("verify: unchanged") == (1, 0, 0)
    assert tally.is_right
    faults = logs.name_faults(path, 3, 1)
    assert faults.rows
    assert faults.is_right
    path.write_text(f"nir_a\n{FIRST}nir_b\n{WRONG}")
    wrong = logs.verify_log(path)
    assert wrong.of("verify: passes") == (0, 0, 1)
    assert wrong.noted("wrong", "verify: passes")[0].startswith(f"a.log:{FIRST.count(chr(10)) + 3}: nir_b: ")


def test_tasks_of_a_corpus(corpus: Path) -> None:
    count = len(list((corpus / "logs").glob("*.log")))
    assert len(list(logs.tasks(corpus))) >= 5 * count > 0
