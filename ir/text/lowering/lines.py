"""Conversion of single lines' syntax nodes to records."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from tree_sitter import Node

from nirls.ir.model.instructions import IndexValue
from nirls.ir.model.math_control import NO_WORDS, control_text, leading_words, words_of_comment
from nirls.ir.model.variable_path import INDEX_NAME, PATH_SOURCES, split_path
from nirls.ir.tables import intrinsic
from nirls.ir.tables.releases import RELEASES, releases_from
from nirls.ir.text.lowering.index_values import TABLE_NAMES, component_numbers, parse_index
from nirls.ir.text.lowering.records import (
    AluRecord,
    AluSrcRecord,
    CallRecord,
    DerefRecord,
    DestRecord,
    InstrRecord,
    IntrinsicRecord,
    JumpRecord,
    LineRecord,
    LoadConstRecord,
    ParallelCopyRecord,
    PhiRecord,
    TexRecord,
    UndefRecord,
    ValueRecord,
)

_DIGITS = re.compile(rb"\d+")
_TYPE_MODERN = re.compile(r"(\d+)(?:x(\d+|\?\?))?\Z")
_TYPE_OLDER = re.compile(r"vec(\d+)(?:\s+(\d+))?\Z")
_ONLY_SIZE = "32"
"""Before April 2016 no sizes were printed: there was no other one."""
# Mesa has at most 16 components and 64 bits; the limit bounds loops over components in broken dumps.
_LARGEST_SIZE = 999
_COMMENTED_INDEX = re.compile(r"/\*\s*+([a-z_0-9]++)\s*+=([^*]*+)\*/")
_COMMENT = re.compile(r"/\*(?:[^*/]|\*(?!/)|/(?!\*))*+\*/")
_LISTS_WITH_VARIABLES = 3
_LIST_OF_VARIABLES = 2
"""Of the three lists of an intrinsic until 2018: its sources, variables and constant indices."""
_POSITIONAL_RELEASES = releases_from(RELEASES[0], "21.3")
_GLOBAL_REGISTER = b"gr"
_MOST_DIGITS = 18

Parts = list[tuple[str | None, Node]]
"""The children of an instruction node with their field names."""


@lru_cache(4096)
def number_in(text: bytes) -> int:
    """Return the first number in `%12`, `ssa_12`, `block_3`, `r4`; -1 without a meaningful one."""
    match = _DIGITS.search(text)
    return int(match.group()) if match is not None and len(match.group()) <= _MOST_DIGITS else -1


@lru_cache(1024)
def sizes_of_type(text: str) -> tuple[int, int]:
    """Return components and bits of `32x4`, `1` or `vec4 32`; 0 for unknown ones (`32x??`, `error 32`).

    Larger sizes are clamped to 999, which is invalid too.
    """
    match = _TYPE_MODERN.match(text)
    if match is not None:
        components = match.group(2) or "1"
        return 0 if components == "??" else _size(components), _size(match.group(1))
    match = _TYPE_OLDER.match(text)
    if match is not None:
        return _size(match.group(1)), _size(match.group(2) or _ONLY_SIZE)
    return 0, 0


def _size(digits: str) -> int:
    return min(int(digits), _LARGEST_SIZE)


class MixedListError(ValueError):
    """A list in parentheses mixes operands and indices, which no printer writes."""


def read_line(node: Node, text: bytes) -> LineRecord | None:
    """Return the record of an instruction node; None for any other node.

    `text` is the parsed text. The record depends on the bytes of the node alone. Raises
    MixedListError for an intrinsic with ambiguous operands.
    """
    reader = _READERS.get(node.type)
    if reader is None:
        return None
    start, end = node.start_byte, node.end_byte
    parts = [(node.field_name_for_child(position), child) for position, child in enumerate(node.children)]
    trailer = [
        child
        for name, child in parts
        if name == "comment" or name == "pass_flags" or (name is None and child.type == "annotation")
    ]
    if trailer:
        end = min(child.start_byte for child in trailer)
    comments = [child for child in trailer if child.type != "annotation"]
    comment = None
    if comments:
        comment = text[comments[0].start_byte : comments[-1].end_byte].decode("utf-8", "replace")
    length = len(text[start:end].rstrip())
    return LineRecord(reader(parts, text), length, comment, len(comments) < len(trailer))


def read_value(node: Node, text: bytes) -> ValueRecord:
    """Read the value of a `source`-like node, without swizzle and printed constant."""
    value = node.child_by_field_name("value")
    return _value(value if value is not None else node, text)


def fields(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the children of a node that have a field name."""
    for position, child in enumerate(node.children):
        name = node.field_name_for_child(position)
        if name is not None:
            yield name, child


