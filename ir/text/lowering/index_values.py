"""Parsing of intrinsic indices from printed text to IR values."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from nirls.ir.model.access import access_bits
from nirls.ir.model.instructions import IndexValue
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.slots import slot_number

# Printed names that differ from the index names of the intrinsic tables.
TABLE_NAMES = {
    "wrmask": "write_mask",
    "io": "io_semantics",
    "xfb": "io_xfb",
    "xfb2": "io_xfb2",
    "mem_semantics": "memory_semantics",
    "mem_modes": "memory_modes",
    "resource_intel": "resource_access_intel",
    "cmat_signed": "cmat_signed_mask",
}

_LETTERS = ("xyzw", "abcdefghijklmnop")
_NUMBER = re.compile(r"-?\d+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_LOCATION = re.compile(r"location\s*=\s*(\S+)\s*(?:slots\s*=\s*(\d+))?")
_FLAG = re.compile(r"(?!(?:location|slots)\b)([a-z_0-9]+)(?:\(([^()]*)\))?")
_FLAGS = re.compile(rf"(?:\s+{_FLAG.pattern})*\s*\Z")
_CAPTURE = re.compile(r"components?\s*=\s*(\d+)(?:\.\.(\d+))?\s+buffer\s*=\s*(\d+)\s+offset\s*=\s*(\d+)")
_CAPTURES = re.compile(r"xfb2?\s*\([\s,]*\)")

ALU_BASE_TYPES = {0: "invalid", 2: "int", 4: "uint", 6: "bool", 128: "float"}
_ALU_SIZES = 1 | 8 | 16 | 32 | 64
INTERP_MODES = (
    "INTERP_MODE_NONE",
    "INTERP_MODE_SMOOTH",
    "INTERP_MODE_FLAT",
    "INTERP_MODE_NOPERSPECTIVE",
    "INTERP_MODE_EXPLICIT",
    "INTERP_MODE_COLOR",
)


@lru_cache(4096)
def parse_index(name: str, text: str) -> IndexValue:
    """Parse the printed text of the index with table name `name`.

    Returns a number if the printer writes one; unknown text is returned unchanged.
    """
    text = text.strip()
    parser = _PARSERS.get(name)
    if parser is not None:
        return parser(text)
    return _number_or_text(text)


def alu_type_name(number: int) -> str:
    """Return the name of a `nir_alu_type` printed as a number: 160 is `float32`; size 0 is left out."""
    base = ALU_BASE_TYPES.get(number & ~_ALU_SIZES)
    if base is None:
        return str(number)
    size = number & _ALU_SIZES
    return f"{base}{size}" if size else base


def packed_io_semantics(number: int) -> IoSemantics:
    """Decode I/O semantics from the packed word of old dumps (Mesa: `struct nir_io_semantics`).

    The low 7 bits are the location and the next 6 the number of slots in every release; the flag bits
    above moved between releases and old printers print them only in this word, so they are kept
    uninterpreted as a value of the semantics (`packed`).
    """
    flags = number >> 13
    values = (("packed", str(number)),) if flags else ()
    return IoSemantics(number & 0x7F, (number >> 7) & 0x3F, (), values)


@lru_cache(1024)
def component_numbers(letters: str) -> tuple[int, ...] | None:
    """Return the component numbers of swizzle letters: `xyzw`, or `a` to `p` for vectors of more than four.

    None if a letter is neither.
    """
    for alphabet in _LETTERS:
        numbers = tuple(alphabet.find(letter) for letter in letters)
        if -1 not in numbers:
            return numbers
    return None


def write_mask_bits(text: str) -> int | None:
    """Return the bits of `xyz` (or of a plain number); None if it is neither."""
    if text.isdecimal():
        return int(text)
    numbers = component_numbers(text)
    return None if numbers is None else sum(1 << number for number in set(numbers))


def _number_or_text(text: str) -> IndexValue:
    if _NUMBER.match(text):
        return int(text)
    if _HEX.match(text):
        return int(text, 16)
    return text


def _write_mask(text: str) -> IndexValue:
    bits = write_mask_bits(text)
    return text if bits is None else bits


def _access(text: str) -> IndexValue:
    bits = access_bits(text)
    return text if bits is None else bits


def _alu_type(text: str) -> IndexValue:
    return alu_type_name(int(text)) if text.isdecimal() else text


def _interp_mode(text: str) -> IndexValue:
    if text.isdecimal() and int(text) < len(INTERP_MODES):
        return INTERP_MODES[int(text)]
    return text


def _words(text: str) -> IndexValue:
    return () if text in ("0", "") else tuple(text.split("|"))


def _io_semantics(text: str) -> IndexValue:
    if text.isdecimal():
        return packed_io_semantics(int(text))
    inner = text.removeprefix("io").strip()
    match = _LOCATION.match(inner)
    if match is None or not _FLAGS.match(inner, match.end()):
        return text
    flags: list[str] = []
    values: list[tuple[str, str]] = []
    for flag in _FLAG.finditer(inner, match.end()):
        if flag.group(2) is None:
            flags.append(flag.group(1))
        else:
            values.append((flag.group(1), flag.group(2)))
    return IoSemantics(slot_number(match.group(1)), int(match.group(2) or 1), tuple(flags), tuple(values))


def _xfb(text: str) -> IndexValue:
    if text.isdecimal():
        return XfbOutputs() if text == "0" else text
    if _CAPTURES.fullmatch(_CAPTURE.sub("", text)) is None:
        return text
    outputs = []
    for match in _CAPTURE.finditer(text):
        first, last, buffer, offset = match.groups()
        count = int(last) - int(first) + 1 if last is not None else 1
        outputs.append((int(first), count, int(buffer), int(offset)))
    return XfbOutputs(tuple(outputs))


_PARSERS: dict[str, Callable[[str], IndexValue]] = {
    "access": _access,
    "dest_type": _alu_type,
    "interp_mode": _interp_mode,
    "io_semantics": _io_semantics,
    "io_xfb": _xfb,
    "io_xfb2": _xfb,
    "memory_modes": _words,
    "memory_semantics": _words,
    "src_type": _alu_type,
    "write_mask": _write_mask,
}
