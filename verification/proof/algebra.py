"""Normal forms of ALU operations: what Mesa's algebraic passes replace by each other has the same number.

Operations on integers and booleans have a normal form that is equal bit for bit. Sums, products and quotients
of floats become polynomials, which are equal as functions of real numbers; that is what the contract requires
of inexact operations (docs/verification.md). Exact operations, those that preserve special values, and values
computed of undefined ones stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from nirls.ir.model.float_bits import float_bits, float_of
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.rewriting.matching import matches
from nirls.ir.rewriting.patterns import Pattern, PatternConstant, PatternVariable
from nirls.ir.tables import opcode
from nirls.verification.proof.polynomials import (
    NoPolynomialError,
    Polynomial,
    Ring,
)
from nirls.verification.proof.rewrites import EXACT, INEXACT, rewrites
from nirls.verification.proof.values import Number, Owner, UnprovedError, Values

_COMPARISONS = frozenset(("flt", "fge", "feq", "fneu"))
_SETS = frozenset(("iand", "ior", "imin", "imax", "umin", "umax"))
"""Associative, commutative and idempotent operations."""
_SIGNS = frozenset(("fneg", "fabs"))
_MOST_STEPS = 40
_MOST_PRODUCTS = 16
"""Most monomials of a product of sums that is expanded."""


Operand = tuple[Number, int]
"""A number with its bit size."""


@dataclass(frozen=True, slots=True)
class Term:
    """An operation on scalars: the opcode, the bit size of the result, and the operands with theirs."""

    op: str
    bit_size: int
    sources: tuple[tuple[Number, int], ...]
    words: frozenset[str] = frozenset()


class Algebra:
    """The normal forms of one round.

    What cancels in a value of the first shader disappears if `cancels` its owner: the second may no longer
    have `x + 0` or `x * 1`, with `reduces` also `x - x` or `x / x`. It never disappears in the second: a pass
    may not introduce it.
    """

    def __init__(
        self,
        values: Values,
        controls: FloatControls,
        *,
        cancels: Callable[[Owner], bool],
        reduces: bool = False,
    ) -> None:
        self.values = values
        self.cancels = cancels
        self.reduces = reduces
        self.has_cancelled = self.has_kept = False
        """Whether something disappeared, and whether something that cancels did not."""
        self.approximate = controls.approximates
        self.start_round()

    def start_round(self) -> None:
        """Forget all normal forms."""
        self.terms: dict[Number, Term] = {}
        self.polynomials: dict[Number, Polynomial] = {}
        self._owner: Owner = None
        self._row = 0
        self._side = self._steps = 0

    def number(self, owner: Owner, row: int, side: int, term: Term) -> Number | None:
        """Return the number of the normal form of a component; None for one that stays as it is."""
        if not self.values.undefined.isdisjoint(number for number, _ in term.sources):
            return None
        self._owner, self._row, self._side, self._steps = owner, row, side, 0
        reduction = _REDUCTIONS.get(term.op.rstrip("0123456789"))
        if reduction is not None and len(term.sources) > 2:
            return self._reduction(*reduction, term)
        return self._normal(term)

    def _reduction(self, outer: str, inner: str, term: Term) -> Number:
        """Return the number of an operation on the results for the components of two vectors."""
        half = len(term.sources) // 2
        pairs = zip(term.sources[:half], term.sources[half:], strict=True)
        parts = [self._normal(Term(inner, 1, pair, term.words)) for pair in pairs]
        total = parts[0]
        for part in parts[1:]:
            total = self._normal(Term(outer, 1, ((total, 1), (part, 1))))
        return total

    # Rewriting

    def _normal(self, term: Term) -> Number:
        is_approximate = self._is_approximate(term)
        is_inexact = is_approximate and not term.words
        if is_inexact:
            try:
                found = self._polynomial_number(term)
            except (NoPolynomialError, OverflowError):
                found = None
            if found is not None:
                return found
        elif (number := self._integer_sum(term)) is not None:
            return number
        tables = (EXACT, INEXACT) if is_inexact else (EXACT,)
        if self._steps < _MOST_STEPS:
            for table in tables:
                for row in rewrites(table).get(term.op, ()):
                    match = next(matches(row.search, term.sources, self), None)
                    if match is not None:
                        self._steps += 1
                        return self._built(row.replacement, match.reads, term)[0]
        if is_approximate and term.op in _COMPARISONS and (split := self._split_difference(term)) is not None:
            return self._keyed(split)
        return self._keyed(term)

    def _is_approximate(self, term: Term) -> bool:
        entry = opcode(term.op)
        if entry is None or not term.sources or not entry.input_types[0].startswith("float"):
            return False
        return all(size in self.approximate for _, size in term.sources)

    def operands(self, read: Operand, op: str) -> Sequence[Operand] | None:
        """See `Expressions.operands`."""
        term = self.terms.get(read[0])
        return None if term is None or term.op != op else term.sources

    def is_constant(self, read: Operand, constant: PatternConstant) -> bool:
        """See `Expressions.is_constant`."""
        number, size = read
        return self.values.constants.get(number) == (_bits(constant, size), size)

    def bit_size(self, read: Operand) -> int:
        """See `Expressions.bit_size`."""
        return read[1]

    def origin(self, read: Operand) -> Operand:
        """See `Expressions.origin`: copies have no number of their own."""
        return read

    def _built(self, pattern: Pattern, bound: Mapping[str, Operand], root: Term) -> Operand:
        """Return the number and bit size of a replacement."""
        match pattern:
            case PatternVariable(name):
                return bound[name]
            case PatternConstant():
                bits = _bits(pattern, root.bit_size)
                if bits is None:
                    raise UnprovedError
                return self._constant(bits, root.bit_size), root.bit_size
        sources = tuple(self._built(source, bound, root) for source in pattern.sources)
        entry = opcode(pattern.op)
        size = 1 if entry is not None and entry.output_type == "bool1" else root.bit_size
        return self._normal(Term(pattern.op, size, sources, root.words)), size

    # Keys

    def _keyed(self, term: Term) -> Number:
        """Return the number of an operation that is in normal form."""
        if term.op in _SETS:
            return self._set(term)
        sources = term.sources
        entry = opcode(term.op)
        if entry is not None and entry.is_commutative:
            sources = (*sorted(sources[:2]), *sources[2:])
        number = self._fresh(("term", term.op, term.bit_size, sources))
        self.terms.setdefault(number, term)
        self.values.limit(number, term.words, self._side)
        return number

    def _set(self, term: Term) -> Number:
        """Return the number of an associative operation on a set of operands."""
        found: dict[tuple[Number, int], None] = {}
        waiting = list(term.sources)
        while waiting:
            source = waiting.pop()
            inner = self.terms.get(source[0])
            if inner is not None and inner.op == term.op and inner.bit_size == term.bit_size:
                waiting += inner.sources
            else:
                found[source] = None
        operands = tuple(sorted(found))
        if len(operands) == 1:
            return operands[0][0]
        number = self._fresh(("term", term.op, term.bit_size, operands))
        self.terms.setdefault(number, Term(term.op, term.bit_size, operands))
        return number

    def _fresh(self, key: Hashable) -> Number:
        self._steps += 1
        return self.values.number(("part", self._owner, self._row), self._steps, key)

    def _constant(self, bits: int, bit_size: int) -> Number:
        self._steps += 1
        return self.values.constant(("part", self._owner, self._row), self._steps, bits, bit_size)

    # Integers

    def _integer_sum(self, term: Term) -> Number | None:
        """Return the number of a sum or product of integers, which wrap; None for another operation."""
        if term.op not in _INTEGER_SUMS:
            return None
        ring = Ring(term.bit_size, is_float=False)
        try:
            sources = [self._polynomial(number, ring) for number, _ in term.sources]
            match term.op:
                case "iadd":
                    total = sources[0] + sources[1]
                case "iadd3":
                    total = sources[0] + sources[1] + sources[2]
                case "isub":
                    total = sources[0] - sources[1]
                case "ineg":
                    total = -sources[0]
                case "imul" | "amul":
                    total = self.product(sources[0], sources[1])
                case _:
                    shift = self.values.constants.get(term.sources[1][0])
                    if shift is None:
                        return None
                    total = sources[0] * ring.constant(1 << shift[0] % term.bit_size)
        except NoPolynomialError:
            return None
        return self._sum(total.reduced())

    # Floats

    def _polynomial_number(self, term: Term) -> Number | None:
        """Return the number of a sum, product or quotient; None for another operation."""
        ring = Ring(term.bit_size, is_float=True)
        if term.op in _SIGNS:
            known = self.polynomials.get(term.sources[0][0])
            if known is None or (term.op == "fabs" and not known.is_negative):
                return None
            opposite = self._sum(-known)
            return (
                opposite
                if term.op == "fneg"
                else self._keyed(replace(term, sources=((opposite, term.bit_size),)))
            )
        rule = _FLOAT_SUMS.get(term.op)
        if rule is None:
            return None
        sources = [self._polynomial(number, ring) for number, _ in term.sources]
        total = left = rule(self, sources)
        if any(source.is_zero for source in sources):
            left = rule(self, [Polynomial(ring, {}) if source.is_zero else source for source in sources])
        if self._side == 0 and not left.is_reduced:
            self.has_kept = True
            if self.reduces:
                left = left.reduced()
        collapsed = self._collapsed(left)
        if collapsed is None:
            # An inexact operation made the value without 0 too, so 0 changes nothing that counts.
            return self._sum(left)
        return collapsed if self._side == 0 and self._cancels() else self._sum(total)

    def _polynomial(self, number: Number, ring: Ring) -> Polynomial:
        known = self.polynomials.get(number)
        if known is not None and known.ring == ring:
            return known
        term = self.terms.get(number)
        if ring.is_float and term is not None and term.op == "fneg":
            return -self._polynomial(term.sources[0][0], ring)
        constant = self.values.constants.get(number)
        if constant is None:
            return ring.value(number)
        return ring.constant(float_of(constant[0], ring.bit_size) if ring.is_float else constant[0])

    def _collapsed(self, total: Polynomial) -> Number | None:
        """Return the number of a polynomial that is a constant or a value; None for any other."""
        if not total.terms:
            return self._constant(0, total.ring.bit_size)
        if len(total.terms) > 1:
            return None
        ((powers, factor),) = total.terms.items()
        factor = total.ring.rounded(factor)
        if not powers:
            size = total.ring.bit_size
            bits = float_bits(factor, size) if total.ring.is_float else int(factor)
            return self._constant(bits, size)
        if [exponent for _, exponent in powers] != [1]:
            return None
        size = total.ring.bit_size
        if total.ring.is_float and factor == -1:
            return self._keyed(Term("fneg", size, ((powers[0][0], size),)))
        return powers[0][0] if factor == 1 else None

    def _sum(self, total: Polynomial) -> Number:
        """Return the number of a polynomial; an integer one may be a constant or a value."""
        if not total.ring.is_float and (collapsed := self._collapsed(total)) is not None:
            return collapsed
        number = self._fresh(("sum", total.key))
        self.polynomials.setdefault(number, total)
        self.values.limit(number, frozenset(), self._side)
        return number

    def product(self, one: Polynomial, other: Polynomial) -> Polynomial:
        """Multiply two polynomials; sums count as values if the result would be long."""
        if len(one.terms) * len(other.terms) <= _MOST_PRODUCTS:
            return one * other
        factors = [
            each if len(each.terms) == 1 else each.ring.value(self._sum(each)) for each in (one, other)
        ]
        return factors[0] * factors[1]

    def inverse(self, value: Polynomial) -> Polynomial:
        """Return the inverse of a polynomial; a sum counts as a value."""
        if len(value.terms) != 1:
            value = value.ring.value(self._sum(value))
        return value.inverse()

    def inverse_root(self, value: Polynomial) -> Polynomial:
        """Return the inverse of the square root of a polynomial."""
        size = value.ring.bit_size
        collapsed = self._collapsed(value)
        source = self._sum(value) if collapsed is None else collapsed
        return value.ring.value(self._keyed(Term("fsqrt", size, ((source, size),)))).inverse()

    def _cancels(self) -> bool:
        """Whether what cancels in the current def disappears."""
        cancels = self.cancels(self._owner)
        self.has_cancelled |= cancels
        self.has_kept |= not cancels
        return cancels

    def _split_difference(self, term: Term) -> Term | None:
        """Return the comparison of two values for that of their difference with 0, in the first shader."""
        if self._side:
            return None
        for place in (0, 1):
            constant = self.values.constants.get(term.sources[1 - place][0])
            known = self.polynomials.get(term.sources[place][0])
            if constant is None or known is None or constant[0] << 1 & ((1 << constant[1]) - 1):
                continue
            if sorted(known.terms.values()) != [-1.0, 1.0] or not self._cancels():
                continue
            sides = sorted(known.terms.items(), key=lambda item: item[1])
            ring = known.ring
            parts = []
            for powers, factor in reversed(sides):
                part = Polynomial(ring, {powers: abs(factor)})
                collapsed = self._collapsed(part)
                parts.append((self._sum(part) if collapsed is None else collapsed, ring.bit_size))
            ordered = (parts[0], parts[1]) if place == 0 else (parts[1], parts[0])
            return Term(term.op, term.bit_size, ordered, term.words)
        return None


def _dot(algebra: Algebra, sources: Sequence[Polynomial]) -> Polynomial:
    half = len(sources) // 2
    total = algebra.product(sources[0], sources[half])
    for polynomial, other in zip(sources[1:half], sources[half + 1 :], strict=True):
        total += algebra.product(polynomial, other)
    return total


_REDUCTIONS = {
    "ball_fequal": ("iand", "feq"),
    "ball_iequal": ("iand", "ieq"),
    "bany_fnequal": ("ior", "fneu"),
    "bany_inequal": ("ior", "ine"),
}
"""Operations on vectors by the operation on all components, and that on each."""

_INTEGER_SUMS = frozenset(("iadd", "iadd3", "isub", "ineg", "imul", "amul", "ishl"))
_FLOAT_SUMS: Mapping[str, Callable[[Algebra, Sequence[Polynomial]], Polynomial]] = {
    "fadd": lambda _, of: of[0] + of[1],
    "fsub": lambda _, of: of[0] - of[1],
    "fmul": lambda algebra, of: algebra.product(*of),
    "ffma": lambda algebra, of: algebra.product(of[0], of[1]) + of[2],
    "ffma_weak": lambda algebra, of: algebra.product(of[0], of[1]) + of[2],
    "flrp": lambda algebra, of: of[0] - algebra.product(of[0], of[2]) + algebra.product(of[1], of[2]),
    **{f"fdot{size}": _dot for size in (2, 3, 4, 5, 8, 16)},
    "fdiv": lambda algebra, of: algebra.product(of[0], algebra.inverse(of[1])),
    "frcp": lambda algebra, of: algebra.inverse(of[0]),
    "frsq": lambda algebra, of: algebra.inverse_root(of[0]),
}


def _bits(constant: PatternConstant, bit_size: int) -> int | None:
    """Return the bits of a constant; None if it cannot have this bit size."""
    if isinstance(constant.value, bool) and bit_size != 1:
        return None
    return constant.bits(bit_size)
