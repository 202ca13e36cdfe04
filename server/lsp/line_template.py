"""JSON text about dumps whose line numbers are filled in last: a dump moves with each line typed above it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nirls.server.engine.positions import Encoding, LineIndex

# No text of a dump can hold this: it is another in each process.
_SECRET: Final = os.urandom(8).hex()
_MARK: Final = re.compile(rf'"{_SECRET}:(\d+):(\d+)"')

encoded: Final = json.JSONEncoder(separators=(",", ":")).encode
"""A plain value as JSON text, as short as can be."""


def line_mark(dump: int, line: int) -> str:
    """What stands in plain JSON for a line of the dump with that index, counted from its first."""
    return f"{_SECRET}:{dump}:{line}"


def open_range(lines: LineIndex, start: int, end: int, encoding: Encoding, dump: int = 0) -> dict[str, Any]:
    """Bytes of a dump as LSP's range in plain JSON, its lines left open."""
    first, last = lines.position(start, encoding), lines.position(end, encoding)
    return {
        "start": {"line": line_mark(dump, first.line), "character": first.character},
        "end": {"line": line_mark(dump, last.line), "character": last.character},
    }


@dataclass(frozen=True, slots=True)
class LineTemplate:
    """JSON text in parts; between two parts goes a line: that of `lines` after the first line of its dump."""

    parts: tuple[str, ...]
    dumps: tuple[int, ...]
    lines: tuple[int, ...]

    @classmethod
    def of(cls, values: Sequence[object]) -> LineTemplate:
        """The template of JSON values, separated by commas, in which lines are marks."""
        return cls.of_texts(map(encoded, values))

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> LineTemplate:
        """The same of values that are `encoded`."""
        found = _MARK.split(",".join(texts))
        return cls(tuple(found[::3]), tuple(map(int, found[1::3])), tuple(map(int, found[2::3])))

    def filled(self, first_lines: Sequence[int]) -> str:
        """The text, with the dumps' first lines by their index."""
        pieces = [""] * (2 * len(self.lines) + 1)
        pieces[::2] = self.parts
        pieces[1::2] = [
            str(first_lines[dump] + line) for dump, line in zip(self.dumps, self.lines, strict=True)
        ]
        return "".join(pieces)
