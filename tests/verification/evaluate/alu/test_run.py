"""Every ALU opcode against `alu_reference`, on special and random values of every bit size."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from nirls.ir.effects import DERIVATIVE_OPCODES
from nirls.ir.tables.entries import split_type
from nirls.verification.evaluate.alu.operation import allowed_bit_sizes
from nirls.verification.evaluate.alu.run import (
    alu_operation,
    evaluate_alu,
    is_supported,
    supported_opcodes,
)
from nirls.verification.evaluate.values.arrays import container_type
from nirls.verification.evaluate.values.errors import Unsupported
from tests.conftest import facts_of
from tests.verification.evaluate.alu.alu_lanes import undefined_lanes
from tests.verification.evaluate.alu.alu_reference import REFERENCES
from tests.verification.evaluate.alu.exact_float import QUIET_NAN, bits_of_float, convert, float_of_bits

LANES = 96

FLOAT_SPECIALS = {
    16: (
        *(
            0x0000,
            0x8000,
            0x3C00,
            0xBC00,
            0x3800,
            0x3E00,
            0x4100,
            0xC100,
            0x4200,
            0x2E66,
            0x7C00,
            0xFC00,
            0x7E00,
        ),
        *(0xFE55, 0x7C01, 0x0001, 0x8001, 0x03FF, 0x0400, 0x8400, 0x7BFF, 0xFBFF, 0x3555, 0x5BFF, 0x1400),
    ),
    32: (
        *(0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0x3FC00000, 0x40200000, 0xC0200000),
        *(0x40400000, 0x3DCCCCCD, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001, 0x00000001),
        *(0x80000001, 0x007FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x477FE000, 0x477FF000),
        *(0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0x5F800000, 0x38800000, 0x387FC000, 0x33800001),
        *(0x3F7FFFFF, 0x3F800001, 0x437F0000, 0x47000000, 0x46FFFE00, 0xBF7FFFFF, 0x4B000001, 0x4EFFFFFF),
    ),
    64: (
        *(0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FE0000000000000),
        *(0x3FF8000000000000, 0x4004000000000000, 0xC004000000000000, 0x3FB999999999999A, 0x7FF0000000000000),
        *(0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000012345, 0x0000000000000001, 0x800FFFFFFFFFFFFF),
        *(0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x40EFFC0000000000, 0x40EFFE0000000000),
        *(0x41E0000000000000, 0x43E0000000000000, 0x43F0000000000000, 0xC3E0000000000000, 0x3F10000000000000),
        *(
            0x36A0000000000000,
            0x47EFFFFFE0000000,
            0x47EFFFFFF0000000,
            0x3E60000000000001,
            0x3FF0000010000000,
            0x7FF0000000000001,
        ),
    ),
}


def integer_specials(size: int) -> tuple[int, ...]:
    mask = (1 << size) - 1
    values = [0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 24, 31, 32, 33, 63, 64, 127, 128, 255]
    values += [mask, mask - 1, mask >> 1, (mask >> 1) + 1, (mask >> 1) - 1, (mask >> 1) + 2]
    values += [
        0x5555555555555555,
        0xAAAAAAAAAAAAAAAA,
        0x0123456789ABCDEF,
        0x80FF7F0180FF7F01,
        0x00FF00FF00FF00FF,
    ]
    values += [0x00FFFFFF, 0x00800000, 0xFF800000, 0x0000FFFF, 0xFFFF0000, 0x8000, 0x10000]
    values += [-2, -3, -7, -8, -16, -31, -32, -128]
    return tuple(dict.fromkeys(value & mask for value in values))


@cache
def specials(base: str, size: int) -> tuple[int, ...]:
    if base == "bool":
        return (0, 1) if size == 1 else (0, (1 << size) - 1)
    if base == "float":
        return FLOAT_SPECIALS[size]
    return integer_specials(size)


def corners(base: str, size: int) -> tuple[int, ...]:
    """The few values of which every pair is tried."""
    ones, highest = (1 << size) - 1, (1 << (size - 1)) - 1
    if base == "bool" or size == 1:
        return (0, ones)
    if base == "float":
        infinity = bits_of_float(float("inf"), size)
        return (0, highest + 1, bits_of_float(1.0, size), 1, infinity - 1, infinity, QUIET_NAN[size])
    return (0, 1, ones, highest, highest + 1)


def some_bits(base: str, size: int, source: random.Random) -> int:
    """A random value: integers of every magnitude, half of the floats between 1/16 and 16."""
    if base == "bool":
        return source.choice(specials(base, size))
    if base == "float" and source.random() < 0.5:
        significand_bits = {16: 10, 32: 23, 64: 52}[size]
        bias = (1 << (size - significand_bits - 2)) - 1
        exponent = bias + source.randrange(-4, 4)
        sign = source.getrandbits(1) << (size - 1)
        return sign | (exponent << significand_bits) | source.getrandbits(significand_bits)
    if base == "float" or source.random() < 0.5:
        return source.getrandbits(size)
    return source.getrandbits(size) >> source.randrange(size)


@dataclass(frozen=True)
class Setting:
    """One opcode at one bit size of its unsized types, and at one destination size."""

    opcode: str
    bit_size: int
    dest_bit_size: int
    source_bit_sizes: tuple[int, ...]


def settings(opcode: str) -> list[Setting]:
    """All bit sizes that the types of the opcode allow."""
    operation = alu_operation(opcode)
    types = (operation.output_type, *operation.input_types)
    unsized = [type_name for type_name in types if split_type(type_name)[1] == 0]
    sizes = sorted(set.intersection(*(set(allowed_bit_sizes(name)) for name in unsized))) if unsized else [32]
    return [
        Setting(
            opcode,
            size,
            split_type(operation.output_type)[1] or size,
            tuple(split_type(name)[1] or size for name in operation.input_types),
        )
        for size in sizes
    ]


@cache
def lanes_of(setting: Setting) -> list[tuple[tuple[int, ...], ...]]:
    """For each lane the raw components of each source; one row for a per-component source."""
    source = random.Random(f"{setting.opcode}@{setting.bit_size}")
    operation = alu_operation(setting.opcode)
    kinds = [
        (split_type(name)[0], size, operation.rows(index) or 1)
        for index, (name, size) in enumerate(
            zip(operation.input_types, setting.source_bit_sizes, strict=True)
        )
    ]
    flat = [(base, size) for base, size, rows in kinds for _ in range(rows)]
    choices = [specials(base, size) for base, size in flat]
    total = 1
    for choice in choices:
        total *= len(choice)
    if total <= LANES:
        values = list(itertools.product(*choices))
    else:
        values = [tuple(source.choice(choice) for choice in choices) for _ in range(2 * LANES // 3)]
        if len(flat) == 2:
            values += itertools.product(*(corners(base, size) for base, size in flat))
        # Equal components: comparisons and differences at their turning points.
        values += [(first,) * len(flat) for first in choices[0]] if len(set(flat)) == 1 else []
    values += [
        tuple(some_bits(base, size, source) for base, size in flat)
        for _ in range(max(8, LANES - len(values)))
    ]
    # Counts, offsets and indices are mostly small numbers in the later sources.
    values += [
        tuple(
            source.randrange(min(40, 1 << size)) if index and base in ("int", "uint") else bits
            for index, (bits, (base, size)) in enumerate(zip(value, flat, strict=True))
        )
        for value in values[: LANES // 3]
        if len(flat) > 1
    ]
    lanes = []
    for value in values:
        rest = list(value)
        lanes.append(tuple(tuple(rest.pop(0) for _ in range(rows)) for _, _, rows in kinds))
    return lanes


def decoded(bits: int, base: str, size: int) -> Any:
    match base:
        case "float":
            return float_of_bits(bits, size)
        case "bool":
            return bits != 0
        case "int":
            return bits - (1 << size) if bits >> (size - 1) else bits
        case _:
            return bits


def encoded(value: Any, base: str, size: int) -> int:
    match base:
        case "float":
            return bits_of_float(value, size)
        case "bool":
            return ((1 << size) - 1) * bool(value)
        case _:
            return int(value) & ((1 << size) - 1)


def expected(setting: Setting, sources: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The raw result of the reference for one lane, with per-component sources of one component."""
    operation, reference = alu_operation(setting.opcode), REFERENCES[setting.opcode]
    arguments: list[Any] = []
    for index, (type_name, size, raw) in enumerate(
        zip(operation.input_types, setting.source_bit_sizes, sources, strict=True)
    ):
        base = "uint" if reference.raw else split_type(type_name)[0]
        values = tuple(decoded(bits, base, size) for bits in raw)
        arguments.append(values if operation.rows(index) else values[0])
    result = reference.compute(setting.bit_size, *arguments)
    output = "uint" if reference.raw else split_type(operation.output_type)[0]
    if output == "float" and setting.dest_bit_size == 16 and operation.input_types[0] != "float32":
        result = rounded_to_half(result)
    results = result if isinstance(result, tuple) else (result,)
    return tuple(encoded(value, output, setting.dest_bit_size) for value in results)


