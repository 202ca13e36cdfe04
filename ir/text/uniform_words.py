"""Words of uniforms with their bits, such as `0:16 = 1`: what comments and options give passes and runs."""

from __future__ import annotations

import re

from nirls.ir.model.float_bits import float_bits
from nirls.ir.text.structure import DIRECTIVE

_PLACE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?|push):(0[xX][0-9a-fA-F]{1,8}|\d{1,9})")

NUMBERED_UNIFORM = re.compile(DIRECTIVE.pattern + rb"uniform[ \t]++((?:push[ \t]*+:|[^A-Za-z_#@\s])[^\r\n]*)")
"""A comment that gives a word of a buffer its bits. One with a name, such as `ubo0[16] = 2`, is for runs: its
bits depend on who reads them."""


class UniformWordError(ValueError):
    """A text that does not give a word of a uniform its bits."""


def read_word(text: str) -> tuple[str, int, int]:
    """Parse `0:16 = 1` to a buffer, a byte offset and 32 bits. Raises UniformWordError.

    Numbers with a point or an exponent, `inf` and `nan` are floats. Others are integers in the range of
    signed or unsigned 32 bits. `true` is all ones, `false` is 0.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    match = _PLACE.fullmatch(name)
    if not equals or match is None:
        raise UniformWordError(f"{text!r} is not of the form BUFFER:BYTE=VALUE, such as 0:16=1 or push:4=0.5")
    offset = byte_offset(match[2])
    if offset % 4:
        raise UniformWordError(f"{text!r}: offsets of uniforms are multiples of 4 bytes, {offset} is none")
    return match[1], offset, _bits(value, text)


def byte_offset(text: str) -> int:
    """Parse the decimal or hexadecimal offset of a place: `16`, `0x10`."""
    return int(text, 16 if text[:2] in ("0x", "0X") else 10)


def _bits(value: str, text: str) -> int:
    word = value.lower()
    if word in ("true", "false"):
        return 0xFFFFFFFF if word == "true" else 0
    try:
        number = int(word, 0)
    except ValueError:
        return _float_bits(word, text)
    if not -(1 << 31) <= number < 1 << 32:
        raise UniformWordError(f"{text!r}: {value} does not fit in the 32 bits of a uniform")
    return number & 0xFFFFFFFF


def _float_bits(word: str, text: str) -> int:
    try:
        return float_bits(float(word), 32)
    except ValueError:
        raise UniformWordError(f"{text!r}: {word!r} is not a number") from None
    except OverflowError:
        raise UniformWordError(f"{text!r}: {word} is too large for a float of 32 bits") from None
