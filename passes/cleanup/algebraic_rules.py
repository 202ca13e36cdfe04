"""Rewrite rules of opt_algebraic: driver-independent identities.

The rules are a subset of Mesa's nir_opt_algebraic.py. A rule holds for all values including NaN, infinities
and both zeros, or is marked `inexact` and applied only if no replaced operation is exact. There are none for
comparisons: `a != a` is a test for NaN, which Mesa folds only where it knows that `a` is a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from nirls.ir.rewriting.patterns import Pattern, PatternOperation, PatternVariable, parse_pattern


@dataclass(frozen=True)
class Rule:
    """Replacement of the pattern `search` by the pattern `replace`, both as text; parsed when first used."""

    search: str
    replace: str
    inexact: bool = False

    @cached_property
    def search_pattern(self) -> PatternOperation:
        """The parsed `search`. Raises ValueError if it is not an operation."""
        pattern = parse_pattern(self.search)
        if not isinstance(pattern, PatternOperation):
            raise ValueError(f"{self.search} is no operation")
        return pattern

    @cached_property
    def replace_pattern(self) -> Pattern:
        """The parsed `replace`."""
        return parse_pattern(self.replace)

    @cached_property
    def source_makers(self) -> frozenset[str]:
        """Opcodes that define the sources, `load_const` for constants; a cheap filter before matching."""
        return frozenset(
            source.op if isinstance(source, PatternOperation) else "load_const"
            for source in self.search_pattern.sources
            if not isinstance(source, PatternVariable)
        )

    @cached_property
    def drops_operand(self) -> bool:
        """Whether the replacement no longer reads a value that the operation reads."""
        return bool(_variables(self.search_pattern) - _variables(self.replace_pattern))


def _variables(pattern: Pattern) -> frozenset[str]:
    if isinstance(pattern, PatternVariable):
        return frozenset((pattern.name,))
    if not isinstance(pattern, PatternOperation):
        return frozenset()
    return frozenset[str]().union(*map(_variables, pattern.sources))


def _exact(*pairs: tuple[str, str]) -> tuple[Rule, ...]:
    return tuple(Rule(search, replace) for search, replace in pairs)


def _inexact(*pairs: tuple[str, str]) -> tuple[Rule, ...]:
    return tuple(Rule(search, replace, inexact=True) for search, replace in pairs)


SIGNS = _exact(
    ("fneg(fneg(a))", "a"),
    ("ineg(ineg(a))", "a"),
    ("inot(inot(a))", "a"),
    ("fabs(fabs(a))", "fabs(a)"),
    ("fabs(fneg(a))", "fabs(a)"),
    ("iabs(iabs(a))", "iabs(a)"),
    ("iabs(ineg(a))", "iabs(a)"),
    ("fsat(fsat(a))", "fsat(a)"),
    ("fmul(fneg(a), fneg(b))", "fmul(a, b)"),
    ("fmul(a, -1.0)", "fneg(a)"),
    ("imul(a, -1)", "ineg(a)"),
)

NEUTRAL_OPERANDS = _exact(
    ("fadd(a, -0.0)", "a"),
    ("fsub(a, 0.0)", "a"),
    ("fmul(a, 1.0)", "a"),
    ("fdiv(a, 1.0)", "a"),
    ("ffma(a, 1.0, b)", "fadd(a, b)"),
    ("ffma(a, -1.0, b)", "fadd(fneg(a), b)"),
    ("ffma(a, b, -0.0)", "fmul(a, b)"),
    ("iadd(a, 0)", "a"),
    ("isub(a, 0)", "a"),
    ("isub(0, a)", "ineg(a)"),
    ("imul(a, 1)", "a"),
    ("imul(a, 0)", "0"),
    ("idiv(a, 1)", "a"),
    ("udiv(a, 1)", "a"),
    ("umod(a, 1)", "0"),
    ("ishl(a, 0)", "a"),
    ("ishr(a, 0)", "a"),
    ("ushr(a, 0)", "a"),
    ("iand(a, 0)", "0"),
    ("iand(a, -1)", "a"),
    ("ior(a, 0)", "a"),
    ("ior(a, -1)", "-1"),
    ("ixor(a, 0)", "a"),
    ("ixor(a, -1)", "inot(a)"),
)

NEUTRAL_OPERANDS_INEXACT = _inexact(
    ("fadd(a, 0.0)", "a"),
    ("fmul(a, 0.0)", "0.0"),
    ("ffma(a, b, 0.0)", "fmul(a, b)"),
    ("ffma(a, 0.0, b)", "b"),
    ("flrp(a, b, 0.0)", "a"),
    ("flrp(a, b, 1.0)", "b"),
    ("flrp(a, a, b)", "a"),
    ("flrp(0.0, a, b)", "fmul(a, b)"),
)

SAME_OPERANDS = _exact(
    ("isub(a, a)", "0"),
    ("iadd(a, ineg(a))", "0"),
    ("iadd(ineg(a), iadd(a, b))", "b"),
    ("iadd(a, iadd(ineg(a), b))", "b"),
    ("iand(a, a)", "a"),
    ("ior(a, a)", "a"),
    ("ixor(a, a)", "0"),
    ("iand(a, inot(a))", "0"),
    ("ior(a, inot(a))", "-1"),
    ("iand(a, ior(a, b))", "a"),
    ("ior(a, iand(a, b))", "a"),
    ("imin(a, a)", "a"),
    ("imax(a, a)", "a"),
    ("umin(a, a)", "a"),
    ("umax(a, a)", "a"),
    ("fmin(a, a)", "a"),
    ("fmax(a, a)", "a"),
    ("fmin(fmin(a, b), b)", "fmin(a, b)"),
    ("fmax(fmax(a, b), b)", "fmax(a, b)"),
    ("ieq(a, a)", "true"),
    ("ige(a, a)", "true"),
    ("uge(a, a)", "true"),
    ("ine(a, a)", "false"),
    ("ilt(a, a)", "false"),
    ("ult(a, a)", "false"),
    ("flt(a, a)", "false"),
)

SAME_OPERANDS_INEXACT = _inexact(
    ("fadd(a, fneg(a))", "0.0"),
    ("fsub(a, a)", "0.0"),
    ("fadd(fneg(a), fadd(a, b))", "b"),
    ("fadd(a, fadd(fneg(a), b))", "b"),
)

COMPARISONS = _exact(
    ("inot(feq(a, b))", "fneu(a, b)"),
    ("inot(fneu(a, b))", "feq(a, b)"),
    ("inot(ieq(a, b))", "ine(a, b)"),
    ("inot(ine(a, b))", "ieq(a, b)"),
    ("inot(ilt(a, b))", "ige(a, b)"),
    ("inot(ige(a, b))", "ilt(a, b)"),
    ("inot(ult(a, b))", "uge(a, b)"),
    ("inot(uge(a, b))", "ult(a, b)"),
    ("flt(fabs(a), 0.0)", "false"),
    ("ult(a, 0)", "false"),
    ("uge(a, 0)", "true"),
    ("ieq(a@1, true)", "a"),
    ("ieq(a@1, false)", "inot(a)"),
    ("ine(a@1, false)", "a"),
    ("ine(a@1, true)", "inot(a)"),
    ("ine(b2i32(a@1), 0)", "a"),
    ("ieq(b2i32(a@1), 0)", "inot(a)"),
    ("fneu(b2f32(a@1), 0.0)", "a"),
    ("feq(b2f32(a@1), 0.0)", "inot(a)"),
    ("flt(0.0, b2f32(a@1))", "a"),
    ("iand(inot(a), inot(b))", "inot(ior(a, b))"),
    ("ior(inot(a), inot(b))", "inot(iand(a, b))"),
)

SELECTIONS = _exact(
    ("bcsel(a, b, b)", "b"),
    ("bcsel(a@1, true, false)", "a"),
    ("bcsel(a@1, false, true)", "inot(a)"),
    ("bcsel(inot(a@1), b, c)", "bcsel(a, c, b)"),
    ("bcsel(a, bcsel(a, b, c), d)", "bcsel(a, b, d)"),
    ("bcsel(a, b, bcsel(a, c, d))", "bcsel(a, b, d)"),
)

FUNCTIONS_INEXACT = _inexact(
    ("frcp(frcp(a))", "a"),
    ("fexp2(flog2(a))", "a"),
    ("flog2(fexp2(a))", "a"),
    ("frcp(fsqrt(a))", "frsq(a)"),
    ("fpow(a, 1.0)", "a"),
    ("fpow(a, 2.0)", "fmul(a, a)"),
    ("fpow(a, 0.5)", "fsqrt(a)"),
    ("fmin(fmax(a, 0.0), 1.0)", "fsat(a)"),
    ("fmax(fmin(a, 1.0), 0.0)", "fsat(a)"),
    ("fdiv(1.0, a)", "frcp(a)"),
)

PACKING = _exact(
    ("unpack_64_2x32_split_x(pack_64_2x32_split(a, b))", "a"),
    ("unpack_64_2x32_split_y(pack_64_2x32_split(a, b))", "b"),
    ("pack_64_2x32_split(unpack_64_2x32_split_x(a), unpack_64_2x32_split_y(a))", "a"),
    ("unpack_32_2x16_split_x(pack_32_2x16_split(a, b))", "a"),
    ("unpack_32_2x16_split_y(pack_32_2x16_split(a, b))", "b"),
    ("pack_32_2x16_split(unpack_32_2x16_split_x(a), unpack_32_2x16_split_y(a))", "a"),
)

RULES: tuple[Rule, ...] = (
    *SIGNS,
    *NEUTRAL_OPERANDS,
    *NEUTRAL_OPERANDS_INEXACT,
    *SAME_OPERANDS,
    *SAME_OPERANDS_INEXACT,
    *COMPARISONS,
    *SELECTIONS,
    *FUNCTIONS_INEXACT,
    *PACKING,
)


@cache
def rules_by_opcode() -> Mapping[str, Sequence[Rule]]:
    """Group the rules by the opcode of the replaced instruction, in order of declaration."""
    found: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in RULES:
        found[rule.search_pattern.op].append(rule)
    return found
