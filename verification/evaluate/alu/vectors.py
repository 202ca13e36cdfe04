"""Moves, vector construction, and operations across the components of vectors."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from nirls.verification.evaluate.alu.comparisons import FLOAT_COMPARISON, as_float
from nirls.verification.evaluate.alu.error_rules import dot, homogeneous_dot, sum_of_components
from nirls.verification.evaluate.alu.float_error import approximate, dot_own, rounded, sum_own
from nirls.verification.evaluate.alu.operation import AluOperation
from nirls.verification.evaluate.values.arrays import Array

_VECTOR_SIZES = (2, 3, 4, 5, 8, 16)
_BOOLEANS = ("b", "b8", "b16", "b32")


def _concatenate(*sources: Array) -> Array:
    return np.concatenate(np.broadcast_arrays(*sources), axis=0)


def _all_equal(a: Array, b: Array) -> Array:
    return (a == b).all(axis=0, keepdims=True)


def _any_not_equal(a: Array, b: Array) -> Array:
    return (a != b).any(axis=0, keepdims=True)


def _sum_pairwise(terms: Array) -> Array:
    """Sum all rows in Mesa's constant folding order: pairwise by halves, an odd row added last."""
    count = len(terms)
    if count == 1:
        return terms
    if count == 3:
        return (terms[2:3] + terms[1:2]) + terms[0:1]
    if count == 5:
        return terms[4:5] + _sum_pairwise(terms[:4])
    return _sum_pairwise(terms[count // 2 :]) + _sum_pairwise(terms[: count // 2])


def _dot(a: Array, b: Array) -> Array:
    return _sum_pairwise(a * b)


def _dot_homogeneous(a: Array, b: Array) -> Array:
    products = a * b[:3]
    return ((products[0:1] + products[1:2]) + products[2:3]) + b[3:4]


def _sum(a: Array) -> Array:
    if len(a) == 3:
        return (a[0:1] + a[1:2]) + a[2:3]
    return _sum_pairwise(a)


_DOT = approximate(dot, dot_own, exact_own=dot_own)
_HOMOGENEOUS_DOT = approximate(homogeneous_dot, sum_own, exact_own=sum_own)


def _vectors() -> Iterator[AluOperation]:
    for size in _VECTOR_SIZES:
        yield AluOperation(f"vec{size}", _concatenate, raw=True)


def _reductions() -> Iterator[AluOperation]:
    for size in _VECTOR_SIZES:
        for prefix, kind in product(_BOOLEANS, "fi"):
            yield AluOperation(f"{prefix}all_{kind}equal{size}", _all_equal)
            yield AluOperation(f"{prefix}any_{kind}nequal{size}", _any_not_equal)
        for name, compute in (("fall_equal", _all_equal), ("fany_nequal", _any_not_equal)):
            yield AluOperation(f"{name}{size}", as_float(compute), FLOAT_COMPARISON)


def _dots() -> Iterator[AluOperation]:
    for size in _VECTOR_SIZES:
        yield AluOperation(f"fdot{size}", _dot, _DOT)
        yield AluOperation(f"fdot{size}_replicated", _dot, _DOT)
    yield AluOperation("fdph", _dot_homogeneous, _HOMOGENEOUS_DOT)
    yield AluOperation("fdph_replicated", _dot_homogeneous, _HOMOGENEOUS_DOT)


OPERATIONS: tuple[AluOperation, ...] = (
    AluOperation("mov", lambda a: a, raw=True),
    *_vectors(),
    *_reductions(),
    *_dots(),
    AluOperation("fsum2", _sum, rounded(sum_of_components, sum_own)),
    AluOperation("fsum3", _sum, approximate(sum_of_components, sum_own)),
    AluOperation("fsum4", _sum, approximate(sum_of_components, sum_own)),
)