def _bytes(node: Node, text: bytes) -> bytes:
    return text[node.start_byte : node.end_byte]


def text_of(node: Node, text: bytes) -> str:
    """Return the text of a node; `text` is the parsed text."""
    return text[node.start_byte : node.end_byte].decode("utf-8", "replace")


def optional_text(node: Node | None, text: bytes) -> str:
    """Return the text of a node, "" for none."""
    return "" if node is None else text_of(node, text)


def register_index(node: Node, text: bytes) -> int:
    """Return the number of `r4`; global registers of the first years (`gr4`) count down from -1."""
    name = _bytes(node, text)
    number = number_in(name)
    return -1 - number if name.startswith(_GLOBAL_REGISTER) else number


def _value(node: Node, text: bytes) -> ValueRecord:
    if node.type != "register":
        return ValueRecord(number_in(_bytes(node, text)))
    index, offset, indirect = _register_parts(node, text)
    return ValueRecord(index, True, offset, indirect)


def _register_parts(node: Node, text: bytes) -> tuple[int, int, ValueRecord | None]:
    index, offset, indirect = -1, 0, None
    for name, child in fields(node):
        if name == "name":
            index = register_index(child, text)
        elif name == "offset":
            offset = int(text_of(child, text))
        elif name == "indirect":
            indirect = read_value(child, text)
    return index, offset, indirect


def read_dest(node: Node | None, text: bytes) -> DestRecord | None:
    """Read the destination of an `ssa_def` or `register_def` node."""
    if node is None:
        return None
    divergence = node.child_by_field_name("divergence")
    divergent = None if divergence is None else _bytes(divergence, text) == b"div"
    if node.type == "register_def":
        index, offset, indirect = _register_parts(node, text)
        mask = node.child_by_field_name("write_mask")
        letters = None if mask is None else component_numbers(text_of(mask, text).lstrip("."))
        bits = None if letters is None else sum(1 << number for number in set(letters))
        return DestRecord(index, 0, 0, divergent, True, bits, offset, indirect)
    type_node, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    num_components, bit_size = sizes_of_type(optional_text(type_node, text))
    number = -1 if name is None else number_in(_bytes(name, text))
    debug_name = node.child_by_field_name("debug_name")
    value_name = None if debug_name is None else text_of(debug_name, text).removeprefix(".")
    return DestRecord(number, num_components, bit_size, divergent, name=value_name)


def _dest(parts: Parts, text: bytes) -> DestRecord | None:
    return read_dest(_part(parts, "dest"), text)


def _part(parts: Parts, field: str) -> Node | None:
    return next((child for name, child in parts if name == field), None)


def _alu(parts: Parts, text: bytes) -> AluRecord:
    op, sources = "", []
    flags: set[str] = set()
    for name, child in parts:
        if name == "opcode":
            op = text_of(child, text)
        elif name == "flag":
            flags.add(text_of(child, text).lstrip("."))
        elif name == "src":
            sources.append(_alu_source(child, text))
        elif name == "comment":
            flags |= words_of_comment(text_of(child, text))[0]
    flags.discard(",")
    if "!" in flags:
        flags.remove("!")
        flags.add("exact")
    return AluRecord(_dest(parts, text), op, frozenset(flags), tuple(sources))


