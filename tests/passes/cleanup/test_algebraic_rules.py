"""Every rewrite rule, evaluated on both sides."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from nirls.ir.rewriting.patterns import (
    Pattern,
    PatternConstant,
    PatternOperation,
    PatternVariable,
    parse_pattern,
)
from nirls.ir.tables import opcode
from nirls.passes.cleanup.algebraic_rules import (
    NEUTRAL_OPERANDS_INEXACT,
    RULES,
    SAME_OPERANDS_INEXACT,
    Rule,
    rules_by_opcode,
)
from nirls.verification.evaluate.alu.run import alu_operation, evaluate_alu
from nirls.verification.evaluate.values.arrays import Array, container_type

SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-40, 1e30, np.inf, -np.inf, np.nan)
ORDINARY_FLOATS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 10.0)


def variables_of(pattern: Pattern) -> dict[str, int]:
    """The letters of a pattern, with the sizes that they ask for."""
    if isinstance(pattern, PatternVariable):
        return {pattern.name: pattern.bit_size}
    found: dict[str, int] = {}
    if isinstance(pattern, PatternOperation):
        for source in pattern.sources:
            for name, size in variables_of(source).items():
                found[name] = found.get(name, 0) or size
    return found


def fixed_size(kind: str) -> int:
    """The bit size in a type name, 0 for one without."""
    digits = kind.lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits else 0


def sizes_of(pattern: Pattern, size: int, sizes: dict[str, int], kind: str = "uint") -> dict[str, int]:
    """The bit size of each letter, `size` where it is open."""
    if isinstance(pattern, PatternVariable):
        sizes[pattern.name] = sizes.get(pattern.name, 0) or pattern.bit_size or fixed_size(kind) or size
    elif isinstance(pattern, PatternOperation):
        for source, source_kind in zip(pattern.sources, alu_operation(pattern.op).input_types, strict=True):
            sizes_of(source, size, sizes, source_kind)
    return sizes


def evaluated(
    pattern: Pattern, values: dict[str, Array], sizes: dict[str, int], wanted: int = 0
) -> tuple[Array, int]:
    """The raw bits of a pattern and their bit size; a constant has the `wanted` one."""
    if isinstance(pattern, PatternVariable):
        return values[pattern.name], sizes[pattern.name]
    if isinstance(pattern, PatternConstant):
        bits = pattern.bits(wanted)
        assert bits is not None
        return np.full((1, 1), bits, container_type(wanted)), wanted
    operation = alu_operation(pattern.op)
    known = [
        None if isinstance(source, PatternConstant) else evaluated(source, values, sizes)
        for source in pattern.sources
    ]
    open_sizes = [
        one[1]
        for one, kind in zip(known, operation.input_types, strict=True)
        if one is not None and not fixed_size(kind)
    ]
    size = open_sizes[0] if open_sizes else wanted
    sources = [
        one or evaluated(source, values, sizes, fixed_size(kind) or size)
        for one, source, kind in zip(known, pattern.sources, operation.input_types, strict=True)
    ]
    result_size = fixed_size(operation.output_type) or size
    result = evaluate_alu(
        pattern.op,
        [bits for bits, _ in sources],
        dest_components=1,
        dest_bit_size=result_size,
        source_bit_sizes=[bit_size for _, bit_size in sources],
    )
    return result, result_size


def both_sides(rule: Rule, size: int, ordinary: bool) -> tuple[Array, Array, int]:
    """The raw bits of both sides for many inputs, and their size."""
    sizes = sizes_of(rule.search_pattern, size, {})
    values = inputs(sizes, reads_floats(rule.search_pattern), ordinary)
    left, width = evaluated(rule.search_pattern, values, sizes, size)
    right, right_width = evaluated(rule.replace_pattern, values, sizes, width)
    assert width == right_width
    left, right = np.broadcast_arrays(left, right)
    return np.ascontiguousarray(left), np.ascontiguousarray(right), width


def reads_floats(pattern: Pattern) -> bool:
    return isinstance(pattern, PatternOperation) and any(
        kind.startswith("float") or reads_floats(source)
        for source, kind in zip(pattern.sources, alu_operation(pattern.op).input_types, strict=True)
    )


def samples(size: int, is_float: bool, ordinary: bool) -> list[int]:
    """Raw bits to try: special ones and random ones."""
    if size == 1:
        return [0, 1]
    random = np.random.default_rng(size)
    if is_float and size in (16, 32, 64):
        kind = {16: np.float16, 32: np.float32, 64: np.float64}[size]
        with np.errstate(over="ignore"):
            numbers = np.array(ORDINARY_FLOATS if ordinary else SPECIAL_FLOATS).astype(kind)
        if not ordinary:
            numbers = np.concatenate([numbers, random.normal(size=4).astype(kind)])
        return [int(bits) for bits in numbers.view(container_type(size))]
    top = 1 << (size - 1)
    fixed = [0, 1, 2, top, top - 1, 2 * top - 1, 2 * top - 2]
    return fixed + [int(random.integers(0, 2 * top - 1, dtype=np.uint64)) for _ in range(5)]


def inputs(sizes: dict[str, int], is_float: bool, ordinary: bool) -> dict[str, Array]:
    """All combinations of samples for the letters, one a lane."""
    names = sorted(sizes)
    lanes = list(product(*(samples(sizes[name], is_float, ordinary) for name in names)))
    return {
        name: np.array([[lane[index] for lane in lanes]], container_type(sizes[name]))
        for index, name in enumerate(names)
    }


def possible_sizes(rule: Rule) -> list[int]:
    """The sizes that the letters may have where they are open."""
    if "split" in rule.search or "b2f32" in rule.search or "b2i32" in rule.search:
        return [32]
    if rule.search in ("bcsel(a@1, true, false)", "bcsel(a@1, false, true)"):
        return [1]
    if all(variables_of(rule.search_pattern).values()):
        return [1]
    return [16, 32, 64] if reads_floats(rule.search_pattern) else [1, 8, 16, 32, 64]


def as_floats(bits: Array, size: int) -> Array:
    return bits.view({16: np.float16, 32: np.float32, 64: np.float64}[size]).astype(np.float64)


def is_float_result(pattern: PatternOperation) -> bool:
    return alu_operation(pattern.op).output_type.startswith("float")


CASES = [(rule, size) for rule in RULES for size in possible_sizes(rule)]


@pytest.mark.parametrize(("rule", "size"), CASES, ids=[f"{rule.search}:{size}" for rule, size in CASES])
def test_both_sides_are_the_same(rule: Rule, size: int) -> None:
    left, right, width = both_sides(rule, size, ordinary=rule.inexact)
    assert left.dtype == right.dtype == container_type(width)
    if not is_float_result(rule.search_pattern):
        assert (left == right).all()
        return
    one, other = as_floats(left, width), as_floats(right, width)
    if rule.inexact:
        error = np.abs(one - other) / np.maximum(np.abs(other), 1.0)
        assert error.max() < {16: 2.0**-7, 32: 2.0**-19, 64: 2.0**-46}[width]
        return
    same = (left == right) | (np.isnan(one) & np.isnan(other))
    assert same.all(), (one[~same], other[~same])


ABOUT_SPECIAL_VALUES = [*NEUTRAL_OPERANDS_INEXACT, *SAME_OPERANDS_INEXACT]


@pytest.mark.parametrize("rule", ABOUT_SPECIAL_VALUES, ids=lambda rule: rule.search)
def test_inexact_rules_need_to_be(rule: Rule) -> None:
    """A rule that holds for the special values too could be applied to exact operations as well."""
    left, right, width = both_sides(rule, 32, ordinary=False)
    same = left == right
    if is_float_result(rule.search_pattern):
        same |= np.isnan(as_floats(left, width)) & np.isnan(as_floats(right, width))
    assert not same.all()


def test_rules_use_letters_that_they_bind() -> None:
    for rule in RULES:
        assert variables_of(rule.replace_pattern).keys() <= variables_of(rule.search_pattern).keys(), rule
    assert len({rule.search for rule in RULES}) == len(RULES)


def test_all_operations_work_by_component() -> None:
    def operations(pattern: Pattern) -> list[PatternOperation]:
        if not isinstance(pattern, PatternOperation):
            return []
        return [pattern, *(inner for source in pattern.sources for inner in operations(source))]

    for rule in RULES:
        for side in (rule.search_pattern, rule.replace_pattern):
            for operation in operations(side):
                entry = opcode(operation.op)
                assert entry is not None, operation
                assert entry.output_size == 0, operation
                assert not any(entry.input_sizes), operation
                assert entry.num_inputs == len(operation.sources), operation


def test_rules_are_found_by_their_opcode() -> None:
    assert sum(len(rules) for rules in rules_by_opcode().values()) == len(RULES)


@pytest.mark.parametrize("text", ["fadd(a", "fadd(a, )", "fadd(a))", "fadd a", "a b", "", "?"])
def test_patterns_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_pattern(text)
