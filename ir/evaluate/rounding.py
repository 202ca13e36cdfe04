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

import math
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product

import numpy as np

from nirls.ir.evaluate.alu import Plan
from nirls.ir.evaluate.alu_marks import selects_first
from nirls.ir.evaluate.alu_operation import decode
from nirls.ir.evaluate.arrays import FLOAT_TYPES, Array
from nirls.ir.evaluate.value import Value, either, on_any_component, select_error
from nirls.ir.model.float_controls import USUAL, FloatControls
from nirls.ir.model.instructions import AluInstr
from nirls.ir.tables.entries import base_type

Rule = Callable[[list[Array], list[Array], Array], Array]
Jump = Callable[[list[Array]], Array]

SIGN_OF_ZERO = 2.0**-1074
"""Bound of a zero with an uncertain sign only: inexact operations need not preserve it."""

_MANTISSA = {16: 11, 32: 24, 64: 53}
_RELATIVE = {size: 2.0**-digits for size, digits in _MANTISSA.items()}
_SMALLEST = {16: 2.0**-24, 32: 2.0**-149, 64: 2.0**-1074}


def half_ulp(values: Array, bit_size: int) -> Array:
    """Return an upper bound on half an ulp, in floats of `bit_size`, around each float64 value."""
    with np.errstate(all="ignore"):
        return np.maximum(np.abs(values) * _RELATIVE[bit_size], _SMALLEST[bit_size])


def _sum_of_errors(x: list[Array], e: list[Array], r: Array) -> Array:
    total = e[0]
    for error in e[1:]:
        total = total + error
    return total


def _monotonic(operation: Callable[..., Array]) -> Rule:
    """Build the rule of an operation that decreases with no source: its results at the ends of the intervals.

    Where an end is clamped, the result is exact. A NaN with a bound stands for any number.
    """

    def rule(x: list[Array], e: list[Array], r: Array) -> Array:
        low, high = (operation(*map(partial(_end, sign), x, e)) for sign in (-1, 1))
        error = np.fmax(high - r, r - low)
        certain = (low == high) | (np.isnan(low) & np.isnan(high))
        return np.where(certain, 0.0, np.where(np.isnan(error), np.inf, error))

    return rule


def _end(sign: int, x: Array, e: Array) -> Array:
    """Return the lower (`sign` -1) or upper (1) end of the intervals."""
    return np.where(e == 0, x, np.where(np.isfinite(x) & np.isfinite(e), x + sign * e, sign * np.inf))


