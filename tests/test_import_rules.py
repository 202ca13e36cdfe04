"""Each package imports only what `docs/dev/architecture.md` lets it import, read from the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]

MAY_IMPORT = {
    "ir": set(),
    "verification": {"ir"},
    "passes": {"ir", "verification"},
    "server/engine": {"ir", "verification", "passes"},
    "server/ide": {"ir", "verification", "passes", "server/engine"},
    "server/lsp": {"ir", "verification", "passes", "server/engine", "server/ide"},
    "server/cli": {"ir", "verification", "passes", "server/engine", "server/ide"},
    "api": {"ir", "verification", "passes", "server/engine", "server/ide", "server/cli"},
}
"""The packages of nirls that each package may import besides itself."""

ONLY_IN = {
    "pygls": {"server/lsp"},
    "lsprotocol": {"server/lsp"},
    "typer": {"server/cli"},
    "rich": {"server/cli"},
}
"""Third-party packages that only some packages may import."""

SERVE = ("server/cli/commands/serve.py", "server/lsp")
"""`nirls serve` starts the language server."""

FILES = sorted(path for folder in MAY_IMPORT for path in (PROJECT / folder).rglob("*.py"))


def imported(source: str) -> Iterator[str]:
    """The names of the modules that a source text imports, imports inside functions included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package_of(module: str) -> str | None:
    """The package of nirls that a module is in; None for other modules."""
    path = module.removeprefix("nirls.").replace(".", "/") + "/"
    if not module.startswith("nirls."):
        return None
    return next((package for package in MAY_IMPORT if path.startswith(f"{package}/")), None)


def broken_rules(file: str, source: str) -> list[str]:
    """The imports of a file that break a rule."""
    own = next(package for package in MAY_IMPORT if file.startswith(f"{package}/"))
    found = []
    for module in imported(source):
        package, library = package_of(module), module.partition(".")[0]
        if package not in (None, own) and package not in MAY_IMPORT[own] and (file, package) != SERVE:
            found.append(f"{file} imports {module}")
        if own not in ONLY_IN.get(library, {own}):
            found.append(f"{file} imports {module}")
    return found


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_downwards(package: str) -> None:
    files = [path for path in FILES if path.is_relative_to(PROJECT / package)]
    assert files
    names = {path: path.relative_to(PROJECT).as_posix() for path in files}
    assert [rule for path in files for rule in broken_rules(names[path], path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("ir/x.py", "from nirls.passes import registry"),
        ("passes/x.py", "def f():\n    import nirls.server.engine.checks.analyzer"),
        ("server/engine/x.py", "from nirls.server.ide.cursor.outline import outline"),
        ("server/engine/x.py", "import lsprotocol.types"),
        ("server/ide/x.py", "from rich.text import Text"),
        ("server/lsp/x.py", "from nirls.server.cli import app"),
        ("server/cli/x.py", "from nirls.server.lsp.client import Client"),
    ],
)
def test_an_upward_import_is_found(file: str, source: str) -> None:
    assert len(broken_rules(file, source)) == 1
