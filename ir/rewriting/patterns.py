"""Pattern language of rewrite rules, for example `fadd(a, fneg(a))`.

A pattern is an operation on patterns, a variable (one letter; `a@1` matches 1-bit values only), or a
constant: `0`, `-1` (integers), `0.5` (floats), `true`, `false`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from nirls.ir.model.float_bits import FLOAT_SIZES, float_bits
from nirls.ir.tables import opcode

_TOKEN = re.compile(r"[a-z][a-z_0-9]+(?=\()|[a-z](?:@\d+)?(?![a-z_0-9])|true|false|-?\d+(?:\.\d+)?|[(),]")


@dataclass(frozen=True, slots=True)
class PatternVariable:
    """A variable: matches any value, the same one at every occurrence. `bit_size` 0 matches any size."""

    name: str
    bit_size: int = 0


@dataclass(frozen=True, slots=True)
class PatternConstant:
    """A constant, the same in every component. Floats are compared bitwise, so `0.0` is not `-0.0`."""

    value: int | float | bool

    def bits(self, bit_size: int) -> int | None:
        """Return the raw bits at a bit size; None for floats of 1 or 8 bits."""
        if isinstance(self.value, bool):
            return (1 << bit_size) - 1 if self.value else 0
        if isinstance(self.value, int):
            return self.value & ((1 << bit_size) - 1)
        return float_bits(self.value, bit_size) if bit_size in FLOAT_SIZES else None


@dataclass(frozen=True, slots=True)
class PatternOperation:
    """An ALU operation on patterns; all operations are per component."""

    op: str
    sources: tuple[Pattern, ...]

    @property
    def is_commutative(self) -> bool:
        entry = opcode(self.op)
        return entry is not None and entry.is_commutative


Pattern = PatternVariable | PatternConstant | PatternOperation


@cache
def parse_pattern(text: str) -> Pattern:
    """Parse a pattern. Raises ValueError on a syntax error."""
    tokens = _tokens(text)
    pattern = _parse(next(tokens, ""), tokens)
    if next(tokens, None) is not None:
        raise ValueError(f"too much in pattern {text!r}")
    return pattern


def _tokens(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        if text[position] == " ":
            position += 1
            continue
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"unreadable pattern {text!r} at {text[position:]!r}")
        position = match.end()
        yield match.group()


def _parse(token: str, tokens: Iterator[str]) -> Pattern:
    if token in ("true", "false"):
        return PatternConstant(token == "true")
    if re.fullmatch(r"-?\d+", token):
        return PatternConstant(int(token))
    if re.fullmatch(r"-?\d+\.\d+", token):
        return PatternConstant(float(token))
    if re.fullmatch(r"[a-z](@\d+)?", token):
        name, _, size = token.partition("@")
        return PatternVariable(name, int(size or 0))
    if not token or token in "(),":
        raise ValueError(f"unexpected {token!r} in a pattern")
    if next(tokens, "") != "(":
        raise ValueError(f"{token} lacks its sources")
    sources: list[Pattern] = []
    separator = ","
    while separator == ",":
        sources.append(_parse(next(tokens, ""), tokens))
        separator = next(tokens, "")
    if separator != ")":
        raise ValueError(f"the sources of {token} are not closed")
    return PatternOperation(token, tuple(sources))
