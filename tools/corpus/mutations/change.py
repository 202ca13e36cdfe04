"""Building blocks of mutations: a change to make, and ways to rewrite sources and results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Literal

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, PhiInstr, TexInstr
from nirls.ir.model.values import Def, Src
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import base_type

Change = Callable[[], object]
"""Changes a shader in place."""

Ways = Callable[[FunctionImpl, Instr], Iterator[Change]]
"""The ways to apply a kind of mutation to an instruction."""

Rewrite = Callable[[Builder, Def], Def]
"""Insert instructions that compute a wrong value from a right one."""

EXACT = frozenset({"exact"})
_PASS_ON = frozenset({"mov", "bcsel", "b32csel", "vec2", "vec3", "vec4", "vec5", "vec8", "vec16"})


def renamed(names: Mapping[str, str]) -> Ways:
    """Replace the opcode of an ALU instruction, or the name of an intrinsic, that is in the table."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if isinstance(instr, AluInstr) and instr.op in names:
            yield partial(setattr, instr, "op", names[instr.op])
        if isinstance(instr, IntrinsicInstr) and instr.name in names:
            yield partial(setattr, instr, "name", names[instr.name])

    return ways


def both_ways(pairs: str) -> dict[str, str]:
    """Return the table for `one other, one other, ...`, in both directions."""
    table: dict[str, str] = {}
    for pair in pairs.split(","):
        one, other = pair.split()
        table |= {one: other, other: one}
    return table


def result_of(applies: Callable[[Instr], bool], rewrite: Rewrite) -> Ways:
    """Let the readers of a result read a wrong value computed from it."""

    def ways(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if instr.def_ is not None and instr.block is not None and instr.def_.uses and applies(instr):
            yield partial(_rewrite_result, impl, instr, rewrite)

    return ways


def _rewrite_result(impl: FunctionImpl, instr: Instr, rewrite: Rewrite) -> None:
    value, block = instr.def_, instr.block
    assert value is not None
    assert block is not None
    readers = list(value.uses)
    following = instr.next
    while isinstance(following, PhiInstr):
        following = following.next
    wrong = rewrite(Builder(impl, block, following), value)
    for src in readers:
        src.set_def(wrong)


Make = Callable[[Builder, AluInstr, Def], Def]
"""Insert instructions that compute a wrong value from the sources of an instruction with a result."""


def replaced(applies: Callable[[AluInstr], bool], make: Make) -> Ways:
    """Let the readers of an ALU instruction read what `make` computes from its sources instead."""

    def ways(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if isinstance(instr, AluInstr) and instr.def_ is not None and applies(instr):
            yield partial(_replace, impl, instr, make)

    return ways


def _replace(impl: FunctionImpl, instr: AluInstr, make: Make) -> None:
    value, block = instr.def_, instr.block
    assert value is not None
    assert block is not None
    value.replace_all_uses_with(make(Builder(impl, block, instr), instr, value))
    instr.remove()


def source_at(
    places: Mapping[str, int], rewrite: Rewrite, fits: Callable[[Instr, Src], bool] = lambda instr, src: True
) -> Ways:
    """Change the source at the position in the table of the intrinsics there, where it `fits`."""

    def ways(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
        position = places.get(instr.name) if isinstance(instr, IntrinsicInstr) else None
        src = None if position is None else instr.srcs()[position]
        if src is not None and src.def_ is not None and fits(instr, src):
            yield partial(set_source, impl, instr, src, rewrite)

    return ways


def set_source(impl: FunctionImpl, instr: Instr, src: Src, rewrite: Rewrite) -> None:
    """Let one source read a wrong value computed from the right one."""
    block = instr.block
    assert block is not None
    src.set_def(rewrite(Builder(impl, block, instr), src.ssa))


def plus(bits: int, op: str = "iadd") -> Rewrite:
    """Add a number, given by its bits, to each component."""

    def rewrite(builder: Builder, value: Def) -> Def:
        added = builder.load_const([bits] * value.num_components, value.bit_size)
        return builder.alu(op, [value, added], value.num_components, value.bit_size)

    return rewrite


def zero(builder: Builder, value: Def) -> Def:
    """Return zeros of the same shape."""
    return builder.load_const([0] * value.num_components, value.bit_size)


def undefined(builder: Builder, value: Def) -> Def:
    """Return an undefined value of the same shape."""
    return builder.undef(value.num_components, value.bit_size)


def inverted(builder: Builder, value: Def) -> Def:
    """Invert all bits."""
    return builder.alu("inot", [value], value.num_components, value.bit_size)


def is_load(instr: Instr) -> bool:
    """Whether an instruction is a load from an input or memory, or a texture access."""
    if instr.def_ is None:
        return False
    return isinstance(instr, TexInstr) or (
        isinstance(instr, IntrinsicInstr) and instr.name.startswith("load_")
    )


def is_store(instr: Instr) -> bool:
    """Whether an instruction is a store to an output or memory."""
    return isinstance(instr, IntrinsicInstr) and instr.name.startswith("store_")


def reads_as(value: Def) -> set[str]:
    """Return the base types as which ALU instructions read a value, except those that only pass it on."""
    found = set()
    for src in value.uses:
        if isinstance(src.owner, AluInstr) and src.owner.op not in _PASS_ON:
            entry = opcode(src.owner.op)
            position = next(
                (number for number, one in enumerate(src.owner.sources) if one is src), len(src.owner.sources)
            )
            if entry is not None and position < len(entry.input_types):
                found.add(base_type(entry.input_types[position]))
    return found


def is_float(value: Def) -> bool:
    """Whether a 32-bit value is read by ALU instructions, as a float only."""
    return value.bit_size == 32 and reads_as(value) == {"float"}


def is_integer(value: Def) -> bool:
    """Whether a 32-bit value is read by ALU instructions, as an integer only."""
    kinds = reads_as(value)
    return value.bit_size == 32 and bool(kinds) and kinds <= {"int", "uint"}


def beside(instr: Instr, direction: Literal["prev", "next"]) -> Iterator[Instr]:
    """Yield the instructions of the block before or behind one, the nearest first."""
    while (instr := getattr(instr, direction)) is not None:
        yield instr
