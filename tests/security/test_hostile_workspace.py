"""Nothing of a workspace is run or imported, whatever it is called and whatever its nirls.toml says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.security.conftest import Audit, Serve, nirls
from tools.lsp_client import LspClient

MODULES = (
    *("conftest", "sitecustomize", "usercustomize", "numpy", "nirls", "json", "multiprocessing", "tomllib"),
    *("lsprotocol", "pygls", "tree_sitter", "typer", "psutil", "pickle", "logging", "hostile"),
)
PROGRAMS = ("dot", "python", "python3", "nirls", "git", "uname", ".venv/bin/python", ".venv/bin/nirls")

PROJECT_FILE = """
program = "./dot"
module = "hostile"
[[pipeline]]
name = "$(./dot)"
vert = "../secret.nir"
frag = "/etc/passwd"
[[pipeline]]
name = "`./dot`"
vert = "a.vert.nir"
frag = "b.frag.nir#1"
[passes]
hostile = true
"hostile:run" = true
[severity]
dead-output = "error"
[options.opt_varyings]
module = "hostile"
python = "./python"
[options.hostile]
run = "import hostile"
[tool.nirls]
plugins = ["hostile"]
"""
ENTRY_POINTS = "[nirls.passes]\nhostile = hostile:declared\n"


@pytest.fixture
def workspace(tmp_path: Path, data: Path) -> Path:
    """A folder in which everything that could be taken for a program leaves a mark when it is run."""
    folder, marks = tmp_path / "workspace", tmp_path / "marks"
    folder.mkdir()
    marks.mkdir()
    for module in MODULES:
        (folder / f"{module}.py").write_text(f"open({str(marks / module)!r}, 'w')\n")
        (folder / f"{module}.pth").write_text(f"import os; open({str(marks / module)!r}, 'w')\n")
    for program in PROGRAMS:
        path = folder / program
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n: > {marks / path.name}\n")
        path.chmod(0o755)
    information = folder / "hostile-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    (folder / "pyproject.toml").write_text(f'[project.entry-points."nirls.passes"]\n{ENTRY_POINTS}')
    (folder / "nirls.toml").write_text(PROJECT_FILE)
    shutil.copy(data / "pipelines" / "tinted.vert.nir", folder / "a.vert.nir")
    shutil.copy(data / "pipelines" / "tinted.frag.nir", folder / "b.frag.nir")
    return folder


def nothing_was_run(workspace: Path, audit: Audit) -> None:
    assert os.listdir(workspace.parent / "marks") == []
    assert audit.code_run_below(workspace) == set()
    assert audit.of("os.system", "os.exec", "os.startfile", "os.spawn") == []
    assert {str(name) for (name,) in audit.of("ctypes.dlopen")} <= {"None"}, "None is the program itself"
    assert audit.of("socket.connect", "socket.bind", "socket.getaddrinfo") == []
    # An editable installation puts the name of a finder on `sys.path`, which is no file anywhere.
    opened = [path for path in audit.files_opened_below(workspace) if path.suffix != ".__path_hook__"]
    assert {path.suffix for path in opened} <= {".nir", ".log", ".txt", ".toml"}, opened


def use(client: LspClient, folder: Path) -> None:
    """Everything that starts work of some kind."""
    path = folder / "a.vert.nir"
    uri = client.open(path, path.read_text())
    client.wait_for_diagnostics(uri, lambda found: any(one["code"] == "dead-output" for one in found))
    document = {"textDocument": {"uri": uri}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}}
    actions = client.request(
        "textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}}
    )
    assert actions
    client.request("codeAction/resolve", actions[0])
    place = {"line": 20, "character": 12}
    drawn = client.request("nirls/graph", {**document, "position": place, "kind": "cfg", "svg": True})
    assert drawn["dot"]
    client.request("nirls/preview", {**document, "position": place, "passes": ["opt_dce"]})
    client.request("textDocument/documentLink", document)
    client.request("workspace/symbol", {"query": "main"})
    client.request("workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [uri]})
    client.request("workspace/executeCommand", {"command": "nirls.writeBugReport", "arguments": []})


def test_the_server_runs_nothing_of_the_workspace(
    workspace: Path, audit: Audit, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    dot = shutil.which("dot")
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", os.environ["PATH"]]))
    client = serve(workspace)
    use(client, workspace)
    assert client.stop() == 0
    nothing_was_run(workspace, audit)
    started = audit.of("subprocess.Popen")
    assert len(started) >= 2
    for executable, arguments, *_ in started:
        is_own = Path(executable).parent == Path(sys.executable).parent
        is_worker = is_own and "'-P', '-m', 'nirls.server.engine.worker.child'" in arguments
        assert is_worker or executable == dot, (executable, arguments)
    assert len(audit.processes) >= 2, "the workers were watched too"


def test_a_server_started_as_a_module_runs_nothing_of_the_workspace(workspace: Path, audit: Audit) -> None:
    client = LspClient([sys.executable, "-P", "-m", "nirls.server", "serve"], workspace)
    try:
        client.start()
        use(client, workspace)
        assert client.stop() == 0
    finally:
        client.process.kill()
    nothing_was_run(workspace, audit)


def test_the_command_runs_nothing_of_the_folder(
    workspace: Path, audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", os.environ["PATH"]]))
    # So much that it is worth other processes.
    for name in ("a.vert.nir", "b.frag.nir"):
        text = (workspace / name).read_text()
        for number in range(2):
            # Equal dumps would be checked once.
            copies = (
                text.replace("\n", f"\nname: {number} {one}\n", 1) for one in range(1 + 110_000 // len(text))
            )
            (workspace / f"{number}{name}.log").write_text("".join(copies))
    done = nirls(workspace, "check", "--jobs", "2", "--no-cache", "--fail-on", "never", ".")
    assert done.returncode == 2
    assert "options.hostile: there is no such pass" in done.stderr
    (workspace / "nirls.toml").write_text('[severity]\ndead-output = "error"\n')
    sound = nirls(workspace, "check", "--jobs", "2", "--no-cache", "--fail-on", "never", ".")
    assert sound.returncode == 0, sound.stderr
    for said in ("lies outside of the workspace", "unknown key"):
        assert said in done.stderr
    nothing_was_run(workspace, audit)
    assert len(audit.processes) > 2, "there were other processes"


def test_that_the_watch_sees_what_it_looks_for(workspace: Path, audit: Audit) -> None:
    """An interpreter without protection does import from the folder that it is started in."""
    subprocess.run([sys.executable, "-c", "import hostile"], cwd=workspace, check=True)
    assert audit.code_run_below(workspace) or "hostile" in os.listdir(workspace.parent / "marks")
    with pytest.raises(AssertionError):
        nothing_was_run(workspace, audit)
