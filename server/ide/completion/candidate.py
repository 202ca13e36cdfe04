"""A completion candidate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nirls.server.ide.scope import Value


class Kind(StrEnum):
    """The kind of a candidate, shown as an icon by editors."""

    OPCODE = "opcode"
    INTRINSIC = "intrinsic"
    KEYWORD = "keyword"
    VALUE = "value"
    REGISTER = "register"
    BLOCK = "block"
    VARIABLE = "variable"
    FUNCTION = "function"
    SLOT = "slot"
    INDEX = "index"
    WORD = "word"
    FIELD = "field"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate. `text` is the inserted text, `snippet` the same with placeholders.

    Lower ranks come first. `about` is the key for `documentation`; `value` is the named value, if any.
    """

    label: str
    kind: Kind
    detail: str = ""
    text: str = ""
    snippet: str = ""
    rank: int = 0
    about: tuple[str, str] | None = None
    value: Value | None = None

    @property
    def typed(self) -> str:
        """The inserted text without placeholders."""
        return self.text or self.label
