"""No import circles between the modules of the product.

Imports inside functions and under `TYPE_CHECKING` count too: they hide a circle, they do not remove it.
"""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
FOLDERS = ("api", "ir", "verification", "passes", "server")

OBJECT_GRAPH = frozenset(
    f"nirls.ir.model.{name}" for name in ("values", "instructions", "control_flow", "shader")
)
"""A def knows its instruction, the instruction its block, the block its function and that its shader: one
recursive data structure in four modules, whose types may name each other."""


def modules(project: Path) -> dict[str, Path]:
    """All modules of the product by import name."""
    found = {}
    for folder in FOLDERS:
        for path in (project / folder).rglob("*.py"):
            parts = list(path.relative_to(project).with_suffix("").parts)
            if parts[0] == "api":
                parts = parts[1:]
            if parts and parts[-1] == "__init__":
                parts.pop()
            found[".".join(("nirls", *parts))] = path
    return found


def imports(name: str, source: str, known: dict[str, Path]) -> set[str]:
    """The modules that a module imports anywhere in its text, except for types within the object graph."""
    tree = ast.parse(source)
    found = _imported(tree, known)
    if name in OBJECT_GRAPH:
        typing_only = [
            _imported(node, known)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ]
        found -= OBJECT_GRAPH.intersection(*typing_only) if typing_only else set()
    return found - {name}


def _imported(tree: ast.AST, known: dict[str, Path]) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in known}
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in known or node.module in known:
                    found.add(inner if inner in known else node.module)
    return found


def circle(graph: dict[str, set[str]]) -> list[str] | None:
    """Some import circle, None if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def test_there_is_no_import_circle() -> None:
    known = modules(PROJECT)
    graph = {name: imports(name, path.read_text(), known) for name, path in known.items()}
    found = circle(graph)
    assert found is None, " -> ".join(found or ())


def test_hidden_imports_count() -> None:
    known = {"nirls.a": Path(), "nirls.b": Path()}
    sources = {
        "nirls.a": "def f():\n    from nirls.b import g\n",
        "nirls.b": "if TYPE_CHECKING:\n    from nirls import a\n",
    }
    graph = {name: imports(name, text, known) for name, text in sources.items()}
    assert circle(graph) is not None
    assert circle({**graph, "nirls.b": set()}) is None
