"""What an editor waits for: nothing is imported for `initialize` that only dumps need."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = [
    "numpy",
    "typer",
    "rich",
    "nirls.ir.text.parse",
    "nirls.ir.text.lowering",
    "nirls.ir.evaluate",
    "nirls.ir.text.edits",
]


@pytest.fixture(scope="module")
def imported() -> set[str]:
    code = (
        "import sys; from nirls.server.lsp.language_server import make_server; "
        "make_server(); print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize("module", HEAVY)
def test_a_server_without_documents_imports_nothing_heavy(imported: set[str], module: str) -> None:
    assert "nirls.server.engine.checker" in imported
    assert module not in imported


def test_collection_is_on_again_when_the_server_runs() -> None:
    code = (
        "import gc, nirls.server.lsp.language_server as server\n"
        "async def report(*_): print(gc.isenabled(), flush=True)\n"
        "server._serve = report\n"
        "from nirls.server.lsp.quick_start import serve; serve()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.stdout.split() == ["True"], ran.stderr
