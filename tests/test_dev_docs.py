"""The files and names that the pages for developers mention exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PAGES = sorted((PROJECT / "docs" / "dev").glob("*.md"))
PLACE = re.compile(r"`((?:api|ir|verification|passes|server|tests|tools)/[\w/.]*)(?::(\w+))?`")


def missing_places(text: str) -> list[str]:
    """Return the files, folders and top-level names in backquotes that do not exist."""
    missing = []
    for path, name in PLACE.findall(text):
        file = PROJECT / path
        if not file.exists():
            missing.append(path)
        elif name:
            defined = {getattr(node, "name", "") for node in ast.parse(file.read_text()).body}
            if name not in defined:
                missing.append(f"{path}:{name}")
    return missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_places_exist(page: Path) -> None:
    assert missing_places(page.read_text(encoding="utf-8")) == []


def test_a_missing_place_is_found() -> None:
    text = "`ir/finding.py`, `ir/finding.py:FixRequest`, `ir/finding.py:Nothing`, `ir/nothing.py`, `ir/text`"
    assert missing_places(text) == ["ir/finding.py:Nothing", "ir/nothing.py"]
