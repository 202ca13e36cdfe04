"""Excerpts of dumps, as in merge requests: functions, blocks or instructions without a header.

They are looked for in texts without any `shader:` line, so that no log of a driver changes by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from nirls.ir.text.structure import BLOCK_LABEL

_VALUE = rb"(?:%|ssa_)\d{1,9}"
_DEFINITION = (
    rb"(?:(?:con|div) )?(?:\d{1,2}(?:x\d{1,2})?|vec\d{1,2}(?: {1,2}\d{1,2})?) {1,16}(?:(?:con|div) )?"
    + _VALUE
    + rb"(?:\.[^ =\n]{1,200})? = [@a-z(%]"
)
CODE: Final = rb"(?:%b|(?:(?:con|div) )?%b|@[a-z]\w{1,60} \(%b|intrinsic [a-z]\w{1,60} \()" % (
    _DEFINITION,
    BLOCK_LABEL,
    _VALUE,
)
"""Pattern of an instruction or a block: what no log line looks like."""
_FUNCTION = rb"(?:impl [^\n{]{1,200}\{|decl_(?:var|reg|function|overload) )"
START: Final = re.compile(rb"^[ \t]*+(?:%b|%b)" % (CODE, _FUNCTION), re.MULTILINE)
_LINE = re.compile(
    rb"[ \t]*+(?:%b|%b|//|/\*|\}|preamble |(?:(?:con|div) )?(?:if|loop)\b[^\n]{0,400}\{|error:"
    rb"|(?:break|continue|return|halt)\b|goto |call |r\d{1,9}(?:\.[xyzw]{1,4})? = "
    rb"|\W{0,3}(?:\.\.\.|\xe2\x80\xa6|\[?snip))" % (CODE, _FUNCTION)
)
_BLANK = re.compile(rb"[ \t]*\r?\Z")


def excerpts(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the bytes [start, end) of each excerpt in a text without dumps, whole lines, in order."""
    position = 0
    while (start := START.search(data, position)) is not None:
        position = _end_of(data, start.start())
        yield start.start(), position


def _end_of(data: bytes, start: int) -> int:
    """Return the end of the excerpt that begins at a line.

    Within braces, indented lines belong to it, whatever they are; a blank line ends loose instructions. A
    second function of the same name begins another excerpt, and so do variables below a function.
    """
    end = position = start
    depth, has_code = 0, False
    functions: set[bytes] = set()
    while position < len(data):
        newline = data.find(b"\n", position)
        line_end = len(data) if newline < 0 else newline + 1
        line = data[position : min(line_end, position + 500)].rstrip(b"\n")
        if _BLANK.match(line):
            if has_code and depth == 0:
                break
        elif not (_LINE.match(line) or (depth > 0 and line[:1] in (b" ", b"\t"))):
            break
        else:
            content = line.lstrip(b" \t")
            name = content[5:].partition(b" ")[0] if content.startswith(b"impl ") else b""
            if name in functions or (functions and depth == 0 and content.startswith(b"decl_var ")):
                break
            functions |= {name} - {b""}
            end = line_end
            depth -= content.startswith(b"}")
            depth += content.partition(b"//")[0].rstrip().endswith(b"{")
            has_code = has_code or not content.startswith(b"decl_")
            if depth < 0:
                break
        position = line_end
    return end
