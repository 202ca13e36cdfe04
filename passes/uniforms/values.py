"""Uniform values to inline, from `--set`, settings and `// nirls: uniform` comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from nirls.ir.model.float_bits import float_bits
from nirls.ir.model.shader import Shader
from nirls.ir.text.structure import DIRECTIVE
from nirls.passes.declaration import OptionError
from nirls.passes.uniforms.places import MOST_BYTES, PUSH, UniformLoad, UniformWord

Words = Mapping[UniformWord, int]

_COMMENT = re.compile(DIRECTIVE.pattern + rb"uniform[ \t]+([^\r\n]+)")
_PLACE = re.compile(r"(\d+(?:\.\d+)?|push):(0[xX][0-9a-fA-F]+|\d+)")


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
    matches = _COMMENT.finditer(shader.source)
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
    """Parse `0:16=1` to a word and its 32 bits. Raises OptionError.

    Numbers with a point or an exponent, `inf` and `nan` are floats. Others are integers in the range of
    signed or unsigned 32 bits. `true` is all ones, `false` is 0.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    match = _PLACE.fullmatch(name)
    if not equals or match is None:
        raise OptionError(f"{text!r} is not of the form BUFFER:BYTE=VALUE, such as 0:16=1 or {PUSH}:4=0.5")
    offset = int(match[2], 0)
    if offset % 4:
        raise OptionError(f"{text!r}: offsets of uniforms are multiples of 4 bytes, {offset} is none")
    if offset > MOST_BYTES:
        raise OptionError(f"{text!r}: byte {offset} is out of range, the last is {MOST_BYTES}")
    return UniformWord(match[1], offset), _bits(value, text)


def _bits(value: str, text: str) -> int:
    word = value.lower()
    if word in ("true", "false"):
        return 0xFFFFFFFF if word == "true" else 0
    try:
        number = int(word, 0)
    except ValueError:
        return _float_bits(word, text)
    if not -(1 << 31) <= number < 1 << 32:
        raise OptionError(f"{text!r}: {value} does not fit in the 32 bits of a uniform")
    return number & 0xFFFFFFFF


def _float_bits(word: str, text: str) -> int:
    try:
        return float_bits(float(word), 32)
    except ValueError:
        raise OptionError(f"{text!r}: {word!r} is not a number") from None
    except OverflowError:
        raise OptionError(f"{text!r}: {word} is too large for a float of 32 bits") from None


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