def rounded_to_half(result: Any) -> Any:
    """References of several operations at 16 bits end in float32, as Mesa's do."""
    return tuple(convert(value, 16) for value in result) if isinstance(result, tuple) else convert(result, 16)


def as_array(rows: list[tuple[int, ...]], size: int) -> np.ndarray:
    return np.ascontiguousarray(np.array(rows, dtype=container_type(size)).T)


def evaluate(setting: Setting, lanes: list[tuple[tuple[int, ...], ...]], components: int) -> np.ndarray:
    sources = [
        as_array([lane[index] for lane in lanes], size) for index, size in enumerate(setting.source_bit_sizes)
    ]
    return evaluate_alu(
        setting.opcode,
        sources,
        dest_components=components,
        dest_bit_size=setting.dest_bit_size,
        source_bit_sizes=setting.source_bit_sizes,
    )


def agree(got: list[int], wanted: tuple[int, ...], size: int, ulps: int) -> bool:
    """Whether the results have the same bits or, for approximated floats, are at most `ulps` apart."""
    if tuple(got) == wanted:
        return True
    if ulps == 0 or QUIET_NAN[size] in (*got, *wanted):
        return False
    return all(distance(a, b, size) <= ulps for a, b in zip(got, wanted, strict=True))


def in_hex(bits: Any) -> str:
    return f"[{', '.join(map(in_hex, bits))}]" if isinstance(bits, (list, tuple)) else hex(bits)


