"""Recomputation of a value in another place of the same or another shader."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import CloneMap, clone_instr
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def, Src
from nirls.passes.varyings.interface.uniform_variables import UniformVariables

_NO_LANES: Mapping[tuple[Def, int], Def] = MappingProxyType({})


def copy_value(
    value: Def,
    builder: Builder,
    shader: Shader,
    variables: UniformVariables,
    known: Mapping[Def, Def],
    index: int | None = None,
    lanes: Mapping[tuple[Def, int], Def] = _NO_LANES,
) -> Def:
    """Copy a value, with all instructions that it is computed from, to the builder's cursor.

    Returns the copy. `known` maps values that are not copied to their counterparts in the target (input
    loads, by the stored value). `lanes` does the same for components of vectors that ALU operations read
    one at a time. `index` is the number of the copy of `value` itself, a fresh one if None. Variables are
    declared in `shader` as needed. Only for movable expressions: ALU operations, constants, undefined
    values, loads of uniforms. Not recursive.
    """
    remap = CloneMap(defs=dict(known))
    if value in remap.defs:
        return remap.defs[value]
    work: list[tuple[Def, bool]] = [(value, False)]
    while work:
        item, ready = work.pop()
        if item in remap.defs or item.instr is None:
            continue
        if not ready:
            work.append((item, True))
            sources = [
                src.def_
                for src in item.instr.srcs()
                if src.def_ is not None and (not lanes or _lane(src) not in lanes)
            ]
            work.extend((source, False) for source in reversed(sources))
            continue
        _copy(item.instr, item, builder, shader, variables, remap, index if item is value else None)
        if lanes:
            _read_lanes(remap.defs[item].instr, item.instr, lanes)
    return remap.defs[value]


def _lane(src: Src) -> tuple[Def, int] | None:
    """Return the component that an operand reads; None if it reads several."""
    if not isinstance(src, AluSrc) or src.def_ is None or len(src.swizzle) != 1:
        return None
    return src.def_, src.swizzle[0]


def _read_lanes(copy: Instr | None, original: Instr, lanes: Mapping[tuple[Def, int], Def]) -> None:
    if not isinstance(copy, AluInstr) or not isinstance(original, AluInstr):
        return
    for src, model in zip(copy.sources, original.sources, strict=True):
        lane = _lane(model)
        if lane is not None and lane in lanes:
            src.set_def(lanes[lane])
            src.swizzle = (0,)


def _copy(
    instr: Instr,
    value: Def,
    builder: Builder,
    shader: Shader,
    variables: UniformVariables,
    remap: CloneMap,
    index: int | None,
) -> None:
    if isinstance(instr, DerefInstr) and instr.var is not None:
        remap.variables[id(instr.var)] = variables.find_or_declare(shader, instr.var)
    copy = clone_instr(instr, remap)
    copy.span = copy.comment = None
    twin = remap.defs[value]
    twin.divergent = None
    if index is None:
        twin.index, builder.next_index = builder.next_index, builder.next_index + 1
    else:
        twin.index = index
    if isinstance(copy, DerefInstr) and copy.var is not None:
        copy.var_name = copy.var.name
    builder.insert(copy)


def flush_infinities(value: Def, builder: Builder, index: int | None = None) -> Def:
    """Return `value * 0 + value`, exact: infinities become NaN, as after interpolation."""
    zero = builder.load_const([0], value.bit_size)
    flushed = builder.alu("ffma", [value, zero, value], 1, value.bit_size, frozenset(("exact",)))
    if index is not None:
        flushed.index = index
    return flushed


def is_scalar_alu(instr: Instr) -> bool:
    """Whether an instruction is an ALU operation on SSA values with a scalar result."""
    return (
        isinstance(instr, AluInstr)
        and instr.def_ is not None
        and instr.def_.num_components == 1
        and all(src.def_ is not None for src in instr.sources)
    )
