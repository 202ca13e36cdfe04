"""Flushed denormals, and marks propagated from the sources of an ALU instruction to its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nirls.ir.model.float_controls import FloatControls
from nirls.verification.evaluate.alu.operation import decode, encode
from nirls.verification.evaluate.alu.run import Plan
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array
from nirls.verification.evaluate.values.value import Value, either


@dataclass(frozen=True, slots=True)
class Flush:
    """Flushing of denormal sources and results to zeros of the same sign, by the float controls.

    `float_sources` are the sizes of the flushed sources by number, `result_size` that of a flushed
    result or 0.
    """

    float_sources: Mapping[int, int]
    result_size: int

    @classmethod
    def of(cls, plan: Plan, controls: FloatControls) -> Flush | None:
        """Return what an operation flushes; None for nothing."""
        if not controls.flushed or plan.operation.raw or plan.selects:
            return None
        sources = {
            number: size
            for number, (base, size) in enumerate(plan.source_types)
            if base == "float" and size in controls.flushed
        }
        flushes_result = plan.dest_base == "float" and plan.dest_bit_size in controls.flushed
        if not sources and not flushes_result:
            return None
        return cls(sources, plan.dest_bit_size if flushes_result else 0)

    def sources(self, decoded: list[Array]) -> list[Array]:
        """Return the operands with denormals as zeros."""
        return [
            _without_denormals(values, self.float_sources[number]) if number in self.float_sources else values
            for number, values in enumerate(decoded)
        ]

    def lost(self, bits: Array) -> Array | None:
        """Return the magnitudes of results that are denormal, 0 for others; None if no result is."""
        if not self.result_size:
            return None
        magnitude = np.abs(decode(bits, "float", self.result_size).astype(np.float64))
        lost = np.where(magnitude < np.finfo(FLOAT_TYPES[self.result_size]).tiny, magnitude, 0.0)
        return lost if lost.any() else None

    def result(self, bits: Array) -> Array:
        """Return the raw bits of the result with denormals as zeros."""
        if not self.result_size:
            return bits
        numbers = _without_denormals(decode(bits, "float", self.result_size), self.result_size)
        return encode(numbers, "float", self.result_size)


def _without_denormals(values: Array, bit_size: int) -> Array:
    tiny = np.finfo(FLOAT_TYPES[bit_size]).tiny
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) < tiny, np.copysign(values.dtype.type(0), values), values)


def combine_marks(marks: list[Array | None], sources: list[Value], plan: Plan) -> Array | None:
    """Propagate marks from the sources to the components of the result that depend on them.

    A selection depends only on the selected source; the other one may be undefined. So may the other source
    of `iand` with a certain 0, and of `ior` with all bits certainly set.
    """
    if plan.selects:
        truth = selects_first(sources[0], plan)
        result = marks[0]
        if marks[1] is not None:
            result = either(result, marks[1] & truth)
        if marks[2] is not None:
            result = either(result, marks[2] & ~truth)
        return None if result is None else np.broadcast_to(result, (plan.dest_components, result.shape[1]))
    if plan.operation.absorbing is not None:
        marks = _not_absorbed(marks, sources, plan.operation.absorbing)
    result = None
    for number, mark in enumerate(marks):
        if mark is None:
            continue
        if plan.operation.rows(number) or plan.operation.output_size:
            mark = np.broadcast_to(mark.any(axis=0, keepdims=True), (plan.dest_components, mark.shape[1]))
        result = either(result, mark)
    return result


def _not_absorbed(marks: list[Array | None], sources: list[Value], absorbing: int) -> list[Array | None]:
    """Drop the marks of each of two sources where the other one is certain to be the absorbing one."""
    arrays: list[Array | None] = []
    for mark, other in zip(marks, sources[::-1], strict=True):
        if mark is not None:
            absorbs = other.bits == absorbing & (1 << other.bit_size) - 1
            for doubt in (other.poison, other.fragile, None if other.error is None else other.error > 0):
                absorbs = absorbs if doubt is None else absorbs & ~doubt
            mark = mark & ~absorbs
        arrays.append(mark)
    return arrays


def selects_first(condition: Value, plan: Plan) -> Array:
    """Return where a selection takes its second source."""
    value = decode(condition.bits, *plan.source_types[0])
    with np.errstate(invalid="ignore"):
        selects: Array = (plan.operation.condition or np.not_equal)(value, 0)
    return selects