def distance(a: int, b: int, size: int) -> int:
    """How many floats lie between two."""

    def ordered(bits: int) -> int:
        magnitude = bits & ((1 << (size - 1)) - 1)
        return -magnitude if bits >> (size - 1) else magnitude

    return abs(ordered(a) - ordered(b))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("opcode", sorted(supported_opcodes()))
def test_opcode_computes_what_the_reference_computes(opcode: str) -> None:
    operation = alu_operation(opcode)
    allowed_distance = REFERENCES[opcode].ulps
    compared, different_results = 0, set()
    for setting in settings(opcode):
        lanes = lanes_of(setting)
        got = evaluate(setting, lanes, operation.output_size or 1)
        assert got.dtype == container_type(setting.dest_bit_size)
        for lane, result in zip(lanes, got.T.tolist(), strict=True):
            want = expected(setting, lane)
            assert agree(result, want, setting.dest_bit_size, allowed_distance), (
                f"{opcode} at {setting.bit_size} bits of {in_hex(lane)}: {in_hex(result)}, not {in_hex(want)}"
            )
            compared += 1
            different_results.add(want)
    assert compared >= 8
    assert len(different_results) > 1, "sources that all give the same result test nothing"


def test_undefined_lanes_are_some_but_not_all_or_none() -> None:
    for opcode in supported_opcodes():
        masks = []
        for setting in settings(opcode):
            lanes = lanes_of(setting)
            sources = [
                as_array([lane[index] for lane in lanes], size)
                for index, size in enumerate(setting.source_bit_sizes)
            ]
            components = alu_operation(opcode).output_size or 1
            sizes = (setting.dest_bit_size, setting.source_bit_sizes)
            mask = undefined_lanes(opcode, sources, components, *sizes)
            assert mask.shape == (components, len(lanes)), opcode
            masks.append(mask)
        assert any(mask.any() for mask in masks) == (alu_operation(opcode).undefined is not None), opcode
        assert not all(mask.all() for mask in masks), opcode


def test_any_memory_layout_and_any_number_of_lanes() -> None:
    """Strided and read-only sources give what contiguous ones give, and no lanes give no lanes."""
    for setting in (setting for opcode in supported_opcodes() for setting in settings(opcode)):
        lanes = lanes_of(setting)[:40]
        components = alu_operation(setting.opcode).output_size or 1
        plain = evaluate(setting, lanes, components)
        strided = []
        for index, size in enumerate(setting.source_bit_sizes):
            source = np.repeat(as_array([lane[index] for lane in lanes], size), 2, axis=1)[:, ::2]
            source.setflags(write=False)
            strided.append(source)
        arguments: dict[str, Any] = {
            "dest_components": components,
            "dest_bit_size": setting.dest_bit_size,
            "source_bit_sizes": setting.source_bit_sizes,
        }
        assert evaluate_alu(setting.opcode, strided, **arguments).tolist() == plain.tolist(), setting
        none = evaluate_alu(setting.opcode, [source[:, :0] for source in strided], **arguments)
        assert none.shape == (components, 0), setting
        assert none.dtype == plain.dtype, setting


