"""Lowering of header fields and declarations to IR."""

from __future__ import annotations

from tree_sitter import Node

from nirls.ir.model.shader import Function, HeaderField, Parameter, Variable
from nirls.ir.model.span import Span
from nirls.ir.model.values import Register
from nirls.ir.text.lowering.lines import (
    fields,
    optional_text,
    register_index,
    sizes_of_type,
    text_of,
)

_RETURNING = " returning "
"""Behind the name and the parameters of a function, until 2018."""


def span_of(node: Node) -> Span:
    """Return the text range of a node."""
    return Span(node.start_byte, node.end_byte, node.start_point.row)


def read_header_field(node: Node, text: bytes) -> HeaderField:
    """Read a `key: value` line."""
    key, value = _field(node, "key", text), _field(node, "value", text)
    return HeaderField(key.strip(), value.strip(), span_of(node))


def read_variable(node: Node, text: bytes, *, is_local: bool) -> Variable:
    """Read a `decl_var` line; a function's locals are printed without a mode."""
    qualifiers: list[str] = []
    access: list[str] = []
    parts: dict[str, str] = {}
    for name, child in fields(node):
        value = text_of(child, text)
        if name == "qualifier":
            qualifiers.append(value)
        elif name == "access":
            access.append(value)
        elif name == "comment":
            parts[name] = f"{parts[name]} {value}" if name in parts else value
        else:
            parts[name] = value
    if "name" not in parts and _is_behind_empty_word(node.child_by_field_name("type"), text):
        parts["name"] = parts.pop("type")  # a struct without a name
    location = parts.get("location")
    if location is not None:
        location += parts.get("components", "")
    default_mode = "function_temp" if is_local else "shader_temp"
    return Variable(
        name=parts.get("name", ""),
        mode=parts.get("mode", default_mode),
        type_name=parts.get("type", ""),
        interpolation=parts.get("interpolation", "INTERP_MODE_NONE"),
        precision=parts.get("precision"),
        qualifiers=tuple(qualifiers),
        access=tuple(access),
        image_format=parts.get("format"),
        location=location,
        driver_location=_number(parts.get("driver_location")),
        data=tuple(parts[key] for key in ("driver_location", "binding") if key in parts),
        trailing=("compact",) if "compact" in parts else (),
        initializer=parts.get("initializer"),
        comment=parts.get("comment"),
        span=span_of(node),
    )


def _is_behind_empty_word(node: Node | None, text: bytes) -> bool:
    return node is not None and text[node.start_byte - 2 : node.start_byte] == b"  "


def read_register(node: Node, text: bytes) -> Register:
    """Read a `decl_reg` line of old dialects."""
    name = node.child_by_field_name("name")
    reg = Register(
        -1 if name is None else register_index(name, text),
        *sizes_of_type(_field(node, "type", text)),
        _number(_field(node, "array_size", text)) or 0,
        _field(node, "comment", text) or None,
    )
    reg.span = span_of(node)
    return reg


def read_function(node: Node, text: bytes) -> Function:
    """Read a `decl_function` line."""
    params: list[Parameter] = []
    for field, child in fields(node):
        if field == "parameter":
            sizes = sizes_of_type(_field(child, "type", text))
            params.append(Parameter(*sizes, text_of(child, text)))
    line, name = text_of(node, text), _field(node, "name", text)
    has_name = node.child_by_field_name("name") is not None
    name = name.partition(" ")[0] if _RETURNING in name else name
    rest = line[line.find(name, len("decl_function")) + len(name) :] if has_name else ""
    return Function(
        name=name,
        params=tuple(params),
        is_entrypoint="(entrypoint)" in rest,
        text=rest,
        keyword=line.partition(" ")[0],
        span=span_of(node),
    )


def _field(node: Node, field: str, text: bytes) -> str:
    return optional_text(node.child_by_field_name(field), text)


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None
