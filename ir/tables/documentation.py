"""Descriptions of opcodes and intrinsics from `documentation.toml`, for hover and completion.

The first pattern that matches the whole name applies. Intrinsics without a description are described by name
and vendor.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from nirls.ir.tables.lookup import intrinsic, opcode
from nirls.ir.tables.vendors import vendor_of

_TYPE_WORDS = {"f": "float", "i": "signed integer", "u": "unsigned integer", "b": "boolean", "d": "double"}
_COMPARISON_WORDS = {
    "lt": "less than",
    "ge": "greater than or equal to",
    "gt": "greater than",
    "le": "less than or equal to",
    "eq": "equal to",
    "ne": "not equal to",
}


def describe_opcode(name: str) -> str:
    """Describe an ALU opcode in a sentence; "" for an unknown name."""
    if opcode(name) is None:
        return ""
    return _text_of("opcodes", name) or "An ALU operation."


def describe_intrinsic(name: str) -> str:
    """Describe an intrinsic in a sentence; "" for an unknown name."""
    entry = intrinsic(name)
    if entry is None:
        return ""
    text = _text_of("intrinsics", name)
    if text:
        return text
    vendor = vendor_of(name)
    origin = f" of {vendor}" if vendor else ""
    words = name.replace("_", " ")
    if entry.is_sysval:
        return f"System value{origin}: {words.removeprefix('load ')}."
    return f"Intrinsic{origin}: {words}."


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("documentation.toml").read_text(encoding="utf-8"))


@cache
def _patterns(table: str) -> Mapping[str, re.Pattern[str]]:
    return {key: re.compile(key) for key in _texts()[table]}


def _text_of(table: str, name: str) -> str:
    """Return the text of the first key that equals or matches a name; "" for none."""
    texts = _texts()[table]
    if name in texts:
        return texts[name]
    for key, pattern in _patterns(table).items():
        match = pattern.fullmatch(name)
        if match is not None:
            return _filled(texts[key], match)
    return ""


_PLACEHOLDER = re.compile(r"\{(?:(type|compare|bits):)?(\d)\}")


def _filled(text: str, match: re.Match[str]) -> str:
    def word(found: re.Match[str]) -> str:
        kind, letters = found.group(1), match.group(int(found.group(2)) + 1) or ""
        if kind == "type":
            return _TYPE_WORDS[letters]
        if kind == "compare":
            return _COMPARISON_WORDS[letters]
        if kind == "bits":
            return f" of {letters} bit{'s' * (letters != '1')}" if letters else ""
        return letters or "any"

    filled = _PLACEHOLDER.sub(word, text)
    is_operand = filled[1:2] in (" ", ".")
    return filled if is_operand else filled[:1].upper() + filled[1:]
