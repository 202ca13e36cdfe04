"""Which Mesa printed a dump: its dialect, and an estimate of the release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from nirls.ir.model.shader import Dialect
from nirls.ir.tables import Intrinsic, intrinsic
from nirls.ir.tables.releases import RELEASES, releases_from

NEWEST: Final = RELEASES[-1]
RELEASES_OF_DIALECT: Final[Mapping[Dialect, frozenset[str]]] = MappingProxyType(
    {
        Dialect.MODERN: releases_from("23.3"),
        Dialect.CLASSIC: releases_from("22.0", "23.2"),
        Dialect.OLD: releases_from(RELEASES[0], "21.3"),
    }
)
"""The releases that print a dialect."""
_MODERN = re.compile(rb"^[ \t]*(?:(?:con|div) )?(?:block b\d+:|[0-9x]+ +(?:%|ssa_)\d+ = |@\w+)", re.MULTILINE)
# Classic printers name the indices of intrinsics and put an equals sign before a constant's float value;
# old ones print bare numbers with the names in comments, and the float value in a comment.
_CLASSIC = re.compile(rb"load_const \([^()/=]*+= |intrinsic \w++ \([^()]*+\) \(\w++ ?[=(]")
_OLD = re.compile(
    rb"load_const \(0x[0-9a-fA-F]+ /\*|intrinsic \w++ \([^()]*+\) \(-?\d|^[ \t]*decl_reg vec", re.MULTILINE
)
_BEFORE_DEREFS = re.compile(
    rb"intrinsic \w++ \([^()]*+\) \([^()]*+\) \(|^decl_(?:overload|function) [^\n]{0,400}? returning ",
    re.MULTILINE,
)
_WITHOUT_BIT_SIZES = re.compile(rb"^[ \t]*+vec\d+ ssa_\d+ = |^decl_overload ", re.MULTILINE)
_SINCE_26 = re.compile(rb"^max_subgroup_size:", re.MULTILINE)
_RELEASE_OF_DIALECT = {Dialect.CLASSIC: "22.3", Dialect.OLD: "20.3"}


def detect_dialect(text: bytes) -> Dialect:
    """Detect the dialect of a dump from lines that only one era prints; modern by default."""
    # With debug info, modern printers write `ssa_3` for `%3`.
    if (b"%" in text or b"block b0:" in text) and _MODERN.search(text) is not None:
        return Dialect.MODERN
    if b"ssa_" not in text and b"block_" not in text and b"decl_reg" not in text:
        return Dialect.MODERN
    if _CLASSIC.search(text) is not None:
        return Dialect.CLASSIC
    return Dialect.OLD if _OLD.search(text) or is_before_derefs(text) else Dialect.CLASSIC


def is_before_derefs(text: bytes) -> bool:
    """Return whether a dump is of a Mesa before 18.2, whose intrinsics name variables themselves."""
    return _BEFORE_DEREFS.search(text) is not None


def is_without_bit_sizes(text: bytes) -> bool:
    """Return whether a dump is of a Mesa before 12.0, which printed `vec1 ssa_0` without a bit size."""
    return _WITHOUT_BIT_SIZES.search(text) is not None


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


def intrinsic_of(name: str, dialect: Dialect) -> Intrinsic | None:
    """Return an intrinsic as defined in the dialect's releases, else its newest definition."""
    entry = intrinsic(name)
    if entry is None:
        return None
    forms = entry.forms()
    return next((form for form in forms if not RELEASES_OF_DIALECT[dialect].isdisjoint(form.releases)), entry)
