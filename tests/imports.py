"""The imports of the modules of nirls, read once for all tests that judge them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]

FOLDERS = ("api", "ir", "verification", "passes", "server")


@dataclass(frozen=True)
class Import:
    """One name that a module imports."""

    module: str
    """The module after `from`; "" in `import name`."""
    name: str
    """The name after `import`, with its dots."""
    line: int
    """The line of the statement, from 1."""
    in_function: bool
    typing_only: bool
    """Whether it stands under `if TYPE_CHECKING`."""

    @property
    def path(self) -> str:
        """Both together, with dots."""
        return f"{self.module}.{self.name}" if self.module else self.name


@cache
def product_files() -> list[Path]:
    """All modules of the product."""
    return sorted(path for folder in FOLDERS for path in (PROJECT / folder).rglob("*.py"))


@cache
def imports_of_file(path: Path) -> list[Import]:
    """All imports of a file."""
    return list(imports(path.read_text(encoding="utf-8")))


def imports(source: str) -> Iterator[Import]:
    """All imports of a source text, those inside functions included; relative ones are not looked at."""
    yield from _imports_in(ast.parse(source).body, in_function=False, typing_only=False)


def _imports_in(body: list[ast.stmt], *, in_function: bool, typing_only: bool) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import("", alias.name, node.lineno, in_function, typing_only)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            for alias in node.names:
                yield Import(node.module, alias.name, node.lineno, in_function, typing_only)
        inner = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        typing = typing_only or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for block in _blocks(node):
            yield from _imports_in(block, in_function=inner, typing_only=typing)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements within a statement."""
    for name in ("body", "orelse", "finalbody"):
        yield getattr(node, name, [])
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body
