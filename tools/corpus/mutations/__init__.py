"""Wrong changes to a shader, of the kinds that a buggy pass makes; see `tools.corpus.mutants`.

A kind is a function that yields the ways to apply it to an instruction; `mutant` applies one to a copy.
Places are numbers of instructions or ifs in printed order, so that they mean the same in every copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise

from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.io_semantics import XfbOutputs
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.tables import opcode

Change = Callable[[], object]
"""Changes a shader in place."""

Ways = Callable[[FunctionImpl, Instr], Iterator[Change]]

_EXCHANGED = (
    "fadd fmul, iadd isub, fmin fmax, imin imax, umin umax, flt fge, ilt ige, ult uge, feq fneu, "
    "ieq ine, iand ior, ishl ushr, fsin fcos, fneg fabs, fceil ffloor"
)
_OTHER_OPERATION = {
    one: other for pair in _EXCHANGED.split(", ") for one, other in (pair.split(), reversed(pair.split()))
} | {"f2i32": "f2u32", "i2f32": "u2f32"}
_OTHER_BARYCENTRIC = {
    "load_barycentric_pixel": "load_barycentric_centroid",
    "load_barycentric_centroid": "load_barycentric_sample",
    "load_barycentric_sample": "load_barycentric_pixel",
}
_OTHER_MODE = {
    "INTERP_MODE_SMOOTH": "INTERP_MODE_NOPERSPECTIVE",
    "INTERP_MODE_NOPERSPECTIVE": "INTERP_MODE_SMOOTH",
}
_DISCARDS = frozenset(("discard", "terminate", "demote", "discard_if", "terminate_if", "demote_if"))
_BARRIERS = frozenset(("barrier", "scoped_barrier", "control_barrier"))
_IMPLICIT_LOD = frozenset(("tex", "txb"))


@dataclass(frozen=True, slots=True)
class Mutation:
    """A wrong change: its kind, the place in printed order, and which of several there."""

    kind: str
    place: int
    variant: int = 0


def mutations(shader: Shader) -> Iterator[Mutation]:
    """All wrong changes that can be made to the entry function."""
    impl = shader.entrypoint
    if impl is None:
        return
    for place, instr in enumerate(impl.instrs()):
        for kind, ways in _KINDS.items():
            for variant, _ in enumerate(ways(impl, instr)):
                yield Mutation(kind, place, variant)
    for place, node in enumerate(_ifs(impl)):
        if node.condition.def_ is not None:
            yield Mutation(_NEGATE_IF, place)


def mutant(shader: Shader, mutation: Mutation) -> tuple[Shader, str]:
    """A copy with the wrong change made, and the text of the line that it was made to."""
    copy = clone_shader(shader)
    impl = copy.entrypoint
    if impl is None:
        raise ValueError("no entry function to change")
    if mutation.kind == _NEGATE_IF:
        node = _ifs(impl)[mutation.place]
        line = f"if %{node.condition.ssa.index}"
        _negate_if(impl, node)
        return copy, line
    instr = next(islice(impl.instrs(), mutation.place, None))
    line = _line(shader, instr)
    change = next(islice(_KINDS[mutation.kind](impl, instr), mutation.variant, None))
    change()
    impl.link_blocks()
    return copy, line


def _line(shader: Shader, instr: Instr) -> str:
    if instr.span is None:
        return repr(instr)
    text = shader.source[instr.span.start : instr.span.end].decode("utf-8", "replace")
    return " ".join(text.split())[:160]


def _ifs(impl: FunctionImpl) -> list[If]:
    return [node for node in impl.cf_nodes() if isinstance(node, If)]


def _negate_if(impl: FunctionImpl, node: If) -> None:
    condition = node.condition.ssa
    parent = node.parent
    bodies = impl.bodies() if parent is None else parent.bodies()
    before = next(nodes[nodes.index(node) - 1] for nodes in bodies if node in nodes)
    assert isinstance(before, Block)
    builder = Builder(impl, before)
    node.condition.set_def(builder.alu("inot", [condition], 1, condition.bit_size))


# Kinds for ALU instructions, constants and phis


def _swap_sources(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Exchange neighbouring sources, where that matters."""
    if not isinstance(instr, AluInstr):
        return
    entry = opcode(instr.op)
    commutes = entry is None or entry.is_commutative
    for first, (one, other) in enumerate(pairwise(instr.sources)):
        if commutes and first == 0:
            continue
        same_shape = one.bit_size == other.bit_size and len(one.swizzle) == len(other.swizzle)
        if same_shape and (one.def_ is not other.def_ or one.swizzle != other.swizzle):
            yield partial(instr.sources.__setitem__, slice(first, first + 2), [other, one])


