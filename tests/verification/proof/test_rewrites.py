"""Each rewrite, evaluated on special values: exact ones are equal bit for bit."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from nirls.ir.rewriting.patterns import Pattern, PatternConstant, PatternVariable
from nirls.ir.tables import opcode
from nirls.verification.evaluate.alu.run import evaluate_alu
from nirls.verification.evaluate.values.arrays import container_type
from nirls.verification.proof.rewrites import EXACT, INEXACT, Rewrite, rewrites

FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.75, 3.0e4, 1e-40, np.inf, -np.inf, np.nan)
INTEGERS = (
    0,
    1,
    2,
    7,
    0x7F,
    0x80,
    0xFF,
    0x8000,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0xFFFF_FFFF_FFFF_FFFF,
)


class NoSizeError(Exception):
    """An operand cannot have the bit size."""


def bits_of(value: float, size: int) -> int:
    with np.errstate(all="ignore"):
        return int(np.array([value], FLOATS[size]).view(f"u{size // 8}")[0])


def samples(size: int) -> list[int]:
    found = dict.fromkeys(one % (1 << size) for one in INTEGERS)
    if size in FLOATS:
        found |= dict.fromkeys(bits_of(one, size) for one in SPECIAL)
    return list(found)


def explicit_size(kind: str) -> int | None:
    digits = kind.lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits else None


def sizes_of(pattern: Pattern, size: int, found: dict[str, int]) -> None:
    """Find the bit sizes of operands; free ones of comparisons have 32 bits. Raises `NoSizeError`."""
    if isinstance(pattern, PatternVariable):
        if found.setdefault(pattern.name, size) != size:
            raise NoSizeError
    elif isinstance(pattern, PatternConstant):
        if (isinstance(pattern.value, bool) and size != 1) or pattern.bits(size) is None:
            raise NoSizeError
    else:
        entry = opcode(pattern.op)
        assert entry is not None, pattern.op
        fixed = explicit_size(entry.output_type)
        if fixed not in (None, size) or (entry.output_type == "float" and size not in FLOATS):
            raise NoSizeError
        for source, kind in zip(pattern.sources, entry.input_types, strict=True):
            wanted = explicit_size(kind) or (32 if fixed or kind == "bool" else size)
            sizes_of(source, 1 if kind == "bool" else wanted, found)


def value_of(pattern: Pattern, size: int, operands: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """Evaluate a pattern; return the bits and their size."""
    if isinstance(pattern, PatternVariable):
        return operands[pattern.name]
    if isinstance(pattern, PatternConstant):
        bits = pattern.bits(size)
        assert bits is not None
        return bits, size
    entry = opcode(pattern.op)
    assert entry is not None
    own = explicit_size(entry.output_type) or size
    wanted = [
        explicit_size(kind) or (32 if entry.output_type == "bool1" else size) for kind in entry.input_types
    ]
    sources = [value_of(one, given, operands) for one, given in zip(pattern.sources, wanted, strict=True)]
    result = evaluate_alu(
        pattern.op,
        [np.array([[bits]], container_type(given)) for bits, given in sources],
        dest_components=1,
        dest_bit_size=own,
        source_bit_sizes=[given for _, given in sources],
    )
    return int(result[0][0]), own


def cases(table: str) -> list[Rewrite]:
    return [row for rows in rewrites(table).values() for row in rows]


@pytest.mark.parametrize("row", cases(EXACT), ids=lambda row: row.search.op)
def test_exact_rewrites_keep_each_bit(row: Rewrite) -> None:
    tried = 0
    for size in (1, 8, 16, 32, 64):
        sizes: dict[str, int] = {}
        try:
            sizes_of(row.search, size, sizes)
            sizes_of(row.replacement, size, sizes)
        except NoSizeError:
            continue
        for bits in product(*(samples(one)[: 16 if len(sizes) < 4 else 6] for one in sizes.values())):
            operands = {name: (one, sizes[name]) for name, one in zip(sizes, bits, strict=True)}
            before, after = (value_of(side, size, operands) for side in (row.search, row.replacement))
            assert before == after, operands
            tried += 1
    assert tried


@pytest.mark.parametrize("row", cases(INEXACT), ids=lambda row: row.search.op)
def test_inexact_rewrites_are_the_same_function(row: Rewrite) -> None:
    sizes: dict[str, int] = {}
    sizes_of(row.search, 64, sizes)
    for values in product((0.25, 0.5, 0.75, 1.5, 2.5, 7.125), repeat=len(sizes)):
        operands = {name: (bits_of(one, 64), 64) for name, one in zip(sizes, values, strict=True)}
        before, after = (
            np.array([value_of(side, 64, operands)[0]], np.uint64).view(np.float64)[0]
            for side in (row.search, row.replacement)
        )
        assert before == pytest.approx(after, rel=1e-12)


def test_a_row_is_read_as_patterns() -> None:
    (row,) = rewrites("\nbcsel(inot(a), 1.0, -1) = true\n")["bcsel"]
    assert row.search.sources[1:] == (PatternConstant(1.0), PatternConstant(-1))
    assert row.replacement == PatternConstant(value=True)
