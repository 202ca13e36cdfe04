"""How the numbers of vertex attributes in a dump are to be read, told from its text.

Mesa 20.3 to 23.0 print the location of a load of a vertex attribute as a number, and Mesa 21.3 numbered the
attributes anew (`AttributeNumbers`). Old dumps are of both sides of that. Declarations print names in all
releases: a numbering that leads to attributes which are not declared is the wrong one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nirls.ir.model.glsl_types import array_parts, leaf_type
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.io_semantics import MOST_SLOTS, IoSemantics
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.slots import (
    UNKNOWN_LOCATION,
    VERT_ATTRIBS,
    AttributeNumbers,
    attribute_of_number,
    number_of_attribute,
    slot_number,
    slot_stage,
)
from nirls.ir.model.stage import Stage
from nirls.ir.tables import intrinsic
from nirls.ir.tables.releases import releases_from
from nirls.ir.text.declarations import variables
from nirls.ir.text.release import detect_dialect
from nirls.ir.text.slot_accesses import PrintedAccess, slot_accesses

_NUMBERED: Final = re.compile(rb"location=\d")
_INPUT: Final = re.compile(rb"shader_in\b")
_PLACE: Final = re.compile(rb"\s*(?P<name>VERT_ATTRIB_\w++)[^,]*+,\s*(?P<driver>\d{1,9})\b")
_INTRINSIC: Final = re.compile(
    rb"intrinsic (?P<name>\w{1,80}) \((?P<sources>[^()\n]*)\) \((?P<indices>[^()\n]*)\)"
)
_RELEASES: Final = {
    AttributeNumbers.BEFORE_21_3: releases_from("20.3", "21.2"),
    AttributeNumbers.SINCE_21_3: releases_from("21.3"),
}
_FIRST_MOVED: Final = VERT_ATTRIBS.index("TEX0")
_FIRST_GENERIC: Final = VERT_ATTRIBS.index("GENERIC0")
_WIDE = 64


@dataclass(frozen=True, slots=True)
class _Declared:
    """A declared attribute: its slots, and the number that the driver gives it (`driver_location`)."""

    slots: range
    driver: int


def attribute_numbers(text: bytes) -> AttributeNumbers:
    """Return the numbering of vertex attributes in the text of a dump, or of several of one Mesa.

    `SINCE_21_3` where no number is printed whose meaning changed; `BEFORE_21_3` for such an old dump, since
    most releases that print numbers in that format are older.
    """
    dialect = detect_dialect(text)
    if dialect is Dialect.CLASSIC or (dialect is Dialect.MODERN and _NUMBERED.search(text) is None):
        return AttributeNumbers.SINCE_21_3
    loads = [
        access
        for access in slot_accesses(text)
        if access.name == "load_input" and access.slot.isdigit() and len(access.slot) <= 3
    ]
    if not any(int(access.slot) >= _FIRST_MOVED for access in loads):
        is_old = dialect is Dialect.OLD
        return AttributeNumbers.BEFORE_21_3 if is_old else AttributeNumbers.SINCE_21_3
    declared = _declared(text)
    return (
        _by_release(text)
        or _by_declared_slots(declared, loads)
        or _by_driver_locations(declared, loads)
        or AttributeNumbers.UNKNOWN
    )


def set_attribute_numbers(shader: Shader, numbers: AttributeNumbers) -> None:
    """Read the numbers of a shader's vertex attributes in another numbering than before, in place."""
    if numbers is shader.attribute_numbers:
        return
    for instr in shader.instrs():
        semantics = attribute_semantics(instr, shader.stage)
        if semantics is not None:
            number = number_of_attribute(semantics.location, shader.attribute_numbers)
            assert isinstance(instr, IntrinsicInstr)
            instr.indices["io_semantics"] = replace(semantics, location=attribute_of_number(number, numbers))
    shader.attribute_numbers = numbers


def attribute_semantics(instr: Instr, stage: Stage | None) -> IoSemantics | None:
    """Return the I/O semantics of a load of a vertex attribute at a known location; None for all else."""
    if not isinstance(instr, IntrinsicInstr) or instr.name != "load_input":
        return None
    if slot_stage(instr.name, stage) is not Stage.VERTEX:
        return None
    semantics = instr.io_semantics
    return semantics if semantics is not None and 0 <= semantics.location < MOST_SLOTS else None


def _by_release(text: bytes) -> AttributeNumbers | None:
    """Return the numbering of the releases that have all intrinsics with as many sources and indices."""
    possible = releases_from("20.3")
    for name, sources, indices in {match.groups() for match in _INTRINSIC.finditer(text)}:
        entry = intrinsic(name.decode())
        releases = frozenset(
            release
            for form in (() if entry is None else entry.forms())
            if len(form.src_components) == _listed(sources) and len(form.indices) == _listed(indices)
            for release in form.releases
        )
        possible = possible & releases or possible
    return next((numbers for numbers, releases in _RELEASES.items() if possible <= releases), None)


def _listed(words: bytes) -> int:
    return len(words.split(b",")) if words.strip() else 0


def _by_declared_slots(
    declared: Sequence[_Declared], loads: Iterable[PrintedAccess]
) -> AttributeNumbers | None:
    """Return the one numbering in which all loads read attributes that are declared."""
    slots = {slot for variable in declared for slot in variable.slots}
    return _only(
        numbers
        for numbers in _RELEASES
        if slots and all(attribute_of_number(int(access.slot), numbers) in slots for access in loads)
    )


def _by_driver_locations(
    declared: Sequence[_Declared], loads: Iterable[PrintedAccess]
) -> AttributeNumbers | None:
    """Return the one numbering in which `base` and `driver_location` belong to the same attributes.

    Intel's drivers number their inputs as Mesa numbers the attributes.
    """
    by_driver = defaultdict(set)
    for variable in declared:
        by_driver[variable.driver].add(variable.slots.start)
    pairs = {
        (int(access.slot), *by_driver[int(access.base)])
        for access in loads
        if access.base is not None and int(access.slot) >= _FIRST_MOVED
    }
    pairs |= {
        (variable.driver, variable.slots.start)
        for variable in declared
        if variable.slots.start >= _FIRST_GENERIC and variable.driver >= _FIRST_GENERIC
    }
    known = [pair for pair in pairs if len(pair) == 2]
    return _only(
        numbers
        for numbers in _RELEASES
        if known and all(attribute_of_number(number, numbers) == slot for number, slot in known)
    )


def _only(numbers: Iterable[AttributeNumbers]) -> AttributeNumbers | None:
    fitting = tuple(numbers)
    return fitting[0] if len(fitting) == 1 else None


def _declared(text: bytes) -> list[_Declared]:
    declared = []
    for variable in variables(text):
        place = None if variable["inside"] is None else _PLACE.match(variable["inside"])
        if place is None or _INPUT.match(variable["words"]) is None:
            continue
        slot = slot_number(place["name"].decode())
        if slot != UNKNOWN_LOCATION:
            words = variable["words"].decode("utf-8", "replace").split()
            declared.append(_Declared(range(slot, slot + _slots_of(words[-1])), int(place["driver"])))
    return declared


def _slots_of(type_name: str) -> int:
    """Return the most slots that an attribute of the type takes."""
    slots = 1
    while (parts := array_parts(type_name)) is not None and slots < MOST_SLOTS:
        type_name, length = parts
        slots *= max(length, 1)
    leaf = leaf_type(type_name)
    is_wide = leaf is not None and leaf.bit_size == _WIDE
    return min(slots * (2 if is_wide else 1), MOST_SLOTS)
