"""Searchable names of a dump: the dump, its functions, variables and named values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from nirls.ir.model.slots import AttributeNumbers, attribute_of_number, short_slots, slot_name
from nirls.ir.model.stage import Stage
from nirls.ir.text.attribute_numbers import attribute_numbers
from nirls.ir.text.declarations import name_or_type, variables
from nirls.ir.text.slot_accesses import slot_accesses
from nirls.server.ide.cursor.outline import Outline

_NAMED_VALUE = re.compile(
    rb"^(?:[^=\n%s]|s(?!sa_))*+(?:%|ssa_)\d++\.(?P<name>[^\s=]++)[ \t]*+=", re.MULTILINE
)
MOST_VARIABLES = 2000
"""Most variables of one dump that can be found, and most named values."""


class NameKind(Enum):
    """The kind of a name."""

    DUMP = "dump"
    FUNCTION = "function"
    VARIABLE = "variable"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Name:
    """A name at bytes [start, end) of the dump."""

    text: str
    kind: NameKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SlotName:
    """The first access of an input or output slot: its line, and the intrinsic at bytes [start, end)."""

    text: str
    intrinsic: str
    line_start: int
    line_end: int
    start: int
    end: int


def slots_of(text: bytes, stage: Stage | None) -> Iterator[SlotName]:
    """Yield the input and output slots of a dump, `in VAR0`, each at its first access."""
    seen: set[tuple[bool, bytes]] = set()
    numbers = attribute_numbers(text) if stage is Stage.VERTEX else AttributeNumbers.SINCE_21_3
    for access in slot_accesses(text):
        if (access.is_output, access.slot) in seen:
            continue
        seen.add((access.is_output, access.slot))
        slot = access.slot.decode("utf-8", "replace")
        if slot.isdecimal():
            number = int(slot[:9])
            if stage is Stage.VERTEX and not access.is_output:
                number = attribute_of_number(number, numbers)
            slot = slot_name(number, stage, is_output=access.is_output)
        title = f"{'out' if access.is_output else 'in'} {short_slots(slot)}"
        yield SlotName(title, access.name, access.line_start, access.line_end, access.start, access.end)


def dump_title(shape: Outline) -> str:
    """Return the title of a dump, such as `FS GLSL3`."""
    return " ".join(word for word in (_stage_word(shape), shape.name) if word)


def snapshot_title(shape: Outline, made_by: str, dump: int) -> str:
    """Return the title of a dump in a log, such as `FS: nir_opt_dce (dump 12)`.

    `made_by` is the pass or heading before it, `dump` its number from 1: a pass may run many times.
    """
    return f"{_stage_word(shape)}: {made_by} (dump {dump})"


def _stage_word(shape: Outline) -> str:
    stage = Stage.from_mesa_name(shape.stage)
    return stage.abbreviation if stage is not None else shape.stage or "shader"


def names_of(text: bytes, shape: Outline) -> Iterator[Name]:
    """Yield the names of a dump, its title first."""
    first_line = text.find(b"\n")
    yield Name(dump_title(shape), NameKind.DUMP, 0, first_line if first_line >= 0 else len(text))
    for function in shape.functions:
        yield Name(function.name, NameKind.FUNCTION, function.start, function.head_end)
    declared = (name_or_type(variable) for variable in variables(text))
    labelled = (match.span("name") for match in _NAMED_VALUE.finditer(text))
    for kind, places in ((NameKind.VARIABLE, declared), (NameKind.VALUE, labelled)):
        for start, end in islice(places, MOST_VARIABLES):
            yield Name(text[start:end].decode("utf-8", "replace"), kind, start, end)


def matches(name: str, query: str) -> bool:
    """Whether a name contains the letters of each word of a query in order."""
    lowered = name.lower()
    return all(has_letters(lowered, word) for word in query.lower().split())


def has_letters(name: str, word: str) -> bool:
    """Whether a name contains the letters of a word in order."""
    letters = iter(name)
    return all(letter in letters for letter in word)
