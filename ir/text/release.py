"""Estimation of the Mesa release that printed a dump."""

from __future__ import annotations

import re
from typing import Final

from nirls.ir.model.shader import Dialect
from nirls.ir.text.lowering.dialects import detect_dialect

NEWEST: Final = "26.2"
_SINCE_26 = re.compile(rb"^max_subgroup_size:", re.MULTILINE)
_RELEASE_OF_DIALECT = {Dialect.CLASSIC: "22.3", Dialect.OLD: "2020"}


def estimated_release(text: bytes) -> str:
    """Return, for the text of a dump, the closest known release or era: `26.2`, `25.0`, `22.3`, `2020`.

    Since 26 the header has `max_subgroup_size`. Before, modern dumps are of 23.3 to 25, classic ones of 2021
    to 2023, old ones of earlier years.
    """
    dialect = detect_dialect(text)
    if dialect is not Dialect.MODERN:
        return _RELEASE_OF_DIALECT[dialect]
    return NEWEST if _SINCE_26.search(text) is not None else "25.0"
