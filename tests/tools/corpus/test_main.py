from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.corpus.__main__ import COUNTS, main


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["corpus", *arguments])
    return main()


def test_a_folder_without_shaders_fails_every_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, str(tmp_path)) == 1
    assert capsys.readouterr().out.count("there is nothing to count") == len(COUNTS)


def test_a_count_passes_and_fails(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    text = (data / "registers.old.nir").read_text()
    (folder / "a.nir").write_text(text)
    assert run(monkeypatch, str(tmp_path), "--only", "text") == 0
    assert "printed byte for byte" in capsys.readouterr().out
    (folder / "b.nir").write_text(text.replace("ssa_1.x\n", "ssa_99.x\n"))
    assert run(monkeypatch, str(tmp_path), "--only", "text") == 1
    assert "old/b.nir#1" in capsys.readouterr().out
