"""Real editors, driven without a screen: those that `.ci/editors` unpacked, else those on PATH."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import DATA, PROJECT
from tests.editors.workbench import Workbench, running_workbench

EDITORS = PROJECT / "editors"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nirls"
UNPACKED = Path(os.environ.get("NIRLS_EDITORS") or _CACHE / "editors-trixie")
CODE_SERVER = Path(os.environ.get("NIRLS_WORKBENCH") or _CACHE / "code-server-4.100.3")
SCREENSHOTS = Path(os.environ.get("NIRLS_SCREENSHOTS") or PROJECT / "build" / "screenshots")


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor to run in a home folder of its own, with this checkout's `nirls` on PATH."""

    program: Path
    home: Path

    def run(self, *arguments: str, environment: dict[str, str] | None = None) -> str:
        """What the editor prints. Raises CalledProcessError, with what it said, if it fails."""
        done = subprocess.run(
            [self.program, *arguments],
            cwd=self.home,
            env=self.environment | (environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        if done.returncode != 0:
            pytest.fail(f"{self.program.name} ended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    @property
    def environment(self) -> dict[str, str]:
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }


@pytest.fixture
def editor(tmp_path: Path) -> Callable[..., Editor]:
    """Find an editor by its program's name, of at least a version; skips where there is none."""

    def find(name: str, least: tuple[int, ...]) -> Editor:
        unpacked = UNPACKED / "bin" / name
        program = unpacked if unpacked.exists() else shutil.which(name)
        if program is None:
            pytest.skip(f"there is no {name} here; .ci/editors fetches one")
        printed = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=60, check=True
        )
        version = re.search(r"\d+(?:\.\d+)+", printed.stdout)
        assert version is not None, printed.stdout
        if tuple(int(part) for part in version[0].split(".")) < least:
            pytest.skip(f"{program} is {version[0]}, older than what is supported")
        home = tmp_path / "home"
        home.mkdir()
        return Editor(Path(program), home)

    return find


@pytest.fixture
def tinted(tmp_path: Path) -> Path:
    """A workspace with a linked vertex and fragment shader."""
    folder = tmp_path / "tinted"
    shutil.copytree(DATA / "pipelines", folder, copy_function=shutil.copyfile)
    (folder / "nirls.toml").write_text("", encoding="utf-8")
    return folder


@pytest.fixture
def open_workbench(tmp_path: Path) -> Iterator[Callable[..., Workbench]]:
    """Open a folder in VS Code with the extension of this checkout; skips where that cannot be.

    With `has_server=False` there is no nirls on that machine.
    """
    if not (CODE_SERVER / "complete").exists():
        pytest.skip("there is no workbench here; .ci/workbench installs one")
    if shutil.which("chromium") is None:
        pytest.skip("there is no chromium on PATH")
    extension = EDITORS / "vscode"
    if not (extension / "dist" / "extension.js").exists():
        pytest.skip("the extension is not built: npm ci && npm run build in editors/vscode")
    with ExitStack() as stack:

        def start(folder: Path, *, has_server: bool = True) -> Workbench:
            nirls = Path(sys.executable).parent / "nirls" if has_server else None
            home = tmp_path / "home"
            return stack.enter_context(
                running_workbench(CODE_SERVER, extension, nirls, folder, home, SCREENSHOTS)
            )

        yield start