def _alu_source(node: Node, text: bytes) -> AluSrcRecord:
    value, swizzle, negate, absolute, suffix = ValueRecord(-1), None, False, False, ""
    behind_name: tuple[int, ...] | None = None
    has_constant = False
    for name, child in fields(node):
        if name == "value":
            value = _value(child, text)
        elif name == "debug_name":
            suffix = text_of(child, text).removeprefix(".")
        elif name == "constant":
            has_constant = True
        elif name == "swizzle":
            letters = text_of(child, text).removeprefix(".")
            swizzle = component_numbers(letters)
            if has_constant:
                behind_name = swizzle
            else:
                suffix = letters
        elif name == "modifier":
            is_abs = _bytes(child, text) == b"abs"
            absolute, negate = absolute or is_abs, negate or not is_abs
    return AluSrcRecord(value, swizzle, negate, absolute, suffix, behind_name)


def _load_const(parts: Parts, text: bytes) -> LoadConstRecord:
    dest = _dest(parts, text)
    bit_size = dest.bit_size if dest is not None else 0
    values = [_raw_bits(text_of(child, text), bit_size) for name, child in parts if name == "value"]
    return LoadConstRecord(dest, tuple(values))


def _raw_bits(text: str, bit_size: int) -> int:
    if text in ("true", "false"):
        return int(text == "true")
    digits = text.replace(" ", "")
    try:
        number = int(digits, 16) if "0x" in digits else int(digits)
    except ValueError:
        return 0
    return number & ((1 << bit_size) - 1) if number < 0 and bit_size else number


def _undef(parts: Parts, text: bytes) -> UndefRecord:
    return UndefRecord(_dest(parts, text))


def _intrinsic(parts: Parts, text: bytes) -> IntrinsicRecord:
    intrinsic_name = ""
    sources: list[ValueRecord] = []
    indices: list[tuple[str, IndexValue]] = []
    positional: list[str] = []
    comments: list[str] = []
    _refuse_mixed_lists(parts)
    with_variables = sum(name is None and child.type == "(" for name, child in parts) == _LISTS_WITH_VARIABLES
    number = 0
    for name, child in parts:
        if name is None and child.type == "(":
            number += 1
        if name == "index" and with_variables and number == _LIST_OF_VARIABLES:
            path, values = split_path(text_of(child, text))
            indices.append((f"{INDEX_NAME}{len(indices)}", path))
            sources += [ValueRecord(*value) for value in values]
        elif name == "src":
            sources.append(read_value(child, text))
        elif name == "name":
            intrinsic_name = text_of(child, text).lstrip("@")
        elif name == "comment":
            comments.append(text_of(child, text))
        elif name == "index":
            key = child.child_by_field_name("name")
            if child.type == "io_semantics":
                indices.append(
                    ("io_semantics", parse_index("io_semantics", _COMMENT.sub("", text_of(child, text))))
                )
            elif child.type == "xfb":
                table_name = "io_xfb2" if optional_text(key, text).startswith("xfb2") else "io_xfb"
                indices.append((table_name, parse_index(table_name, text_of(child, text))))
            elif key is None:
                positional.append(text_of(child, text))
            else:
                printed = text_of(key, text)
                table_name = TABLE_NAMES.get(printed, printed)
                value = optional_text(child.child_by_field_name("value"), text)
                indices.append((table_name, parse_index(table_name, value)))
    control = _math_control(positional)
    indices += _positional_indices(intrinsic_name, positional, comments)
    indices += [("fp_math_ctrl", control)] * (control != "")
    return IntrinsicRecord(_dest(parts, text), intrinsic_name, tuple(sources), tuple(indices))


def _refuse_mixed_lists(parts: Parts) -> None:
    """Refuse an operand that is not a value (`(ssa_0, block_4)`), which would be read as an unnamed index."""
    held: set[str] = set()
    for name, child in parts:
        if name is None and child.type == "(":
            held.clear()
        if name in ("src", "index"):
            held.add(name)
            if len(held) > 1:
                raise MixedListError


