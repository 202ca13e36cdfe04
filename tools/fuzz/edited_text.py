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

    def smallest_change(self, new: str) -> dict[str, Any]:
        """One content change that makes the text another one, as an editor's undo does."""
        start = _common(self.text, new)
        kept = _common(self.text[start:][::-1], new[start:][::-1])
        # No position stands between the characters of "\r\n".
        start -= self._is_in_line_end(start)
        kept -= self._is_in_line_end(len(self.text) - kept)
        range_ = {"start": self.position(start), "end": self.position(len(self.text) - kept)}
        return {"range": range_, "text": new[start : len(new) - kept]}

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
        offset -= self._is_in_line_end(offset)  # that is no place of the protocol's
        ends = [match.end() for match in _LINE_END.finditer(self.text, 0, offset)]
        start = ends[-1] if ends else 0
        character = sum(self._units(one) for one in self.text[start:offset])
        return {"line": len(ends), "character": character}

    def _is_in_line_end(self, offset: int) -> bool:
        return offset > 0 and self.text[offset - 1 : offset + 1] == "\r\n"

    def _units(self, character: str) -> int:
        return len(character.encode(self._codec, "surrogatepass")) // self._unit


def _common(one: str, other: str) -> int:
    """The number of characters with which both texts begin."""
    different = (index for index, pair in enumerate(zip(one, other, strict=False)) if len(set(pair)) > 1)
    return next(different, min(len(one), len(other)))
