"""Rewrites of ALU operations as data: each row is an operation and what it equals.

The patterns are those of `nirls.ir.rewriting`: integers and floats are constants of any bit size, in a
replacement that of the result; `true` and `false` have 1 bit here, and so have comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from nirls.ir.rewriting.patterns import Pattern, PatternOperation, parse_pattern

EXACT = """
inot(inot(a)) = a
inot(ilt(a, b)) = ige(a, b)
inot(ige(a, b)) = ilt(a, b)
inot(ult(a, b)) = uge(a, b)
inot(uge(a, b)) = ult(a, b)
inot(ieq(a, b)) = ine(a, b)
inot(ine(a, b)) = ieq(a, b)
inot(feq(a, b)) = fneu(a, b)
inot(fneu(a, b)) = feq(a, b)
inot(iand(a, b)) = ior(inot(a), inot(b))
inot(ior(a, b)) = iand(inot(a), inot(b))
fne(a, b) = fneu(a, b)
bcsel(inot(a), b, c) = bcsel(a, c, b)
bcsel(a, b, b) = b
bcsel(a, bcsel(a, b, c), d) = bcsel(a, b, d)
bcsel(a, b, bcsel(a, c, d)) = bcsel(a, b, d)
bcsel(a, true, false) = a
bcsel(a, false, true) = inot(a)
bcsel(a, true, b) = ior(a, b)
bcsel(a, b, false) = iand(a, b)
bcsel(a, false, b) = iand(inot(a), b)
bcsel(a, b, true) = ior(inot(a), b)
bcsel(a, a, b) = ior(a, b)
bcsel(a, b, a) = iand(a, b)
bcsel(ige(a, b), c, d) = bcsel(ilt(a, b), d, c)
bcsel(uge(a, b), c, d) = bcsel(ult(a, b), d, c)
bcsel(ine(a, b), c, d) = bcsel(ieq(a, b), d, c)
bcsel(fneu(a, b), c, d) = bcsel(feq(a, b), d, c)
b2f16(a) = bcsel(a, 1.0, 0.0)
b2f32(a) = bcsel(a, 1.0, 0.0)
b2f64(a) = bcsel(a, 1.0, 0.0)
b2i8(a) = bcsel(a, 1, 0)
b2i16(a) = bcsel(a, 1, 0)
b2i32(a) = bcsel(a, 1, 0)
b2i64(a) = bcsel(a, 1, 0)
slt(a, b) = bcsel(flt(a, b), 1.0, 0.0)
sge(a, b) = bcsel(fge(a, b), 1.0, 0.0)
seq(a, b) = bcsel(feq(a, b), 1.0, 0.0)
sne(a, b) = bcsel(fneu(a, b), 1.0, 0.0)
iand(a, 0) = 0
iand(a, -1) = a
ior(a, 0) = a
ior(a, -1) = -1
ixor(a, 0) = a
ixor(a, a) = 0
ushr(a, 0) = a
ishr(a, 0) = a
iabs(iabs(a)) = iabs(a)
fabs(fabs(a)) = fabs(a)
fabs(fneg(a)) = fabs(a)
fneg(fneg(a)) = a
fsat(fsat(a)) = fsat(a)
unpack_64_2x32_split_x(pack_64_2x32_split(a, b)) = a
unpack_64_2x32_split_y(pack_64_2x32_split(a, b)) = b
pack_64_2x32_split(unpack_64_2x32_split_x(a), unpack_64_2x32_split_y(a)) = a
unpack_32_2x16_split_x(pack_32_2x16_split(a, b)) = a
unpack_32_2x16_split_y(pack_32_2x16_split(a, b)) = b
pack_32_2x16_split(unpack_32_2x16_split_x(a), unpack_32_2x16_split_y(a)) = a
"""
"""Equal bit for bit for all operands; a NaN that only changes its sign keeps its other bits."""

INEXACT = """
fmin(fmax(a, 0.0), 1.0) = fsat(a)
fpow(a, b) = fexp2(fmul(flog2(a), b))
ffract(a) = fsub(a, ffloor(a))
fmod(a, b) = fsub(a, fmul(b, ffloor(fdiv(a, b))))
frem(a, b) = fsub(a, fmul(b, ftrunc(fdiv(a, b))))
"""
"""Equal as functions of real numbers: for operations that may be approximated."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An operation and what it equals."""

    search: PatternOperation
    replacement: Pattern


@cache
def rewrites(table: str) -> Mapping[str, tuple[Rewrite, ...]]:
    """Read a table of rewrites, by the opcode of the operation."""
    found: dict[str, list[Rewrite]] = {}
    for line in filter(None, table.splitlines()):
        search, replacement = map(parse_pattern, line.split(" = "))
        if not isinstance(search, PatternOperation):
            raise ValueError(line)
        found.setdefault(search.op, []).append(Rewrite(search, replacement))
    return {op: tuple(rows) for op, rows in found.items()}
