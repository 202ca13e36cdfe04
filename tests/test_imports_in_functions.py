"""Imports stand at the top of modules, but for a few with a reason, such as a slow package."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
FOLDERS = ("api", "ir", "verification", "passes", "server")
MOST = 40


@cache
def _in_functions() -> list[tuple[Path, int, list[str]]]:
    """Return the file, the line and the lines of text up to each import in a function."""
    places = []
    for folder in FOLDERS:
        for path in sorted((PROJECT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            lines = text.splitlines()
            functions = [
                node
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
            numbers = {
                node.lineno
                for function in functions
                for node in ast.walk(function)
                if isinstance(node, ast.Import | ast.ImportFrom)
            }
            places += [(path, number, lines[:number]) for number in sorted(numbers)]
    return places


def _has_reason(lines: list[str]) -> bool:
    """Whether a comment stands on the line of an import, or above it and the imports before it."""
    if "#" in lines[-1]:
        return True
    above = [line.strip() for line in lines[-8:-1]]
    while above and (not above[-1] or above[-1].startswith(("from ", "import "))):
        if "#" in above[-1]:
            return True
        above.pop()
    return bool(above) and above[-1].startswith("#")


def test_there_are_few() -> None:
    assert len(_in_functions()) <= MOST


def test_each_has_a_reason() -> None:
    without = [
        f"{path.relative_to(PROJECT)}:{number}"
        for path, number, lines in _in_functions()
        if not _has_reason(lines)
    ]
    assert without == []
