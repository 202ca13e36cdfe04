from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tools.libnir import build


def test_the_folder_is_outside_of_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NIRLS_MESA", raising=False)
    assert build.mesa_folder().parts[-2:] == ("nirls", "mesa")
    monkeypatch.setenv("NIRLS_MESA", str(tmp_path))
    assert build.mesa_folder() == tmp_path


def test_a_build_is_found_when_it_is_complete(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NIRLS_MESA", str(tmp_path))
    assert build.build_folder() is None
    for name in ("compile_commands.json", *build.LIBRARIES):
        path = tmp_path / "build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert build.build_folder() == tmp_path / "build"


def test_another_archive_than_debian_s_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    archive = tmp_path / f"mesa_{build.VERSION}.orig.tar.xz"
    archive.write_bytes(b"something else")
    with pytest.raises(SystemExit, match=hashlib.sha256(b"something else").hexdigest()):
        build.unpacked(tmp_path)
    assert not archive.exists()


def test_missing_programs_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build.shutil, "which", lambda name: None if name in ("flex", "bison") else name)
    assert build.main() == 1
    assert capsys.readouterr().err == "make mesa needs flex, bison\n"
