"""Wrong arithmetic: operations, comparisons, special numbers, rounding and precision."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import TypeGuard

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from tools.corpus.mutations.change import (
    EXACT,
    Change,
    Rewrite,
    Ways,
    both_ways,
    is_float,
    is_integer,
    is_load,
    plus,
    renamed,
    replaced,
    result_of,
    set_source,
    zero,
)

_INFINITY, _LARGEST, _SMALLEST = 0x7F800000, 0x7F7FFFFF, 0x00800000
_ONE = 0x3F800000
_EXTRACTIONS = ("ubfe", "ibfe", "ubitfield_extract", "ibitfield_extract")
_OPPOSITE = both_ways("flt fge, ilt ige, ult uge, feq fneu, ieq ine")
_ORDERED = {op: other for op, other in _OPPOSITE.items() if op[1:] in ("lt", "ge")}


def _swap_sources(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Exchange neighbouring sources, where that matters."""
    if not isinstance(instr, AluInstr):
        return
    entry = opcode(instr.op)
    commutes = entry is None or entry.is_commutative
    for first, (src, other) in enumerate(pairwise(instr.sources)):
        if commutes and first == 0:
            continue
        same_shape = src.bit_size == other.bit_size and len(src.swizzle) == len(other.swizzle)
        if same_shape and (src.def_ is not other.def_ or src.swizzle != other.swizzle):
            yield partial(instr.sources.__setitem__, slice(first, first + 2), [other, src])


