"""Signature help: the signature of the operation at the cursor, and the active parameter."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.shader import Dialect
from nirls.ir.tables import intrinsic, opcode, opcode_signature
from nirls.ir.tables.signatures import intrinsic_signature
from nirls.ir.text.declarations import declarations
from nirls.ir.text.lowering.index_values import TABLE_NAMES
from nirls.server.ide.completion.complete import place_of, surroundings_of
from nirls.server.ide.completion.context import (
    IndexNamePlace,
    IndexValuePlace,
    IoFlagPlace,
    SourcePlace,
)
from nirls.server.ide.cursor.outline import Outline


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature; `parameters` are [start, end) character ranges of `label`, `active` is -1 for none.

    `about` is the key for `documentation`, None for functions of the dump.
    """

    label: str
    parameters: tuple[tuple[int, int], ...]
    active: int
    about: tuple[str, str] | None = None


def signature_at(text: bytes, shape: Outline, offset: int) -> Signature | None:
    """Find the signature at a byte offset of a dump; None outside of operands of a known operation."""
    around = surroundings_of(text, shape, offset)
    place = place_of(around)
    match place:
        case SourcePlace(operation=operation) if operation.startswith("@"):
            return _of_intrinsic(operation[1:], place.position, is_source=True)
        case SourcePlace(operation="call", callee=str() as callee):
            return _of_function(text, callee, place.position)
        case SourcePlace():
            return _of_opcode(place.operation, place.position)
        case IndexNamePlace() | IndexValuePlace() | IoFlagPlace():
            is_named = around.dialect is not Dialect.OLD
            index = _index_of(place.intrinsic, place.index) if isinstance(place, IndexValuePlace) else -1
            if isinstance(place, IoFlagPlace):
                index = _index_of(place.intrinsic, "io")
            position = index if index >= 0 and is_named else place.position
            return _of_intrinsic(place.intrinsic, position, is_source=False)
        case _:
            return None


def _of_opcode(name: str, position: int) -> Signature | None:
    label = opcode_signature(name)
    entry = opcode(name)
    if entry is None:
        return None
    parameters = _items(label, label.index("(") + 1, label.rindex(") ->"))
    active = position if position < len(parameters) else -1
    return Signature(label, parameters, active, ("opcode", name))


def _of_intrinsic(name: str, position: int, *, is_source: bool) -> Signature | None:
    entry = intrinsic(name)
    if entry is None:
        return None
    label = intrinsic_signature(name)
    first = label.index("(") + 1
    first_end = label.index(")", first)
    sources = _items(label, first, first_end)
    indices: tuple[tuple[int, int], ...] = ()
    if entry.indices:
        start = label.index("(", first_end) + 1
        indices = _items(label, start, label.index(")", start))
    wanted = sources if is_source else indices
    active = -1
    if position < len(wanted):
        active = position if is_source else len(sources) + position
    return Signature(label, (*sources, *indices), active, ("intrinsic", name))


def _index_of(name: str, printed: str) -> int:
    entry = intrinsic(name)
    index = {"location": "io_semantics", "slots": "io_semantics"}.get(
        printed, TABLE_NAMES.get(printed, printed)
    )
    if entry is None or index not in entry.indices:
        return -1
    return entry.indices.index(index)


def _of_function(text: bytes, name: str, position: int) -> Signature | None:
    functions = (found for found in declarations(text) if found["kind"] == b"function")
    match = next((function for function in functions if function["name"] == name.encode()), None)
    if match is None or match["inside"] is None:
        return None
    inside = match["inside"].decode("utf-8", "replace")
    label = f"call {name} ({inside})"
    start = len(label) - len(inside) - 1
    parameters = () if inside.endswith("params") else _items(label, start, len(label) - 1)
    return Signature(label, parameters, position if position < len(parameters) else -1)


def _items(label: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return the ranges of the comma-separated items in a part of the label."""
    if not label[start:end].strip():
        return ()
    items = []
    for item in label[start:end].split(","):
        stripped = item.strip()
        first = start + len(item) - len(item.lstrip())
        items.append((first, first + len(stripped)))
        start += len(item) + 1
    return tuple(items)
