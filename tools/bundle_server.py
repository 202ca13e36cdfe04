"""Contents of the VS Code extension's packages: the sources of nirls, or the whole server as a program.

`python -m tools.bundle_server sources` writes editors/vscode/server/nirls.tar.gz, which the command "Install
Language Server" installs. `python -m tools.bundle_server program` writes editors/vscode/bundled/nirls with
PyInstaller, for the platform that it runs on, and starts it once.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.lsp_client import LspClient, Message

PROJECT = Path(__file__).resolve().parent.parent
EXTENSION = PROJECT / "editors" / "vscode"
SAMPLE = PROJECT / "tests" / "data" / "pipelines" / "tinted.frag.nir"

_ENTRY = """\
import multiprocessing
import runpy
import sys

multiprocessing.freeze_support()
if sys.argv[1:3] == ["-P", "-m"] and sys.argv[3].startswith("nirls."):
    # The server starts its worker with the interpreter, which here is this program.
    module = sys.argv[3]
    del sys.argv[1:4]
    runpy.run_module(module, run_name="__main__")
else:
    from nirls.server.cli import main

    main(prog_name="nirls")
"""
_NAMES_OF_CODE = ("nirls.ir", "nirls.passes", "nirls.server")


def bundle_sources(target: Path) -> None:
    """Write a source distribution. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "build", "--sdist", "--outdir", folder, str(PROJECT)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("nirls-*.tar.gz")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(archive, target)


def bundle_program(folder: Path) -> Path:
    """Write the server as a program with everything that it needs; returns the program.

    The package has to be installed, not as an editable one: PyInstaller looks into packages as they lie.
    Raises CalledProcessError.
    """
    with tempfile.TemporaryDirectory() as work:
        environment = Path(work, "environment")
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        python = str(environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, str(PROJECT), "pyinstaller>=6"], check=True)
        entry = Path(work, "start.py")  # not nirls.py, which would hide the package
        entry.write_text(_ENTRY, encoding="utf-8")
        options = {"name": "nirls", "log-level": "ERROR", "copy-metadata": "nirls"}
        options |= {f"{what}path": str(Path(work, what)) for what in ("dist", "work", "spec")}
        # Passes and commands are imported by name, which PyInstaller cannot see.
        collected = [f"--collect-all={name}" for name in _NAMES_OF_CODE]
        subprocess.run(
            [
                *(python, "-m", "PyInstaller", "--noconfirm", "--onedir"),
                *(f"--{name}={value}" for name, value in options.items()),
                *("--collect-submodules=lsprotocol", *collected, str(entry)),
            ],
            check=True,
            cwd=work,
        )
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(Path(work, "dist", "nirls"), folder, symlinks=True)
    return folder / ("nirls.exe" if sys.platform == "win32" else "nirls")


def try_out(program: Path) -> None:
    """Serve a shader with the program; findings of passes come from its worker. Raises RuntimeError."""
    with tempfile.TemporaryDirectory() as folder:
        pipeline = shutil.copytree(SAMPLE.parent, Path(folder, "pipeline"))
        client = LspClient([str(program), "serve"], pipeline)
        try:
            client.start()
            shader = pipeline / "tinted.vert.nir"
            uri = client.open(shader, shader.read_text(encoding="utf-8"))
            client.wait_for_diagnostics(uri, _has_pass_findings)
        finally:
            client.stop()


def _has_pass_findings(diagnostics: list[Message]) -> bool:
    return any(diagnostic.get("code") == "dead-output" for diagnostic in diagnostics)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("sources", "program"))
    if parser.parse_args().what == "sources":
        bundle_sources(EXTENSION / "server" / "nirls.tar.gz")
        return
    try_out(bundle_program(EXTENSION / "bundled" / "nirls"))


if __name__ == "__main__":
    main()