def _turn_swizzle(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    for src in instr.sources if isinstance(instr, AluInstr) else ():
        if src.num_components > 1:
            turned = tuple((component + 1) % src.num_components for component in src.swizzle)
            yield partial(setattr, src, "swizzle", turned)


def _swap_comparison(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Make `a < b` of `a <= b`, and the reverse."""
    if isinstance(instr, AluInstr) and instr.op in _ORDERED:
        yield partial(_exchange, instr, _ORDERED[instr.op])


def _exchange(instr: AluInstr, op: str) -> None:
    instr.op, instr.sources = op, [instr.sources[1], instr.sources[0]]


def _one_side_of_select(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if not _is_select(instr):
        return
    for chosen, other in ((1, 2), (2, 1)):
        yield partial(_copy_source, instr.sources[chosen], instr.sources[other])


def _swap_select(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if _is_select(instr):
        yield partial(instr.sources.__setitem__, slice(1, 3), [instr.sources[2], instr.sources[1]])


def _is_select(instr: Instr) -> TypeGuard[AluInstr]:
    """Whether an instruction selects one of two different values."""
    if not isinstance(instr, AluInstr) or instr.op not in ("bcsel", "b32csel"):
        return False
    first, second = instr.sources[1:]
    return first.def_ is not second.def_ or first.swizzle != second.swizzle


def _copy_source(chosen: AluSrc, other: AluSrc) -> None:
    other.set_def(chosen.ssa)
    other.swizzle = chosen.swizzle


def _lose_clamp(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Pass on one source of a minimum or maximum."""
    if isinstance(instr, AluInstr) and instr.op[1:] in ("min", "max"):
        for kept in (0, 1):
            yield partial(_keep_source, instr, kept)


def _keep_source(instr: AluInstr, kept: int) -> None:
    for src in instr.sources:
        if src is not instr.sources[kept]:
            src.clear()
    instr.op, instr.sources = "mov", [instr.sources[kept]]


def _sources(instr: AluInstr) -> list[Def | AluSrc]:
    return [AluSrc(src.ssa, src.swizzle) for src in instr.sources]


def _inverted_opposite(builder: Builder, instr: AluInstr, value: Def) -> Def:
    opposite = builder.alu(_ORDERED[instr.op], _sources(instr), value.num_components, value.bit_size)
    return builder.alu("inot", [opposite], value.num_components, value.bit_size)


def _unfused(builder: Builder, instr: AluInstr, value: Def) -> Def:
    first, second, third = _sources(instr)
    shape = value.num_components, value.bit_size
    product = builder.alu("fmul", [first, second], *shape, instr.flags)
    return builder.alu("fadd", [product, third], *shape, instr.flags)


def _reassociated(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Make `a + (b + c)` of `(a + b) + c` where both operations are exact; products likewise."""
    if not isinstance(instr, AluInstr) or instr.op not in ("fadd", "fmul") or not instr.exact:
        return
    for number, src in enumerate(instr.sources):
        inner = src.def_instr
        if isinstance(inner, AluInstr) and inner.op == instr.op and inner.exact and src.num_components == 1:
            yield partial(_reassociate, impl, instr, number, inner)


def _reassociate(impl: FunctionImpl, instr: AluInstr, number: int, inner: AluInstr) -> None:
    assert instr.block is not None
    builder = Builder(impl, instr.block, instr)
    first, second = (AluSrc(src.ssa, src.swizzle) for src in inner.sources)
    other = instr.sources[1 - number]
    regrouped = builder.alu(
        instr.op, [second, AluSrc(other.ssa, other.swizzle)], 1, other.bit_size, instr.flags
    )
    instr.sources[number].set_def(first.ssa)
    instr.sources[number].swizzle = first.swizzle
    other.set_def(regrouped)
    other.swizzle = (0,)


def _fract_by_truncation(builder: Builder, instr: AluInstr, value: Def) -> Def:
    shape = value.num_components, value.bit_size
    whole = builder.alu("ftrunc", _sources(instr), *shape)
    return builder.alu("fsub", [*_sources(instr), whole], *shape)


def _from_zero(builder: Builder, instr: AluInstr, value: Def) -> Def:
    minuend = zero(builder, value)
    return builder.alu("fsub", [minuend, *_sources(instr)], value.num_components, value.bit_size, EXACT)


def _sign_without_zero(builder: Builder, instr: AluInstr, value: Def) -> Def:
    width = value.num_components
    is_negative = builder.alu("flt", [*_sources(instr), zero(builder, value)], width, 1)
    signs = [builder.load_const([bits] * width, 32) for bits in (_ONE | 1 << 31, _ONE)]
    return builder.alu("bcsel", [is_negative, *signs], width, 32)


def _where(op: str, bits: int, otherwise: int | None, *, magnitude: bool = False) -> Rewrite:
    """Replace a value by a number (`otherwise`) where `value op bits` holds, by its opposite for None."""

    def rewrite(builder: Builder, value: Def) -> Def:
        width = value.num_components
        compared = builder.alu("fabs", [value], width, 32) if magnitude else value
        limit = builder.load_const([bits] * width, 32)
        holds = builder.alu(op, [compared, limit], width, 1)
        if otherwise is None:
            wrong = builder.alu("inot" if op[0] == "i" else "fneg", [value], width, 32)
        else:
            wrong = builder.load_const([otherwise] * width, 32)
        return builder.alu("bcsel", [holds, wrong, value], width, 32)

    return rewrite


def _limit(op: str, bits: int) -> Rewrite:
    def rewrite(builder: Builder, value: Def) -> Def:
        limit = builder.load_const([bits] * value.num_components, 32)
        return builder.alu(op, [value, limit], value.num_components, 32, EXACT)

    return rewrite


def _nan_to_zero(builder: Builder, value: Def) -> Def:
    width = value.num_components
    ordered = builder.alu("feq", [value, value], width, 1)
    return builder.alu("bcsel", [ordered, value, zero(builder, value)], width, 32)


def _through(*ops: tuple[str, int]) -> Rewrite:
    def rewrite(builder: Builder, value: Def) -> Def:
        for op, bit_size in ops:
            value = builder.alu(op, [value], value.num_components, bit_size)
        return value

    return rewrite


def _is_float_load(instr: Instr) -> bool:
    return instr.def_ is not None and is_load(instr) and is_float(instr.def_)


def _is_float_result(instr: Instr) -> bool:
    return isinstance(instr, AluInstr) and instr.def_ is not None and is_float(instr.def_)


def _is_integer_load(instr: Instr) -> bool:
    return instr.def_ is not None and is_load(instr) and is_integer(instr.def_)


def _is_integer_result(instr: Instr) -> bool:
    return isinstance(instr, AluInstr) and instr.def_ is not None and is_integer(instr.def_)


def _is_integer(instr: Instr) -> bool:
    return _is_integer_load(instr) or _is_integer_result(instr)


def _one_of(*ops: str) -> Ways:
    return renamed(dict.fromkeys(ops, "mov"))


def _source_plus_1(position: int, *ops: str) -> Ways:
    """Add 1 to a source of some operations."""

    def ways(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if isinstance(instr, AluInstr) and instr.op in ops and instr.sources[position].def_ is not None:
            yield partial(set_source, impl, instr, instr.sources[position], plus(1))

    return ways


KINDS: dict[str, Ways] = {
    "swap sources": _swap_sources,
    "wrong swizzle": _turn_swizzle,
    "other operation": renamed(
        both_ways("fadd fmul, iadd isub, fsin fcos, fceil ffloor, fexp2 flog2, frcp frsq, fneg fabs")
        | {"fsub": "fadd"}
    ),
    "negate a comparison": renamed(_OPPOSITE),
    "less or equal for less": _swap_comparison,
    "NaN decides otherwise": replaced(
        lambda instr: instr.op in _ORDERED and instr.op[0] == "f", _inverted_opposite
    ),
    "compare floats as integers": renamed({"feq": "ieq", "fneu": "ine", "flt": "ilt", "fge": "ige"}),
    "signed for unsigned": renamed(
        both_ways("ilt ult, ige uge, imin umin, imax umax, idiv udiv, ishr ushr, imul_high umul_high")
        | both_ways("i2f32 u2f32, f2i32 f2u32, i2i32 u2u32, i2i64 u2u64, ibitfield_extract ubitfield_extract")
        | {"imod": "umod", "irem": "umod", "umod": "imod"}
    ),
    "another rounding": renamed(
        {"ffloor": "ftrunc", "ftrunc": "ffloor", "fround_even": "ftrunc", "fceil": "fround_even"}
    ),
    "another remainder": renamed({"imod": "irem", "irem": "imod", "fmod": "frem", "frem": "fmod"}),
    "fraction by truncation": replaced(lambda instr: instr.op == "ffract", _fract_by_truncation),
    "minimum for maximum": renamed(both_ways("fmin fmax, imin imax, umin umax")),
    "lose a minimum or maximum": _lose_clamp,
    "lose a clamp to 0 and 1": _one_of("fsat"),
    "lose an absolute value": _one_of("fabs", "iabs"),
    "lose a negation": _one_of("fneg", "ineg"),
    "lose an inversion": _one_of("inot"),
    "and for or": renamed(both_ways("iand ior") | {"ixor": "ior"}),
    "left for right shift": renamed(both_ways("ishl ushr")),
    "one side of a select": _one_side_of_select,
    "swap sides of a select": _swap_select,
    "another shift amount": _source_plus_1(1, "ishl", "ishr", "ushr"),
    "another bit of a bit-field": _source_plus_1(1, *_EXTRACTIONS),
    "another size of a bit-field": _source_plus_1(2, *_EXTRACTIONS),
    "wrap for saturation": renamed(
        {"uadd_sat": "iadd", "iadd_sat": "iadd", "usub_sat": "isub", "isub_sat": "isub"}
    ),
    "another bit scan": renamed(both_ways("ufind_msb ifind_msb") | {"find_lsb": "ufind_msb"}),
    "carry for borrow": renamed(both_ways("uadd_carry usub_borrow")),
    "another rounding to 16 bits": renamed(both_ways("f2f16_rtz f2f16_rtne")),
    "fewer terms of a dot product": renamed({"fdot4": "fdot3", "fdot3": "fdot2"}),
    "swap halves": renamed(
        both_ways("unpack_half_2x16_split_x unpack_half_2x16_split_y")
        | both_ways(
            "unpack_64_2x32_split_x unpack_64_2x32_split_y, unpack_32_2x16_split_x unpack_32_2x16_split_y"
        )
    ),
    "round an exact product": replaced(lambda instr: instr.op == "ffma" and instr.exact, _unfused),
    "reassociate exact operations": _reassociated,
    "negation by subtraction from 0": replaced(lambda instr: instr.op == "fneg", _from_zero),
    "sign of 0 is 1": replaced(lambda instr: instr.op == "fsign", _sign_without_zero),
    "square root becomes 0": result_of(
        lambda instr: isinstance(instr, AluInstr) and instr.op in ("fsqrt", "frsq"), zero
    ),
    "NaN to 0": result_of(_is_float_load, _nan_to_zero),
    "infinity to the largest number": result_of(_is_float_load, _limit("fmin", _LARGEST)),
    "-infinity to the lowest number": result_of(
        _is_float_load, _where("feq", _INFINITY | 1 << 31, _LARGEST | 1 << 31)
    ),
    "-0 to 0": result_of(_is_float_load, _where("ieq", 1 << 31, 0)),
    "denormals to 0": result_of(_is_float_load, _where("flt", _SMALLEST, 0, magnitude=True)),
    "wrong for one input": result_of(_is_float_load, _where("feq", 0x449A5000, _ONE)),
    "wrong for negative inputs": result_of(_is_float_load, _limit("fmax", 0)),
    "wrong for large inputs": result_of(_is_float_load, _limit("fmin", 0x49742400)),
    "wrong for one integer": result_of(_is_integer_load, _where("ieq", 5, 4)),
    "wrong for 0": result_of(_is_integer_load, _where("ieq", 0, 1)),
    "wrong for negative results": result_of(_is_float_result, _limit("fmax", 0)),
    "results limited to 1": result_of(_is_float_result, _limit("fmin", _ONE)),
    "wrong for large integers": result_of(_is_integer_result, _limit("imin", 0x7FFF)),
    "half precision": result_of(_is_float_load, _through(("f2f16", 16), ("f2f32", 32))),
    "half precision of results": result_of(_is_float_result, _through(("f2f16", 16), ("f2f32", 32))),
    "lose upper bits": result_of(
        _is_integer,
        _through(("u2u16", 16), ("u2u32", 32)),
    ),
    "lose the sign of small integers": result_of(
        _is_integer,
        _through(("u2u8", 8), ("i2i32", 32)),
    ),
    "off by one": result_of(_is_integer_result, plus(1)),
}
"""Kinds for ALU instructions and for the numbers that loads give them."""
