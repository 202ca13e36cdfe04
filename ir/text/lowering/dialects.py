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
_BEFORE_DEREFS = re.compile(
    rb"intrinsic \w++ \([^()]*+\) \([^()]*+\) \(|^decl_(?:overload|function) [^\n]{0,400}? returning ",
    re.MULTILINE,
)
_WITHOUT_BIT_SIZES = re.compile(rb"^[ \t]*+vec\d+ ssa_\d+ = |^decl_overload ", re.MULTILINE)


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