@pytest.mark.parametrize("version", ["22.3", "25.0"])
def test_every_opcode_of_the_release_is_supported_with_its_types(version: str) -> None:
    facts = facts_of(version)["opcodes"]
    unsupported = {name for name in facts if not is_supported(name)}
    print(f"NIR {version}: {len(facts) - len(unsupported)} of {len(facts)} ALU opcodes evaluated")
    assert unsupported == DERIVATIVE_OPCODES & set(facts)
    wrong = [name for name in facts if name not in unsupported and not fits(name, facts[name])]
    # Types that changed between the releases; the present one is used.
    changed = {"ifind_msb_rev", "pack_snorm_2x16", "pack_unorm_2x16", "umul_unorm_4x8_vc4"}
    assert set(wrong) == (changed if version == "22.3" else set())


def fits(opcode: str, fact: dict[str, Any]) -> bool:
    operation = alu_operation(opcode)
    return (
        operation.output_type == fact["output_type"]
        and operation.output_size == fact["output_size"]
        and list(operation.input_types) == fact["input_types"]
        and [operation.rows(index) for index in range(len(operation.input_types))] == fact["input_sizes"]
    )


def test_the_reference_covers_exactly_the_supported_opcodes() -> None:
    assert set(REFERENCES) == supported_opcodes()


@pytest.mark.parametrize("opcode", ["fadd", "iadd", "bcsel", "fdot3_replicated", "ishl", "f2i32", "fcsel"])
def test_components_are_computed_one_by_one(opcode: str) -> None:
    """A vector result is the scalar results of its components."""
    setting = next(setting for setting in settings(opcode) if setting.dest_bit_size == 32)
    operation = alu_operation(opcode)
    per_component = operation.rows(0) == 0
    lanes = lanes_of(setting)[:60]
    whole = evaluate(setting, lanes, 1)
    if per_component:
        regrouped = [
            tuple(
                tuple(lane[index][0] for lane in lanes[start::20])
                for index in range(len(operation.input_types))
            )
            for start in range(20)
        ]
        got = evaluate(setting, regrouped, 3)
        assert got.tolist() == whole.reshape(3, 20).tolist()
    else:
        assert evaluate(setting, lanes, 3).tolist() == np.repeat(whole, 3, axis=0).tolist()


def test_unsupported_opcodes_are_named() -> None:
    assert not is_supported("fddx")
    for opcode in ("fddx", "no_such_opcode"):
        with pytest.raises(Unsupported, match=opcode):
            evaluate_alu(opcode, [], dest_components=1, dest_bit_size=32, source_bit_sizes=[])


def word(*values: int, size: int = 32) -> np.ndarray:
    return np.array([values], dtype=container_type(size))


def evaluated(opcode: str, sources: list[np.ndarray], size: int, *, components: int = 1) -> np.ndarray:
    """The result for sources of as many bits as their arrays."""
    return evaluate_alu(
        opcode,
        sources,
        dest_components=components,
        dest_bit_size=size,
        source_bit_sizes=[source.dtype.itemsize * 8 for source in sources],
    )


@pytest.mark.parametrize(
    ("opcode", "sources", "components", "size", "message"),
    [
        ("iadd", [word(1)], 1, 32, "iadd with 1 sources"),
        ("iadd", [word(1), word(1)], 2, 32, "iadd with 1 of 2 components"),
        ("iadd", [word(1), word(1, size=16)], 1, 32, r"iadd with operands of \[16, 32\] bits"),
        ("fadd", [word(1, size=8), word(1, size=8)], 1, 8, "fadd with a float of 8 bits"),
        ("f2i16", [word(1)], 1, 32, "f2i16 with a int16 of 32 bits"),
        ("fdot3", [word(1), word(1)], 1, 32, "fdot3 with 1 of 3 components"),
        ("vec2", [word(1), word(1)], 3, 32, "vec2 with 3 components"),
        ("ilt", [word(1), word(1, size=16)], 1, 1, r"ilt with operands of \[16, 32\] bits"),
        ("ishl", [word(1), word(1, size=16)], 1, 32, "ishl with a uint32 of 16 bits"),
    ],
)
def test_wrong_arguments_are_refused(
    opcode: str, sources: list[np.ndarray], components: int, size: int, message: str
) -> None:
    with pytest.raises(Unsupported, match=message):
        evaluated(opcode, sources, size, components=components)


def test_one_lane_stands_for_all() -> None:
    many, one = word(1, 2, 3), word(10)
    assert evaluated("iadd", [many, one], 32).tolist() == [[11, 12, 13]]
    result = evaluated("vec2", [many, one], 32, components=2)
    assert result.tolist() == [[1, 2, 3], [10, 10, 10]]


