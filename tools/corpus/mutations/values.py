"""Wrong values: constants, values read in place of others, phis, loads without a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    constant_of,
)
from nirls.ir.model.values import Def
from tools.corpus.mutations.change import (
    Change,
    Rewrite,
    Ways,
    beside,
    is_float,
    is_load,
    set_source,
    undefined,
    zero,
)

_INTEGER_COMPARISONS = ("ilt", "ige", "ult", "uge", "ieq", "ine")


def _looks_like_float(value: int, bit_size: int) -> bool:
    return bit_size >= 16 and value >> (bit_size - 8) not in (0, 0xFF)


def _other_exponent(value: int, bit_size: int) -> int | None:
    """Return another exponent for what can be a float, another small number for the rest."""
    step = 1 << {16: 10, 32: 23, 64: 52}.get(bit_size, 0) if _looks_like_float(value, bit_size) else 1
    return value ^ step


def _other_sign(value: int, bit_size: int) -> int | None:
    return value ^ 1 << (bit_size - 1) if _looks_like_float(value, bit_size) else None


def _next_number(value: int, bit_size: int) -> int | None:
    return None if bit_size < 16 or _looks_like_float(value, bit_size) else value + 1


def _next_float(value: int, bit_size: int) -> int | None:
    return value + 1 if _looks_like_float(value, bit_size) else None


def _finite(value: int, bit_size: int) -> int | None:
    """Return the largest number for infinity."""
    return value - 1 if bit_size == 32 and value & 0x7FFFFFFF == 0x7F800000 else None


def _constant(other: Callable[[int, int], int | None]) -> Ways:
    """Change one component of a constant; `other` returns None for a number to keep."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if not isinstance(instr, LoadConstInstr) or instr.def_ is None:
            return
        # Array indices of derefs are printed as numbers of their own.
        if all(isinstance(src.owner, DerefInstr) for src in instr.def_.uses):
            return
        bit_size = instr.def_.bit_size
        for number, value in enumerate(instr.values):
            changed = other(value, bit_size)
            if changed is not None:
                values = [*instr.values]
                values[number] = changed & ((1 << bit_size) - 1)
                yield partial(setattr, instr, "values", tuple(values))

    return ways


def _swap_components(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    values = instr.values if isinstance(instr, LoadConstInstr) else ()
    if len(set(values)) > 1:
        yield partial(setattr, instr, "values", (*values[1:], values[0]))


def _neighbour(number: int) -> Rewrite:
    """Add a number to the bits of a constant."""

    def rewrite(builder: Builder, value: Def) -> Def:
        values = constant_of(value)
        assert values is not None
        return builder.load_const([value + number for value in values], value.bit_size)

    return rewrite


def _bound_off_by(number: int) -> Ways:
    """Compare an integer with the neighbour of a constant, as a loop does that runs once more or less."""

    def ways(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if isinstance(instr, AluInstr) and instr.op in _INTEGER_COMPARISONS:
            for src in instr.sources:
                if constant_of(src.def_) is not None and src.bit_size > 1:
                    yield partial(set_source, impl, instr, src, _neighbour(number))

    return ways


def _float_bound(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Compare a float with the neighbour of a constant."""
    if isinstance(instr, AluInstr) and instr.op in ("flt", "fge", "feq", "fneu"):
        for src in instr.sources:
            values = constant_of(src.def_)
            if values is not None and all(value & 0x7FFFFFFF for value in values):
                yield partial(set_source, impl, instr, src, _neighbour(1))


def earlier_like(instr: Instr, value: Def | None) -> Def | None:
    """Return the nearest earlier value of the block with the same shape."""
    if value is None:
        return None
    for above in beside(instr, "prev"):
        other = above.def_
        if other is not None and other is not value and _shape(other) == _shape(value):
            return other
    return None


def _shape(value: Def) -> tuple[int, int]:
    return value.num_components, value.bit_size


def _read_other(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    for src in instr.sources if isinstance(instr, AluInstr) else ():
        other = earlier_like(instr, src.def_)
        if other is not None:
            yield partial(src.set_def, other)


def _swap_phi_sources(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if not isinstance(instr, PhiInstr) or len({src.def_ for src in instr.sources}) < 2:
        return
    phi_src = instr.sources[0]
    other = next(src for src in instr.sources if src.def_ is not phi_src.def_)

    def change() -> None:
        first, second = phi_src.ssa, other.ssa
        phi_src.set_def(second)
        other.set_def(first)

    yield change


def _instead_of_load(rewrite: Rewrite) -> Ways:
    """Remove a load, and let its readers read another value."""

    def ways(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
        value, block = instr.def_, instr.block
        if value is None or block is None or not is_load(instr) or not value.uses:
            return

        def change() -> None:
            value.replace_all_uses_with(rewrite(Builder(impl, block, instr), value))
            instr.remove()

        yield change

    return ways


def _exchange_loads(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Let the readers of a load, and of the nearest earlier one of the same kind, read the other one."""
    value = instr.def_
    if value is None or not isinstance(instr, IntrinsicInstr) or not is_load(instr) or not is_float(value):
        return
    above = (intrinsic for intrinsic in beside(instr, "prev") if isinstance(intrinsic, IntrinsicInstr))
    earlier = next(
        (
            intrinsic.def_
            for intrinsic in above
            if intrinsic.name == instr.name and intrinsic.def_ is not None
        ),
        None,
    )
    if earlier is None or _shape(earlier) != _shape(value):
        return
    # Earlier readers would stand above the load.
    if {src.owner for src in earlier.uses} <= {*beside(instr, "next")}:
        yield partial(_exchange_uses, value, earlier)


def _exchange_uses(one: Def, other: Def) -> None:
    first, second = list(one.uses), list(other.uses)
    for src in first:
        src.set_def(other)
    for src in second:
        src.set_def(one)


KINDS: dict[str, Ways] = {
    "change a constant": _constant(_other_exponent),
    "another sign of a constant": _constant(_other_sign),
    "next integer": _constant(_next_number),
    "next float": _constant(_next_float),
    "largest number for infinity": _constant(_finite),
    "swap components of a constant": _swap_components,
    "bound one too high": _bound_off_by(1),
    "bound one too low": _bound_off_by(-1),
    "compare with the next float": _float_bound,
    "read another value": _read_other,
    "exchange two loads": _exchange_loads,
    "wrong phi source": _swap_phi_sources,
    "undefined for a load": _instead_of_load(undefined),
    "zero for a load": _instead_of_load(zero),
}
"""Kinds for constants, reads of values, and phis."""
