"""Error bounds of float computations, propagated along with the values.

Every float carries a bound on its distance from the result of real arithmetic for the same inputs. An
operation propagates the errors of its sources, by its derivative or by evaluating it at the ends of their
intervals, and adds half an ulp of its own if it rounds, unless it is marked exact (`!`) and its sources are
certain: such a result is the reference by definition. Two computations of the same real function may then
differ by the sum of their bounds and not by more.

Where a result is discontinuous (comparisons, floor, conversions to integers, bits read as integers) and the
interval of a source contains the discontinuity, the result is fragile instead. Infinite and NaN results of
inexact operations get an infinite bound, since real arithmetic has neither, unless the float controls of the
shader or the flags of the instruction preserve them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nirls.ir.model.float_controls import USUAL, FloatControls
from nirls.ir.model.instructions import AluInstr
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.alu.error_rules import Jump, any_moved, end_of_interval, quotient_error
from nirls.verification.evaluate.alu.float_error import MANTISSA, half_ulp
from nirls.verification.evaluate.alu.flushing import selects_first
from nirls.verification.evaluate.alu.operation import decode
from nirls.verification.evaluate.alu.run import Plan
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array
from nirls.verification.evaluate.values.value import (
    KEPT_ZERO,
    LEAST_ERROR,
    NEGLIGIBLE,
    Value,
    either,
    on_any_component,
    select_error,
    uncertain_bits,
)

_EXACT = np.zeros((1, 1))


class Rounding:
    """Error propagation of one ALU instruction."""

    __slots__ = (
        *("error", "exact", "gives_float", "name", "plan", "preserves_infs", "preserves_nans"),
        *("flushed", "preserves_zeros", "reads_float"),
    )

    def __init__(
        self,
        plan: Plan,
        exact: bool,
        *,
        preserves_infs: bool = False,
        preserves_nans: bool = False,
        preserves_zeros: bool = False,
        flushed: frozenset[int] = frozenset(),
    ) -> None:
        operation = plan.operation
        self.plan = plan
        self.exact = exact
        self.preserves_infs, self.preserves_nans = preserves_infs, preserves_nans
        self.preserves_zeros, self.flushed = preserves_zeros, flushed
        self.name = operation.name
        self.error = operation.error
        # Some opcodes are declared to give integers, which are the bits of a float.
        self.gives_float = operation.output_type.startswith("float") or plan.selects or self.error.is_known
        self.reads_float = [base_type(kind) == "float" for kind in operation.input_types]

    @classmethod
    def of(cls, instr: AluInstr, plan: Plan, controls: FloatControls = USUAL) -> Rounding:
        """Return the error propagation of an instruction that `plan` evaluates."""
        size = plan.dest_bit_size
        error = plan.operation.error
        rounding = cls(
            plan,
            instr.exact and error.exact_own is None,
            preserves_infs=size in controls.preserved_infs or "preserve:inf" in instr.flags,
            preserves_nans=size in controls.preserved_nans or "preserve:nan" in instr.flags,
            preserves_zeros=size in controls.preserved_zeros or "preserve:sz" in instr.flags,
            flushed=controls.flushed,
        )
        if instr.exact and error.exact_own is not None:
            rounding.error = replace(error, own=error.exact_own)
        return rounding

    def follow(
        self,
        sources: list[Value],
        decoded: list[Array],
        result: Value,
        *,
        rounds_alike: bool = False,
        is_uncounted: bool = False,
        marks_inexact: bool = False,
        flushed: Array | None = None,
        is_coarse: bool = False,
    ) -> None:
        """Set the error bound of the result, and add to its fragile marks; see `RunOptions`.

        `flushed` are the magnitudes of denormal results that became zeros.
        """
        lost = self._lost_denormals(sources)
        moved = lost is not None or any(source.error is not None for source in sources)
        if rounds_alike and not moved and flushed is None:
            self._free_sign_of_zero(result)
            return
        if self.plan.selects:
            if moved:
                self._select(sources, result)
            return
        if self.error.is_mask:
            if moved:
                self._follow_mask(sources, result)
            return
        if not self.gives_float:
            if moved:
                self._note_flips(sources, result, lost)
            return
        is_marked = marks_inexact and not (self.exact or rounds_alike or self.error.is_copy)
        rounds = not self.exact and self.error.own is not None
        if self.error.is_copy:
            self._free_sign_of_nan(result)
        if not (moved or rounds or is_marked) and flushed is None:
            return
        size = self.plan.dest_bit_size
        r = decode(result.bits, "float", size).astype(np.float64)
        if self.plan.operation.raw:
            x = [self._numbers(number, source) for number, source in enumerate(sources)]
        else:
            x = [numbers.astype(np.float64) for numbers in decoded]
        error: Array | float = 0.0
        if moved:
            error = self._passed_on(x, self._errors(sources, lost), r, result)
            # Infinity times no error, as in the product of an infinity and a certain number.
            error = np.where(np.isnan(error), np.inf, error)
            if self.exact:
                # Another source may give any number where this one gives infinity or NaN.
                error = np.where((error > 0) & ~np.isfinite(r), np.inf, error)
                if self.error.own is not None:
                    # Both sides round, and the least change of a source may decide to which neighbour.
                    moves = (error > NEGLIGIBLE) & np.isfinite(r)
                    error = np.where(moves, error + half_ulp(r, size), error)
        if not self.exact and not is_uncounted:
            error = error + self._own(x, r, size, moved)
            if is_coarse and self.error.coarse is not None:
                error = error + self.error.coarse(x, r, size)
            zeros = r == 0
            if zeros.any():
                error = np.where(zeros & (error == 0), LEAST_ERROR, error)
            # The sum is finite only if both are.
            if not np.isfinite(r + error).all():
                error = np.where(np.isfinite(r) & ~np.isnan(error), error, np.inf)
                error = self._preserved(sources, r, error)
        if rounds_alike:
            is_bounded = any_moved(self._errors(sources, lost))
            error = np.where(is_bounded, error, 0.0)
        if flushed is not None:
            error = error + flushed
        if is_marked or moved:
            unsure = np.bool_(is_marked) | any_moved(
                source.error for source in sources if source.error is not None
            )
            error = np.where(unsure & (error == 0), LEAST_ERROR, error)
        if self.error.is_copy and result.error is not None:
            error = np.maximum(error, result.error)
        if self.preserves_zeros:
            is_certain = ~any_moved(self._errors(sources, lost))
            error = np.where((r == 0) & (error <= NEGLIGIBLE) & is_certain, KEPT_ZERO, error)
        bound: Array = np.asarray(error)
        if bound.shape != result.bits.shape:
            bound = np.broadcast_to(bound, result.bits.shape)
        result.error = bound if np.count_nonzero(bound) else None

    def _lost_denormals(self, sources: list[Value]) -> list[Array] | None:
        """Return the magnitude of each source's denormals that count as zeros; None for none."""
        if not self.flushed or self.plan.operation.raw or self.plan.selects:
            return None
        arrays: list[Array] = []
        for source, is_float in zip(sources, self.reads_float, strict=True):
            size = source.bit_size
            if not is_float or size not in self.flushed:
                arrays.append(_EXACT)
                continue
            magnitude = np.abs(decode(source.bits, "float", size).astype(np.float64))
            arrays.append(np.where(magnitude < np.finfo(FLOAT_TYPES[size]).tiny, magnitude, 0.0))
        return arrays if any(numbers.any() for numbers in arrays) else None

    def _free_sign_of_zero(self, result: Value) -> None:
        """Make the sign of a zero uncertain: a pass may make `-a - b` of `-(a + b)`."""
        if self.exact or self.error.own is None or self.preserves_zeros or not self.gives_float:
            return
        zeros = result.bits << 1 == 0
        if zeros.any():
            result.error = np.where(zeros, LEAST_ERROR, 0.0)

    def _free_sign_of_nan(self, result: Value) -> None:
        """Make the signs of NaNs uncertain: other forms of the operation give other ones."""
        with np.errstate(invalid="ignore"):
            is_nan = np.isnan(decode(result.bits, "float", result.bit_size))
        if is_nan.any():
            result.error = np.where(is_nan, LEAST_ERROR, 0.0)

    def _preserved(self, sources: list[Value], r: Array, error: Array) -> Array:
        """Remove the bound of preserved infinities and NaNs if every source is certain."""
        if not (self.preserves_infs or self.preserves_nans):
            return error
        kept = np.isinf(r) if self.preserves_infs else np.zeros(r.shape, np.bool_)
        if self.preserves_nans:
            kept = kept | np.isnan(r)
        for source in self._errors(sources):
            kept = kept & (source == 0).all(axis=0, keepdims=True)
        return np.where(kept, 0.0, error)

    def _numbers(self, number: int, source: Value) -> Array:
        base = "float" if self.reads_float[number] else self.plan.source_types[number][0]
        return decode(source.bits, base, source.bit_size).astype(np.float64)

    def _errors(self, sources: list[Value], lost: list[Array] | None = None) -> list[Array]:
        """Return the sources' error bounds; a sign matters only where bits are read as integers."""
        errors = []
        for source, is_float in zip(sources, self.reads_float, strict=True):
            if source.error is None:
                errors.append(_EXACT)
            elif is_float:
                errors.append(np.where(source.error <= NEGLIGIBLE, 0.0, source.error))
            else:
                uncertain = uncertain_bits(source)
                assert uncertain is not None
                errors.append(np.where(uncertain, np.maximum(source.error, LEAST_ERROR), 0.0))
        return errors if lost is None else [np.maximum(*pair) for pair in zip(errors, lost, strict=True)]

    def _passed_on(self, x: list[Array], e: list[Array], r: Array, result: Value) -> Array | float:
        stray = [error for error, is_float in zip(e, self.reads_float, strict=True) if not is_float]
        for error in stray:
            if (error > 0).any():
                self._mark(result, on_any_component(error > 0)[None])
        if self.error.flips is not None:
            self._mark(result, self.error.flips(x, e))
        if self.error.jump is not None:
            self._mark(result, self._flips(self.error.jump, x, e))
        if self.error.compares:
            self._note_comparison(x, e, result)
            return 0.0
        return 0.0 if self.error.is_step else self.error.rule(x, e, r)

    def _own(self, x: list[Array], r: Array, size: int, moved: bool) -> Array | float:
        """Return the error added by rounding the operation's own result."""
        own, is_exact = self.error.own, self.error.is_exact
        if own is None or (is_exact is not None and self._widens(size)):
            return 0.0
        lost = own(x, r, size)
        if moved or is_exact is None or (size == 64 and not self.error.tells_exact_64):
            return lost
        return np.where(is_exact(x, r), 0.0, lost)

    def _widens(self, size: int) -> bool:
        """Whether a conversion to floats has a significand for all bits of its source."""
        if len(self.plan.source_types) != 1:
            return False
        base, source = self.plan.source_types[0]
        return MANTISSA[source] <= MANTISSA[size] if base == "float" else source <= MANTISSA[size]

    def _flips(self, jump: Jump, x: list[Array], e: list[Array]) -> Array:
        if len(x) == 1:
            return jump([x[0] - e[0]]) != jump([x[0] + e[0]])
        # Rounding the quotient of a remainder may cross an integer too.
        quotient = x[0] / x[1]
        spread = quotient_error(x, e, quotient) + half_ulp(quotient, 32)
        one = np.ones((1, 1))
        return jump([quotient - spread, one]) != jump([quotient + spread, one])

    def _note_comparison(self, x: list[Array], e: list[Array], result: Value) -> None:
        near = (np.abs(x[0] - x[1]) <= e[0] + e[1]) & ((e[0] > 0) | (e[1] > 0))
        near = near | ~np.isfinite(e[0] + e[1])
        if near.shape[0] != result.bits.shape[0]:
            near = near.any(axis=0, keepdims=True)
        self._mark(result, near)

    def _note_flips(self, sources: list[Value], result: Value, lost: list[Array] | None = None) -> None:
        """Mark results as fragile where a float, or its bits, became an integer or a boolean."""
        x = [self._numbers(number, source) for number, source in enumerate(sources)]
        e = self._errors(sources, lost)
        pairs = list(zip(e, self.reads_float, strict=True))
        for error, is_float in pairs:
            if not is_float and (error > 0).any():
                touched = error > 0
                if touched.shape[0] != result.bits.shape[0]:
                    touched = on_any_component(touched)[None]
                self._mark(result, touched)
        if not any(is_float for _, is_float in pairs):
            return
        if self.error.is_monotonic and all(self.reads_float):
            self._mark(result, self._at_ends(x, e, -1) != self._at_ends(x, e, 1))
            return
        if len(x) == 2 and all(self.reads_float) and result.bit_size != 64:
            self._note_comparison(x, e, result)
            return
        if self.error.flips is not None:
            self._mark(result, self.error.flips(x, e))
            return
        self._mark(result, any_moved(error for error, is_float in pairs if is_float))

    def _at_ends(self, x: list[Array], e: list[Array], sign: int) -> Array:
        """Return the bits of the result at the lower (`sign` -1) or upper (1) ends of the intervals."""
        ends = []
        for numbers, error, (_, size) in zip(x, e, self.plan.source_types, strict=True):
            end = np.broadcast_to(end_of_interval(sign, numbers, error), numbers.shape)
            rounded = end.astype(FLOAT_TYPES[size])
            outward = np.nextafter(rounded, FLOAT_TYPES[size](sign * np.inf))
            ends.append(np.where(error == 0, numbers.astype(FLOAT_TYPES[size]), outward))
        return self.plan.compute(ends)

    def _follow_mask(self, sources: list[Value], result: Value) -> None:
        """Handle bit masks that select a float's sign, magnitude, all or nothing; other masks are fragile."""
        doubts = [uncertain_bits(source) for source in sources]
        is_doubtful = [doubt is not None and bool(doubt.any()) for doubt in doubts]
        if all(is_doubtful):
            for doubt in doubts:
                if doubt is not None:
                    self._mark(result, doubt)
            return
        place = 0 if is_doubtful[0] or (sources[1].error is None and not is_doubtful[1]) else 1
        moved, other, doubt = sources[place], sources[1 - place], doubts[place]
        assert moved.error is not None
        assert doubt is not None
        size = result.bit_size
        if size not in MANTISSA:
            self._mark(result, doubt)
            return
        sign, full = 1 << (size - 1), (1 << size) - 1
        mask, error = other.bits, moved.error
        keeps = mask == 0
        settles = np.zeros(mask.shape, np.bool_)
        if self.plan.operation.absorbing == 0:
            number = decode(moved.bits, "float", size).astype(np.float64)
            settles = keeps | ((mask == sign) & (np.abs(number) > error))
            keeps = (mask == full) | (mask == full - sign)
        elif self.plan.operation.absorbing is not None:
            settles = mask == full
            keeps = keeps | (mask == sign)
        else:
            keeps = keeps | (mask == sign)
        self._mark(result, doubt & ~keeps & ~settles)
        kept = np.where(keeps, error, 0.0)
        result.error = np.broadcast_to(kept, result.bits.shape) if kept.any() else None

    def _mark(self, result: Value, marks: Array) -> None:
        if marks.any():
            result.fragile = either(result.fragile, np.broadcast_to(marks, result.bits.shape))

    def _select(self, sources: list[Value], result: Value) -> None:
        condition, first, second = sources
        if condition.error is not None and (condition.error > 0).any():
            size = condition.bit_size
            number = decode(condition.bits, "float", size).astype(np.float64)
            self._mark(result, (np.abs(number) <= condition.error) & (condition.error > 0))
        error = select_error(selects_first(condition, self.plan), first.error, second.error)
        result.error = None if error is None else np.broadcast_to(error, result.bits.shape)
