"""Evaluation of an ALU opcode for known source sizes, and propagation of marks from sources to result."""
# Arithmetic on arrays of any element type has the type Any in numpy.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.alu import UnsupportedOpcode, alu_operation, evaluate_alu
from nirls.ir.evaluate.alu_operation import AluOperation, container_type, decode, encode, split_type
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.value import Value, either
from nirls.ir.model.float_controls import FloatControls

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """The evaluation of one opcode for known source sizes."""

    operation: AluOperation
    source_types: tuple[tuple[str, int], ...]
    dest_base: str
    dest_bit_size: int
    dest_components: int
    common_bit_size: int

    def decoded(self, sources: list[Array]) -> list[Array]:
        """Convert raw bits to the operand values of the opcode."""
        if self.operation.raw:
            return sources
        return [decode(bits, *kind) for bits, kind in zip(sources, self.source_types, strict=True)]

    def compute(self, values: list[Array]) -> Array:
        """Compute the raw bits of the result from decoded sources."""
        if self.operation.wants_bit_size:
            result = self.operation.compute(*values, bit_size=self.common_bit_size)
        else:
            result = self.operation.compute(*values)
        bits = encode(result, self.dest_base, self.dest_bit_size)
        if len(bits) == self.dest_components:
            return bits
        return np.repeat(bits, self.dest_components, axis=0)


@lru_cache(4096)
def plan_of(opcode: str, dest_components: int, dest_bit_size: int, sizes: tuple[int, ...]) -> Plan:
    """Plan an opcode. Raises `Unsupported` for an unknown opcode or sizes that do not fit it."""
    try:
        operation = alu_operation(opcode, dest_bit_size)
        rows = [operation.rows(number) or dest_components for number in range(len(sizes))]
        trial = [np.zeros((count, 1), container_type(size)) for count, size in zip(rows, sizes, strict=True)]
        with np.errstate(all="ignore"):
            evaluate_alu(
                opcode,
                trial,
                dest_components=dest_components,
                dest_bit_size=dest_bit_size,
                source_bit_sizes=sizes,
            )
    except (UnsupportedOpcode, ValueError, KeyError, IndexError) as problem:
        raise Unsupported(f"{opcode} of {dest_components} components and {dest_bit_size} bits") from problem
    base = split_type(operation.output_type)[0]
    if operation.raw and base != "bool":
        base = "uint"
    unsized = [
        size for kind, size in zip(operation.input_types, sizes, strict=True) if split_type(kind)[1] == 0
    ]
    common = dest_bit_size if split_type(operation.output_type)[1] == 0 else (unsized or [32])[0]
    return Plan(
        operation,
        tuple((split_type(kind)[0], size) for kind, size in zip(operation.input_types, sizes, strict=True)),
        base,
        dest_bit_size,
        dest_components,
        common,
    )


_COPIES = frozenset({"fneg", "fabs", "mov", "fmov"})
"""Float operations that only change the sign: they keep denormals."""


@dataclass(frozen=True, slots=True)
class Flush:
    """Flushing of denormal sources and results to zeros of the same sign, by the float controls.

    `float_sources` are the numbers of the flushed sources, `result_size` the size of a flushed result or 0.
    """

    float_sources: frozenset[int]
    result_size: int

    @classmethod
    def of(cls, plan: Plan, controls: FloatControls) -> Flush | None:
        """Return what an operation flushes; None for nothing."""
        if not controls.flushed or plan.operation.raw or plan.operation.name in _COPIES:
            return None
        if is_selection(plan.operation.name):
            return None
        sources = frozenset(
            number
            for number, (base, size) in enumerate(plan.source_types)
            if base == "float" and size in controls.flushed
        )
        flushes_result = plan.dest_base == "float" and plan.dest_bit_size in controls.flushed
        if not sources and not flushes_result:
            return None
        return cls(sources, plan.dest_bit_size if flushes_result else 0)

    def sources(self, decoded: list[Array]) -> list[Array]:
        """Return the operands with denormals as zeros."""
        return [
            _without_denormals(values) if number in self.float_sources else values
            for number, values in enumerate(decoded)
        ]

    def result(self, bits: Array) -> Array:
        """Return the raw bits of the result with denormals as zeros."""
        if not self.result_size:
            return bits
        return encode(_without_denormals(decode(bits, "float", self.result_size)), "float", self.result_size)


def _without_denormals(values: Array) -> Array:
    tiny = np.finfo(values.dtype).tiny
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) < tiny, np.copysign(values.dtype.type(0), values), values)


def is_selection(opcode: str) -> bool:
    """Return whether an opcode selects its second or third source by the first."""
    return opcode in ("bcsel", "b8csel", "b16csel", "b32csel", "fcsel", "fcsel_gt", "fcsel_ge") or (
        opcode.startswith(("i32csel_", "fcsel_"))
    )


def combine_marks(marks: list[Array | None], sources: list[Value], plan: Plan, selects: bool) -> Array | None:
    """Propagate marks from the sources to the components of the result that depend on them.

    A selection depends only on the selected source; the other one may be undefined. So may the other source
    of `iand` with a certain 0, and of `ior` with all bits certainly set.
    """
    if selects and len(sources) == 3:
        truth = selects_first(sources[0], plan)
        result = marks[0]
        if marks[1] is not None:
            result = either(result, marks[1] & truth)
        if marks[2] is not None:
            result = either(result, marks[2] & ~truth)
        return None if result is None else np.broadcast_to(result, (plan.dest_components, result.shape[1]))
    if plan.operation.name in _ABSORBING:
        marks = _not_absorbed(marks, sources, _ABSORBING[plan.operation.name])
    result = None
    for number, mark in enumerate(marks):
        if mark is None:
            continue
        if plan.operation.rows(number) or plan.operation.output_size:
            mark = np.broadcast_to(mark.any(axis=0, keepdims=True), (plan.dest_components, mark.shape[1]))
        result = either(result, mark)
    return result


_ABSORBING = {"iand": 0, "ior": -1}
"""The source with which the result does not depend on the other one."""


def _not_absorbed(marks: list[Array | None], sources: list[Value], absorbing: int) -> list[Array | None]:
    """Drop the marks of each of two sources where the other one is certain to be the absorbing one."""
    found: list[Array | None] = []
    for mark, other in zip(marks, sources[::-1], strict=True):
        if mark is not None:
            absorbs = other.bits == absorbing & (1 << other.bit_size) - 1
            for doubt in (other.poison, other.fragile, None if other.error is None else other.error > 0):
                absorbs = absorbs if doubt is None else absorbs & ~doubt
            mark = mark & ~absorbs
        found.append(mark)
    return found


def selects_first(condition: Value, plan: Plan) -> Array:
    """Return where a selection takes its second source."""
    name = plan.operation.name
    if name in ("bcsel", "b8csel", "b16csel", "b32csel"):
        return condition.bits != 0
    value = decode(condition.bits, "float" if name.startswith("f") else "int", condition.bit_size)
    with np.errstate(invalid="ignore"):
        if name.endswith("_gt"):
            return np.greater(value, 0)
        if name.endswith("_ge"):
            return np.greater_equal(value, 0)
        return np.not_equal(value, 0)
