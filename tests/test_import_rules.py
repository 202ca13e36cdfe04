"""Each package imports only what `docs/dev/architecture.md` lets it import, read from the sources."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.imports import PROJECT, Import, imports, imports_of_file, product_files

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


def package_of(module: str) -> str | None:
    """The package of nirls that a module is in; None for other modules."""
    path = module.removeprefix("nirls.").replace(".", "/") + "/"
    if not module.startswith("nirls."):
        return None
    return next((package for package in MAY_IMPORT if path.startswith(f"{package}/")), None)


def broken_rules(file: str, found: Iterable[Import]) -> list[str]:
    """The imports of a file that break a rule."""
    own = next(package for package in MAY_IMPORT if file.startswith(f"{package}/"))
    broken = []
    for module in (one.path for one in found):
        package, library = package_of(module), module.partition(".")[0]
        if package not in (None, own) and package not in MAY_IMPORT[own] and (file, package) != SERVE:
            broken.append(f"{file} imports {module}")
        if own not in ONLY_IN.get(library, {own}):
            broken.append(f"{file} imports {module}")
    return broken


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_downwards(package: str) -> None:
    files = {
        path.relative_to(PROJECT).as_posix(): path
        for path in product_files()
        if path.is_relative_to(PROJECT / package)
    }
    assert files
    assert [rule for name, path in files.items() for rule in broken_rules(name, imports_of_file(path))] == []


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
    assert len(broken_rules(file, imports(source))) == 1
