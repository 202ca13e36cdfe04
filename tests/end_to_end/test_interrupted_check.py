"""`nirls check` at a terminal: it shows how far it is, and Ctrl-C ends it and its processes at once."""

from __future__ import annotations

import functools
import re
import signal
import sys
from pathlib import Path

import psutil
import pytest

from tools.synthetic import fragment_dump

pexpect = pytest.importorskip("pexpect", reason="needs a pseudo-terminal")
if not hasattr(pexpect, "spawn"):
    pytest.skip("pexpect has no terminals on Windows", allow_module_level=True)

DUMPS = 150
_INSTRUCTIONS = 400
"""Of each dump: the check must still run when it is interrupted."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    text = fragment_dump(_INSTRUCTIONS)
    for number in range(DUMPS):
        (tmp_path / f"{number}.nir").write_text(text.replace("\n", f"\nname: number {number}\n", 1))
    return tmp_path


def kept(folder: Path) -> int:
    """The number of results in the cache. An interrupted process may leave a temporary file beside them."""
    hexadecimal = re.compile(r"[0-9a-f]+\Z")
    return sum(hexadecimal.match(path.name) is not None for path in folder.glob("cache/*/check/*/*"))


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
    assert 0 < kept(folder) < DUMPS
    again = spawn(folder)
    again.expect(f"in {DUMPS} files, {DUMPS} dumps")
    again.expect(pexpect.EOF)
    again.close()
    assert again.exitstatus == 0
    assert kept(folder) == DUMPS
