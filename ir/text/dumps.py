"""Splitting of a document into dumps and other text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nirls.ir.text.structure import DIRECTIVE, SHADER_LINE

# These search whole logs. Patterns that start with a literal are several times as fast as ones with `^`.
_CLOSING_LINE = re.compile(rb"\n\}[ \t]*\r?(?:(?=\n)|\Z)")
"""A line without indentation that closes a body; an `else` closes one and opens one."""
_OPENING_LINES = (
    re.compile(rb"\nif\b[^\n{]*\{"),
    re.compile(rb"\nloop\b[^\n{]*\{"),
)
_FUNCTION_BODY = re.compile(rb"\nimpl\b")  # struct declarations above it have braces too
_ANOTHER_FUNCTION = re.compile(rb"(?:[ \t]*\r?\n)*(?=(?:impl|decl_function|decl_var|decl_reg)\b)")
_LINE_OF_A_DUMP = re.compile(
    rb"[ \t]*\r?$|[ \t]|//|/\*|error:|shader:|impl\b|decl_\w+|[a-z][a-z_0-9 ]*:(?:[ \t]|\r?$)|\}"
    rb"|\d{1,9} additional errors:|\.\.\.|\[\.\.\.|\(snip"
)
_BLANK_LINES = re.compile(rb"(?:[ \t]*+\r?\n)*+")
ADDITIONAL_ERRORS = re.compile(
    rb"(?<![0-9])\d{1,9} additional errors:[ \t]*\r?\n"
    rb"((?:(?:[ \t]*+error:[^\n]*|[ \t]*+\r?)(?:\n|\Z))*+)"
)
"""What Mesa's validator prints behind a dump: the errors that belong to no line."""


@dataclass(frozen=True, slots=True)
class DumpSlice:
    """The bytes [start, end) of one dump in a document.

    It starts at the `shader:` line, or at the `// nirls: ...` lines directly above it, and ends behind
    the newline of the closing brace of the last function.
    """

    start: int
    end: int


def split_dumps(data: bytes) -> list[DumpSlice]:
    """Find the dumps of a document, in order.

    A truncated dump, without the closing brace, ends at the first line that no dump contains.
    """
    starts = [match.start() for match in SHADER_LINE.finditer(data)]
    heads = [_with_directives(data, position) for position in starts]
    limits = [*heads[1:], len(data)]
    return [
        DumpSlice(head, _end_of_dump(data, position, limit))
        for head, position, limit in zip(heads, starts, limits, strict=False)
    ]


def _with_directives(data: bytes, position: int) -> int:
    """Return the start of the `// nirls:` lines directly above `position`, else `position`."""
    line_start = position
    while line_start > 0:
        above = data.rfind(b"\n", 0, line_start - 1) + 1
        if not DIRECTIVE.match(data, above, line_start):
            break
        line_start = above
    return line_start


def _end_of_dump(data: bytes, position: int, limit: int) -> int:
    end = _end_of_functions(data, position, limit)
    blank = _BLANK_LINES.match(data, end, limit)
    more = ADDITIONAL_ERRORS.match(data, end if blank is None else blank.end(), limit)
    return end if more is None else more.end()


def _end_of_functions(data: bytes, position: int, limit: int) -> int:
    body = _FUNCTION_BODY.search(data, position, limit)
    if body is None:
        return _end_of_cut_dump(data, position, limit)
    end = _end_of_body(data, body.end(), limit)
    if end is None:
        return _end_of_cut_dump(data, position, limit)
    while (following := _ANOTHER_FUNCTION.match(data, end, limit)) is not None:
        next_end = _end_of_body(data, following.end(), limit)
        if next_end is None:
            return _end_of_cut_dump(data, following.end(), limit)
        end = next_end
    return end


def _end_of_body(data: bytes, position: int, limit: int) -> int | None:
    """Return the end of the line with the closing brace of a function; None if it has none.

    Braces of ifs and loops are usually indented; they are counted for dumps that have lost their indentation.
    """
    depth = 0
    while (brace := _CLOSING_LINE.search(data, position, limit)) is not None:
        depth += sum(len(line.findall(data, position, brace.start() + 1)) for line in _OPENING_LINES)
        if depth == 0:
            return min(brace.end() + 1, limit)  # behind the newline, if there is one
        depth -= 1
        position = brace.end()
    return None


def _end_of_cut_dump(data: bytes, position: int, limit: int) -> int:
    end = line_start = position
    while line_start < limit:
        newline = data.find(b"\n", line_start, limit)
        line_end = limit if newline < 0 else newline + 1
        line = data[line_start : min(line_end, line_start + 200)]
        if not _LINE_OF_A_DUMP.match(line.rstrip(b"\n")):
            break
        if line.strip():
            end = line_end
        line_start = line_end
    return end
