"""The structure of a dump in its text, without a parse: header fields, functions, blocks, ifs and loops.

Logs have hundreds of dumps, and completion runs at every keystroke on incomplete lines: what they need of a
dump is told from the beginnings of its lines. Each pattern has its home here.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

DIRECTIVE: Final = re.compile(rb"//[ \t]*nirls:[ \t]*")
"""The beginning of a comment for nirls."""
EDGES: Final = re.compile(rb"[ \t]*+(?://|/\*)[ \t]*+(?:preds|succs):")
"""The beginning of a line that lists the edges of a block."""
DIVERGENCE: Final = re.compile(rb"\b(?:con|div) (?=\d|ssa_|block |loop )")
OPERATION: Final = re.compile(
    rb"(?:(?![ \t]*(?:decl_|error\b|block\b))[^()=\r\n]*+=[ \t]++)?[ \t]*+"  # destination
    rb"(?:intrinsic[ \t]++|\(\w++\)[ \t]*+)?"  # `intrinsic` of old dumps, the type of a texture operation
    rb"(?!block\b)(?P<word>@?[A-Za-z_][\w.]*)(?![\w.]*:)"
)
"""The line of an instruction up to the `word` that names its operation."""
IO_VARIABLE: Final = re.compile(rb"deref_var[ \t]++&(\S++)[ \t]++\((shader_in|shader_out)\b")
"""The name and the mode of an input or output that a deref takes."""
BLOCK_LABEL: Final = rb"block[ \t]++(?:b|block_)\d{1,9}:"
"""Pattern of the first words of a block."""
SHADER_LINE: Final = re.compile(rb"shader:(?<=^shader:)[ \t]*[A-Z_0-9]+[ \t]*\r?$", re.MULTILINE)
"""The first line of a dump. A pattern that starts with a literal is several times as fast as one with `^`."""
_BODY = re.compile(rb"^(?:impl|decl_function|decl_overload)\b", re.MULTILINE)
_BODY_OF_EXCERPT = re.compile(rb"^(?:[ \t]|block )", re.MULTILINE)
_NO_INSTRUCTION = re.compile(rb"(?:block |if |\}|loop ?\{|impl\b|preamble\b|error:|[a-z_0-9 ]+:|\Z)")
_INTRINSICS = (re.compile(rb"@(\w++)"), re.compile(rb"intrinsic[ \t]++(\w++)"))
_FIELD = re.compile(rb"^([a-z]\w*):[ \t]*+([^\r\n]*)", re.MULTILINE)
_END_OF_HEADER = re.compile(rb"^(?:decl_|impl\b|struct |block |[ \t]++\S)", re.MULTILINE)

_DIVERGENCE: Final = rb"(?:con[ \t]++|div[ \t]++)?"
_STRUCTURE: Final = rb"""%bblock[ \t]++(?P<block>(?:b|block_)\d++):
    | (?P<middle>\}[ \t]*+(?P<middle_word>else|continue)\b)
    | (?P<close>\})
    | (?P<if>if\b[^\n]*\{)
    | (?P<loop>%bloop\b[^\n]*\{)""" % (_DIVERGENCE, _DIVERGENCE)
LINE_WITH_BLOCKS: Final = re.compile(
    rb"""^[ \t]*+(?:
      (?:(?:con|div)[ \t]+)?block[ \t]+(?P<label>b\d+|block_\d+):(?P<gap>[ ]*)(?P<rest>[^\r\n]*)
    | (?://|/\*)[ \t]*(?:preds|succs):(?P<edges>[^\r\n]*)
    | goto[ \t](?P<goto>[^\r\n]*)
    | [^\r\n=]*+=[ \t]*+phi\b(?P<phi>[^\r\n]*)
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""Lines that name blocks, and where: as a label, in lists of edges, in a jump or in a phi."""
STRUCTURE_LINE: Final = re.compile(
    rb"""^[ \t]*+(?=[bcdil}])(?:
    %b
    | impl[ \t]++(?P<impl>[^\s{]*+(?:[ \t]++[^\s{]++)*+)[ \t]*+\{
    )[^\n]*"""
    % _STRUCTURE,
    re.MULTILINE | re.VERBOSE,
)
"""Lines of functions, blocks, ifs and loops; a function has the group `impl`, its name."""
SCOPE_LINE: Final = re.compile(
    rb"""^[ \t]*+(?:
    (?:con[ ]|div[ ])?[ \t]*+(?P<bits>\d++)(?:x(?P<width>\d++))?[ \t]++
      %%(?P<number>\d++)(?P<label>(?:\.[^\s=.]++)*+)[ \t]*+=[ \t]*+
    | vec(?P<older_width>\d++)[ \t]++(?:(?P<older_bits>\d++)[ \t]++)?%b
      ssa_(?P<older_number>\d++)(?P<older_label>(?:\.[^\s=.]++)*+)[ \t]*+=[ \t]*+
    | %b
    | (?P<jump>break|continue|return|halt)\b
    )"""
    % (_DIVERGENCE, _STRUCTURE),
    re.MULTILINE | re.VERBOSE,
)
"""Lines of a function that decide which values are in scope below them: definitions, and the structure."""


class DumpLineKind(Enum):
    """What a line of a function is."""

    INSTRUCTION = "instruction"
    BLOCK = "block"
    IMPL = "impl"
    DECLARATION = "declaration"
    OTHER = "other"
    """An if, a loop, a brace, an error, or nothing."""


def line_kind(line: bytes) -> DumpLineKind:
    """Return what a line without divergence, indentation and comments is."""
    if line.startswith(b"decl_"):
        return DumpLineKind.DECLARATION
    if _NO_INSTRUCTION.match(line) is None:
        return DumpLineKind.INSTRUCTION
    if line.startswith(b"block "):
        return DumpLineKind.BLOCK
    return DumpLineKind.IMPL if line.startswith(b"impl ") else DumpLineKind.OTHER


def header_end(text: bytes) -> int:
    """Return where the header of a dump ends: at the first declaration or code."""
    match = _END_OF_HEADER.search(text)
    return len(text) if match is None else match.start()


def header_fields(text: bytes) -> dict[str, str]:
    """Return the fields of a dump's header by key; of a repeated one, the last."""
    return {
        match[1].decode(): match[2].decode("utf-8", "replace").strip()
        for match in _FIELD.finditer(text, 0, header_end(text))
    }


def shader_line(text: bytes) -> tuple[int, int] | None:
    """Return the bytes [start, end) of the `shader:` line of a dump; None without one."""
    match = SHADER_LINE.search(text)
    return None if match is None else match.span()


def body_start(text: bytes) -> int:
    """Return where the functions of a dump start: behind the header and the global variables.

    An excerpt may begin within a function, at its first block or indented line.
    """
    match = _BODY.search(text) or _BODY_OF_EXCERPT.search(text)
    return len(text) if match is None else match.start()


def intrinsic_names(text: bytes) -> frozenset[bytes]:
    """Return the names of all intrinsics that a dump prints."""
    return frozenset(name for pattern in _INTRINSICS for name in pattern.findall(text))
