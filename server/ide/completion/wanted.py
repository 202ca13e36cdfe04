"""Constraints on a source, from its operation and the sources before it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nirls.ir.tables import intrinsic, opcode
from nirls.ir.tables.signatures import source_names
from nirls.server.ide.completion.context import SourcePlace
from nirls.server.ide.cursor.scope import ScopeValue

_NAME = re.compile(r"%\d+|ssa_\d+")
_SIZE = re.compile(r"\d{1,3}\Z")
_DEREF_SOURCES = frozenset({"deref", "dst", "src"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """Required sizes of a value, 0 for any; `is_deref`: whether it must be a deref, None for either."""

    num_components: int = 0
    bit_size: int = 0
    is_deref: bool | None = None

    def fits(self, value: ScopeValue, text: bytes) -> bool:
        """Whether the value satisfies the constraints."""
        if self.num_components and value.num_components != self.num_components:
            return False
        if self.bit_size and value.bit_size and value.bit_size != self.bit_size:
            return False
        if self.is_deref is None:
            return True
        return text.startswith(b"deref_", value.made_by) is self.is_deref


def wanted_source(place: SourcePlace, values: Iterable[ScopeValue]) -> Wanted:
    """Compute the constraints on the source at a place; `values` are those in scope there."""
    operation = place.operation
    if operation == "if":
        return Wanted(1, 1)
    if operation == "index":
        return Wanted(1, is_deref=False)
    if operation == "deref":
        return Wanted(is_deref=True)
    if operation == "phi":
        if place.dest is None:
            return Wanted()
        return Wanted(place.dest.num_components, place.dest.bit_size)
    if operation in ("call", "tex"):
        return Wanted()
    if operation.startswith("@"):
        return _of_intrinsic(operation[1:], place.position)
    return _of_opcode(place, {value.name: value for value in values})


def _of_intrinsic(name: str, position: int) -> Wanted:
    entry = intrinsic(name)
    if entry is None or position >= len(entry.src_components):
        return Wanted()
    is_deref = name.endswith("_deref") or "_deref_" in name
    source = source_names(entry)[position]
    return Wanted(
        max(entry.src_components[position], 0), 0, is_deref and (source in _DEREF_SOURCES or position == 0)
    )


def _of_opcode(place: SourcePlace, values: dict[str, ScopeValue]) -> Wanted:
    entry = opcode(place.operation)
    if entry is None or place.position >= entry.num_inputs:
        return Wanted(is_deref=False)
    # ALU sources are swizzled: any number of components fits, so only bit sizes matter.
    stated = _size_of(entry.input_types[place.position])
    if stated:
        return Wanted(0, stated, False)
    for position, given in enumerate(place.given[: place.position]):
        name = _NAME.search(given)
        value = None if name is None else values.get(name[0])
        if value is not None and value.bit_size and not _size_of(entry.input_types[position]):
            return Wanted(0, value.bit_size, False)
    if place.dest is not None and not entry.is_conversion and not _size_of(entry.output_type):
        return Wanted(0, place.dest.bit_size, False)
    return Wanted(is_deref=False)


def _size_of(type_: str) -> int:
    match = _SIZE.search(type_)
    return int(match[0]) if match is not None else 0
