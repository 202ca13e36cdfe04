"""Semantic tokens of a dump, from its syntax tree."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from nirls.server.engine.documents.positions import Encoding, LineIndex, Position

if TYPE_CHECKING:
    from tree_sitter import Tree, TreeCursor

TYPES = (
    "comment",
    "keyword",
    "variable",
    "parameter",
    "function",
    "method",
    "type",
    "enumMember",
    "property",
    "number",
    "string",
    "label",
    "modifier",
    "operator",
    "decorator",
)
"""Token types in the order of the legend."""

MODIFIERS = ("definition",)
"""Token modifiers in the order of the legend."""

LONGEST_LINE = 20_000
"""Longest line in bytes with semantic tokens, the limit of editors."""

_DEFINITION = 1
_LONGEST_VALUE = 500

# Node types of the tree by their token type. Other nodes have no token.
_LEAVES = {
    "comment": ("comment",),
    "decorator": ("annotation",),
    "property": ("header_key", "field_name", "index_name", "xfb_name", "tex_kind", "swizzle"),
    "string": ("header_value",),
    "type": ("value_type", "type_name", "alu_type"),
    "modifier": ("divergence", "qualifier", "access_qualifier", "precision", "compact", "io_flag"),
    "enumMember": ("interpolation_mode", "image_format", "location", "index_value"),
    "keyword": ("variable_mode", "jump_kind"),
    "variable": ("variable_name", "ssa_ref"),
    "parameter": ("register_ref",),
    "function": ("function_name", "opcode"),
    "method": ("intrinsic_name",),
    "label": ("block_label", "block_ref"),
    "number": ("constant", "inline_constant", "number"),
    "operator": ("modifier",),
}
_KIND = {leaf: TYPES.index(kind) for kind, leaves in _LEAVES.items() for leaf in leaves}
_KEYWORD = TYPES.index("keyword")
_HEADER_VALUE = "header_value"
_NUMBERS = re.compile(rb"[{(]?\s*-?\d[0-9a-fA-FxX\s,.:;'{}()-]*\Z")
_WORD = rb"(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|true|false|none)"
_ENUMERATORS = re.compile(rb"%s(?:[\s,|]+%s)*\Z" % (_WORD, _WORD))
_KEYWORDS = frozenset(
    {
        "decl_var",
        "decl_reg",
        "decl_function",
        "impl",
        "block",
        "if",
        "else",
        "loop",
        "load_const",
        "undefined",
        "undef",
        "phi",
        "io",
        "preamble",
        "struct",
        "intrinsic",
    }
)

# Defining occurrences of names: type of the parent node, and field of the name in it.
_DEFINING = {
    ("ssa_def", "name"),
    ("register_def", "name"),
    ("register_declaration", "name"),
    ("variable_declaration", "name"),
    ("function_impl", "name"),
    ("block", "label"),
}
_NAMES = frozenset(("ssa_ref", "register_ref", "variable_name", "function_name", "block_label"))


class SemanticToken(NamedTuple):
    """A token at bytes [start, end) of the dump; `kind` and `modifiers` are in the encoding of the legend."""

    start: int
    end: int
    kind: int
    modifiers: int


def tokens(tree: Tree, start: int = 0, end: int | None = None) -> Iterator[SemanticToken]:
    """Yield the tokens that overlap bytes [start, end) of the dump, in order, without nesting.

    A list of them would make the garbage collector visit each, which stops all threads.
    """
    cursor = tree.walk()
    # A tree walk instead of a query: at nesting depths from 32,768, queries take quadratic time.
    parents: list[str] = []
    while True:
        node = cursor.node
        assert node is not None
        first = node.start_byte
        if end is not None and first >= end:
            return
        kind = node.type
        last = node.end_byte
        if node.is_named:
            number = _KIND.get(kind) if kind != _HEADER_VALUE else _kind_of_value(node.text or b"")
            if number is None and last > start and _descend(cursor, first, start):
                parents.append(kind)
                continue
        else:
            number = _KEYWORD if kind in _KEYWORDS else None
        if number is not None and last > max(first, start):
            defines = kind in _NAMES and (parents[-1], cursor.field_name) in _DEFINING
            yield SemanticToken(first, last, number, _DEFINITION if defines else 0)
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            parents.pop()


def _kind_of_value(text: bytes) -> int:
    """Return the token type of a header value: numbers, words of the IR, or a name."""
    text = text.strip()
    if len(text) > _LONGEST_VALUE:
        return _KIND[_HEADER_VALUE]
    if _NUMBERS.match(text):
        return TYPES.index("number")
    return TYPES.index("enumMember") if _ENUMERATORS.match(text) else _KIND[_HEADER_VALUE]


def _descend(cursor: TreeCursor, first: int, start: int) -> bool:
    if first >= start:
        return cursor.goto_first_child()
    return cursor.goto_first_child_for_byte(start) is not None


def encode(found: Iterable[SemanticToken], lines: LineIndex, encoding: Encoding) -> array[int]:
    """Encode tokens for LSP: five numbers per token, position relative to the previous token.

    The first token is relative to line 0, column 0 of the dump.
    """
    data: array[int] = array("I")
    last = Position(0, 0)
    line = 0
    starts, is_plain = lines.starts, lines.has_plain_columns
    for start, end, kind, modifiers in found:
        while line + 1 < len(starts) and starts[line + 1] <= start:
            line += 1
        if end - starts[line] > LONGEST_LINE:
            continue
        if is_plain:
            place, length = Position(line, start - starts[line]), end - start
        else:
            # A line may be several in the document, and no token goes beyond one of those.
            place, last_place = lines.position(start, encoding), lines.position(end, encoding)
            if last_place.line > place.line:
                last_place = lines.raw.position(lines.raw.line_end(place.line), encoding)
            length = last_place.character - place.character
        if length <= 0:
            continue
        column = place.character - last.character if place.line == last.line else place.character
        data.extend((place.line - last.line, column, length, kind, modifiers))
        last = place
    return data


def last_line_of(data: array[int]) -> int:
    """Return the line of the last token in a result of `encode`."""
    return sum(data[::5])
