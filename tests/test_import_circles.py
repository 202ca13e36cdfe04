"""No import circles between the modules of the product.

Imports inside functions and under `TYPE_CHECKING` count too: they hide a circle, they do not remove it.
"""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.imports import PROJECT, Import, imports, imports_of_file, product_files

OBJECT_GRAPH = frozenset(
    f"nirls.ir.model.{name}" for name in ("values", "instructions", "control_flow", "shader")
)
"""A def knows its instruction, the instruction its block, the block its function and that its shader: one
recursive data structure in four modules, whose types may name each other."""


def module_name(path: Path) -> str:
    """The import name of a file of the product."""
    parts = list(path.relative_to(PROJECT).with_suffix("").parts)
    if parts[0] == "api":
        parts = parts[1:]
    if parts and parts[-1] == "__init__":
        parts.pop()
    return ".".join(("nirls", *parts))


def imported_modules(name: str, found: Iterable[Import], known: Iterable[str]) -> set[str]:
    """The modules that a module imports anywhere in its text, except for types within the object graph."""
    modules = set()
    for one in found:
        module = one.path if one.path in known else one.module
        typing_in_graph = one.typing_only and {name, module} <= OBJECT_GRAPH
        if module in known and not typing_in_graph:
            modules.add(module)
    return modules - {name}


def circle(graph: dict[str, set[str]]) -> list[str] | None:
    """Some import circle, None if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def test_there_is_no_import_circle() -> None:
    files = {module_name(path): path for path in product_files()}
    graph = {name: imported_modules(name, imports_of_file(path), files) for name, path in files.items()}
    assert sum(map(len, graph.values())) > 1000
    found = circle(graph)
    assert found is None, " -> ".join(found or ())


def test_hidden_imports_count() -> None:
    sources = {
        "nirls.a": "def f():\n    from nirls.b import g\n",
        "nirls.b": "if TYPE_CHECKING:\n    from nirls import a\n",
    }
    graph = {name: imported_modules(name, imports(text), sources) for name, text in sources.items()}
    assert circle(graph) is not None
    assert circle({**graph, "nirls.b": set()}) is None
