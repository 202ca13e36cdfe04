"""Estimation of the Mesa release that printed a dump."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from nirls.ir.model.shader import Dialect
from nirls.ir.tables.releases import RELEASES, releases_from
from nirls.ir.text.lowering.dialects import detect_dialect, is_before_derefs, is_without_bit_sizes

NEWEST: Final = RELEASES[-1]
RELEASES_OF_DIALECT: Final[Mapping[Dialect, frozenset[str]]] = MappingProxyType(
    {
        Dialect.MODERN: releases_from("23.3"),
        Dialect.CLASSIC: releases_from("22.0", "23.2"),
        Dialect.OLD: releases_from(RELEASES[0], "21.3"),
    }
)
"""The releases that print a dialect."""
_SINCE_26 = re.compile(rb"^max_subgroup_size:", re.MULTILINE)
_RELEASE_OF_DIALECT = {Dialect.CLASSIC: "22.3", Dialect.OLD: "20.3"}


def printing_release(text: bytes) -> str:
    """Return a phrase for the release of a dump: `Mesa 22.3, or a release near it`, `Mesa before 18.2`."""
    if is_without_bit_sizes(text):
        return "Mesa before 12.0"
    if is_before_derefs(text):
        return "Mesa before 18.2"
    if detect_dialect(text) is Dialect.OLD:
        return "Mesa before 22.0"
    return f"Mesa {estimated_release(text)}, or a release near it"


def estimated_release(text: bytes) -> str:
    """Return, for the text of a dump, the closest release of few, such as `26.2`, `25.0`, `22.3`, `20.3`.

    Since 26 the header has `max_subgroup_size`. Before, modern dumps are of 23.3 to 25, classic ones of
    22.0 to 23.2, old ones of earlier releases: without derefs up to 18.1, without bit sizes up to 11.2.
    """
    if is_without_bit_sizes(text):
        return "11.2"
    if is_before_derefs(text):
        return "18.1"
    dialect = detect_dialect(text)
    if dialect is not Dialect.MODERN:
        return _RELEASE_OF_DIALECT[dialect]
    return NEWEST if _SINCE_26.search(text) is not None else "25.0"
