"""Interpolation that a tessellation evaluation shader writes out: `v0 * u + v1 * v + v2 * w` and the like.

Where all loads of a per-vertex input meet in one sum, in which each vertex is weighed by a polynomial in
gl_TessCoord and all weights together make 1, that sum takes the part that an interpolated load has in a
fragment shader: it is linear in what the vertices hold, and leaves alone what is the same in all of them.
These are the triangle `u, v, w`, the bilinear quad, the isoline, and higher patches, in any order of
additions and with any use of fadd, fsub, fmul, ffma and flrp.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.passes.cleanup.constants import float_of
from nirls.passes.varyings.tess_polynomial import ONE, W_IN_TRIANGLES, Polynomial, TooLargeError

_NOT_TRIANGLES = frozenset(("2", "3", "quads", "isolines", "QUADS", "ISOLINES"))
_COPIES = frozenset(("mov", "f2f16", "f2f32", "f2fmp"))
_OPERATIONS = frozenset(("fadd", "fsub", "fneg", "mov", "fmul", "ffma", "flrp"))
_COORDINATES = frozenset(("load_tess_coord", "load_tess_coord_xy"))
_MOST_STEPS = 128
_Form = dict[int | None, Polynomial]
"""A value as a sum of vertices (by number, None for 1) times their weights."""


@dataclass(frozen=True, slots=True)
class TessEquation:
    """How a sum weighs each vertex. Sums with other weights are interpolations of another kind."""

    weights: tuple[tuple[int, Polynomial], ...]

    def coordinates(self) -> list[int] | None:
        """The coordinate that weighs each vertex, if all weights are coordinates, as in a triangle."""
        found = [weight.as_coordinate for _, weight in self.weights]
        numbers = [number for number in found if number is not None]
        return numbers if len(numbers) == len(found) else None


@dataclass(frozen=True, slots=True, eq=False)
class TessInterpolation:
    """An interpolation found: what makes the result, and with which weights."""

    result: AluInstr
    equation: TessEquation


def has_triangle_weights(shader: Shader) -> bool:
    """Whether the coordinates of a shader add up to 1: so they do for triangles only.

    `primitive_mode` is Mesa's `tess_primitive_mode`, 0 where the dump does not know it. There a shader
    that reads the third coordinate is taken to be for triangles.
    """
    return (shader.header_value("primitive_mode") or "0") not in _NOT_TRIANGLES


def find_interpolation(loads: list[IntrinsicInstr], triangles: bool) -> TessInterpolation | None:
    """The sum in which all loads of a slot meet, if it is an interpolation.

    Two vertices at least, known by number. Nothing in the sum may be exact, and all parts of it may be read
    by other parts of it only. Looks at no more than 128 instructions for each slot.
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
    """The vertex that a per-vertex load reads, if it always is the same one."""
    if load.name != "load_per_vertex_input" or not load.sources or load.sources[0].def_ is None:
        return None
    maker = load.sources[0].def_.instr
    return maker.values[0] if isinstance(maker, LoadConstInstr) else None


def _meeting_point(forms: dict[Def, _Form]) -> AluInstr | None:
    """The nearest instruction through which everything made of the values in `forms` passes.

    Adds the forms of all values on the way. Raises TooLargeError.
    """
    unread = {value: len(value.uses) for value in forms}
    weights: dict[Def, Polynomial | None] = {}
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
    return [user for user in users if isinstance(user, AluInstr) and _is_part(user)]


def _is_part(instr: AluInstr) -> bool:
    if instr.op not in _OPERATIONS or instr.exact or "sat" in instr.flags:
        return False
    if instr.def_ is None or instr.def_.num_components != 1:
        return False
    return all(src.def_ is not None and not src.abs for src in instr.sources)


