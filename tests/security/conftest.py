"""Servers and commands in folders that somebody else filled, with all that they do written down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.lsp_client import LspClient

NIRLS = str(Path(sys.executable).with_name("nirls"))

# In every Python process from its start, the workers too: what it opens, runs and connects to.
WATCH = """
import json, os, sys
_log = os.open(os.environ["NIRLS_TEST_AUDIT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
_told = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.startfile",
         "socket.connect", "socket.bind", "socket.getaddrinfo", "ctypes.dlopen", "open")

def _hook(event, args):
    if event == "exec":
        args = (getattr(args[0], "co_filename", ""),)
    elif event not in _told:
        return
    if event == "open" and isinstance(args[0], str):
        args = (os.path.abspath(args[0]),)
    os.write(_log, (json.dumps([event, os.getpid(), [repr(one) if not isinstance(one, (str, int)) else one
                                                     for one in args]]) + "\\n").encode())

sys.addaudithook(_hook)
"""


class Audit:
    """What the processes did: events of Python's audit hooks."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def of(self, *names: str) -> list[list[Any]]:
        """The arguments of all events of these names."""
        events = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [arguments for name, _, arguments in events if name in names]

    @property
    def processes(self) -> set[int]:
        """The processes that were watched."""
        return {json.loads(line)[1] for line in self._log.read_text().splitlines()}

    def files_opened_below(self, folder: Path) -> set[Path]:
        """The files of a folder that were opened, links followed."""
        opened = {Path(str(arguments[0])) for arguments in self.of("open")}
        return {path.resolve() for path in opened if path.resolve().is_relative_to(folder.resolve())}

    def code_run_below(self, folder: Path) -> set[str]:
        """The files of a folder that Python ran."""
        return {name for (name,) in self.of("exec") if Path(name).is_relative_to(folder)}


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Has all Python processes that a test starts write down what they do."""
    site, log = tmp_path / "watch", tmp_path / "audit.jsonl"
    site.mkdir()
    (site / "sitecustomize.py").write_text(WATCH)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")])))
    monkeypatch.setenv("NIRLS_TEST_AUDIT", str(log))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    return Audit(log)


Serve = Callable[[Path], LspClient]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts `nirls serve` in a folder, which is its workspace."""
    clients: list[LspClient] = []

    def start(folder: Path) -> LspClient:
        clients.append(LspClient([NIRLS, "serve"], folder))
        clients[-1].start()
        return clients[-1]

    yield start
    for client in clients:
        client.process.kill()


def nirls(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    return subprocess.run(
        [NIRLS, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
