"""`nirls check` at a terminal: it shows how far it is, and Ctrl-C ends it and its processes at once."""

from __future__ import annotations

import functools
import signal
import sys
from pathlib import Path

import psutil
import pytest

pexpect = pytest.importorskip("pexpect", reason="needs a pseudo-terminal")
if not hasattr(pexpect, "spawn"):
    pytest.skip("pexpect has no terminals on Windows", allow_module_level=True)

DUMPS = 30


@pytest.fixture
def folder(tmp_path: Path, data: Path) -> Path:
    text = (data / "pipelines" / "tinted.frag.nir").read_text()
    # So much that it is worth other processes.
    filling = "".join(f"// {'-' * 90}\n" for _ in range(300))
    for number in range(DUMPS):
        changed = text.replace("\n", f"\nname: number {number}\n{filling}", 1)
        (tmp_path / f"{number}.nir").write_text(changed)
    return tmp_path


def spawn(folder: Path) -> pexpect.spawn:
    program = str(Path(sys.executable).with_name("nirls"))
    return pexpect.spawn(
        program,
        ["check", "--jobs", "2", "--fail-on", "never", "."],
        cwd=str(folder),
        timeout=240,
        encoding="utf-8",
        codec_errors="replace",
        env={"PATH": "/usr/bin:/bin", "TERM": "xterm", "XDG_CACHE_HOME": str(folder / "cache")},
        # A shell starts background jobs with Ctrl-C ignored, and their children inherit that.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def test_ctrl_c_ends_all_processes_and_the_next_run_goes_on(folder: Path) -> None:
    child = spawn(folder)
    child.expect(r"checking.*\b([1-9]|[1-8]\d)%")
    processes = psutil.Process(child.pid).children(recursive=True)
    assert processes
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in child.before
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert not alive
    kept = len(list((folder / "cache").rglob("*/check/*/*")))
    assert 0 < kept < DUMPS
    again = spawn(folder)
    again.expect(f"in {DUMPS} files, {DUMPS} dumps")
    again.expect(pexpect.EOF)
    again.close()
    assert again.exitstatus == 0
    assert len(list((folder / "cache").rglob("*/check/*/*"))) == DUMPS
