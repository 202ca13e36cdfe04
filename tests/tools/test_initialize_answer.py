"""The answer to `initialize` that the tool keeps in a file is the one that the server itself would give."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Union, get_args, get_origin

import attrs
import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from nirls.server.lsp.initialize_answer import FILE, answer_to, variant
from tools import initialize_answer
from tools.initialize_answer import CLIENTS, answer_of_server

HOW_TO = "run: python -m tools.initialize_answer"


@cache
def all_true(kind: Any) -> Any:
    """Capabilities with everything that is yes or no at yes."""
    if kind is bool:
        return True
    if get_origin(kind) is Union or str(get_origin(kind)) == "<class 'types.UnionType'>":
        found = [all_true(one) for one in get_args(kind) if one is not type(None)]
        return next((one for one in found if one is not None), None)
    if isinstance(kind, type) and attrs.has(kind):
        values = {
            field.name: value
            for field in attrs.fields(attrs.resolve_types(kind, types.ALL_TYPES_MAP))
            if (value := all_true(field.type)) is not None
        }
        try:
            return kind(**values)
        except TypeError:  # something that is neither
            return None
    return None


ALL: dict[str, Any] = get_converter().unstructure(all_true(types.ClientCapabilities))
EDITORS: dict[str, dict[str, Any]] = {
    "one that can nothing": {},
    "one that can everything": ALL,
    "one that cannot refresh": {**ALL, "workspace": {}},
    "UTF-8": {"general": {"positionEncodings": ["utf-8", "utf-16"]}},
    "UTF-32 and unknown": {"general": {"positionEncodings": ["utf-7", "utf-32"]}},
    **{f"only {part}": {part: ALL[part]} for part in ALL},
    **{f"all but {part}": {name: value for name, value in ALL.items() if name != part} for part in ALL},
    **{f"variant {variant(client)}": client for client in CLIENTS},
}


@pytest.mark.parametrize("name", EDITORS)
async def test_the_answer_is_that_of_the_server(name: str) -> None:
    client = json.loads(json.dumps(EDITORS[name]))
    assert answer_to({"capabilities": client}) == await answer_of_server(client), HOW_TO


def test_the_capabilities_of_everything_are_many() -> None:
    assert ALL["textDocument"]["rename"]["prepareSupport"] is True
    assert ALL["workspace"]["diagnostics"]["refreshSupport"] is True


def test_the_file_that_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(initialize_answer, "FILE", tmp_path / "answer.json")
    assert initialize_answer.main() == 0
    assert (tmp_path / "answer.json").read_text() == FILE.read_text(), HOW_TO
