"""Semantic tokens of a dump, from its syntax tree."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from tree_sitter import Query, QueryCursor, Tree

from nirls.ir.grammar import LANGUAGE
from nirls.server.positions import Encoding, LineIndex

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

MODIFIERS = ("definition", "readonly")
"""Token modifiers in the order of the legend."""

_DEFINITION, _READONLY = 1, 2

# Captures are named TYPE or TYPE.MODIFIER. Keywords and marks are taken from the anonymous nodes.
_QUERY = """
(comment) @comment
(annotation) @decorator
(header_key) @property
(header_value) @string
(value_type) @type
(type_name) @type
(divergence) @modifier
(qualifier) @modifier
(access_qualifier) @modifier
(precision) @modifier
(interpolation_mode) @enumMember
(variable_mode) @keyword
(image_format) @enumMember
(location) @enumMember
(compact) @modifier
(variable_declaration name: (variable_name) @variable.definition)
(deref_var_instruction variable: (variable_name) @variable)
(field_name) @property
(function_declaration name: (function_name) @function)
(function_impl name: (function_name) @function.definition)
(call_instruction callee: (function_name) @function)
(block label: (block_label) @label.definition)
(block_ref) @label
(ssa_def name: (ssa_ref) @variable.definition)
(alu_source value: (ssa_ref) @variable)
(source value: (ssa_ref) @variable)
(phi_source value: (ssa_ref) @variable)
(tex_source value: (ssa_ref) @variable)
(argument value: (ssa_ref) @variable)
(register_declaration name: (register_ref) @parameter.definition)
(register_def name: (register_ref) @parameter.definition)
(register name: (register_ref) @parameter)
(opcode) @function
(intrinsic_name) @method
(jump_kind) @keyword
(index_name) @property
(index_value) @enumMember
(io_flag) @modifier
(xfb_name) @property
(tex_kind) @property
(alu_type) @type
(constant) @number
(inline_constant) @number.readonly
(number) @number
(modifier) @operator
(swizzle) @property
["decl_var" "decl_reg" "decl_function" "impl" "block" "if" "loop" "load_const" "undefined" "undef" "phi" "io"
 "preamble" "struct" "intrinsic"] @keyword
"""


class Token(NamedTuple):
    """Bytes [start, end) of the dump; `kind` and `modifiers` as numbers of the legend."""

    start: int
    end: int
    kind: int
    modifiers: int


def tokens(tree: Tree, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens that touch bytes [start, end) of the dump, in order, none within another."""
    cursor = QueryCursor(_query())
    if end is not None:
        cursor.set_byte_range(start, end)
    found = []
    for name, nodes in cursor.captures(tree.root_node).items():
        kind, modifiers = _legend(name)
        found += [Token(node.start_byte, node.end_byte, kind, modifiers) for node in nodes]
    return list(_without_overlaps(sorted(found)))


def encode(found: Iterable[Token], lines: LineIndex, encoding: Encoding) -> array[int]:
    """LSP's form: five numbers a token, line and column relative to the token before.

    The first token counts from line 0, column 0 of the dump.
    """
    data: array[int] = array("I")
    last_line = last_column = 0
    is_ascii = lines.text.isascii()
    for start, end, kind, modifiers in found:
        line, column = lines.position(start, encoding)
        length = end - start if is_ascii else lines.position(end, encoding).character - column
        if length <= 0:
            continue
        data.extend(
            (line - last_line, column - last_column if line == last_line else column, length, kind, modifiers)
        )
        last_line, last_column = line, column
    return data


def last_line_of(data: array[int]) -> int:
    """The line of the last token of `encode`'s result."""
    return sum(data[::5])


@cache
def _query() -> Query:
    return Query(LANGUAGE, _QUERY)


@cache
def _legend(capture: str) -> tuple[int, int]:
    kind, _, modifier = capture.partition(".")
    return TYPES.index(kind), {"definition": _DEFINITION, "readonly": _READONLY}.get(modifier, 0)


def _without_overlaps(found: list[Token]) -> Iterator[Token]:
    end = 0
    for token in found:
        if token.start >= end and token.end > token.start:
            yield token
            end = token.end
