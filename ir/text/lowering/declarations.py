"""Lowering of header fields and declarations to IR."""

from __future__ import annotations

from tree_sitter import Node

from nirls.ir.model.shader import Function, HeaderField, Parameter, Variable
from nirls.ir.model.span import Span
from nirls.ir.model.values import Register
from nirls.ir.text.lowering.lines import number_in, sizes_of_type


def span_of(node: Node) -> Span:
    """Return the text range of a node."""
    return Span(node.start_byte, node.end_byte, node.start_point.row)


def read_header_field(node: Node, text: bytes) -> HeaderField:
    """Read a `key: value` line."""
    key = _text_of(node, "key", text)
    return HeaderField(key.strip(), _text_of(node, "value", text).strip(), span_of(node))


def read_variable(node: Node, text: bytes, *, is_local: bool) -> Variable:
    """Read a `decl_var` line; a function's locals are printed without a mode."""
    qualifiers: list[str] = []
    access: list[str] = []
    parts: dict[str, str] = {}
    for position, child in enumerate(node.children):
        name = node.field_name_for_child(position)
        if name is None:
            continue
        value = text[child.start_byte : child.end_byte].decode("utf-8", "replace")
        if name == "qualifier":
            qualifiers.append(value)
        elif name == "access":
            access.append(value)
        elif name == "comment":
            parts[name] = f"{parts[name]} {value}" if name in parts else value
        else:
            parts[name] = value
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


def read_register(node: Node, text: bytes) -> Register:
    """Read a `decl_reg` line of old dialects."""
    components, bits = sizes_of_type(_text_of(node, "type", text))
    name = _text_of(node, "name", text)
    index = number_in(name.encode())
    reg = Register(
        -1 - index if name.startswith("gr") else index,
        components,
        bits,
        _number(_text_of(node, "array_size", text)) or 0,
        _text_of(node, "comment", text) or None,
    )
    reg.span = span_of(node)
    return reg


def read_function(node: Node, text: bytes) -> Function:
    """Read a `decl_function` line."""
    name_node = node.child_by_field_name("name")
    params: list[Parameter] = []
    for position, child in enumerate(node.children):
        if node.field_name_for_child(position) == "parameter":
            printed = text[child.start_byte : child.end_byte].decode("utf-8", "replace")
            type_node = child.child_by_field_name("type")
            sizes = (0, 0)
            if type_node is not None:
                type_text = text[type_node.start_byte : type_node.end_byte].decode("utf-8", "replace")
                sizes = sizes_of_type(type_text)
            params.append(Parameter(*sizes, printed))
    line = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
    name = _text_of(node, "name", text)
    rest = "" if name_node is None else line[line.find(name, len("decl_function")) + len(name) :]
    return Function(
        name=name,
        params=tuple(params),
        is_entrypoint="(entrypoint)" in rest,
        text=rest,
        span=span_of(node),
    )


def _text_of(node: Node, field: str, text: bytes) -> str:
    child = node.child_by_field_name(field)
    return "" if child is None else text[child.start_byte : child.end_byte].decode("utf-8", "replace")


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None
