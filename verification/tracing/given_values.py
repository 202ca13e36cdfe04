"""Inputs and uniforms that a user gives a run, in comments of a dump or in a table.

- `// nirls: input VAR0.x = 1.5`: a component of an input slot, or several (`VAR0 = 1, 2, 3`), on all
  invocations. Slots have Mesa's names, or that of the variable.
- `// nirls: uniform ubo0[16] = 2`: words of memory from byte 16 of UBO 0 on; also `ssbo0`, `push`, `uniform`
  (loose uniforms by offset), or a uniform variable by name (`color = 1, 0, 0`, `lights[2].position = 0`).
- `// nirls: uniform 0:16 = 1`: a word of UBO 0 (or `push`) with its bits, as passes read it.

A number gets the type of its first reader: `2` is 2.0 where it is read as a float. `0x3f800000` is raw bits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nirls.ir.io.variables import variable_place
from nirls.ir.model.float_bits import FLOAT_SIZES, float_bits
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import UNKNOWN_LOCATION, slot_number
from nirls.ir.model.stage import Stage
from nirls.ir.text.structure import DIRECTIVE
from nirls.ir.text.uniform_words import UniformWordError, byte_offset, read_word
from nirls.verification.evaluate.surroundings.result import OutputKey

_COMMENT = re.compile(DIRECTIVE.pattern + rb"(input|uniform)[ \t]++([^=/\r\n]++)=[ \t]*+([^\r\n]*+)")
_INPUT = re.compile(r"\A(?P<slot>[\w#@-]+)(?:\.(?P<components>[xyzw]{1,4}))?\Z")
_WORDS = re.compile(
    r"(?P<space>ubo|ssbo|push|uniform)(?P<buffer>\d{0,9})\[(?P<byte>0x[0-9a-fA-F]{1,8}|\d{1,9})\]\Z"
)
_VARIABLE = re.compile(r"\A[\w#@]+(?:\[\d{1,9}\]|\.\w+)*\Z")
_INTEGER = re.compile(r"[-+]?\d{1,20}\Z")
_BITS = re.compile(r"0x[0-9a-fA-F]{1,16}\Z")
_COMPONENTS = "xyzw"
_SPACES = {"ubo": "ubo", "ssbo": "ssbo", "push": "push_const", "uniform": "uniform"}


class GivenError(ValueError):
    """A value that is not of the form that this module reads, or of an input that the shader cannot have."""


@dataclass(frozen=True, slots=True)
class GivenNumber:
    """A number as the user wrote it; its bits depend on who reads it."""

    text: str

    def bits(self, base: str, bit_size: int) -> int:
        """Return the number as raw bits of a type, `float`, `int`, `uint`, `bool` or `mixed`."""
        mask = (1 << bit_size) - 1
        if _BITS.match(self.text):
            return int(self.text, 16) & mask
        if self.text in ("true", "false"):
            return int(self.text == "true")
        is_integer = _INTEGER.match(self.text) is not None
        if (base == "float" or (base == "mixed" and not is_integer)) and bit_size in FLOAT_SIZES:
            return _float_bits(float(self.text), bit_size)
        number = int(self.text) if is_integer else float(self.text)
        return int(number) & mask if math.isfinite(number) else 0

    @classmethod
    def of(cls, text: str) -> GivenNumber:
        """Read a number. Raises GivenError."""
        text = text.strip().lower()
        if _BITS.match(text) or text in ("true", "false"):
            return cls(text)
        try:
            float(text)
        except ValueError:
            raise GivenError(f"{text!r} is no number") from None
        return cls(text.replace("_", ""))


NamedNumber = tuple[str, GivenNumber]
"""A number with the name by which it was given."""


def _float_bits(number: float, bit_size: int) -> int:
    try:
        return float_bits(number, bit_size)
    except OverflowError:
        return float_bits(math.copysign(math.inf, number), bit_size)


@dataclass(frozen=True, slots=True)
class Given:
    """One value as given: of an input, or of uniforms and memory."""

    is_input: bool
    name: str
    numbers: tuple[GivenNumber, ...]

    @classmethod
    def of(cls, kind: str, name: str, numbers: Sequence[str]) -> Given:
        """Read a given value. Raises GivenError."""
        name = name.strip()
        if kind == "uniform" and ":" in name:
            return cls(False, name, (_word(name, numbers),))
        found = tuple(GivenNumber.of(text) for text in numbers)
        pattern = (_INPUT,) if kind == "input" else (_WORDS, _VARIABLE)
        if not any(one.match(name) for one in pattern):
            form = "VAR0.x" if kind == "input" else "ubo0[16], push[4], or a variable"
            raise GivenError(f"{name!r} is no {kind} such as {form}")
        if not found:
            raise GivenError(f"{name} has no value")
        return cls(kind == "input", name, found)


@dataclass(frozen=True, slots=True)
class GivenValues:
    """All values that are given to a run."""

    given: tuple[Given, ...] = ()

    def __add__(self, other: GivenValues) -> GivenValues:
        return GivenValues((*self.given, *other.given))


@dataclass(frozen=True, slots=True)
class PlacedValues:
    """Given values by their places for one shader or pipeline.

    `inputs` are components of slots, `words` are (space, buffer, word number), `variables` are (path, numbers
    of elements, component). Each has the name by which it was given.
    """

    inputs: Mapping[OutputKey, NamedNumber] = field(default_factory=dict)
    words: Mapping[tuple[str, int, int], NamedNumber] = field(default_factory=dict)
    variables: Mapping[tuple[str, tuple[int, ...], int], NamedNumber] = field(default_factory=dict)

    @classmethod
    def of(cls, values: GivenValues, shaders: Sequence[Shader]) -> PlacedValues:
        """Find the places of values; inputs are those of the first shader. Raises GivenError."""
        inputs: dict[OutputKey, NamedNumber] = {}
        words: dict[tuple[str, int, int], NamedNumber] = {}
        variables: dict[tuple[str, tuple[int, ...], int], NamedNumber] = {}
        spaces = [shader.stage.abbreviation for shader in shaders if shader.stage is not None]
        for one in values.given:
            # Later ones win: a file is read after the comments.
            if one.is_input:
                inputs.update(_inputs_of(one, shaders[0]))
            elif place := _place_of_word(one.name):
                space, buffer, first = place
                for number, value in enumerate(one.numbers):
                    for name in (space, *(f"{space} of {stage}" for stage in spaces)):
                        words[name, buffer, first + number] = (one.name, value)
            else:
                path, elements = variable_path(one.name)
                for number, value in enumerate(one.numbers):
                    variables[path, elements, number] = (one.name, value)
        return cls(inputs, words, variables)


def _word(name: str, numbers: Sequence[str]) -> GivenNumber:
    """Return the bits of `0:16 = 1`, whatever reads them. Raises GivenError."""
    try:
        _, _, bits = read_word(f"{name} = {', '.join(numbers)}")
    except UniformWordError as error:
        raise GivenError(str(error)) from None
    return GivenNumber(f"0x{bits:x}")


def _place_of_word(name: str) -> tuple[str, int, int] | None:
    """Return the space, buffer and number of the word that `ubo0[16]` or `0:16` names; None for others."""
    if match := _WORDS.match(name):
        return _SPACES[match["space"]], int(match["buffer"] or 0), byte_offset(match["byte"]) >> 2
    buffer, colon, byte = name.partition(":")
    if not colon or not (buffer == "push" or buffer.isdecimal()):
        return None
    space = "push" if buffer == "push" else "ubo"
    return _SPACES[space], 0 if space == "push" else int(buffer), byte_offset(byte) >> 2


def variable_path(name: str) -> tuple[str, tuple[int, ...]]:
    """Split a path such as `lights[2].position` into `lights[].position` and the numbers of its elements."""
    return re.sub(r"\[\d+\]", "[]", name), tuple(int(number) for number in re.findall(r"\[(\d+)\]", name))


def _inputs_of(given: Given, shader: Shader) -> Iterator[tuple[OutputKey, NamedNumber]]:
    match = _INPUT.match(given.name)
    assert match is not None
    slot, first = _slot_of(match["slot"], shader)
    chosen = match["components"] or _COMPONENTS[: len(given.numbers)]
    if len(chosen) != len(given.numbers):
        raise GivenError(f"{given.name} has {len(given.numbers)} values for {len(chosen) or 4} components")
    for letter, value in zip(chosen, given.numbers, strict=True):
        place = first + _COMPONENTS.index(letter)
        yield OutputKey(slot + place // 4, place % 4), (given.name, value)


def _slot_of(name: str, shader: Shader) -> tuple[int, int]:
    """Return the slot and the first component of an input, by the name of the slot or the variable."""
    prefix = "VERT_ATTRIB_" if shader.stage is Stage.VERTEX else "VARYING_SLOT_"
    for text in (name, prefix + name):
        slot = slot_number(text) if not text.isdecimal() else UNKNOWN_LOCATION
        if slot != UNKNOWN_LOCATION:
            return slot, 0
    for variable in shader.variables:
        if variable.mode == "shader_in" and variable.name == name:
            place = variable_place(variable, shader.stage)
            if isinstance(place.slot, int):
                return place.slot, place.component
    if any(variable.mode == "system" and variable.name == name for variable in shader.variables):
        # They depend on one another, as the number of a vertex on that of the invocation.
        raise GivenError(f"{name} is a system value, which cannot be given; choose the invocation")
    raise GivenError(f"there is no input slot or variable {name}")


def given_in_comments(text: bytes) -> tuple[GivenValues, tuple[str, ...]]:
    """Read the values that the comments of a text give; also return what is wrong with the others."""
    found, problems = [], []
    for kind, name, values in _COMMENT.findall(text):
        words = values.decode(errors="replace").partition("//")[0].split(",")
        try:
            found.append(Given.of(kind.decode(), name.decode(errors="replace").strip(), words))
        except GivenError as error:
            problems.append(str(error))
    return GivenValues(tuple(found)), tuple(problems)


def given_in_table(table: Mapping[str, object]) -> GivenValues:
    """Read the tables `input` and `uniform` of a TOML file. Raises GivenError."""
    found = []
    for kind, values in table.items():
        if kind not in ("input", "uniform") or not isinstance(values, Mapping):
            raise GivenError(f"{kind}: there are the tables `input` and `uniform`")
        found += [Given.of(kind, name, numbers) for name, numbers in _flat(values, "")]
    return GivenValues(tuple(found))


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names and numbers of nested tables: TOML reads `VAR0.x = 1` as one inside of another."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
            continue
        numbers = value if isinstance(value, list) else [value]
        if not all(isinstance(number, bool | int | float | str) for number in numbers):
            raise GivenError(f"{name}: must be a number or an array of numbers")
        yield name, [str(number) for number in numbers]
