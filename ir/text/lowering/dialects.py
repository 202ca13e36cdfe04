"""Detection of a dump's dialect."""

from __future__ import annotations

import re

from nirls.ir.model.shader import Dialect

_MODERN = re.compile(rb"^[ \t]*(?:(?:con|div) )?(?:block b\d+:|[0-9x]+ +(?:%|ssa_)\d+ = |@\w+)", re.MULTILINE)
# Classic printers name the indices of intrinsics and put an equals sign before a constant's float value;
# old ones print bare numbers with the names in comments, and the float value in a comment.
_CLASSIC = re.compile(rb"load_const \([^()/=]*+= |intrinsic \w++ \([^()]*+\) \(\w++ ?[=(]")
_OLD = re.compile(
    rb"load_const \(0x[0-9a-fA-F]+ /\*|intrinsic \w++ \([^()]*+\) \(-?\d|^[ \t]*decl_reg vec", re.MULTILINE
)


def detect_dialect(text: bytes) -> Dialect:
    """Detect the dialect of a dump from lines that only one era prints; modern by default."""
    # With debug info, modern printers write `ssa_3` for `%3`.
    if (b"%" in text or b"block b0:" in text) and _MODERN.search(text) is not None:
        return Dialect.MODERN
    if b"ssa_" not in text and b"block_" not in text and b"decl_reg" not in text:
        return Dialect.MODERN
    if _CLASSIC.search(text) is not None:
        return Dialect.CLASSIC
    return Dialect.OLD if _OLD.search(text) is not None else Dialect.CLASSIC
