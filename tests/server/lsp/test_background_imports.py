"""Modules are imported in threads, never by the event loop while requests wait."""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import nirls.server.lsp as lsp
from nirls.server.lsp import background_imports
from nirls.server.lsp.background_imports import FOR_CHECKS, FOR_REQUESTS
from nirls.server.lsp.language_server import make_server
from tests.server.lsp.features.dumps import FRAGMENT
from tests.server.lsp.features.session import Session
from tools.lsp_client import LspClient

RECORDED = """
import pathlib, sys, threading
from nirls.server.lsp import language_server
from nirls.server.lsp.protocol import NirlsProtocol
out, is_on = pathlib.Path(sys.argv[1]), []

def record(event, arguments):
    if event == "import" and is_on and threading.current_thread() is threading.main_thread():
        if arguments[0].startswith("nirls"):
            with out.open("a") as file:
                file.write(arguments[0] + "\\n")

sys.addaudithook(record)
handle = NirlsProtocol._handle_request

def handle_request(self, number, method, params):
    if method not in ("initialize", "shutdown"):
        is_on.append(True)
    return handle(self, number, method, params)

NirlsProtocol._handle_request = handle_request
language_server.serve_stdio()
"""


def _imported_in_functions() -> set[str]:
    (folder,) = lsp.__path__
    found: set[str] = set()
    for file in Path(folder).rglob("*.py"):
        for function in ast.walk(ast.parse(file.read_text())):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                nodes = [node for node in ast.walk(function) if isinstance(node, ast.ImportFrom)]
                found |= {node.module for node in nodes if node.module is not None}
    return {name for name in found if name.startswith("nirls.")}


def test_every_import_in_a_function_of_a_feature_is_done_in_the_background() -> None:
    code = (
        "import sys; from nirls.server.lsp import background_imports as b, language_server as s;"
        "s.make_server();"
        "b.registry.all_passes(); b.import_all((*b.FOR_CHECKS, *b.FOR_REQUESTS, *b.FOR_PASSES));"
        "print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert _imported_in_functions() - set(ran.stdout.split()) == set()


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of modules that are imported in the background, none of which is."""
    names: list[str] = []
    monkeypatch.setattr(background_imports, "import_all", names.extend)
    return names


async def _are(imported: list[str], expected: list[str]) -> None:
    """Wait until just these modules are imported."""
    async with asyncio.timeout(30):
        while imported != expected:
            await asyncio.sleep(0.005)


async def test_imports_for_requests_wait_for_the_first_diagnostics(
    imported: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_imports, "LONGEST_PAUSE", 60.0)
    session = Session(make_server())
    await session.start()
    await _are(imported, [*FOR_CHECKS])
    await asyncio.sleep(0.05)
    assert imported == [*FOR_CHECKS]
    session.open(FRAGMENT)
    await _are(imported, [*FOR_CHECKS, *FOR_REQUESTS])


async def test_imports_for_requests_wait_for_no_diagnostics_when_a_request_needs_them(
    imported: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_imports, "LONGEST_PAUSE", 60.0)
    session = Session(make_server())
    await session.start()
    await asyncio.wait_for(session.server.imports.for_requests(), 30)
    assert imported == [*FOR_CHECKS, *FOR_REQUESTS]


async def test_imports_for_requests_do_not_need_a_document(
    imported: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_imports, "LONGEST_PAUSE", 0.01)
    session = Session(make_server())
    await session.start()
    await _are(imported, [*FOR_CHECKS, *FOR_REQUESTS])


REQUESTS = {
    "textDocument/hover": {"position": {"line": 6, "character": 20}},
    "textDocument/completion": {"position": {"line": 6, "character": 20}},
    "textDocument/definition": {"position": {"line": 6, "character": 28}},
    "textDocument/references": {
        "position": {"line": 6, "character": 28},
        "context": {"includeDeclaration": True},
    },
    "textDocument/documentSymbol": {},
    "textDocument/foldingRange": {},
    "textDocument/semanticTokens/full": {},
    "textDocument/formatting": {"options": {"tabSize": 4, "insertSpaces": True}},
    "textDocument/inlayHint": {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    },
    "textDocument/codeLens": {},
    "textDocument/codeAction": {
        "range": {"start": {"line": 6, "character": 0}, "end": {"line": 6, "character": 9}},
        "context": {"diagnostics": []},
    },
    "nirls/packing": {},
    "nirls/preview": {"number": 0},
    "nirls/timeline": {},
    "nirls/graph": {"position": {"line": 6, "character": 20}, "kind": "cfg"},
}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """The file with the modules that a server imports on its event loop once it has a request."""
    return tmp_path / "imported.txt"


@pytest.fixture
def client(tmp_path: Path, recorded: Path) -> Iterator[LspClient]:
    """A new server with an open document; no request was sent before."""
    client = LspClient([sys.executable, "-c", RECORDED, str(recorded)], tmp_path)
    client.start()
    client.open(tmp_path / "a.nir", FRAGMENT)
    yield client
    assert client.stop() == 0


@pytest.mark.parametrize("method", REQUESTS)
def test_a_first_request_imports_nothing_on_the_event_loop(
    method: str, client: LspClient, recorded: Path
) -> None:
    """An earlier request of another kind may have imported what this one needs."""
    document = {"textDocument": {"uri": (client.folder / "a.nir").as_uri()}}
    client.request(method, {**document, **REQUESTS[method]}, timeout=60)
    assert not recorded.exists(), recorded.read_text()


def test_applying_a_pass_imports_nothing_on_the_event_loop(client: LspClient, recorded: Path) -> None:
    arguments = [(client.folder / "a.nir").as_uri(), 1, "opt_dce"]  # there is no second dump to edit
    client.request("workspace/executeCommand", {"command": "nirls.applyPass", "arguments": arguments})
    assert not recorded.exists(), recorded.read_text()
