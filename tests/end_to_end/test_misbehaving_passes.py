"""Passes of another package that raise, loop for ever or eat memory: the server goes on, and tells once."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools.lsp_client import LspClient, Message

SERVE = """
from nirls.server.lsp.language_server import serve_stdio
from nirls.server.engine.worker.job import Budget
serve_stdio(pass_budget=Budget(seconds=6, megabytes=400))
"""

PASSES = """
from importlib import import_module

def declared():
    return [import_module(f"misbehaving_{name}").Declared for name in NAMES]
"""

BODIES = {
    "raise": "raise RuntimeError('no such thing as a shader')",
    "loop": "\n            while True: pass",
    "eat": "kept.append(bytearray(b'x' * (4 << 30)))",
    "nibble": "\n            while True: kept.append(b'%d' % len(kept) * 100_000)",
    "exit": "import os; os._exit(9)",
}

MODULE = """
from nirls.passes.declaration import Pass

kept = []

class Declared(Pass):
    name, summary = "NAME", "a pass that NAMEs"

    def apply(self, shader):
        return False

    def find(self, shaders):
        if b"@discard" not in shaders[0].source:
            return []
        if True: BODY
        return []
"""

HEAD = (
    "shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\n"
    "impl main {\n    block b0:   // preds:\n"
)
CONSTANT = "    32     %{} = load_const (0x00000001)\n"
END = "                // succs: b1\n    block b1:\n}\n"
DISCARD = "           @discard\n"
UNUSED = "".join(CONSTANT.format(number) for number in range(40))
BAD = HEAD + UNUSED + DISCARD + END
GOOD = HEAD + CONSTANT.format(0) + "    32     %1 = fadd %0, %0\n    32     %2 = fadd %0, %0\n" + END


Serve = Callable[..., LspClient]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts a server in which some of the bad passes are installed."""
    site, workspace = tmp_path / "site", tmp_path / "workspace"
    information = site / "misbehaving-1.0.dist-info"
    information.mkdir(parents=True)
    workspace.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[nirls.passes]\nmisbehaving = misbehaving:declared\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")])))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    clients: list[LspClient] = []

    def start(*names: str) -> LspClient:
        (site / "misbehaving.py").write_text(f"NAMES = {names!r}\n{PASSES}")
        for name in names:
            body = FIXES if name == "fixes" else MODULE.replace("BODY", BODIES[name]).replace("NAME", name)
            (site / f"misbehaving_{name}.py").write_text(body)
        clients.append(LspClient([sys.executable, "-P", "-c", SERVE], workspace))
        clients[-1].start()
        return clients[-1]

    yield start
    for client in clients:
        client.process.kill()


FIXES = """
from nirls.ir.finding import FindingCode, Place, Severity
from nirls.passes.declaration import Pass, Site, SiteFix

CODE = FindingCode("odd", "Odd", Severity.WARNING)

def never():
    while True: pass

def fails():
    raise RuntimeError("no fix today")

class Declared(Pass):
    name, summary = "fixes", "a pass whose fixes misbehave"
    codes = (CODE,)

    def sites(self, shaders):
        fixes = (SiteFix("Never", never, "never"), SiteFix("Fails", fails, "fails"))
        yield Site(CODE.at(Place(0, 0, 7), "this is odd"), fixes)
"""
BODIES_OF_FIXES = {"never": "takes longer than 6 s", "fails": "no fix today"}


@pytest.mark.parametrize("key", BODIES_OF_FIXES)
def test_a_fix_that_goes_wrong_is_an_error_and_the_next_request_is_answered(
    serve: Serve, tmp_path: Path, key: str
) -> None:
    client = serve("fixes")
    uri = client.open(tmp_path / "some.nir", GOOD)
    client.wait_for_diagnostics(uri, lambda found: any(one["code"] == "odd" for one in found))
    everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": everywhere, "context": {"diagnostics": []}}
    actions = client.request("textDocument/codeAction", asked)
    action = next(one for one in actions if one["data"].get("request", {}).get("part") == key)
    # The process for fixes starts with the first of them.
    request = {**action["data"]["request"], "part": "there is none such"}
    other = {**action, "data": {**action["data"], "request": request}}
    assert "edit" not in client.request("codeAction/resolve", other)
    with pytest.raises(RuntimeError, match=BODIES_OF_FIXES[key]):
        client.request("codeAction/resolve", action)
    with pytest.raises(RuntimeError, match="is disabled"):
        client.request("codeAction/resolve", action)
    wait_until_shown(client, 2)
    assert messages(client)[0].endswith("not done, because the pass no longer finds this place in the text")
    assert messages(client)[1].startswith("fixes could not be run")
    hover = {"textDocument": {"uri": uri}, "position": PLACE}
    assert "fadd" in str(client.request("textDocument/hover", hover))
    assert client.stop() == 0


