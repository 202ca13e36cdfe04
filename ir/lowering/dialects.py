"""Which era of Mesa's printer wrote a dump."""

from __future__ import annotations

import re

from nirls.ir.shader import Dialect

_MODERN = re.compile(rb"^[ \t]*(?:(?:con|div) )?(?:block b\d+:|[0-9x]+ +%\d+ = |@\w+)", re.MULTILINE)
# Old printers put a constant's float value, and the names of positional indices, into comments.
_OLD = re.compile(
    rb"load_const \(0x[0-9a-fA-F]+ /\*|= intrinsic \w+ \([^)]*\) \(-?\d|intrinsic \w+ \([^)]*\) \(-?\d|"
    rb"^[ \t]*g?r\d+(?:\.[xyzw]+)? = |^\s*decl_reg vec",
    re.MULTILINE,
)


def detect_dialect(text: bytes) -> Dialect:
    """The dialect of a dump, from the first lines that only one era prints; modern where none says."""
    modern = _MODERN.search(text)
    if modern is not None and b"%" in text:
        return Dialect.MODERN
    if b"ssa_" not in text and b"block_" not in text and b"decl_reg" not in text:
        return Dialect.MODERN
    return Dialect.OLD if _OLD.search(text) is not None else Dialect.CLASSIC
