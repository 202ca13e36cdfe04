"""Every regular expression in the sources, and how it is applied."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tools.corpus.archive import PROJECT

FOLDERS = ("api", "ir", "verification", "passes", "server")
FUNCTIONS = ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
ANCHORED = frozenset(("match", "fullmatch"))

RETURNED = {"ir/text/log_prefix.py": {"match"}}
"""How patterns that functions return are applied, where that is not by a search."""

LOCALS: dict[str, object] = {
    "code": "dead-value",
    "key": "load_*",
    "name": "VAR1",
    "number": 3,
    "pattern": rb"x[ \t]*[0-9]+",
    "prefix": b"\x1b[1m[12:34:56 +3] a: ",
    "characters": "_*",
    "found": SimpleNamespace(pattern=rb"x[ \t]*[0-9]+"),
    "table": "alu",
    "value": SimpleNamespace(index=3),
    "reg": SimpleNamespace(index=3),
    "block": SimpleNamespace(index=3),
    "variable": SimpleNamespace(name="VAR1"),
    "function": SimpleNamespace(name="main"),
    "slot": SimpleNamespace(name="VAR1"),
}
"""Samples of the local names that occur in patterns."""


@dataclass
class PatternUse:
    """A pattern, where it stands, and how it is applied."""

    pattern: str | bytes
    flags: int
    place: str
    methods: set[str] = field(default_factory=set)


def _sources() -> Iterator[tuple[Path, str]]:
    for folder in FOLDERS:
        for path in sorted((PROJECT / folder).rglob("*.py")):
            parts = path.relative_to(PROJECT).with_suffix("").parts
            parts = parts[1:] if parts[0] == "api" else parts
            yield path, ".".join(("nirls", *parts)).removesuffix(".__init__")


@cache
def _all_text() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path, _ in _sources())


def _methods_of(name: str, text: str) -> set[str]:
    """How the pattern of this name in a module `text` is applied; by a search if that cannot be seen."""
    text = _all_text() if name.isupper() and not name.startswith("_") else text
    used = set(re.findall(rf"\b{re.escape(name)}\.(\w+)\b", text)) & set(FUNCTIONS)
    is_passed_on = re.search(rf"(?<![\w.]){re.escape(name)}\b(?!\s*[.=:\w])", text)
    return used | {"search"} if is_passed_on or not used else used


def pattern_uses() -> list[PatternUse]:
    """Every pattern that the modules of nirls apply."""
    uses: list[PatternUse] = []
    missing: list[str] = []
    for path, module_name in _sources():
        text = path.read_text(encoding="utf-8")
        if "re." not in text or "import re" not in text:
            continue
        tree = ast.parse(text)
        names = {
            id(node.value): ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        }
        calls = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in FUNCTIONS
        ]
        module = importlib.import_module(module_name)
        for call in calls:
            place = f"{path.relative_to(PROJECT)}:{call.lineno}"
            assert isinstance(call.func, ast.Attribute)
            flags = next((word.value for word in call.keywords if word.arg == "flags"), None)
            if flags is None and call.func.attr == "compile" and len(call.args) > 1:
                flags = call.args[1]
            used = {call.func.attr}
            if id(call) in names and call.func.attr == "compile":
                used = _methods_of(names[id(call)], text)
            elif call.func.attr == "compile":
                used = RETURNED.get(str(path.relative_to(PROJECT)), {"search"})
            for pattern in _evaluated(call.args[0], module, place, missing):
                number = int(next(_evaluated(flags, module, place, missing))) if flags is not None else 0
                uses.append(PatternUse(pattern, number, place, used))
    assert not missing, f"LOCALS needs samples of names in patterns: {missing}"
    return uses


def _evaluated(node: ast.expr, module: Any, place: str, missing: list[str]) -> Iterator[Any]:
    namespace = {**LOCALS, **vars(module)}
    for names in ({}, {"name": b"VAR1"}, {"value": 3}):
        try:
            yield eval(compile(ast.Expression(node), place, "eval"), {**namespace, **names})
            return
        except (TypeError, AttributeError):
            continue
        except NameError as error:
            missing.append(f"{place}: {error.name}")
            return
    missing.append(place)
