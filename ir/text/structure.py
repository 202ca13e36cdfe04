"""The structure of a dump in its text, without a parse: header fields, functions, blocks, ifs and loops.

Logs have hundreds of dumps, and completion runs at every keystroke on incomplete lines: what they need of a
dump is told from the beginnings of its lines. Each pattern has its home here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_FIELD = re.compile(rb"^([a-z]\w*):[ \t]*+([^\r\n]*)", re.MULTILINE)
_END_OF_HEADER = re.compile(rb"^(?:decl_|impl\b|struct |block |[ \t]++\S)", re.MULTILINE)
_SHADER_LINE = re.compile(rb"shader:(?<=^shader:)[^\n]*", re.MULTILINE)

_DIVERGENCE: Final = rb"(?:con[ \t]++|div[ \t]++)?"
_STRUCTURE: Final = rb"""%bblock[ \t]++(?P<block>b\d++|block_\d++):
    | (?P<middle>\}[ \t]*+(?P<middle_word>else|continue)\b)
    | (?P<close>\})
    | (?P<if>if\b[^\n]*\{)
    | (?P<loop>%bloop\b[^\n]*\{)""" % (_DIVERGENCE, _DIVERGENCE)
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


def header_end(text: bytes) -> int:
    """Return where the header of a dump ends: at the first declaration or code."""
    match = _END_OF_HEADER.search(text)
    return len(text) if match is None else match.start()


def header_fields(text: bytes) -> dict[str, str]:
    """Return the fields of a dump's header by key; of a repeated one, the last."""
    return dict(_fields(text))


def _fields(text: bytes) -> Iterator[tuple[str, str]]:
    for match in _FIELD.finditer(text, 0, header_end(text)):
        yield match[1].decode(), match[2].decode("utf-8", "replace").strip()


def shader_line(text: bytes) -> tuple[int, int] | None:
    """Return the bytes [start, end) of the `shader:` line of a dump; None without one."""
    match = _SHADER_LINE.search(text)
    return None if match is None else match.span()
