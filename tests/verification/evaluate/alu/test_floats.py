"""Known answers of float opcodes: zeros, infinities, NaN, denormals, and where they are undefined."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from nirls.verification.evaluate.alu.floats import (
    flush_half_denormals,
    half_bits,
    half_bits_toward_zero,
    half_value,
)
from nirls.verification.evaluate.alu.run import evaluate_alu
from nirls.verification.evaluate.values.arrays import container_type
from tests.verification.evaluate.alu.alu_lanes import is_undefined, run
from tests.verification.evaluate.alu.exact_float import Arithmetic, bits_of_float, convert, float_of_bits

ALL = np.arange(0x10000, dtype=np.uint32)


def test_every_half_keeps_its_value_and_comes_back() -> None:
    values = half_value(ALL)
    numbers = ~np.isnan(values)
    assert numbers.sum() == 0x10000 - 2 * 1023
    assert (half_bits(values)[numbers] == ALL[numbers]).all()
    assert (half_bits_toward_zero(values)[numbers] == ALL[numbers]).all()
    assert (half_bits(values)[~numbers] == 0x7E00).all()
    sample = [*range(0, 0x10000, 257), 0x0001, 0x03FF, 0x0400, 0x7BFF]
    assert [float(values[bits]) for bits in sample if numbers[bits]] == [
        float_of_bits(bits, 16) for bits in sample if numbers[bits]
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_between_halves(dtype: type[np.floating]) -> None:
    source = random.Random(3)
    values = [float_of_bits(source.getrandbits(15) % 0x7C00, 16) for _ in range(2000)]
    # Exactly between two halves, and a little to each side of that.
    steps = [(1 + source.choice([2.0**-11, 2.0**-12, 3 * 2.0**-12, 2.0**-20])) for _ in values]
    numbers = np.array(
        [[value * step * source.choice([1, -1]) for value, step in zip(values, steps, strict=True)]], dtype
    )
    nearest, toward_zero = half_bits(numbers)[0].tolist(), half_bits_toward_zero(numbers)[0].tolist()
    for number, near, cut in zip(numbers[0].tolist(), nearest, toward_zero, strict=True):
        assert near == bits_of_float(convert(number, 16), 16)
        assert cut == bits_of_float(convert(number, 16, toward_zero=True), 16)


@pytest.mark.parametrize(
    ("value", "nearest", "toward_zero"),
    [
        (65504.0, 0x7BFF, 0x7BFF),
        (65519.996, 0x7BFF, 0x7BFF),
        (65520.0, 0x7C00, 0x7BFF),
        (-1e30, 0xFC00, 0xFBFF),
        (float("inf"), 0x7C00, 0x7C00),
        (float("-inf"), 0xFC00, 0xFC00),
        (float("nan"), 0x7E00, 0x7E00),
        (2.0**-25, 0x0000, 0x0000),
        (2.0**-25 * 1.0001, 0x0001, 0x0000),
        (-(2.0**-25), 0x8000, 0x8000),
        (-0.0, 0x8000, 0x8000),
    ],
)
def test_ends_of_the_range(value: float, nearest: int, toward_zero: int) -> None:
    number = np.array([[value]], np.float32)
    assert half_bits(number).tolist() == [[nearest]]
    assert half_bits_toward_zero(number).tolist() == [[toward_zero]]
    bits = bits_of_float(convert(value, 32), 32)
    assert run("f2f16_rtne", 32, bits) == nearest
    assert run("f2f16", 32, bits) == nearest
    assert run("f2f16_rtz", 32, bits) == toward_zero


def test_flushed_denormals_keep_their_sign() -> None:
    assert flush_half_denormals(np.array([0x0001, 0x83FF, 0x0400, 0x8000, 0x7C01])).tolist() == [
        *(0x0000, 0x8000, 0x0400, 0x8000, 0x7C01)
    ]


def check(size: int, lanes: list[tuple[int, int, int]]) -> None:
    sources = [np.array([[lane[index] for lane in lanes]], container_type(size)) for index in range(3)]
    got = evaluate_alu("ffma", sources, dest_components=1, dest_bit_size=size, source_bit_sizes=(size,) * 3)[
        0
    ].tolist()
    reference = Arithmetic(size)
    for lane, result in zip(lanes, got, strict=True):
        wanted = reference.multiply_add(*(float_of_bits(bits, size) for bits in lane))
        assert result == bits_of_float(wanted, size), (size, [hex(bits) for bits in lane])


@pytest.mark.parametrize("size", [16, 32, 64])
def test_random_bits(size: int) -> None:
    source = random.Random(size)
    check(size, [tuple(source.getrandbits(size) for _ in range(3)) for _ in range(1500)])


@pytest.mark.parametrize("size", [16, 32, 64])
def test_products_that_nearly_cancel_the_addend(size: int) -> None:
    source, reference = random.Random(size), Arithmetic(size)
    lanes = []
    for _ in range(1500):
        a, b = (near_one(size, source) for _ in range(2))
        product = bits_of_float(reference.multiply(float_of_bits(a, size), float_of_bits(b, size)), size)
        lanes.append((a, b, (product + source.randrange(-2, 3)) ^ (1 << (size - 1))))
    check(size, lanes)


@pytest.mark.parametrize("size", [16, 32, 64])
def test_addends_that_decide_a_tie(size: int) -> None:
    """The product ends in exactly half a unit, and a tiny addend breaks the tie."""
    source = random.Random(size)
    digits = {16: 10, 32: 23, 64: 52}[size]
    lanes = []
    for _ in range(1500):
        # (1 + k ulp) * 1.5 ends in a half for odd k.
        one = bits_of_float(1.0, size)
        a = one + (source.getrandbits(digits - 1) | 1)
        tiny = source.choice([0, 1, 2, 1 << digits, one - (source.randrange(digits, 2 * digits) << digits)])
        tiny = max(tiny, 0)
        lanes.append((a, bits_of_float(1.5, size), tiny | source.getrandbits(1) << (size - 1)))
    check(size, lanes)


@pytest.mark.parametrize("size", [16, 32, 64])
def test_range_ends(size: int) -> None:
    """Overflow that the addend may prevent, denormal results, signs of zeros, non-finite sources."""
    mask = (1 << (size - 1)) - 1
    infinity = bits_of_float(float("inf"), size)
    one = bits_of_float(1.0, size)
    interesting = [0, 1, 2, infinity - 1, infinity - 2, infinity, infinity + 1, one, one + 1, one - 1]
    interesting += [1 << {16: 10, 32: 23, 64: 52}[size], (one >> 1) & mask, bits_of_float(1.5, size)]
    signed = [bits | sign << (size - 1) for bits in interesting for sign in (0, 1)]
    source = random.Random(size)
    check(size, [tuple(source.choice(signed) for _ in range(3)) for _ in range(3000)])


def test_float32_differs_from_two_roundings() -> None:
    """1.000000119 * 1.000000119 - 1.000000238: the rounded product would cancel to zero."""
    a, c = 0x3F800001, 0xBF800002
    fused = evaluate_alu(
        "ffma",
        [np.array([[bits]], np.uint32) for bits in (a, a, c)],
        dest_components=1,
        dest_bit_size=32,
        source_bit_sizes=(32, 32, 32),
    )
    assert fused.tolist() == [[0x28800000]]


def near_one(size: int, source: random.Random) -> int:
    digits = {16: 10, 32: 23, 64: 52}[size]
    return bits_of_float(1.0, size) + source.getrandbits(digits)


ZERO, MINUS_ZERO, ONE, MINUS_ONE, TWO, HALF = 0, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0x3F000000
INF, MINUS_INF, NAN, DENORMAL, LARGEST = 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x7F7FFFFF


def f32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


@pytest.mark.parametrize(
    ("opcode", "sources", "result"),
    [
        ("fmin", (NAN, ONE), ONE),
        ("fmin", (ONE, NAN), ONE),
        ("fmax", (NAN, MINUS_ONE), MINUS_ONE),
        ("fmax", (NAN, 0xFFC12345), NAN),
        ("fmin", (ZERO, MINUS_ZERO), MINUS_ZERO),
        ("fmin", (MINUS_ZERO, ZERO), MINUS_ZERO),
        ("fmax", (ZERO, MINUS_ZERO), ZERO),
        ("fmax", (MINUS_ZERO, ZERO), ZERO),
        ("fsat", (NAN,), ZERO),
        ("fsat", (MINUS_ZERO,), ZERO),
        ("fsat", (INF,), ONE),
        ("fsat", (MINUS_INF,), ZERO),
        ("fsat", (DENORMAL,), DENORMAL),
        ("fsat_signed", (NAN,), MINUS_ONE),
        ("fsat_signed", (MINUS_ZERO,), MINUS_ZERO),
        ("fclamp_pos", (NAN,), ZERO),
        ("fclamp_pos", (LARGEST,), LARGEST),
        ("fsign", (NAN,), ZERO),
        ("fsign", (MINUS_ZERO,), MINUS_ZERO),
        ("fsign", (0x80000001,), MINUS_ONE),
        ("fneg", (NAN,), 0xFFC00000),
        ("fneg", (0x7FA00001,), 0xFFA00001),
        ("fabs", (0xFFC12345,), 0x7FC12345),
        ("fadd", (INF, MINUS_INF), NAN),
        ("fadd", (ONE, 0xFFC12345), NAN),
        ("fadd", (MINUS_ZERO, ZERO), ZERO),
        ("fadd", (MINUS_ZERO, MINUS_ZERO), MINUS_ZERO),
        ("fadd", (0x007FFFFF, DENORMAL), 0x00800000),
        ("fadd", (LARGEST, LARGEST), INF),
        ("fsub", (ONE, ONE), ZERO),
        ("fmul", (0x00800000, HALF), 0x00400000),
        ("fmul", (DENORMAL, HALF), ZERO),
        ("fmul", (3, HALF), 2),
        ("fmul", (ZERO, INF), NAN),
        ("fmulz", (ZERO, INF), ZERO),
        ("fmulz", (NAN, MINUS_ZERO), ZERO),
        ("fmulz", (NAN, ONE), NAN),
        ("ffmaz", (ZERO, INF, MINUS_ZERO), ZERO),
        ("ffmaz", (NAN, ZERO, TWO), TWO),
        ("fdiv", (ONE, MINUS_ZERO), MINUS_INF),
        ("fdiv", (ZERO, ZERO), NAN),
        ("frcp", (MINUS_ZERO,), MINUS_INF),
        ("frcp", (INF,), ZERO),
        ("frsq", (ZERO,), INF),
        ("frsq", (MINUS_ZERO,), MINUS_INF),
        ("frsq", (MINUS_ONE,), NAN),
        ("fsqrt", (MINUS_ZERO,), MINUS_ZERO),
        ("fsqrt", (DENORMAL,), f32(2.0**-74.5)),
        ("flog2", (ZERO,), MINUS_INF),
        ("flog2", (DENORMAL,), f32(-149.0)),
        ("flog2", (MINUS_ONE,), NAN),
        ("fexp2", (f32(-149.0),), DENORMAL),
        ("fexp2", (f32(128.0),), INF),
        ("fexp2", (MINUS_INF,), ZERO),
        ("fsin", (INF,), NAN),
        ("fcos", (ZERO,), ONE),
        ("fpow", (TWO, f32(10.0)), f32(1024.0)),
        ("ffract", (f32(-0.25),), f32(0.75)),
        ("ffract", (0x80000001,), ONE),
        ("ffract", (INF,), NAN),
        ("fround_even", (f32(2.5),), TWO),
        ("fround_even", (f32(-0.5),), MINUS_ZERO),
        ("ftrunc", (f32(-1.9),), MINUS_ONE),
        ("fceil", (f32(-0.1),), MINUS_ZERO),
        ("ffloor", (f32(-0.1),), MINUS_ONE),
        ("fmod", (f32(-7.0), f32(3.0)), TWO),
        ("fmod", (f32(7.0), f32(-3.0)), f32(-2.0)),
        ("frem", (f32(-7.0), f32(3.0)), MINUS_ONE),
        ("flrp", (ONE, f32(3.0), HALF), TWO),
        ("frexp_sig", (f32(12.0),), f32(0.75)),
        ("frexp_exp", (f32(12.0),), 4),
        ("frexp_exp", (DENORMAL,), 0xFFFFFF6C),
        ("frexp_sig", (MINUS_INF,), MINUS_INF),
        ("ldexp", (ONE, 3), f32(8.0)),
        ("ldexp", (ONE, 0xFFFFFF81), ZERO),
        ("ldexp", (MINUS_ONE, 0xFFFFFF82), f32(-(2.0**-126))),
        ("ldexp", (MINUS_ONE, 200), MINUS_ZERO),
        ("fquantize2f16", (f32(65520.0),), INF),
        ("fquantize2f16", (f32(-(2.0**-15)),), MINUS_ZERO),
        ("fquantize2f16", (f32(1.0 + 2.0**-11),), ONE),
        ("fisnormal", (DENORMAL,), 0),
        ("fisnormal", (0x00800000,), 1),
        ("fisnormal", (INF,), 0),
        ("fisfinite", (NAN,), 0),
        ("fisfinite", (LARGEST,), 1),
        ("fisfinite32", (ONE,), 0xFFFFFFFF),
    ],
)
def test_known_results(opcode: str, sources: tuple[int, ...], result: int) -> None:
    assert run(opcode, 32, *sources) == result


@pytest.mark.parametrize(
    ("opcode", "sources", "result"),
    [
        ("fadd", (0x0001, 0x0001), 0x0002),
        ("fmul", (0x0400, 0x3800), 0x0200),
        ("fadd", (0x7BFF, 0x7BFF), 0x7C00),
        ("fneg", (0x7C01,), 0xFC01),
        ("fmin", (0x8000, 0x0000), 0x8000),
        ("fsat", (0x0001,), 0x0001),
        ("fisnormal", (0x03FF,), 0),
        ("frcp", (0x4200,), 0x3555),
        ("ldexp", (0x3C00, 0xFFFFFFE8), 0x0001),
    ],
)
def test_half_denormals_are_kept(opcode: str, sources: tuple[int, ...], result: int) -> None:
    assert run(opcode, 16, *sources) == result


@pytest.mark.parametrize(
    ("opcode", "sources", "undefined"),
    [
        ("fpow", (MINUS_ONE, TWO), True),
        ("fpow", (ZERO, ZERO), True),
        ("fpow", (ZERO, TWO), False),
        ("fpow", (TWO, MINUS_ONE), False),
        ("fpow", (ONE, INF), True),
        ("fpow", (NAN, ZERO), True),
        ("ldexp", (ONE, 1), False),
        ("ldexp", (ONE, 128), True),
        ("ldexp", (0x00400000, 128), False),
        ("ldexp", (0x00400000, 129), True),
        ("ldexp", (ONE, 0xFFFFFF81), True),
        ("ldexp", (ZERO, 500), False),
        ("ldexp", (NAN, 0), True),
        ("frexp_exp", (INF,), True),
        ("frexp_exp", (DENORMAL,), True),
        ("frexp_sig", (DENORMAL,), True),
        ("frexp_sig", (f32(2.0**-126),), False),
        ("fadd", (INF, MINUS_INF), False),
    ],
)
def test_undefined(opcode: str, sources: tuple[int, ...], undefined: bool) -> None:
    assert is_undefined(opcode, 32, *sources) is undefined


@pytest.mark.parametrize(
    ("opcode", "compute"),
    [
        ("fadd", np.add),
        ("fsub", np.subtract),
        ("fmul", np.multiply),
        ("fdiv", np.divide),
    ],
)
@pytest.mark.parametrize(
    ("dtype", "bits"), [(np.float16, np.uint16), (np.float32, np.uint32), (np.float64, np.uint64)]
)
def test_basic_arithmetic_is_that_of_numpy(opcode: str, compute: np.ufunc, dtype: type, bits: type) -> None:
    random = np.random.default_rng(7)
    size = np.dtype(bits).itemsize * 8
    a, b = (random.integers(0, 2**size, (1, 20000), dtype=bits) for _ in range(2))
    with np.errstate(all="ignore"):
        wanted = compute(a.view(dtype), b.view(dtype))
    got = evaluate_alu(opcode, [a, b], dest_components=1, dest_bit_size=size, source_bit_sizes=(size, size))
    numbers = ~np.isnan(wanted)
    assert (got[numbers] == wanted.view(bits)[numbers]).all()
    assert np.isnan(got.view(dtype)[~numbers]).all()


@pytest.mark.parametrize("opcode", ["fsin", "fcos", "fexp2", "flog2"])
def test_float32_functions_are_within_one_ulp_of_float64(opcode: str) -> None:
    function = {"fsin": np.sin, "fcos": np.cos, "fexp2": np.exp2, "flog2": np.log2}[opcode]
    values = np.random.default_rng(8).uniform(0.01, 100, (1, 20000)).astype(np.float32)
    got = evaluate_alu(
        opcode, [values.view(np.uint32)], dest_components=1, dest_bit_size=32, source_bit_sizes=[32]
    ).view(np.float32)
    wanted = function(values.astype(np.float64))
    assert (np.abs(got - wanted) <= np.spacing(np.abs(wanted).astype(np.float32))).all()
