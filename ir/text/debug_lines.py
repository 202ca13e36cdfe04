"""Comment lines above instructions, among them those of debug information.

With debug information Mesa prints the place of an instruction in the SPIR-V, `// 0x3658`, on a line above it.
"""

from __future__ import annotations

import re

_SPIRV_OFFSET = re.compile(r"// (0x[0-9a-f]{1,16})")
_OF_MESA = ("// preds:", "// succs:")


def comments_above(source: bytes, start: int) -> list[str]:
    """Return the comment lines directly above the line at `start`, without indentation, in order."""
    found: list[str] = []
    end = source.rfind(b"\n", 0, start)
    while end >= 0:
        line_start = source.rfind(b"\n", 0, end) + 1
        line = source[line_start:end].strip()
        if not line.startswith(b"//") or line.startswith(b"// nirls:"):
            break
        text = line.decode("utf-8", "replace")
        if text.startswith(_OF_MESA):
            break
        found.append(text)
        end = line_start - 1
    return found[::-1]


def spirv_offset(comment: str) -> int | None:
    """Return the offset in a comment line of debug information; None for another comment."""
    match = _SPIRV_OFFSET.fullmatch(comment)
    return None if match is None else int(match[1], 16)
