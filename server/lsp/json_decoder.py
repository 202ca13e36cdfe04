"""A JSON decoder that lets other threads run while it decodes long strings.

`json` decodes a string in one call, during which no other thread of Python runs: 0.1 s for the text of a
large log.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json import scanner
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

_PART: Final = 1 << 18
"""Characters that are decoded at once: less than a millisecond."""


class JsonDecoder(json.JSONDecoder):
    """Decodes like `json.loads`; `object_hook` returns what each object becomes."""

    def __init__(self, object_hook: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__(object_hook=object_hook)
        self.parse_string = _string
        # The one in C decodes strings itself.
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def _string(text: str, start: int, strict: bool = True) -> tuple[str, int]:
    """Decode the string whose first character is at `start`; return it and the end of its literal."""
    parts: list[str] = []
    while _find(text, '"', start, start + _PART) < 0:
        # Before an escaped newline, no escape or pair of surrogates is divided.
        end = _find(text, "\\n", start + _PART, len(text))
        if end < 0:
            break
        part, stop = scanstring(text[start:end] + '"', 0, strict)
        parts.append(part)
        if stop <= end - start:
            return "".join(parts), start + stop
        start = end
    part, stop = scanstring(text, start, strict)
    return "".join((*parts, part)), stop


def _find(text: str, mark: str, start: int, end: int) -> int:
    """Find a mark that no backslash escapes; -1 if there is none."""
    while (place := text.find(mark, start, end)) >= 0:
        escapes = place
        while escapes > 0 and text[escapes - 1] == "\\":
            escapes -= 1
        if (place - escapes) % 2 == 0:
            return place
        start = place + 1
    return -1
