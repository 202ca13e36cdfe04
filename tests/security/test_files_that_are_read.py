"""Files outside of the workspace are not read unless they are opened, whatever leads to them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.security.conftest import NIRLS, Audit, Serve, nirls
from tools.lsp_client import LspClient

CAPABILITIES = {
    "workspace": {"workspaceFolders": True, "diagnostics": {"refreshSupport": True}},
    "textDocument": {"diagnostic": {"relatedDocumentSupport": False}},
}
NAMES = ("../outside/source.glsl", "linked/source.glsl", "source_link.glsl", "..\\outside\\source.glsl")


@pytest.fixture
def outside(tmp_path: Path, data: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    text = (data / "pipelines" / "tinted.frag.nir").read_text()
    for name in ("secret.frag.nir", "secret.nir", "a.frag.nir"):
        (folder / name).write_text(text.replace("name: ", "name: secret "))
    (folder / "source.glsl").write_text("void main() {}\n")
    (folder / "nirls.toml").write_text('[severity]\ndead-output = "error"\n')
    return folder


@pytest.fixture
def workspace(tmp_path: Path, data: Path, outside: Path) -> Path:
    """A folder with links out of it, and a nirls.toml that names files outside in every way."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    text = (data / "pipelines" / "tinted.vert.nir").read_text()
    first, _, rest = text.partition("impl main {\n")
    names = "".join(f"    // from {name}:3\n" for name in (*NAMES, str(outside / "source.glsl"), "mine.glsl"))
    (folder / "a.vert.nir").write_text(f"{first}impl main {{\n{names}{rest}")
    (folder / "mine.glsl").write_text("void main() {}\n")
    (folder / "linked").symlink_to(outside)
    (folder / "a.frag.nir").symlink_to(outside / "secret.frag.nir")
    (folder / "other.nir").symlink_to(outside / "secret.nir")
    (folder / "endless.nir").symlink_to(folder / "endless.nir")
    (folder / "device.nir").symlink_to("/dev/zero")
    (folder / "source_link.glsl").symlink_to(outside / "source.glsl")
    named = (
        "../outside/secret.nir",
        "other.nir",
        "linked/secret.nir",
        str(outside / "secret.nir"),
        "endless.nir",
    )
    pipelines = [
        f'[[pipeline]]\nname = "{number}"\nvert = "a.vert.nir"\nfrag = \'{name}\'\n'
        for number, name in enumerate(named)
    ]
    (folder / "nirls.toml").write_text("".join(pipelines))
    return folder


def test_the_server_follows_no_name_and_no_link_out(workspace: Path, outside: Path, audit: Audit) -> None:
    client = LspClient([NIRLS, "serve"], workspace)
    try:
        client.start(CAPABILITIES)
        path = workspace / "a.vert.nir"
        uri = client.open(path, path.read_text())
        document = {"textDocument": {"uri": uri}}
        client.request("workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [uri]})
        (status,) = client.request("nirls/linkStatus", document)["dumps"]
        assert status["links"] == []
        links = client.request("textDocument/documentLink", document)
        assert [link["target"] for link in links] == [f"{(workspace / 'mine.glsl').as_uri()}#L3"]
        for _ in range(2):
            reports = client.request("workspace/diagnostic", {"previousResultIds": []})["items"]
            assert [report["uri"] for report in reports] == [uri]
        assert "secret" not in str(client.request("workspace/symbol", {"query": ""}))
        assert client.stop() == 0
    finally:
        client.process.kill()
    assert workspace / "nirls.toml" in audit.files_opened_below(workspace)
    assert audit.files_opened_below(outside) == set()
    assert not any(str(arguments[0]).endswith(("device.nir", "/dev/zero")) for arguments in audit.of("open"))


def test_a_file_outside_is_read_when_it_is_opened(workspace: Path, outside: Path, serve: Serve) -> None:
    """The partner is found beside the file that was opened, and once it is open, it is linked."""
    client = serve(workspace)
    shutil.copy(workspace / "a.vert.nir", outside / "a.vert.nir")
    path = outside / "a.vert.nir"
    uri = client.open(path, path.read_text())
    (status,) = client.request("nirls/linkStatus", {"textDocument": {"uri": uri}})["dumps"]
    assert [one["file"] for one in status["links"][0]["with"]] == ["a.frag.nir"]
    assert client.stop() == 0


def test_a_link_is_no_project_file(tmp_path: Path, outside: Path, audit: Audit, data: Path) -> None:
    folder = tmp_path / "linking"
    folder.mkdir()
    (folder / "nirls.toml").symlink_to(outside / "nirls.toml")
    shutil.copy(data / "pipelines" / "tinted.vert.nir", folder)
    client = LspClient([NIRLS, "serve"], folder)
    try:
        client.start()
        path = folder / "tinted.vert.nir"
        uri = client.open(path, path.read_text())
        client.request("workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [uri]})
        assert client.stop() == 0
    finally:
        client.process.kill()
    assert audit.files_opened_below(outside) == set()


def test_the_command_follows_no_name_and_no_link_out(workspace: Path, outside: Path, audit: Audit) -> None:
    for named in ("a.vert.nir", "."):
        done = nirls(workspace, "check", "--no-cache", "--fail-on", "never", named)
        assert done.returncode == 2, done.stderr  # the project file is wrong
        assert "secret" not in done.stdout
    assert audit.files_opened_below(outside) == set()
    # What is named is read.
    assert nirls(workspace, "check", "--no-cache", "--fail-on", "never", "a.frag.nir").returncode == 2
    assert outside / "secret.frag.nir" in audit.files_opened_below(outside)
