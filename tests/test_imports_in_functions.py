"""Imports stand at the top of modules, but for a few with a reason, such as a slow package."""

from __future__ import annotations

from tests.imports import PROJECT, imports_of_file, product_files

MOST = 40


def _in_functions() -> list[tuple[str, list[str]]]:
    """Return the place, and the lines of text up to it, of each import statement in a function."""
    places = []
    for path in product_files():
        numbers = {one.line for one in imports_of_file(path) if one.in_function}
        lines = path.read_text(encoding="utf-8").splitlines() if numbers else []
        name = path.relative_to(PROJECT).as_posix()
        places += [(f"{name}:{number}", lines[:number]) for number in sorted(numbers)]
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
    assert [place for place, lines in _in_functions() if not _has_reason(lines)] == []
