"""Wrong changes to a shader, of the kinds that a buggy pass makes; see `tools.corpus.mutants`.

Every kind says where in a shader it can be applied; `mutant` applies it to a copy. Places are numbers of
instructions or ifs in printed order, so that they mean the same in every copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode

Apply = Callable[[FunctionImpl], None]
"""Changes a body in place."""

_OTHER_OPERATION = {
    "fadd": "fmul",
    "fmul": "fadd",
    "iadd": "isub",
    "isub": "iadd",
    "fmin": "fmax",
    "fmax": "fmin",
    "imin": "imax",
    "imax": "imin",
    "umin": "umax",
    "umax": "umin",
    "flt": "fge",
    "fge": "flt",
    "ilt": "ige",
    "ige": "ilt",
    "ult": "uge",
    "uge": "ult",
    "feq": "fneu",
    "fneu": "feq",
    "ieq": "ine",
    "ine": "ieq",
    "iand": "ior",
    "ior": "iand",
    "ishl": "ushr",
    "ushr": "ishl",
    "fsin": "fcos",
    "fcos": "fsin",
    "fneg": "fabs",
    "fabs": "fneg",
    "fceil": "ffloor",
    "ffloor": "fceil",
    "f2i32": "f2u32",
    "i2f32": "u2f32",
}
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
        for kind, variants in _VARIANTS.items():
            for variant in range(variants(instr)):
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
    instr = list(impl.instrs())[mutation.place]
    line = _line(shader, instr)
    _APPLY[mutation.kind](impl, instr, mutation.variant)
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


# How many ways there are to apply a kind to an instruction.


def _swappable(instr: Instr) -> int:
    """The pairs of neighbouring sources that may not be exchanged."""
    if not isinstance(instr, AluInstr) or len(instr.sources) < 2:
        return 0
    return len(_pairs(instr))


def _pairs(instr: AluInstr) -> list[tuple[int, int]]:
    entry = opcode(instr.op)
    commutative = entry is None or entry.is_commutative
    found = []
    for first, second in zip(range(len(instr.sources)), range(1, len(instr.sources)), strict=False):
        if commutative and first == 0:
            continue
        one, other = instr.sources[first], instr.sources[second]
        same_shape = one.bit_size == other.bit_size and len(one.swizzle) == len(other.swizzle)
        if same_shape and (one.def_ is not other.def_ or one.swizzle != other.swizzle):
            found.append((first, second))
    return found


def _swap(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, AluInstr)
    first, second = _pairs(instr)[variant]
    instr.sources[first], instr.sources[second] = instr.sources[second], instr.sources[first]


def _vector_sources(instr: Instr) -> list[AluSrc]:
    if not isinstance(instr, AluInstr):
        return []
    return [src for src in instr.sources if src.num_components > 1]


def _turn_swizzle(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    src = _vector_sources(instr)[variant]
    src.swizzle = tuple((component + 1) % src.num_components for component in src.swizzle)


def _is_constant(instr: Instr) -> int:
    if not isinstance(instr, LoadConstInstr) or instr.def_ is None:
        return 0
    # Array indices of derefs are printed as numbers of their own.
    is_read = any(not isinstance(src.owner, DerefInstr) for src in instr.def_.uses)
    return len(instr.values) if is_read else 0


def _change_constant(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, LoadConstInstr)
    assert instr.def_ is not None
    values = list(instr.values)
    bit_size = instr.def_.bit_size
    # Another exponent for what can be a float, another small number for the rest.
    looks_like_float = bit_size >= 16 and values[variant] >> (bit_size - 8) not in (0, 0xFF)
    step = 1 << {16: 10, 32: 23, 64: 52}.get(bit_size, 0) if looks_like_float else 1
    values[variant] = (values[variant] ^ step) & ((1 << bit_size) - 1)
    instr.values = tuple(values)


def _has_other_operation(instr: Instr) -> int:
    return int(isinstance(instr, AluInstr) and instr.op in _OTHER_OPERATION)


def _other_operation(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, AluInstr)
    instr.op = _OTHER_OPERATION[instr.op]


def _is_store(instr: Instr) -> int:
    return int(isinstance(instr, IntrinsicInstr) and instr.name.startswith("store_"))


def _drop(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    instr.remove()


def _stores_scalar_output(instr: Instr) -> int:
    if not isinstance(instr, IntrinsicInstr) or not instr.name.startswith("store_"):
        return 0
    return int(isinstance(instr.indices.get("component"), int) and instr.sources[0].num_components == 1)


def _other_component(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, IntrinsicInstr)
    instr.indices["component"] = (instr.int_index("component") + 1) % 4


def _value_to_store(instr: Instr) -> Def | None:
    """A value in the same block above a store that could be stored in its place."""
    if not _is_store(instr):
        return None
    stored = instr.srcs()[0].def_
    above = instr.prev
    while above is not None and stored is not None:
        if _can_stand_for(above.def_, stored):
            return above.def_
        above = above.prev
    return None


def _can_stand_for(value: Def | None, other: Def) -> bool:
    if value is None or value is other:
        return False
    return (value.num_components, value.bit_size) == (other.num_components, other.bit_size)


def _can_store_other(instr: Instr) -> int:
    return int(_value_to_store(instr) is not None)


def _store_other(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    found = _value_to_store(instr)
    assert found is not None
    instr.srcs()[0].set_def(found)


def _is_load(instr: Instr) -> int:
    if isinstance(instr, TexInstr):
        return int(instr.def_ is not None)
    return int(
        isinstance(instr, IntrinsicInstr) and instr.name.startswith("load_") and instr.def_ is not None
    )


def _undefine(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert instr.def_ is not None
    assert instr.block is not None
    undef = UndefInstr()
    value = undef.make_def(instr.def_.index, instr.def_.num_components, instr.def_.bit_size)
    instr.block.insert_before(instr, undef)
    instr.def_.replace_all_uses_with(value)
    instr.remove()


def _loads_component(instr: Instr) -> int:
    if not isinstance(instr, IntrinsicInstr) or instr.def_ is None or not instr.name.startswith("load_"):
        return 0
    return int(isinstance(instr.indices.get("component"), int) and instr.def_.num_components == 1)


def _is_barycentric(instr: Instr) -> int:
    return int(isinstance(instr, IntrinsicInstr) and instr.name in _OTHER_BARYCENTRIC)


def _other_barycentric(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, IntrinsicInstr)
    instr.name = _OTHER_BARYCENTRIC[instr.name]


def _has_interpolation(instr: Instr) -> int:
    return int(isinstance(instr, IntrinsicInstr) and instr.indices.get("interp_mode") in _OTHER_MODE)


def _other_interpolation(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, IntrinsicInstr)
    instr.indices["interp_mode"] = _OTHER_MODE[str(instr.indices["interp_mode"])]


def _has_two_arrivals(instr: Instr) -> int:
    return int(isinstance(instr, PhiInstr) and len({src.def_ for src in instr.sources}) > 1)


def _swap_arrivals(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, PhiInstr)
    one = instr.sources[0]
    other = next(src for src in instr.sources if src.def_ is not one.def_)
    first, second = one.ssa, other.ssa
    one.set_def(second)
    other.set_def(first)


def _is_discard(instr: Instr) -> int:
    return int(isinstance(instr, IntrinsicInstr) and instr.name in _DISCARDS)


def _is_conditional_discard(instr: Instr) -> int:
    return int(_is_discard(instr) and len(instr.srcs()) == 1)


def _negate_discard(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert instr.block is not None
    condition = instr.srcs()[0].ssa
    builder = Builder(impl, instr.block, instr)
    instr.srcs()[0].set_def(builder.alu("inot", [condition], 1, condition.bit_size))


def _crossable(instr: Instr) -> list[Instr]:
    """What stands above a discard in its block, may not stand below it, and could without a missing value."""
    if not _is_conditional_discard(instr):
        return []
    between: set[Instr] = {instr}
    found = []
    above = instr.prev
    while above is not None:
        readers = set() if above.def_ is None else {src.owner for src in above.def_.uses}
        if _must_stay_above(above) and not (readers & between):
            found.append(above)
        between.add(above)
        above = above.prev
    return found


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


def _cross_count(instr: Instr) -> int:
    return len(_crossable(instr))


def _cross_discard(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    crossed = _crossable(instr)[variant]
    assert instr.block is not None
    crossed.unlink()
    instr.block.insert_after(instr, crossed)


def _is_barrier(instr: Instr) -> int:
    return int(isinstance(instr, IntrinsicInstr) and instr.name in _BARRIERS)


def _is_captured(instr: Instr) -> int:
    return int(
        isinstance(instr, IntrinsicInstr)
        and any(isinstance(value, XfbOutputs) and value.outputs for value in instr.indices.values())
    )


def _uncapture(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, IntrinsicInstr)
    for name, value in instr.indices.items():
        if isinstance(value, XfbOutputs):
            instr.indices[name] = XfbOutputs()


def _is_geometry_emit(instr: Instr) -> int:
    return int(isinstance(instr, IntrinsicInstr) and instr.name.startswith(("emit_vertex", "end_primitive")))


def _is_atomic(instr: Instr) -> int:
    return int(isinstance(instr, IntrinsicInstr) and isinstance(instr.indices.get("atomic_op"), str))


def _other_atomic(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, IntrinsicInstr)
    instr.indices["atomic_op"] = "umax" if instr.indices["atomic_op"] != "umax" else "iadd"


def _is_input_of_slot(instr: Instr) -> int:
    if not isinstance(instr, IntrinsicInstr) or "input" not in instr.name:
        return 0
    return int(instr.io_semantics is not None and instr.def_ is not None)


def _other_slot(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, IntrinsicInstr)
    semantics = instr.io_semantics
    assert semantics is not None
    location = semantics.location + 1
    instr.indices["io_semantics"] = IoSemantics(
        location, semantics.num_slots, semantics.flags, semantics.values
    )


def _is_select(instr: Instr) -> int:
    return int(isinstance(instr, AluInstr) and instr.op in ("bcsel", "b32csel"))


def _always_first(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    assert isinstance(instr, AluInstr)
    chosen, other = instr.sources[1], instr.sources[2]
    other.set_def(chosen.ssa)
    other.swizzle = chosen.swizzle


def _readable_earlier(instr: Instr) -> list[tuple[AluSrc, Def]]:
    """For each ALU source, the nearest earlier value of the block with the same shape that is another."""
    if not isinstance(instr, AluInstr):
        return []
    found = []
    for src in instr.sources:
        above = instr.prev
        while above is not None and src.def_ is not None:
            if above.def_ is not None and _can_stand_for(above.def_, src.def_):
                found.append((src, above.def_))
                break
            above = above.prev
    return found


def _readable_count(instr: Instr) -> int:
    return len(_readable_earlier(instr))


def _read_other(impl: FunctionImpl, instr: Instr, variant: int) -> None:
    src, other = _readable_earlier(instr)[variant]
    src.set_def(other)


_NEGATE_IF = "negate an if"

_KINDS: dict[str, tuple[Callable[[Instr], int], Callable[[FunctionImpl, Instr, int], None]]] = {
    "swap sources": (_swappable, _swap),
    "wrong swizzle": (lambda instr: len(_vector_sources(instr)), _turn_swizzle),
    "change a constant": (_is_constant, _change_constant),
    "other operation": (_has_other_operation, _other_operation),
    "read another value": (_readable_count, _read_other),
    "one side of a select": (_is_select, _always_first),
    "drop a store": (_is_store, _drop),
    "store to another component": (_stores_scalar_output, _other_component),
    "store another value": (_can_store_other, _store_other),
    "undefined for a load": (_is_load, _undefine),
    "load another component": (_loads_component, _other_component),
    "load another slot": (_is_input_of_slot, _other_slot),
    "other barycentrics": (_is_barycentric, _other_barycentric),
    "flip an interpolation": (_has_interpolation, _other_interpolation),
    "wrong phi source": (_has_two_arrivals, _swap_arrivals),
    "drop a discard": (_is_discard, _drop),
    "negate a discard": (_is_conditional_discard, _negate_discard),
    "discard across what must stay": (_cross_count, _cross_discard),
    "drop a barrier": (_is_barrier, _drop),
    "drop transform feedback": (_is_captured, _uncapture),
    "drop an emit": (_is_geometry_emit, _drop),
    "other atomic": (_is_atomic, _other_atomic),
}
_VARIANTS = {kind: variants for kind, (variants, _) in _KINDS.items()}
_APPLY = {kind: apply for kind, (_, apply) in _KINDS.items()}

KINDS: tuple[str, ...] = (*_KINDS, _NEGATE_IF)
"""Every kind of wrong change, in the order of the report."""