def _turn_swizzle(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    for src in instr.sources if isinstance(instr, AluInstr) else ():
        if src.num_components > 1:
            turned = tuple((component + 1) % src.num_components for component in src.swizzle)
            yield partial(setattr, src, "swizzle", turned)


def _change_constant(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if not isinstance(instr, LoadConstInstr) or instr.def_ is None:
        return
    # Array indices of derefs are printed as numbers of their own.
    if all(isinstance(src.owner, DerefInstr) for src in instr.def_.uses):
        return
    bit_size = instr.def_.bit_size
    for number, value in enumerate(instr.values):
        # Another exponent for what can be a float, another small number for the rest.
        looks_like_float = bit_size >= 16 and value >> (bit_size - 8) not in (0, 0xFF)
        step = 1 << {16: 10, 32: 23, 64: 52}.get(bit_size, 0) if looks_like_float else 1
        changed = (value ^ step) & ((1 << bit_size) - 1)
        yield partial(
            setattr, instr, "values", (*instr.values[:number], changed, *instr.values[number + 1 :])
        )


def _other_operation(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if isinstance(instr, AluInstr) and instr.op in _OTHER_OPERATION:
        yield partial(setattr, instr, "op", _OTHER_OPERATION[instr.op])


def _read_other(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Read the nearest earlier value of the block with the same shape."""
    for src in instr.sources if isinstance(instr, AluInstr) else ():
        other = _earlier_like(instr, src.def_)
        if other is not None:
            yield partial(src.set_def, other)


def _earlier_like(instr: Instr, value: Def | None) -> Def | None:
    above = instr.prev
    while above is not None and value is not None:
        other = above.def_
        if other is not None and other is not value and _shape(other) == _shape(value):
            return other
        above = above.prev
    return None


def _shape(value: Def) -> tuple[int, int]:
    return value.num_components, value.bit_size


def _one_side_of_select(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if not isinstance(instr, AluInstr) or instr.op not in ("bcsel", "b32csel"):
        return
    chosen, other = instr.sources[1], instr.sources[2]

    def change() -> None:
        other.set_def(chosen.ssa)
        other.swizzle = chosen.swizzle

    yield change


def _swap_phi_sources(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if not isinstance(instr, PhiInstr) or len({src.def_ for src in instr.sources}) < 2:
        return
    one = instr.sources[0]
    other = next(src for src in instr.sources if src.def_ is not one.def_)

    def change() -> None:
        first, second = one.ssa, other.ssa
        one.set_def(second)
        other.set_def(first)

    yield change


# Kinds for loads and stores


def _drop(applies: Callable[[IntrinsicInstr], bool]) -> Ways:
    """Remove intrinsics that satisfy a condition."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if isinstance(instr, IntrinsicInstr) and applies(instr):
            yield instr.remove

    return ways


def _is_store(instr: Instr) -> bool:
    return isinstance(instr, IntrinsicInstr) and instr.name.startswith("store_")


def _is_load(instr: Instr) -> bool:
    if instr.def_ is None:
        return False
    return isinstance(instr, TexInstr) or (
        isinstance(instr, IntrinsicInstr) and instr.name.startswith("load_")
    )


def _other_component(applies: Callable[[Instr], bool]) -> Ways:
    """Access another component, with scalar accesses that satisfy a condition."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if not isinstance(instr, IntrinsicInstr) or not applies(instr):
            return
        value = instr.sources[0] if instr.def_ is None else instr.def_
        component = instr.indices.get("component")
        if isinstance(component, int) and value.num_components == 1:
            yield partial(instr.indices.__setitem__, "component", (component + 1) % 4)

    return ways


def _store_other(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    other = _earlier_like(instr, instr.srcs()[0].def_) if _is_store(instr) else None
    if other is not None:
        yield partial(instr.srcs()[0].set_def, other)


def _undefine(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    value, block = instr.def_, instr.block
    if value is None or block is None or not _is_load(instr):
        return

    def change() -> None:
        undef = UndefInstr()
        new = undef.make_def(value.index, value.num_components, value.bit_size)
        block.insert_before(instr, undef)
        value.replace_all_uses_with(new)
        instr.remove()

    yield change


def _other_slot(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if not isinstance(instr, IntrinsicInstr) or "input" not in instr.name or instr.def_ is None:
        return
    semantics = instr.io_semantics
    if semantics is not None:
        moved = replace(semantics, location=semantics.location + 1)
        yield partial(instr.indices.__setitem__, "io_semantics", moved)


def _other_barycentric(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if isinstance(instr, IntrinsicInstr) and instr.name in _OTHER_BARYCENTRIC:
        yield partial(setattr, instr, "name", _OTHER_BARYCENTRIC[instr.name])


def _other_index(name: str, other: Callable[[object], str | None]) -> Ways:
    """Give an index another value; `other` returns None for a value to keep."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        value = instr.indices.get(name) if isinstance(instr, IntrinsicInstr) else None
        changed = None if value is None else other(value)
        if isinstance(instr, IntrinsicInstr) and changed is not None:
            yield partial(instr.indices.__setitem__, name, changed)

    return ways


def _other_atomic(operation: object) -> str | None:
    if not isinstance(operation, str):
        return None
    return "iadd" if operation == "umax" else "umax"


def _uncapture(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    indices = instr.indices if isinstance(instr, IntrinsicInstr) else {}
    captured = [name for name, value in indices.items() if isinstance(value, XfbOutputs)]
    if any(value.outputs for value in indices.values() if isinstance(value, XfbOutputs)):
        yield partial(indices.update, dict.fromkeys(captured, XfbOutputs()))


# Kinds for discards


def _is_conditional_discard(instr: Instr) -> bool:
    return isinstance(instr, IntrinsicInstr) and instr.name in _DISCARDS and len(instr.srcs()) == 1


def _negate_discard(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
    block = instr.block
    if block is None or not _is_conditional_discard(instr):
        return

    def change() -> None:
        condition = instr.srcs()[0].ssa
        builder = Builder(impl, block, instr)
        instr.srcs()[0].set_def(builder.alu("inot", [condition], 1, condition.bit_size))

    yield change


def _cross_discard(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Move below a discard what stands above it in its block and must, where no value goes missing."""
    block = instr.block
    if block is None or not _is_conditional_discard(instr):
        return

    def move(crossed: Instr) -> None:
        crossed.unlink()
        block.insert_after(instr, crossed)

    between: set[Instr] = {instr}
    above = instr.prev
    while above is not None:
        readers = set() if above.def_ is None else {src.owner for src in above.def_.uses}
        if _must_stay_above(above) and not (readers & between):
            yield partial(move, above)
        between.add(above)
        above = above.prev


def _must_stay_above(instr: Instr) -> bool:
    if isinstance(instr, TexInstr):
        return instr.op in _IMPLICIT_LOD
    if isinstance(instr, AluInstr):
        return instr.op.startswith("fdd")
    if not isinstance(instr, IntrinsicInstr):
        return False
    name = instr.name
    if name.startswith("dd"):
        return True
    if name.startswith("store_"):
        return "output" not in name and "deref" not in name
    return "atomic" in name or name.startswith("image_store")


_NEGATE_IF = "negate an if"

_KINDS: dict[str, Ways] = {
    "swap sources": _swap_sources,
    "wrong swizzle": _turn_swizzle,
    "change a constant": _change_constant,
    "other operation": _other_operation,
    "read another value": _read_other,
    "one side of a select": _one_side_of_select,
    "drop a store": _drop(_is_store),
    "store to another component": _other_component(_is_store),
    "store another value": _store_other,
    "undefined for a load": _undefine,
    "load another component": _other_component(_is_load),
    "load another slot": _other_slot,
    "other barycentrics": _other_barycentric,
    "flip an interpolation": _other_index("interp_mode", lambda mode: _OTHER_MODE.get(str(mode))),
    "wrong phi source": _swap_phi_sources,
    "drop a discard": _drop(lambda instr: instr.name in _DISCARDS),
    "negate a discard": _negate_discard,
    "discard across what must stay": _cross_discard,
    "drop a barrier": _drop(lambda instr: instr.name in _BARRIERS),
    "drop transform feedback": _uncapture,
    "drop an emit": _drop(lambda instr: instr.name.startswith(("emit_vertex", "end_primitive"))),
    "other atomic": _other_index("atomic_op", _other_atomic),
}

KINDS: tuple[str, ...] = (*_KINDS, _NEGATE_IF)
"""Every kind of wrong change, in the order of the report."""
