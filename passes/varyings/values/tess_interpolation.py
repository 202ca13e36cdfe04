"""Interpolation written out in a tessellation evaluation shader: `v0 * u + v1 * v + v2 * w` and the like.

If all loads of a per-vertex input meet in one sum in which the weight of each vertex is a polynomial in
gl_TessCoord, and all weights add up to 1, that sum corresponds to an interpolated load in a fragment
shader: it is linear in the values at the vertices, and preserves a value that is the same at all of them.
Such sums are the triangle `u, v, w`, the bilinear quad, the isoline, and higher patches, with the additions
in any order and with any use of fadd, fsub, fmul, ffma and flrp.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite

from nirls.ir.model.float_bits import float_of
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr, scalar_constant
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def

_MOST_TERMS = 64
_MOST_DEGREE = 6
Powers = tuple[int, int, int]
"""The exponents of u, v and w in one term."""


class TooLargeError(Exception):
    """A polynomial has more terms, or a higher degree, than any supported interpolation."""


@dataclass(frozen=True)
class TessCoordPolynomial:
    """A polynomial in u, v and w. `terms` has no zeros and is sorted, so equal ones compare equal."""

    terms: tuple[tuple[Powers, Fraction], ...] = ()

    @staticmethod
    def constant(value: Fraction | int) -> TessCoordPolynomial:
        """Return a constant polynomial."""
        return _of({(0, 0, 0): Fraction(value)})

    @staticmethod
    def coordinate(component: int) -> TessCoordPolynomial:
        """Return the polynomial u, v or w for component 0, 1 or 2."""
        return _of({(int(component == 0), int(component == 1), int(component == 2)): Fraction(1)})

    def __add__(self, other: TessCoordPolynomial) -> TessCoordPolynomial:
        total = dict(self.terms)
        for powers, factor in other.terms:
            total[powers] = total.get(powers, Fraction(0)) + factor
        return _of(total)

    def __neg__(self) -> TessCoordPolynomial:
        return _of({powers: -factor for powers, factor in self.terms})

    def __sub__(self, other: TessCoordPolynomial) -> TessCoordPolynomial:
        return self + -other

    def __mul__(self, other: TessCoordPolynomial) -> TessCoordPolynomial:
        """Return the product. Raises TooLargeError."""
        product: dict[Powers, Fraction] = {}
        for (u, v, w), factor in self.terms:
            for (u2, v2, w2), factor2 in other.terms:
                powers = (u + u2, v + v2, w + w2)
                if sum(powers) > _MOST_DEGREE:
                    raise TooLargeError
                product[powers] = product.get(powers, Fraction(0)) + factor * factor2
        return _of(product)

    @cached_property
    def reads_w(self) -> bool:
        """Whether the polynomial contains the third coordinate."""
        return any(powers[2] for powers, _ in self.terms)

    @property
    def as_coordinate(self) -> int | None:
        """The number of the coordinate that the polynomial equals; None if there is none."""
        numbers = (number for number in range(3) if TessCoordPolynomial.coordinate(number) == self)
        return next(numbers, None)

    def with_w(self, value: TessCoordPolynomial) -> TessCoordPolynomial:
        """Return the polynomial with w replaced by `value`. Raises TooLargeError."""
        total = TessCoordPolynomial()
        for (u, v, w), factor in self.terms:
            term = _of({(u, v, 0): factor})
            for _ in range(w):
                term = term * value
            total = total + term
        return total


def _of(terms: Mapping[Powers, Fraction]) -> TessCoordPolynomial:
    """Return the polynomial with these terms, zeros removed. Raises TooLargeError."""
    kept = tuple(sorted((powers, factor) for powers, factor in terms.items() if factor))
    if len(kept) > _MOST_TERMS:
        raise TooLargeError
    return TessCoordPolynomial(kept)


ONE = TessCoordPolynomial.constant(1)
W_IN_TRIANGLES = ONE - TessCoordPolynomial.coordinate(0) - TessCoordPolynomial.coordinate(1)
"""The value of w in a triangle, where the coordinates add up to 1; in quads and isolines it is 0."""


_NOT_TRIANGLES = frozenset(("2", "3", "quads", "isolines", "QUADS", "ISOLINES"))
_COPIES = frozenset(("mov", "f2f16", "f2f32", "f2fmp"))
_OPERATIONS = frozenset(("fadd", "fsub", "fneg", "mov", "fmul", "ffma", "flrp"))
_COORDINATES = frozenset(("load_tess_coord", "load_tess_coord_xy"))
_MOST_STEPS = 128
_Form = dict[int | None, TessCoordPolynomial]
"""A value as a sum of vertices (by number; None for the constant 1) times their weights."""


@dataclass(frozen=True, slots=True)
class TessEquation:
    """Weight of each vertex in a sum. Sums with other weights are interpolations of another kind."""

    weights: tuple[tuple[int, TessCoordPolynomial], ...]

    def coordinates(self) -> list[int] | None:
        """Return the coordinate that weights each vertex; None if some weight is not a coordinate."""
        found = [weight.as_coordinate for _, weight in self.weights]
        numbers = [number for number in found if number is not None]
        return numbers if len(numbers) == len(found) else None


@dataclass(frozen=True, slots=True, eq=False)
class TessInterpolation:
    """An interpolation: the instruction that computes the result, and the weights."""

    result: AluInstr
    equation: TessEquation


def has_triangle_weights(shader: Shader) -> bool:
    """Whether the coordinates of a shader add up to 1, which is the case for triangles only.

    `primitive_mode` is Mesa's `tess_primitive_mode`, 0 if the dump does not state it. Then triangles are
    assumed, which matters only if the shader reads the third coordinate.
    """
    return (shader.header_value("primitive_mode") or "0") not in _NOT_TRIANGLES


def find_interpolation(loads: list[IntrinsicInstr], triangles: bool) -> TessInterpolation | None:
    """Return the sum in which all loads of a slot meet, if it is an interpolation.

    It must have two vertices at least, with constant numbers. No part of the sum may be exact, and its
    parts may be read by other parts of it only. The search is limited to 128 instructions per slot.
    """
    vertices = [vertex_number(load) for load in loads]
    known = {vertex for vertex in vertices if vertex is not None}
    if None in vertices or len(known) < 2:
        return None
    forms: dict[Def, _Form] = {}
    for load, vertex in zip(loads, vertices, strict=True):
        if load.def_ is not None:
            forms[load.def_] = {vertex: ONE}
    try:
        root = _meeting_point(forms)
        if root is None or root.def_ is None:
            return None
        weights = forms[root.def_]
        if None in weights or not _add_up_to_one(weights, triangles):
            return None
    except TooLargeError:
        return None
    named = ((vertex, weight) for vertex, weight in weights.items() if vertex is not None)
    return TessInterpolation(root, TessEquation(tuple(sorted(named, key=lambda item: item[0]))))


def vertex_number(load: IntrinsicInstr) -> int | None:
    """Return the vertex that a per-vertex load reads if it is a constant, else None."""
    if load.name != "load_per_vertex_input" or not load.sources:
        return None
    return scalar_constant(load.sources[0].def_)


def _meeting_point(forms: dict[Def, _Form]) -> AluInstr | None:
    """Return the nearest instruction that all values computed from `forms` pass through.

    Adds the forms of all values on the way. Raises TooLargeError.
    """
    unread = {value: len(value.uses) for value in forms}
    weights: dict[Def, _Form | None] = {}
    work = [user for value in forms for user in _users(value)]
    for _ in range(_MOST_STEPS):
        if not work:
            return None
        instr = work.pop()
        value = instr.def_
        if value is None or value in forms:
            continue
        form = _form_of(instr, forms, weights)
        if form is None:
            continue
        forms[value] = form
        for src in instr.sources:
            if src.def_ in unread:
                unread[src.def_] -= 1
                if not unread[src.def_]:
                    del unread[src.def_]
        if not unread:
            return instr
        unread[value] = len(value.uses)
        work += _users(value)
    return None


def _users(value: Def) -> list[AluInstr]:
    users = (src.owner for src in value.uses)
    return [
        user
        for user in users
        if isinstance(user, AluInstr) and not user.exact and _is_supported(user, _OPERATIONS)
    ]


def _is_supported(instr: AluInstr, operations: frozenset[str]) -> bool:
    if instr.op not in operations or "sat" in instr.flags:
        return False
    if instr.def_ is None or instr.def_.num_components != 1:
        return False
    return all(src.def_ is not None and not src.abs for src in instr.sources)


def _form_of(instr: AluInstr, forms: dict[Def, _Form], weights: dict[Def, _Form | None]) -> _Form | None:
    operands: list[_Form] = []
    for src in instr.sources:
        form = forms.get(src.ssa)
        if form is None:
            form = _weight(src, weights)
            if form is None:
                return None
        elif src.negate:
            form = _negated(form)
        operands.append(form)
    return _computed(instr.op, operands)


def _computed(op: str, operands: list[_Form]) -> _Form | None:
    """Return the result of an operation on forms; None if it is not linear in the vertices."""
    match op:
        case "fneg":
            return _negated(operands[0])
        case "fadd":
            return _sum(operands[0], operands[1])
        case "fsub":
            return _sum(operands[0], _negated(operands[1]))
        case "fmul":
            return _product(operands[0], operands[1])
        case "ffma":
            product = _product(operands[0], operands[1])
            return None if product is None else _sum(product, operands[2])
        case "flrp":
            # flrp(a, b, c) is a + (b - a) * c.
            product = _product(_sum(operands[1], _negated(operands[0])), operands[2])
            return None if product is None else _sum(operands[0], product)
    return operands[0]


def _sum(first: _Form, second: _Form) -> _Form:
    total = dict(first)
    for vertex, weight in second.items():
        total[vertex] = total[vertex] + weight if vertex in total else weight
    return {vertex: weight for vertex, weight in total.items() if weight.terms}


def _negated(form: _Form) -> _Form:
    return {vertex: -weight for vertex, weight in form.items()}


def _product(first: _Form, second: _Form) -> _Form | None:
    """Return the product of two forms; None if it would multiply two vertices with each other."""
    for form, other in ((first, second), (second, first)):
        if set(other) <= {None}:
            factor = other.get(None, TessCoordPolynomial())
            product = {vertex: weight * factor for vertex, weight in form.items()}
            return {vertex: weight for vertex, weight in product.items() if weight.terms}
    return None


def _weight(src: AluSrc, known: dict[Def, _Form | None]) -> _Form | None:
    """Return the form without vertices that a source reads; None if it has none. Raises TooLargeError."""
    weight = _leaf(src)
    if weight is None:
        weight = _computed_weight(src.ssa, known)
    return _negated(weight) if weight is not None and src.negate else weight


def _leaf(src: AluSrc) -> _Form | None:
    maker = src.ssa.instr
    if isinstance(maker, IntrinsicInstr) and maker.name in _COORDINATES:
        return {None: TessCoordPolynomial.coordinate(src.swizzle[0])}
    if isinstance(maker, LoadConstInstr):
        number = float_of(maker.values[src.swizzle[0]], maker.def_.bit_size if maker.def_ is not None else 32)
        return {None: TessCoordPolynomial.constant(Fraction(number))} if isfinite(number) else None
    return None


def _computed_weight(value: Def, known: dict[Def, _Form | None]) -> _Form | None:
    work = [value]
    while work:
        current = work[-1]
        if current in known:
            work.pop()
            continue
        maker = current.instr
        too_many = len(known) + len(work) > _MOST_STEPS
        if too_many or not isinstance(maker, AluInstr) or not _is_supported(maker, _OPERATIONS | _COPIES):
            known[current] = None
            continue
        waiting = [src.ssa for src in maker.sources if _leaf(src) is None and src.ssa not in known]
        if waiting:
            work += waiting
            continue
        operands = [_weight(src, known) for src in maker.sources]
        weights = [weight for weight in operands if weight is not None]
        known[current] = _computed(maker.op, weights) if len(weights) == len(operands) else None
    return known[value]


def _add_up_to_one(weights: _Form, triangles: bool) -> bool:
    """Whether the sum of all weights is 1 everywhere in the patch. Raises TooLargeError."""
    total = TessCoordPolynomial()
    for weight in weights.values():
        total = total + weight
    if total.reads_w:
        total = total.with_w(W_IN_TRIANGLES if triangles else TessCoordPolynomial())
    return total == ONE
