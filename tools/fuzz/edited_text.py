"""The text of a document as the protocol says it is after edits, worked out the slow and simple way."""

from __future__ import annotations

import re
from typing import Any

_LINE_END = re.compile(r"\r\n|\r|\n")
_BYTES_OF_UNIT = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class EditedText:
    """A text under the edits of `textDocument/didChange`, with positions in one of LSP's encodings.

    A character beyond the end of its line means that end, a line beyond the last one the end of the text.
    """

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._codec, self._unit = _BYTES_OF_UNIT[encoding]

    def change(self, changes: list[dict[str, Any]]) -> None:
        """Make the content changes of a notification, one after the other."""
        for change in changes:
            if "range" not in change:
                self.text = change["text"]
                continue
            start = self.offset(change["range"]["start"])
            end = max(start, self.offset(change["range"]["end"]))
            self.text = self.text[:start] + change["text"] + self.text[end:]

    def offset(self, position: dict[str, int]) -> int:
        """The character of the text that a position stands before."""
        starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        if position["line"] >= len(starts):
            return len(self.text)
        start = starts[position["line"]]
        end = _LINE_END.search(self.text, start)
        line = self.text[start : len(self.text) if end is None else end.start()]
        left = position["character"]
        for index, character in enumerate(line):
            if left <= 0:
                return start + index
            left -= self._units(character)
        return start + len(line)

    def position(self, offset: int) -> dict[str, int]:
        """The position before a character of the text."""
        if offset and self.text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1  # between the two is no place of the protocol's
        ends = [match.end() for match in _LINE_END.finditer(self.text, 0, offset)]
        start = ends[-1] if ends else 0
        character = sum(self._units(one) for one in self.text[start:offset])
        return {"line": len(ends), "character": character}

    def _units(self, character: str) -> int:
        return len(character.encode(self._codec, "surrogatepass")) // self._unit