def test_sources_are_not_changed() -> None:
    for opcode in ("fneg", "fsat", "iabs", "mov", "bitfield_reverse"):
        source = word(0xC0490FDB, 0x7FC00000, 0)
        before = source.copy()
        evaluated(opcode, [source], 32)
        assert (source == before).all()


def test_bytes_hold_1_or_8_bits() -> None:
    ones, zeros = word(1, size=8), word(0, size=8)
    less = {"dest_components": 1, "dest_bit_size": 1}
    assert evaluated("ilt", [ones, zeros], 1).tolist() == [[0]]
    # A true 1-bit integer is -1.
    assert evaluate_alu("ilt", [ones, zeros], source_bit_sizes=(1, 1), **less).tolist() == [[1]]
    wide = {"dest_components": 1, "dest_bit_size": 32}
    assert evaluated("i2i32", [ones], 32).tolist() == [[1]]
    assert evaluate_alu("i2i32", [ones], source_bit_sizes=(1,), **wide).tolist() == [[0xFFFFFFFF]]
    # 1-bit addition is exclusive or.
    assert evaluate_alu("iadd", [ones, ones], source_bit_sizes=(1, 1), **less).tolist() == [[0]]


@pytest.mark.parametrize("size", [8, 16, 32])
def test_unsuffixed_opcodes_work_on_wide_booleans(size: int) -> None:
    """Dumps of before 2019 have no 1-bit booleans."""
    true = (1 << size) - 1
    result = evaluated("flt", [word(0, 0x3F800000), word(0x3F800000, 0)], size)
    assert result.tolist() == [[true, 0]]
    chosen = evaluated("bcsel", [result, word(7, 7), word(9, 9)], 32)
    assert chosen.tolist() == [[7, 9]]
    both = evaluated("fisnormal", [word(0x3F800000, 1)], size)
    assert both.tolist() == [[true, 0]]


@pytest.mark.parametrize(
    ("opcode", "source", "size", "result"),
    [
        ("b2f", word(0, 0xFFFFFFFF), 32, [0, 0x3F800000]),
        ("b2f", word(0, 1, size=8), 16, [0, 0x3C00]),
        ("b2i", word(0, 0xFFFFFFFF), 64, [0, 1]),
        ("f2b", word(0x80000000, 0x3F000000), 32, [0, 0xFFFFFFFF]),
        ("i2b", word(0, 8), 1, [0, 1]),
        ("i2f", word(0xFFFFFFFF), 32, [0xBF800000]),
        ("u2f", word(0xFFFFFFFF), 64, [0x41EFFFFFFFE00000]),
        ("f2i", word(0xBFC00000), 32, [0xFFFFFFFF]),
        ("f2u", word(0x40600000), 16, [3]),
    ],
)
def test_names_without_size_take_the_size_of_the_destination(
    opcode: str, source: np.ndarray, size: int, result: list[int]
) -> None:
    assert evaluated(opcode, [source], size).tolist() == [result]


@pytest.mark.parametrize(
    ("opcode", "wanted"),
    [
        *(
            (name, "exact")
            for name in ("iadd", "fneg", "fabs", "fmin", "fsat", "f2i32", "flt", "ffloor", "fcsel")
        ),
        *(
            (name, "exact")
            for name in ("f2f16_rtz", "f2f16_rtne", "unpack_half_2x16", "bcsel", "vec4", "fsign")
        ),
        *(
            (name, "rounded")
            for name in ("fadd", "fsub", "fmul", "ffma", "fsqrt", "f2f32", "i2f32", "ffract")
        ),
        *((name, "rounded") for name in ("pack_half_2x16", "unpack_unorm_4x8", "fsum2", "f2fmp")),
        *(
            (name, "approximate")
            for name in ("frcp", "frsq", "fsin", "fexp2", "flog2", "fpow", "fdiv", "fdot3")
        ),
        *((name, "approximate") for name in ("flrp", "fmod", "fsum4", "fdph", "fcos_amd")),
    ],
)
def test_error_class(opcode: str, wanted: str) -> None:
    assert alu_operation(opcode).error_class == wanted


def test_integer_results_of_integer_sources_are_exact() -> None:
    for opcode in supported_opcodes():
        operation = alu_operation(opcode)
        bases = {split_type(name)[0] for name in (operation.output_type, *operation.input_types)}
        if "float" not in bases:
            assert operation.error_class == "exact", opcode
