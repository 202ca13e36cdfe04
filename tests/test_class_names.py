"""One name for one thing: no two public classes have the same name, read from the sources."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def public_classes(source: str) -> list[str]:
    """The names of the public classes of a module, but not of those inside other classes."""
    body = ast.parse(source).body
    return [node.name for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


def test_public_classes_are_found() -> None:
    source = "class Slot:\n    class Inner: ...\nclass _Slot: ...\n"
    assert public_classes(source) == ["Slot"]


def test_names_of_public_classes_are_unique() -> None:
    files: defaultdict[str, list[str]] = defaultdict(list)
    for folder in ("api", "ir", "verification", "passes", "server", "tools"):
        for path in sorted((PROJECT / folder).rglob("*.py")):
            for name in public_classes(path.read_text(encoding="utf-8")):
                files[name].append(path.relative_to(PROJECT).as_posix())
    assert len(files) > 100
    assert {name: where for name, where in files.items() if len(where) > 1} == {}
