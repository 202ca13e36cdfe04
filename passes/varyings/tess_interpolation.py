"""Interpolation that a tessellation evaluation shader writes out: `v0 * u + v1 * v + v2 * w`.

Where all loads of a per-vertex input meet in one such sum, the sum takes the part that an interpolated load
has in a fragment shader.
"""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.shader import Shader
from nirls.ir.values import AluSrc, Def

_COUNT = 3
_NOT_TRIANGLES = frozenset(("2", "3", "quads", "isolines", "QUADS", "ISOLINES"))


@dataclass(frozen=True, slots=True, eq=False)
class TessInterpolation:
    """An interpolation found: what makes the result, and which coordinate weighs which vertex.

    `weights[i]` is the component of gl_TessCoord by which the value of vertex i is multiplied. Sums with
    other weights are interpolations of another kind.
    """

    result: AluInstr
    tess_coord: Def
    weights: tuple[int, int, int]


def may_be_triangles(shader: Shader) -> bool:
    """Whether the coordinates of a shader add up to 1: so they do for triangles only.

    `primitive_mode` is Mesa's `tess_primitive_mode`, 0 where the dump does not know it.
    """
    return (shader.header_value("primitive_mode") or "0") not in _NOT_TRIANGLES


def find_interpolation(loads: list[IntrinsicInstr]) -> TessInterpolation | None:
    """The sum in which all loads of a slot meet, if it is an interpolation in a triangle.

    Each of three vertices must be loaded once and each coordinate be used once. Any order of additions will
    do, with separate multiplications or ffma, but nothing may be exact, and all parts of the sum must have
    no other use.
    """
    vertices = [_vertex(load) for load in loads]
    if sorted(vertex for vertex in vertices if vertex is not None) != list(range(_COUNT)):
        return None
    root = _root(loads[0])
    if root is None:
        return None
    products = _products(root)
    if products is None or len(products) != _COUNT:
        return None
    weights: dict[int, int] = {}
    coords: set[Def] = set()
    vertex_of = {load.def_: vertex for load, vertex in zip(loads, vertices, strict=True)}
    for first, second in products:
        value, weight = (first, second) if first.def_ in vertex_of else (second, first)
        vertex = vertex_of.get(value.def_)
        if vertex is None or value.def_ is None or weight.def_ is None or len(value.def_.uses) != 1:
            return None
        if not _is_tess_coord(weight.def_):
            return None
        coords.add(weight.def_)
        weights[vertex] = weight.swizzle[0]
    if len(coords) != 1 or set(weights) != {0, 1, 2} or set(weights.values()) != {0, 1, 2}:
        return None
    return TessInterpolation(root, coords.pop(), (weights[0], weights[1], weights[2]))


def _vertex(load: IntrinsicInstr) -> int | None:
    if load.name != "load_per_vertex_input" or not load.sources or load.sources[0].def_ is None:
        return None
    maker = load.sources[0].def_.instr
    return maker.values[0] if isinstance(maker, LoadConstInstr) else None


def _root(load: IntrinsicInstr) -> AluInstr | None:
    """The sum that a load ends up in: two additions up from its product, three at most."""
    multiplied = _only_user(load)
    if multiplied is None:
        return None
    chain = [multiplied]
    while len(chain) < _COUNT + 1:
        above = _only_user(chain[-1])
        if above is None or above.op not in ("fadd", "ffma") or not _is_plain(above):
            break
        if above.op == "ffma" and above.sources[2].def_ is not chain[-1].def_:
            break
        chain.append(above)
    for candidate in chain:
        products = _products(candidate)
        if products is not None and len(products) == _COUNT:
            return candidate
    return None


def _only_user(instr: Instr) -> AluInstr | None:
    if instr.def_ is None or len(instr.def_.uses) != 1:
        return None
    user = next(iter(instr.def_.uses)).owner
    return user if isinstance(user, AluInstr) and _is_plain(user) else None


def _is_plain(instr: AluInstr) -> bool:
    if instr.exact or "sat" in instr.flags or instr.def_ is None or instr.def_.num_components != 1:
        return False
    return all(src.def_ is not None and not src.negate and not src.abs for src in instr.sources)


def _products(root: AluInstr) -> list[tuple[AluSrc, AluSrc]] | None:
    """The products that a sum adds up, None if it adds anything else; gives up beyond three."""
    products: list[tuple[AluSrc, AluSrc]] = []
    work = [root]
    while work:
        instr = work.pop()
        if not _is_plain(instr) or len(products) > _COUNT:
            return None
        if instr is not root and (instr.def_ is None or len(instr.def_.uses) != 1):
            return None
        sums: list[AluSrc] = []
        if instr.op == "fmul":
            products.append((instr.sources[0], instr.sources[1]))
        elif instr.op == "ffma":
            products.append((instr.sources[0], instr.sources[1]))
            sums = [instr.sources[2]]
        elif instr.op == "fadd":
            sums = instr.sources[:2]
        else:
            return None
        for src in sums:
            maker = src.ssa.instr
            if not isinstance(maker, AluInstr):
                return None
            work.append(maker)
    return products


def _is_tess_coord(value: Def) -> bool:
    return isinstance(value.instr, IntrinsicInstr) and value.instr.name == "load_tess_coord"
