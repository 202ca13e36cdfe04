"""One thing that may be typed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from nirls.server.ide.scope import Value


class Kind(Enum):
    """What a candidate is, for the picture that editors show with it."""

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
    """A word that fits. `text` is what gets typed, `snippet` the same with holes for editors that fill them.

    Lower ranks come first. `about` says what `documentation` can be asked for; `value` is the value it names.
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
        """What gets typed, without holes."""
        return self.text or self.label
