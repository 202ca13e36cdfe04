"""Uniform values to inline, from `--set`, settings and `// nirls: uniform` comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from nirls.ir.model.shader import Shader
from nirls.ir.text.uniform_words import NUMBERED_UNIFORM, UniformWordError, read_word
from nirls.passes.declaration import OptionError
from nirls.passes.uniforms.places import MOST_BYTES, UniformLoad, UniformWord

Words = Mapping[UniformWord, int]


def given_values(text: str) -> dict[UniformWord, int]:
    """Parse the values of the option `set`. Raises OptionError."""
    return _read(item for item in re.split(r"[,;\s]+", text) if item)


def known_values(shader: Shader, given: str) -> dict[UniformWord, int]:
    """Return the uniform values of a shader; the option overrides comments. Raises OptionError."""
    return {**commented_values(shader), **given_values(given)}


def commented_values(shader: Shader) -> dict[UniformWord, int]:
    """Parse the `// nirls: uniform 0:16 = 1` comments of a dump. Raises OptionError."""
    if b"nirls:" not in shader.source:
        return {}
    matches = NUMBERED_UNIFORM.finditer(shader.source)
    return _read(match[1].decode("utf-8", "replace").strip() for match in matches)


def _read(items: Iterable[str]) -> dict[UniformWord, int]:
    values: dict[UniformWord, int] = {}
    for item in items:
        place, value = read_value(item)
        if values.get(place, value) != value:
            raise OptionError(f"uniform {place} is given two values, {values[place]:#x} and {value:#x}")
        values[place] = value
    return values


def read_value(text: str) -> tuple[UniformWord, int]:
    """Parse `0:16=1` to a word and its 32 bits. Raises OptionError."""
    try:
        buffer, offset, bits = read_word(text)
    except UniformWordError as error:
        raise OptionError(str(error)) from None
    if offset > MOST_BYTES:
        raise OptionError(f"{text!r}: byte {offset} is out of range, the last is {MOST_BYTES}")
    return UniformWord(buffer, offset), bits


def known_component(load: UniformLoad, component: int, words: Words) -> int | None:
    """Return the bits of a component of a load; None if not all of them are known."""
    bits = 0
    places = load.words(component)
    for number, place in enumerate(places):
        word = words.get(place)
        if word is None:
            return None
        bits |= word << (32 * number)
    shift = 8 * (load.byte(component) - places[0].offset)
    return (bits >> shift) & ((1 << load.value.bit_size) - 1)


def check_against(loads: Iterable[UniformLoad], words: Words) -> None:
    """Raise OptionError for a value that no load reads, or that is only a part of a loaded component."""
    read: set[UniformWord] = set()
    for load in loads:
        for component in range(load.value.num_components):
            places = load.words(component)
            read.update(places)
            missing = [place for place in places if place not in words]
            if missing and len(missing) < len(places):
                has = next(place for place in places if place in words)
                raise OptionError(
                    f"{has} is half of a value of {load.value.bit_size} bits; {missing[0]} is needed as well"
                )
    unread = [place for place in words if place not in read]
    if unread:
        near = sorted(place for place in read if place.buffer == unread[0].buffer) or sorted(read)
        loads_of = ", ".join(map(str, near[:8])) + (", ..." if len(near) > 8 else "")
        raise OptionError(
            f"nothing loads uniform {unread[0]}; "
            + (f"there are loads of {loads_of}" if near else "there are no loads of uniforms at known places")
        )
