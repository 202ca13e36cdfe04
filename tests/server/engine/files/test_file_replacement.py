"""Files keep their old or get their new content, whatever fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from nirls.server.engine.files.file_replacement import FileReplacement, ReplacementError, replace_files

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_signal_waits_until_all_files_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda *_: events.append("signal"))
    rename = os.replace

    def replace(source: str | Path, target: str | Path) -> None:
        # Another thread lets every signal through, and the system may choose it.
        ready = threading.Event()
        threading.Thread(target=ready.wait, daemon=True).start()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.02)
        ready.set()
        rename(source, target)
        events.append("renamed")

    monkeypatch.setattr(os, "replace", replace)
    try:
        replace_files([FileReplacement(tmp_path / name, [b"x"]) for name in "ab"])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert events == ["renamed", "renamed", "signal"]


def test_new_and_existing_files(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"before")
    replace_files(
        [FileReplacement(tmp_path / "old", [b"after"], b"before"), FileReplacement(tmp_path / "new", [b"x"])]
    )
    assert (tmp_path / "old").read_bytes() == b"after"
    assert (tmp_path / "new").read_bytes() == b"x"
    assert _names(tmp_path) == {"old", "new"}


@needs_links
def test_mode_and_symbolic_link_are_kept(tmp_path: Path) -> None:
    target = tmp_path / "folder" / "target"
    target.parent.mkdir()
    target.write_bytes(b"before")
    target.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to("folder/target")
    replace_files([FileReplacement(link, [b"after"])])
    assert link.is_symlink()
    assert target.read_bytes() == b"after"
    assert target.stat().st_mode & 0o777 == 0o640
    assert _names(target.parent) == {"target"}


@needs_links
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root may give files away")
def test_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    os.chown(path, 1234, 2345)
    replace_files([FileReplacement(path, [b"after"])])
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@needs_links
def test_another_hard_link_keeps_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"before")
    os.link(tmp_path / "one", tmp_path / "two")
    replace_files([FileReplacement(tmp_path / "one", [b"after"])])
    assert (tmp_path / "two").read_bytes() == b"before"


@needs_links
def test_a_device_is_written_and_stays_a_device() -> None:
    replace_files([FileReplacement(Path("/dev/null"), [b"x"])])
    assert not Path("/dev/null").is_file()


def test_a_file_that_changed_since_it_was_read_is_not_overwritten(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"1")
    second.write_bytes(b"edited meanwhile")
    with pytest.raises(ReplacementError, match="second: has changed since it was read"):
        replace_files([FileReplacement(first, [b"one"], b"1"), FileReplacement(second, [b"two"], b"2")])
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"edited meanwhile")
    assert _names(tmp_path) == {"first", "second"}


def test_all_or_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"before")
    with pytest.raises(ReplacementError, match="cannot be written: No such file"):
        replace_files(
            [FileReplacement(tmp_path / "file", [b"after"]), FileReplacement(tmp_path / "no" / "file", [b""])]
        )
    assert (tmp_path / "file").read_bytes() == b"before"
    assert _names(tmp_path) == {"file"}


def test_a_failing_rename_restores_earlier_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / name for name in ("first", "created", "last")]
    paths[0].write_bytes(b"1")
    paths[2].write_bytes(b"3")
    rename = Path.replace

    def failing(path: Path, target: Path) -> Path:
        if target == paths[2] and path.read_bytes() == b"new":
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(ReplacementError, match="last: cannot be written: Input/output error"):
        replace_files([FileReplacement(path, [b"new"]) for path in paths])
    assert (paths[0].read_bytes(), paths[2].read_bytes()) == (b"1", b"3")
    assert _names(tmp_path) == {"first", "last"}


@needs_links
def test_size_limit(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "file"
    path.write_bytes(b"before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(ReplacementError, match="File too large"):
            replace_files([FileReplacement(path, [bytes(5000)])])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"before"
    assert _names(tmp_path) == {"file"}


@pytest.mark.sweep
@needs_links
@pytest.mark.parametrize("round_", range(12))
def test_kill_at_any_moment_leaves_complete_files(tmp_path: Path, round_: int) -> None:
    size = 3_000_000
    files = [tmp_path / f"file{number}" for number in range(4)]
    for file in files:
        file.write_bytes(b"o" * size)
    script = (
        "import sys; from pathlib import Path\n"
        "from nirls.server.engine.files.file_replacement import FileReplacement, replace_files\n"
        "print(flush=True)\n"
        f"replace_files([FileReplacement(Path(name), [b'n' * {size}]) for name in sys.argv[1:]])\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, *files], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"\n"
        time.sleep(round_ * 0.003)
        process.send_signal(signal.SIGKILL)
    for file in files:
        content = file.read_bytes()
        assert len(content) == size
        assert len(set(content)) == 1


@needs_links
def test_an_interrupt_during_the_renames_leaves_no_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "first", tmp_path / "second"]
    for path in paths:
        path.write_bytes(b"old")
    rename = Path.replace

    def interrupted(path: Path, target: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    # A shell ignores the signal for what it starts in the background, and Python then has no handler.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            replace_files([FileReplacement(path, [b"new"]) for path in paths])
    finally:
        signal.signal(signal.SIGINT, before)
    assert [path.read_bytes() for path in paths] == [b"new", b"new"]
    assert _names(tmp_path) == {"first", "second"}
