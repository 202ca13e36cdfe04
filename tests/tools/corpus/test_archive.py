from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tools.corpus import archive
from tools.corpus.archive import DRIVER_LOGS, corpus_folder, pack, unpacked


def complete(folder: Path) -> Path:
    """A corpus with one file of each kind, and one that may not be redistributed."""
    for name in (
        *("logs/a.log", "pipelines/hand_a/modern/frag.io.nir", "pipelines/threex_b/classic/vert.io.nir"),
        *("pipelines/glmark_c/modern/vert.io.nir", "varyings/a.txt"),
    ):
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_text(name)
    logs = folder / "drivers" / "logs.tar.xz"
    logs.parent.mkdir()
    with tarfile.open(logs, "w:xz") as tar:
        for name in DRIVER_LOGS:
            tar.add(folder / "logs/a.log", f"drivers/{name}.log")
    return folder


def test_packed_files_come_out_again_without_those_of_glmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "PROJECT", tmp_path / "project")
    packed = tmp_path / "corpus.tar.xz"
    assert pack(complete(tmp_path / "complete"), packed) == 4 + len(DRIVER_LOGS)
    folder = unpacked(packed)
    assert {path.name for path in folder.glob("pipelines/*")} == {"hand_a", "threex_b"}
    assert (folder / "varyings/a.txt").read_text() == "varyings/a.txt"
    assert len(list(folder.glob("drivers/*.log"))) == len(DRIVER_LOGS)
    assert unpacked(packed) == folder


def test_packing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    source = complete(tmp_path / "complete")
    for name in ("one", "two"):
        pack(source, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_corpus_of_the_repository_is_used_without_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "SHARED", tmp_path)
    folder = corpus_folder()
    assert len(list(folder.glob("varyings/*.txt"))) > 1000
    assert not list(folder.glob("pipelines/glmark*"))
    (tmp_path / "corpus").mkdir()
    assert corpus_folder() == tmp_path / "corpus"