def _product(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.abs(x[0]) * e[1] + np.abs(x[1]) * e[0] + e[0] * e[1]


def _product_and_sum(x: list[Array], e: list[Array], r: Array) -> Array:
    return _product(x, e, r) + e[2]


def _dot(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.sum(_product(x, e, r), axis=0, keepdims=True)


def _homogeneous_dot(x: list[Array], e: list[Array], r: Array) -> Array:
    # a.xyz * b.xyz + b.w
    second = np.broadcast_to(e[1], x[1].shape)
    return _dot([x[0], x[1][:3]], [e[0], second[:3]], r) + second[3:]


def _sum_of_components(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.sum(np.broadcast_to(e[0], x[0].shape), axis=0, keepdims=True)


def _axes_of_cube(x: list[Array], e: list[Array]) -> tuple[Array, Array, Array]:
    """Return the largest error and the two largest magnitudes of the components of a direction."""
    error = np.max(np.broadcast_to(e[0], x[0].shape), axis=0, keepdims=True)
    second, first = np.sort(np.abs(x[0]), axis=0)[-2:]
    return error, first[None], second[None]


def _other_face(x: list[Array], e: list[Array]) -> Array:
    """Return where the error could turn a direction to another face of the cube."""
    error, major, second = _axes_of_cube(x, e)
    return (error > 0) & ~(major - second > 2 * error)


def _cube_coordinates(x: list[Array], e: list[Array], r: Array) -> Array:
    # minor / (2 * major) + 0.5, and minor <= major
    error, major, _ = _axes_of_cube(x, e)
    room = major - error
    return np.where(room > 0, error / np.where(room > 0, room, 1.0), np.where(error > 0, np.inf, 0.0))


def _cube(x: list[Array], e: list[Array], r: Array) -> Array:
    # Two minor axes, twice the major one, and the face
    error = _axes_of_cube(x, e)[0]
    return np.concatenate([error, error, 2 * error, 0 * error])


def _quotient(x: list[Array], e: list[Array], r: Array) -> Array:
    room = np.abs(x[1]) - e[1]
    return np.where(room > 0, (e[0] + np.abs(r) * e[1]) / np.where(room > 0, room, 1.0), np.inf)


def _reciprocal(x: list[Array], e: list[Array], r: Array) -> Array:
    room = np.abs(x[0]) - e[0]
    return np.where(room > 0, np.abs(r) * e[0] / np.where(room > 0, room, 1.0), np.inf)


def _square_root(x: list[Array], e: list[Array], r: Array) -> Array:
    # If the interval of a source contains 0, the root is between 0 and that of its upper end.
    low, high = np.maximum(x[0] - e[0], 0.0), np.maximum(x[0] + e[0], 0.0)
    root = np.sqrt(np.maximum(x[0], 0.0))
    spread = np.maximum(root - np.sqrt(low), np.sqrt(high) - root)
    return np.where(e[0] == 0, 0.0, spread)


def _inverse_root(x: list[Array], e: list[Array], r: Array) -> Array:
    low = x[0] - e[0]
    safe = np.where(low > 0, low, 1.0)
    return np.where(e[0] == 0, 0.0, np.where(low > 0, 1 / np.sqrt(safe) - np.abs(r), np.inf))


def _exponential(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.exp2(x[0] + e[0]) - np.exp2(x[0])


def _logarithm(x: list[Array], e: list[Array], r: Array) -> Array:
    low = x[0] - e[0]
    safe = np.where(low > 0, low, 1.0)
    return np.where(
        e[0] == 0, 0.0, np.where(low > 0, np.log2(np.maximum(x[0], safe)) - np.log2(safe), np.inf)
    )


def _wave(angle: float) -> Rule:
    """Build the rule of a sine or cosine of the source times `angle`."""
    return lambda x, e, r: np.minimum(angle * e[0], 2.0)


def _mix(x: list[Array], e: list[Array], r: Array) -> Array:
    # a * (1 - t) + b * t
    return np.abs(1 - x[2]) * e[0] + np.abs(x[2]) * e[1] + np.abs(x[1] - x[0]) * e[2] + (e[0] + e[1]) * e[2]


def _power(x: list[Array], e: list[Array], r: Array) -> Array:
    low = x[0] - e[0]
    largest = np.zeros(np.broadcast_shapes(x[0].shape, x[1].shape))
    for base, exponent in product((low, x[0] + e[0]), (x[1] - e[1], x[1] + e[1])):
        corner = np.power(np.maximum(base, 0.0), exponent)
        largest = np.maximum(largest, np.abs(corner - r))
    moved = (e[0] > 0) | (e[1] > 0)
    return np.where(moved, np.where(low >= 0, largest, np.inf), 0.0)


def _pass_on(x: list[Array], e: list[Array], r: Array) -> Array:
    return e[0]


def _scaled_by_power(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.ldexp(e[0], x[1].astype(np.int64).clip(-2000, 2000))


def _unknown(x: list[Array], e: list[Array], r: Array) -> Array:
    return np.where(_any_moved(e), np.inf, 0.0)


def _any_moved(errors: Iterable[Array]) -> Array:
    """Return the lanes on which any component of any source has an error."""
    moved = np.zeros((1, 1), np.bool_)
    for error in errors:
        moved = moved | (error > 0).any(axis=0, keepdims=True)
    return moved


_ANGLES = {"amd": 2 * math.pi, "mdg": math.pi, "agx": math.pi / 2}
"""Factor on the source of the sines and cosines of some hardware."""

_RULES: dict[str, Rule] = {
    "fadd": _sum_of_errors,
    "fsub": _sum_of_errors,
    "fmul": _product,
    "fmulz": _product,
    "ffma": _product_and_sum,
    "ffmaz": _product_and_sum,
    "ffma_weak": _product_and_sum,
    "fmad": _product_and_sum,
    "fmadz": _product_and_sum,
    "fdiv": _quotient,
    "frcp": _reciprocal,
    "fsqrt": _square_root,
    "frsq": _inverse_root,
    "fexp2": _exponential,
    "flog2": _logarithm,
    "fsin": _wave(1.0),
    "fcos": _wave(1.0),
    **{f"{wave}_{vendor}": _wave(angle) for vendor, angle in _ANGLES.items() for wave in ("fsin", "fcos")},
    "fpow": _power,
    "flrp": _mix,
    "fmin": _monotonic(np.fmin),
    "fmax": _monotonic(np.fmax),
    "fmin_agx": _monotonic(np.fmin),
    "fmax_agx": _monotonic(np.fmax),
    "fneg": _pass_on,
    "fabs": _pass_on,
    "fsat": _monotonic(lambda x: np.clip(x, 0.0, 1.0)),
    "fsat_signed": _monotonic(lambda x: np.clip(x, -1.0, 1.0)),
    "fclamp_pos": _monotonic(lambda x: np.fmax(x, 0.0)),
    "ffract": _pass_on,
    "fmod": _pass_on,
    "frem": _pass_on,
    "f2f16": _pass_on,
    "f2f16_rtne": _pass_on,
    "f2f16_rtz": _pass_on,
    "f2f32": _pass_on,
    "f2f64": _pass_on,
    "f2fmp": _pass_on,
    "ldexp": _scaled_by_power,
    "fdph": _homogeneous_dot,
    "fdph_replicated": _homogeneous_dot,
    **{f"fsum{width}": _sum_of_components for width in (2, 3, 4)},
    "cube_amd": _cube,
    "cube_r600": _cube,
    "cube_face_coord_amd": _cube_coordinates,
    "cube_face_index_amd": lambda x, e, r: np.zeros((1, 1)),
    **{f"fdot{width}{form}": _dot for width in (2, 3, 4, 5, 8, 16) for form in ("", "_replicated")},
}
_JUMPS: dict[str, Jump] = {
    "ffract": lambda x: np.floor(x[0]),
    "fmod": lambda x: np.floor(x[0] / x[1]),
    "frem": lambda x: np.trunc(x[0] / x[1]),
    "ffloor": lambda x: np.floor(x[0]),
    "fceil": lambda x: np.ceil(x[0]),
    "ftrunc": lambda x: np.trunc(x[0]),
    "fround_even": lambda x: np.rint(x[0]),
    "fsign": lambda x: np.sign(x[0]),
}
_NARROW = 16
_STEPS = frozenset({"ffloor", "fceil", "ftrunc", "fround_even", "fsign"})
_PACKINGS = ("pack_half_", "pack_unorm_", "pack_snorm_", "f2unorm_", "f2snorm_")
"""Conversions to integers whose fields never decrease when a source increases."""

_BIT_TRICKS = frozenset({"iand", "ior", "ixor"})
_EXACT = np.zeros((1, 1))
_EQUALITIES = ("feq", "fneu", "seq", "sne", "fne")
_EXACTLY_CHECKED = frozenset({"fadd", "fsub", "fmul", "fmulz"})
_FUSED_AT_WILL = ("fdot", "fdph")
"""Operations that `nir_lower_alu_to_scalar` makes `ffma` or `fmul` and `fadd` of, by an option of the driver,
even if they are exact."""
# Additional loss if a composite operation is computed in several steps: terms in half ulps.
_ROUNDINGS = {"rounded": 1.0, "approximate": 4.0, "exact": 0.0}


class Rounding:
    """Error propagation of one ALU instruction."""

    __slots__ = (
        *("exact", "gives_float", "name", "plan", "preserves_infs", "preserves_nans"),
        *("reads_float", "rule"),
    )

    def __init__(
        self, plan: Plan, exact: bool, *, preserves_infs: bool = False, preserves_nans: bool = False
    ) -> None:
        operation = plan.operation
        self.plan = plan
        self.exact = exact
        self.preserves_infs, self.preserves_nans = preserves_infs, preserves_nans
        self.name = operation.name
        # Some opcodes are declared to give integers, which are the bits of a float.
        self.gives_float = operation.output_type.startswith("float") or plan.selects or self.name in _RULES
        self.reads_float = [base_type(kind) == "float" for kind in operation.input_types]
        self.rule = _RULES.get(self.name, _unknown)

    @classmethod
    def of(cls, instr: AluInstr, plan: Plan, controls: FloatControls = USUAL) -> Rounding:
        """Return the error propagation of an instruction that `plan` evaluates."""
        size = plan.dest_bit_size
        return cls(
            plan,
            instr.exact and not plan.operation.name.startswith(_FUSED_AT_WILL),
            preserves_infs=size in controls.preserved_infs or "preserve:inf" in instr.flags,
            preserves_nans=size in controls.preserved_nans or "preserve:nan" in instr.flags,
        )

    def follow(
        self,
        sources: list[Value],
        decoded: list[Array],
        result: Value,
        *,
        rounds_alike: bool = False,
        narrow_is_exact: bool = False,
    ) -> None:
        """Set the error bound of the result, and add to its fragile marks; see `RunOptions`."""
        moved = any(source.error is not None for source in sources)
        if rounds_alike and not moved:
            return
        if self.plan.selects:
            if moved:
                self._select(sources, result)
            return
        if self.name in _BIT_TRICKS:
            if moved:
                self._follow_mask(sources, result)
            return
        if not self.gives_float:
            if moved:
                self._note_flips(sources, result)
            return
        if not moved and (self.exact or self.plan.operation.error_class == "exact"):
            return
        size = self.plan.dest_bit_size
        r = decode(result.bits, "float", size).astype(np.float64)
        if self.plan.operation.raw:
            x = [self._numbers(number, source) for number, source in enumerate(sources)]
        else:
            x = [numbers.astype(np.float64) for numbers in decoded]
        error: Array | float = 0.0
        if moved:
            error = self._passed_on(x, self._errors(sources), r, result)
            # Infinity times no error, as in the product of an infinity and a certain number.
            error = np.where(np.isnan(error), np.inf, error)
            if self.exact:
                error = self._sign_of_zero(sources, r, error)
                # Another source may give any number where this one gives infinity or NaN.
                error = np.where((error > 0) & ~np.isfinite(r), np.inf, error)
                if self.plan.operation.error_class != "exact":
                    # Both sides round, and the least change of a source may decide to which neighbour.
                    moves = (error > SIGN_OF_ZERO) & np.isfinite(r)
                    error = np.where(moves, error + half_ulp(r, size), error)
        if not self.exact and not (narrow_is_exact and size == _NARROW):
            error = error + self._own(x, r, size, moved)
            zeros = r == 0
            if zeros.any():
                error = np.where(zeros & (error == 0), SIGN_OF_ZERO, error)
            # The sum is finite only if both are.
            if not np.isfinite(r + error).all():
                error = np.where(np.isfinite(r) & ~np.isnan(error), error, np.inf)
                error = self._preserved(sources, r, error)
        if rounds_alike:
            bounded = [on_any_component(source.error > 0) for source in sources if source.error is not None]
            error = np.where(np.logical_or.reduce(bounded), error, 0.0)
        bound: Array = np.asarray(error)
        if bound.shape != result.bits.shape:
            bound = np.broadcast_to(bound, result.bits.shape)
        result.error = bound if np.count_nonzero(bound) else None

    def _sign_of_zero(self, sources: list[Value], r: Array, error: Array) -> Array:
        """Give a zero that an exact operation makes of zeros with uncertain signs an uncertain sign too."""
        unsure = _any_moved(source.error for source in sources if source.error is not None)
        return np.where((r == 0) & (error == 0) & unsure, SIGN_OF_ZERO, error)

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

    def _errors(self, sources: list[Value]) -> list[Array]:
        """Return the sources' error bounds; a zero's sign matters only where bits are read as integers."""
        errors = []
        for source, is_float in zip(sources, self.reads_float, strict=True):
            if source.error is None:
                errors.append(_EXACT)
            elif is_float:
                errors.append(np.where(source.error <= SIGN_OF_ZERO, 0.0, source.error))
            else:
                errors.append(source.error)
        return errors

    def _passed_on(self, x: list[Array], e: list[Array], r: Array, result: Value) -> Array | float:
        stray = [error for error, is_float in zip(e, self.reads_float, strict=True) if not is_float]
        for error in stray:
            if (error > 0).any():
                self._mark(result, on_any_component(error > 0)[None])
        if self.name.startswith("cube_"):
            self._mark(result, _other_face(x, e))
        jump = _JUMPS.get(self.name)
        if jump is not None:
            self._mark(result, self._flips(jump, x, e))
        if self.name in _EQUALITIES or self.name in ("slt", "sge") or "equal" in self.name:
            self._note_comparison(x, e, result)
            return 0.0
        if self.name in _STEPS:
            return 0.0
        return self.rule(x, e, r)

    def _own(self, x: list[Array], r: Array, size: int, moved: bool) -> Array | float:
        """Return the error added by rounding the operation's own result."""
        operation = self.plan.operation
        amount = _ROUNDINGS[operation.error_class]
        if not amount or self.name in _STEPS:
            return 0.0
        lost = half_ulp(r, size)
        if self.name.startswith("fdot"):
            lost = lost + x[0].shape[0] * half_ulp(np.abs(x[0] * x[1]).sum(axis=0, keepdims=True), size)
        elif _RULES.get(self.name) is _product_and_sum:
            # May be computed as a rounded product and a sum.
            lost = lost + half_ulp(x[0] * x[1], size)
        elif self.name.startswith(("fdph", "fsum")):
            terms = [x[0]] if len(x) == 1 else [x[0] * x[1][:3], x[1][3:]]
            size_of_terms = sum(np.abs(term).sum(axis=0, keepdims=True) for term in terms)
            lost = lost + x[-1].shape[0] * half_ulp(size_of_terms, size)
        elif self.name[5:] in _ANGLES:
            # The angle and its product with the source are rounded too.
            lost = amount * lost + half_ulp(2 * _ANGLES[self.name[5:]] * x[0], size)
        elif self.name == "fpow":
            steepness = np.abs(x[1] * np.log2(np.maximum(x[0], 1e-300)))
            lost = amount * lost * (1.0 + np.where(np.isfinite(steepness), steepness, 0.0))
        elif self.name == "flrp":
            lost = lost + 3 * half_ulp(np.abs(x[0]) + np.abs(x[1]) * np.maximum(1.0, np.abs(x[2])), size)
        else:
            lost = amount * lost
        if moved or size == 64 or not self._rounds_rarely():
            return lost
        return np.where(self._is_exact(x, r), 0.0, lost)

    def _rounds_rarely(self) -> bool:
        return self.name in _EXACTLY_CHECKED or self.name[:3] in ("i2f", "u2f", "f2f")

    def _is_exact(self, x: list[Array], r: Array) -> Array:
        """Return where the result equals that of real arithmetic on the sources."""
        if self.name in ("fadd", "fsub"):
            second = x[1] if self.name == "fadd" else -x[1]
            total = x[0] + second
            return (total == r) & (total - x[0] == second) & (total - second == x[0])
        if self.name in ("fmul", "fmulz"):
            return x[0] * x[1] == r
        return x[0] == r

    def _flips(self, jump: Jump, x: list[Array], e: list[Array]) -> Array:
        if len(x) == 1:
            return jump([x[0] - e[0]]) != jump([x[0] + e[0]])
        # Rounding the quotient of a remainder may cross an integer too.
        spread = _quotient(x, e, x[0] / x[1]) + half_ulp(x[0] / x[1], 32)
        quotient = x[0] / x[1]
        one = np.ones((1, 1))
        return jump([quotient - spread, one]) != jump([quotient + spread, one])

    def _note_comparison(self, x: list[Array], e: list[Array], result: Value) -> None:
        near = (np.abs(x[0] - x[1]) <= e[0] + e[1]) & ((e[0] > 0) | (e[1] > 0))
        near = near | ~np.isfinite(e[0] + e[1])
        if near.shape[0] != result.bits.shape[0]:
            near = near.any(axis=0, keepdims=True)
        self._mark(result, near)

    def _note_flips(self, sources: list[Value], result: Value) -> None:
        """Mark results as fragile where a float, or its bits, became an integer or a boolean."""
        x = [self._numbers(number, source) for number, source in enumerate(sources)]
        e = self._errors(sources)
        pairs = list(zip(e, self.reads_float, strict=True))
        for error, is_float in pairs:
            if not is_float and (error > 0).any():
                touched = error > 0
                if touched.shape[0] != result.bits.shape[0]:
                    touched = on_any_component(touched)[None]
                self._mark(result, touched)
        if not any(is_float for _, is_float in pairs):
            return
        if self.name.startswith(_PACKINGS) and all(self.reads_float):
            self._mark(result, self._at_ends(x, e, -1) != self._at_ends(x, e, 1))
            return
        if len(x) == 2 and all(self.reads_float) and result.bit_size != 64:
            self._note_comparison(x, e, result)
            return
        if len(x) == 1 and self.name[:3] in ("f2i", "f2u"):
            self._mark(result, np.trunc(x[0] - e[0]) != np.trunc(x[0] + e[0]))
            return
        if len(x) == 1 and self.name.startswith("f2b"):
            self._mark(result, (np.abs(x[0]) <= e[0]) & (e[0] > 0))
            return
        self._mark(result, _any_moved(error for error, is_float in pairs if is_float))

    def _at_ends(self, x: list[Array], e: list[Array], sign: int) -> Array:
        """Return the bits of the result at the lower (`sign` -1) or upper (1) ends of the intervals."""
        ends = []
        for numbers, error, (_, size) in zip(x, e, self.plan.source_types, strict=True):
            end = np.broadcast_to(_end(sign, numbers, error), numbers.shape)
            rounded = end.astype(FLOAT_TYPES[size])
            outward = np.nextafter(rounded, FLOAT_TYPES[size](sign * np.inf))
            ends.append(np.where(error == 0, numbers.astype(FLOAT_TYPES[size]), outward))
        return self.plan.compute(ends)

    def _follow_mask(self, sources: list[Value], result: Value) -> None:
        """Handle bit masks that select a float's sign, magnitude, all or nothing; other masks are fragile."""
        first, second = sources
        if first.error is not None and second.error is not None:
            self._mark(result, (first.error > 0) | (second.error > 0))
            return
        moved, other = (first, second) if second.error is None else (second, first)
        assert moved.error is not None
        size = result.bit_size
        if size not in _MANTISSA:
            self._mark(result, moved.error > 0)
            return
        sign, full = 1 << (size - 1), (1 << size) - 1
        mask, error = other.bits, moved.error
        keeps = mask == 0
        settles = np.zeros(mask.shape, np.bool_)
        if self.name == "iand":
            number = decode(moved.bits, "float", size).astype(np.float64)
            settles = keeps | ((mask == sign) & (np.abs(number) > error))
            keeps = (mask == full) | (mask == full - sign)
        elif self.name == "ior":
            settles = mask == full
            keeps = keeps | (mask == sign)
        else:
            keeps = keeps | (mask == sign)
        self._mark(result, (error > 0) & ~keeps & ~settles)
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