def _math_control(positional: list[str]) -> str:
    """Remove the math control, `(..., exact, preserve:sz,inf,nan)`, from the unnamed indices; "" for none.

    It is unnamed and contains commas, so it is parsed as several indices, the last ones.
    """
    for start, word in enumerate(positional):
        text = ",".join(positional[start:])
        words, rest = leading_words(text.replace(",preserve", ", preserve"))
        if word == NO_WORDS or (words and not rest):
            del positional[start:]
            return word if word == NO_WORDS else control_text(words)
    return ""


def _positional_indices(
    intrinsic_name: str, values: list[str], comments: list[str]
) -> list[tuple[str, IndexValue]]:
    """Name the bare numbers of old dialects by the comments after them, else by the tables.

    An enumeration is a number in the parentheses and a word in its comment; the word is kept.
    """
    if not values:
        return []
    stated = _COMMENTED_INDEX.findall(" ".join(comments))
    if len(stated) >= len(values):
        named = []
        for number, (printed, word) in zip(values, stated, strict=False):
            if printed == "location":
                semantics = parse_index("io_semantics", number)
                named.append(("io_semantics", semantics))
                continue
            table_name = TABLE_NAMES.get(printed, printed)
            named.append((table_name, parse_index(table_name, word)))
        return named
    names = _names_by_position(
        intrinsic_name, len(values), {TABLE_NAMES.get(printed, printed) for printed, _ in stated}
    )
    return [(name, parse_index(name, number)) for name, number in zip(names, values, strict=True)]


def _names_by_position(intrinsic_name: str, count: int, stated: set[str]) -> tuple[str, ...]:
    """Return the indices of the form with as many, those in comments among them; `index0` ... if none has."""
    entry = intrinsic(intrinsic_name)
    forms = [form for form in (() if entry is None else entry.forms()) if len(form.indices) == count]
    # `min` keeps the newest of equal ones.
    form = min(
        forms,
        key=lambda form: (len(stated - set(form.indices)), _POSITIONAL_RELEASES.isdisjoint(form.releases)),
        default=None,
    )
    return tuple(f"index{position}" for position in range(count)) if form is None else form.indices


def _tex(parts: Parts, text: bytes) -> TexRecord:
    op, dest_type = "", ""
    sources: list[tuple[str, ValueRecord]] = []
    numbers: dict[str, int] = {}
    offsets: list[tuple[int, int]] = []
    flags: set[str] = set()
    in_paths: list[tuple[str, ValueRecord]] = []
    for name, child in parts:
        if name == "opcode":
            op = text_of(child, text)
        elif name == "dest_type":
            dest_type = text_of(child, text)
        elif name == "src":
            sources.append((_tex_kind(child, text), read_value(child, text)))
        elif name == "index":
            value = child.child_by_field_name("value")
            numbers[_tex_kind(child, text)] = int(optional_text(value, text) or 0)
        elif name == "flag":
            flag, values = split_path(text_of(child, text))
            flags.add(flag)
            kind = PATH_SOURCES.get(flag.rpartition(" ")[2], "texture_path")
            in_paths += [(kind, ValueRecord(*value)) for value in values]
        elif name == "offsets":
            found = [int(text_of(item, text)) for item in child.children if item.type == "number"]
            offsets = list(zip(found[0::2], found[1::2], strict=False))
    return TexRecord(
        _dest(parts, text),
        op,
        dest_type,
        (*sources, *in_paths),
        numbers.get("texture"),
        numbers.get("sampler"),
        numbers.get("gather_component"),
        tuple(offsets),
        frozenset(flags),
    )


def _tex_kind(node: Node, text: bytes) -> str:
    return optional_text(node.child_by_field_name("kind"), text).strip("()")


