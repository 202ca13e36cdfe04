"""The answer to `initialize`, given before the language server is imported.

pygls makes it from the features that are registered. That takes the import of all of them and of the
protocol's classes, over half a second, while an editor waits; so it is kept in a file, which
`python -m tools.initialize_answer` makes. The server itself compares its own answer with the one given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from nirls.server.lsp.plain_json import value_at

FILE: Final = Path(__file__).with_name("initialize_answer.json")

_ENCODINGS: Final = ("utf-8", "utf-16", "utf-32")


def answer_to(params: object) -> dict[str, Any] | None:
    """The result of an `initialize` request; None for parameters that are better looked at closely."""
    capabilities = params.get("capabilities") if isinstance(params, dict) else None
    if not isinstance(capabilities, dict):
        return None
    try:
        answer = json.loads(FILE.read_bytes())[variant(capabilities)]
        answer["capabilities"]["positionEncoding"] = _encoding(capabilities)
        _say_what_was_asked(answer["capabilities"]["textDocumentSync"], capabilities)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return dict(answer)


def variant(capabilities: dict[str, Any]) -> str:
    """What an answer depends on, but for the encoding: a name of one of the answers in the file."""
    pulls = (
        value_at(capabilities, "textDocument", "diagnostic") is not None
        and value_at(capabilities, "workspace", "diagnostics", "refreshSupport") is True
    )
    prepares = value_at(capabilities, "textDocument", "rename", "prepareSupport") is True
    names = [name for name, holds in (("pull", pulls), ("prepare", prepares)) if holds]
    return "+".join(names) or "plain"


def _say_what_was_asked(sync: dict[str, Any], capabilities: dict[str, Any]) -> None:
    """Of what comes before saving, pygls speaks only to those who speak of it."""
    for name in ("willSave", "willSaveWaitUntil"):
        asked = value_at(capabilities, "textDocument", "synchronization", name)
        if asked is None:
            del sync[name]
        else:
            sync[name] = bool(asked and sync[name])


def _encoding(capabilities: dict[str, Any]) -> str:
    wanted = value_at(capabilities, "general", "positionEncodings") or ()
    return next((name for name in wanted if name in _ENCODINGS), "utf-16")
