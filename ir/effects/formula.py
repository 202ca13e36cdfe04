"""Formulas of byte offsets by sources and indices, such as `s1 + offset0 * bytes`.

A formula is a sum, product or left shift of numbers, sources (`s0`), indices (`base`; 0 if not printed),
`bytes` (the size of a component of the accessed value) and `width` (the size of the whole value).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from nirls.ir.model.values import Def, Src


@dataclass(frozen=True, slots=True)
class Linear:
    """A constant plus multiples of sources or values."""

    constant: int = 0
    factors: Mapping[Def | Src, int] = field(default_factory=dict)

    def plus(self, other: Linear) -> Linear:
        """Return the sum."""
        factors = dict(self.factors)
        for value, factor in other.factors.items():
            factors[value] = factors.get(value, 0) + factor
        return Linear(self.constant + other.constant, factors)

    def times(self, other: Linear) -> Linear | None:
        """Return the product; None if both are variable."""
        linear, two = (other, self) if self.factors else (self, other)
        if linear.factors:
            return None
        scaled = {value: factor * linear.constant for value, factor in two.factors.items()}
        return Linear(linear.constant * two.constant, scaled)


Resolve = Callable[[str], Linear | None]


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula."""

    text: str

    def evaluate(self, resolve: Resolve) -> Linear | None:
        """Evaluate with the values of names given by `resolve`; None if one is unknown."""
        return _evaluate(_parsed(self.text), resolve)

    def names(self) -> frozenset[str]:
        """Return the names in the formula."""
        return frozenset(node.id for node in ast.walk(_parsed(self.text)) if isinstance(node, ast.Name))


@lru_cache(256)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text.strip(), mode="eval").body


def _evaluate(node: ast.expr, resolve: Resolve) -> Linear | None:
    match node:
        case ast.Constant(value=int(number)):
            return Linear(number)
        case ast.Name(id=name):
            return resolve(name)
        case ast.BinOp(left=left, op=operation, right=right):
            linear, two = _evaluate(left, resolve), _evaluate(right, resolve)
            if linear is None or two is None:
                return None
            if isinstance(operation, ast.Add):
                return linear.plus(two)
            if isinstance(operation, ast.Mult):
                return linear.times(two)
            if isinstance(operation, ast.LShift) and not two.factors and 0 <= two.constant < 64:
                return linear.times(Linear(1 << two.constant))
    raise ValueError(f"no formula: {ast.unparse(node)}")