def _deref_array(parts: Parts, text: bytes) -> DerefRecord:
    opcode = optional_text(_part(parts, "opcode"), text)
    element = _part(parts, "element")
    if opcode == "deref_ptr_as_array":
        return _deref(parts, text, "ptr_as_array")
    if opcode == "deref_array_wildcard" or (element is not None and element.type == "wildcard"):
        return _deref(parts, text, "array_wildcard")
    return _deref(parts, text, "array")


def _deref(parts: Parts, text: bytes, deref_kind: str) -> DerefRecord:
    mode, type_name, var_name = "", "", ""
    parent: ValueRecord | None = None
    element: ValueRecord | int | None = None
    field: str | None = None
    facts: list[tuple[str, int]] = []
    for name, child in parts:
        if name == "modes":
            mode = text_of(child, text)
        elif name == "type":
            type_name = text_of(child, text)
        elif name == "variable":
            var_name = text_of(child, text)
        elif name == "parent":
            parent = read_value(child, text)
        elif name == "member":
            field = text_of(child, text)
        elif name == "element" and child.type == "number":
            element = int(text_of(child, text))
        elif name == "element" and child.type != "wildcard":
            element = read_value(child, text)
        elif name == "in_bounds":
            facts.append(("in_bounds", 1))
        elif name == "index":
            value = optional_text(child.child_by_field_name("value"), text)
            key = optional_text(child.child_by_field_name("name"), text)
            if value.isdecimal():
                facts.append((key, int(value)))
    if deref_kind == "struct" and field is None:
        field = ""
    dest = _dest(parts, text)
    return DerefRecord(dest, deref_kind, mode, type_name, var_name, parent, element, field, tuple(facts))


def _phi(parts: Parts, text: bytes) -> PhiRecord:
    sources = []
    for name, child in parts:
        if name == "src":
            block = child.child_by_field_name("block")
            number = -1 if block is None else number_in(_bytes(block, text))
            sources.append((number, read_value(child, text)))
    return PhiRecord(_dest(parts, text), tuple(sources))


def _jump(parts: Parts, text: bytes) -> JumpRecord:
    kind, condition = "", None
    targets: list[int] = []
    for name, child in parts:
        if name == "kind":
            kind = text_of(child, text)
        elif name == "condition":
            condition = read_value(child, text)
        elif name in ("target", "else_target"):
            targets.append(number_in(_bytes(child, text)))
    if condition is not None:
        kind = "goto_if"
    return JumpRecord(kind, condition, tuple(targets))


def _call(parts: Parts, text: bytes) -> CallRecord:
    op, callee, is_indirect = "call", "", False
    sources = []
    for name, child in parts:
        if name == "opcode":
            op = text_of(child, text)
        elif name == "callee":
            callee = text_of(child, text)
        elif name in ("argument", "indirect"):
            is_indirect |= name == "indirect"
            sources.append(read_value(child, text))
    return CallRecord(op, callee, tuple(sources), is_indirect)


def _parallel_copy(parts: Parts, text: bytes) -> ParallelCopyRecord:
    copies = []
    for name, child in parts:
        if name != "copy":
            continue
        dest = read_dest(child.child_by_field_name("dest"), text)
        source = child.child_by_field_name("src")
        if dest is not None and source is not None:
            copies.append((dest, read_value(source, text)))
    return ParallelCopyRecord(tuple(copies))


_READERS: dict[str, Callable[[Parts, bytes], InstrRecord]] = {
    "alu_instruction": _alu,
    "call_instruction": _call,
    "deref_array_instruction": _deref_array,
    "deref_cast_instruction": partial(_deref, deref_kind="cast"),
    "deref_struct_instruction": partial(_deref, deref_kind="struct"),
    "deref_var_instruction": partial(_deref, deref_kind="var"),
    "intrinsic_instruction": _intrinsic,
    "jump_instruction": _jump,
    "load_const_instruction": _load_const,
    "parallel_copy_instruction": _parallel_copy,
    "phi_instruction": _phi,
    "tex_instruction": _tex,
    "undef_instruction": _undef,
}