def failures(found: list[Message]) -> list[Message]:
    return [one for one in found if one.get("code") == "pass-failed"]


def messages(client: LspClient) -> list[str]:
    """Return the shown messages."""
    return list(client.shown)


def wait_until_shown(client: LspClient, count: int) -> None:
    end = time.monotonic() + 120
    while len(messages(client)) < count and time.monotonic() < end:
        client.request("textDocument/hover", {"textDocument": {"uri": "file:///none"}, "position": PLACE})
        time.sleep(0.05)


PLACE = {"line": 6, "character": 13}

SAID = {
    "raise": "raise could not be run: RuntimeError: no such thing as a shader",
    "loop": "loop could not be run: it took too long",
    "eat": "eat could not be run: it took too much memory",
    "nibble": "nibble could not be run: it took too much memory",
    "exit": "exit could not be run: it ended its process (exit status 9)",
}


@pytest.mark.parametrize("name", BODIES)
def test_the_server_outlives_a_pass_that_goes_wrong(serve: Serve, tmp_path: Path, name: str) -> None:
    client = serve(name)
    uri = client.open(tmp_path / "bad.nir", BAD + "\n" + GOOD)
    # Other requests are answered meanwhile.
    asked = {"textDocument": {"uri": uri}, "position": PLACE}
    assert "load_const" in str(client.request("textDocument/hover", asked, timeout=30))
    found = client.wait_for_diagnostics(uri, lambda found: bool(failures(found)))
    (failed,) = failures(found)
    assert failed["message"].startswith(SAID[name])
    assert failed["range"]["start"]["line"] == 0
    wait_until_shown(client, 1)
    (shown,) = messages(client)
    assert shown.startswith(SAID[name])
    assert "nirls.writeBugReport" in shown
    # It is disabled for this text, and runs for others; the message has been shown.
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    client.request("workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [uri]})
    assert len(failures(client.diagnostics[uri])) == 1
    assert len(messages(client)) == 1
    assert client.stop() == 0


def test_the_passes_that_behave_are_run(serve: Serve, tmp_path: Path) -> None:
    client = serve("loop", "exit", "raise")
    (client.folder / "nirls.toml").write_text("[passes]\nclean_up = true\n")
    uri = client.open(tmp_path / "bad.nir", BAD + "\n" + GOOD)
    found = client.wait_for_diagnostics(uri, lambda found: len(failures(found)) == 3)
    assert {one["message"].split()[0] for one in failures(found)} == {"loop", "exit", "raise"}
    wait_until_shown(client, 3)
    assert len(messages(client)) == 3
    assert client.stop() == 0


def test_another_text_is_another_chance(serve: Serve, tmp_path: Path) -> None:
    client = serve("raise")
    uri = client.open(tmp_path / "bad.nir", BAD)
    client.wait_for_diagnostics(uri, lambda found: bool(failures(found)))
    line = BAD[: BAD.index(DISCARD)].count("\n")
    place = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    client.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": uri, "version": 2},
            "contentChanges": [{"range": place, "text": ""}],
        },
    )
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    client.wait_for_diagnostics(uri, lambda found: not failures(found))
    assert client.stop() == 0


@pytest.mark.parametrize("name", ["raise", "exit"])
def test_a_bug_report_has_the_pass_and_a_small_input(serve: Serve, tmp_path: Path, name: str) -> None:
    client = serve(name)
    command = {"command": "nirls.writeBugReport", "arguments": []}
    assert client.request("workspace/executeCommand", command) is None
    uri = client.open(tmp_path / "bad.nir", BAD)
    client.wait_for_diagnostics(uri, lambda found: bool(failures(found)))
    path = Path(client.request("workspace/executeCommand", {**command, "arguments": [name]}, timeout=240))
    report, text = path.read_text(), (path.parent / "input.nir").read_text()
    assert report.startswith(f"# {SAID[name]}")
    assert f"`misbehaving_{name}`" in report
    assert text.strip() in report
    assert "@discard" in text
    assert text.count("load_const") <= 1 < BAD.count("load_const")
    if name == "raise":
        assert "no such thing as a shader" in report.partition("## Where")[2]
    assert client.stop() == 0
