"""Matching of patterns with operations, whatever these operations are kept in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from nirls.ir.rewriting.patterns import Pattern, PatternConstant, PatternOperation, PatternVariable

Read = TypeVar("Read")
"""What an operation reads: a value with a swizzle, or a number of a value."""


class Expressions(Protocol[Read]):
    """What reads are computed of."""

    def operands(self, read: Read, op: str) -> Sequence[Read] | None:
        """Return the operands of an operation of this name that computes a read; None for anything else."""
        ...

    def is_constant(self, read: Read, constant: PatternConstant) -> bool:
        """Whether a read is a constant in all of its components."""
        ...

    def bit_size(self, read: Read) -> int:
        """Return the bit size of a read."""
        ...

    def origin(self, read: Read) -> Read:
        """Return a read behind copies."""
        ...


@dataclass(frozen=True, slots=True)
class Match(Generic[Read]):
    """The reads bound to the variables of a pattern, and those that its inner operations compute."""

    reads: Mapping[str, Read] = field(default_factory=dict)
    operations: tuple[Read, ...] = ()

    def with_read(self, name: str, read: Read) -> Match[Read]:
        return Match({**self.reads, name: read}, self.operations)

    def with_operation(self, read: Read) -> Match[Read]:
        return Match(self.reads, (*self.operations, read))


def matches(
    pattern: PatternOperation,
    operands: Sequence[Read],
    expressions: Expressions[Read],
    so_far: Match[Read] | None = None,
) -> Iterator[Match[Read]]:
    """Yield all matches of a pattern with an operation of its name; the first two operands may commute."""
    if len(operands) != len(pattern.sources):
        return
    start: Match[Read] = Match() if so_far is None else so_far
    orders = [operands]
    if pattern.is_commutative and len(operands) >= 2:
        orders.append([operands[1], operands[0], *operands[2:]])
    for order in orders:
        yield from _match_all(pattern.sources, order, expressions, start)


def _match_all(
    patterns: Sequence[Pattern], reads: Sequence[Read], expressions: Expressions[Read], so_far: Match[Read]
) -> Iterator[Match[Read]]:
    if not patterns:
        yield so_far
        return
    for first in _match_read(patterns[0], reads[0], expressions, so_far):
        yield from _match_all(patterns[1:], reads[1:], expressions, first)


def _match_read(
    pattern: Pattern, read: Read, expressions: Expressions[Read], so_far: Match[Read]
) -> Iterator[Match[Read]]:
    read = expressions.origin(read)
    match pattern:
        case PatternVariable(name, bit_size):
            known = so_far.reads.get(name)
            if known is None and bit_size in (0, expressions.bit_size(read)):
                yield so_far.with_read(name, read)
            elif known == read:
                yield so_far
        case PatternConstant():
            if expressions.is_constant(read, pattern):
                yield so_far
        case PatternOperation():
            operands = expressions.operands(read, pattern.op)
            if operands is not None:
                yield from matches(pattern, operands, expressions, so_far.with_operation(read))