def _form_of(instr: AluInstr, forms: dict[Def, _Form], weights: dict[Def, Polynomial | None]) -> _Form | None:
    operands: list[_Form] = []
    for src in instr.sources:
        form = forms.get(src.ssa)
        if form is None:
            weight = _weight(src, weights)
            if weight is None:
                return None
            form = {None: weight}
        elif src.negate:
            form = _negated(form)
        operands.append(form)
    match instr.op:
        case "mov":
            return operands[0]
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
    # flrp(a, b, c) is a + (b - a) * c.
    product = _product(_sum(operands[1], _negated(operands[0])), operands[2])
    return None if product is None else _sum(operands[0], product)


def _sum(first: _Form, second: _Form) -> _Form:
    total = dict(first)
    for vertex, weight in second.items():
        total[vertex] = total[vertex] + weight if vertex in total else weight
    return {vertex: weight for vertex, weight in total.items() if weight.terms}


def _negated(form: _Form) -> _Form:
    return {vertex: -weight for vertex, weight in form.items()}


def _product(first: _Form, second: _Form) -> _Form | None:
    """None where two vertices are multiplied with each other."""
    for form, other in ((first, second), (second, first)):
        if set(other) <= {None}:
            factor = other.get(None, Polynomial())
            product = {vertex: weight * factor for vertex, weight in form.items()}
            return {vertex: weight for vertex, weight in product.items() if weight.terms}
    return None


def _weight(src: AluSrc, known: dict[Def, Polynomial | None]) -> Polynomial | None:
    """A polynomial that a source reads; None if it is something else. Raises TooLargeError."""
    if src.abs or src.def_ is None:
        return None
    weight = _leaf(src)
    if weight is None:
        weight = _computed_weight(src.def_, known)
    return -weight if weight is not None and src.negate else weight


def _leaf(src: AluSrc) -> Polynomial | None:
    maker = src.ssa.instr
    if isinstance(maker, IntrinsicInstr) and maker.name in _COORDINATES:
        return Polynomial.coordinate(src.swizzle[0])
    if isinstance(maker, LoadConstInstr):
        number = float_of(maker.values[src.swizzle[0]], maker.def_.bit_size if maker.def_ is not None else 32)
        return Polynomial.constant(Fraction(number)) if isfinite(number) else None
    return None


def _computed_weight(value: Def, known: dict[Def, Polynomial | None]) -> Polynomial | None:
    work = [value]
    while work:
        current = work[-1]
        if current in known:
            work.pop()
            continue
        maker = current.instr
        too_many = len(known) + len(work) > _MOST_STEPS
        if too_many or not isinstance(maker, AluInstr) or not _may_make_weight(maker):
            known[current] = None
            continue
        waiting = [src.ssa for src in maker.sources if _leaf(src) is None and src.ssa not in known]
        if waiting:
            work += waiting
            continue
        known[current] = _computed(maker, known)
    return known[value]


def _may_make_weight(maker: AluInstr) -> bool:
    if "sat" in maker.flags:
        return False
    if maker.op not in _OPERATIONS and maker.op not in _COPIES:
        return False
    if maker.def_ is None or maker.def_.num_components != 1:
        return False
    return all(src.def_ is not None and not src.abs for src in maker.sources)


def _computed(maker: AluInstr, known: dict[Def, Polynomial | None]) -> Polynomial | None:
    operands = [_weight(src, known) for src in maker.sources]
    first, *others = operands
    if first is None or None in others:
        return None
    rest = [operand for operand in others if operand is not None]
    match maker.op:
        case "fneg":
            return -first
        case "fadd":
            return first + rest[0]
        case "fsub":
            return first - rest[0]
        case "fmul":
            return first * rest[0]
        case "ffma":
            return first * rest[0] + rest[1]
        case "flrp":
            return first + (rest[0] - first) * rest[1]
    return first


def _add_up_to_one(weights: _Form, triangles: bool) -> bool:
    """Whether all weights together are 1, wherever in the patch. Raises TooLargeError."""
    total = Polynomial()
    for weight in weights.values():
        total = total + weight
    if total.reads_w:
        total = total.with_w(W_IN_TRIANGLES if triangles else Polynomial())
    return total == ONE
