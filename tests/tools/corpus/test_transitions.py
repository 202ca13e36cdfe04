from __future__ import annotations

from pathlib import Path

from tests.server.cli.commands.test_verify import FIRST, MOVED, WRONG
from tools.corpus.transitions import MOST_OF_A_PASS, count_transitions, tasks


def test_verdicts_by_driver() -> None:
    right = count_transitions("xyz71.a.log", f"nir_a\n{FIRST}nir_b\n{MOVED}".encode())
    assert right.of("xyz: transitions") == right.of("all: transitions") == (1, 0, 0)
    wrong = count_transitions("xyz.a.log", f"nir_a\n{FIRST}nir_b\n{WRONG}".encode())
    assert wrong.of("xyz: transitions") == (0, 0, 1)
    assert "nir_b" in wrong.noted("wrong", "xyz: transitions")[0]


def test_faults_of_mesa_are_no_wrong_verdicts() -> None:
    log = f"nir_a\n{FIRST}dxil_nir_split_tess_ctrl\n{WRONG}".encode()
    assert count_transitions("dxil.a.log", log).of("dxil: transitions") == (0, 1, 0)
    assert count_transitions("xyz.a.log", log).of("xyz: transitions") == (0, 0, 1)


def test_a_few_transitions_of_each_pass() -> None:
    log = f"nir_a\n{FIRST}" + f"nir_b\n{MOVED}nir_b\n{FIRST}" * 3
    assert sum(count_transitions("xyz.a.log", log.encode()).of("xyz: transitions")) == MOST_OF_A_PASS


def test_tasks(tmp_path: Path) -> None:
    assert not list(tasks(tmp_path))
    folder = tmp_path / "drivers2"
    folder.mkdir()
    (folder / "xyz.a.log").write_text(f"nir_a\n{FIRST}")
    assert len(list(tasks(tmp_path))) == 1
