"""Known answers of float opcodes: zeros, infinities, NaN, denormals, and where they are undefined."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from nirls.ir.evaluate.alu import evaluate_alu
from tests.ir.evaluate.alu_lanes import is_undefined, run

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
        ("ldexp", (ONE, 0xFFFFFF81), True),
        ("ldexp", (ZERO, 500), False),
        ("ldexp", (NAN, 0), True),
        ("frexp_exp", (INF,), True),
        ("frexp_exp", (DENORMAL,), False),
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
    got = evaluate_alu(opcode, [a, b], dest_components=1, dest_bit_size=size)
    numbers = ~np.isnan(wanted)
    assert (got[numbers] == wanted.view(bits)[numbers]).all()
    assert np.isnan(got.view(dtype)[~numbers]).all()


@pytest.mark.parametrize("opcode", ["fsin", "fcos", "fexp2", "flog2"])
def test_float32_functions_are_within_one_ulp_of_float64(opcode: str) -> None:
    function = {"fsin": np.sin, "fcos": np.cos, "fexp2": np.exp2, "flog2": np.log2}[opcode]
    values = np.random.default_rng(8).uniform(0.01, 100, (1, 20000)).astype(np.float32)
    got = evaluate_alu(opcode, [values.view(np.uint32)], dest_components=1, dest_bit_size=32).view(np.float32)
    wanted = function(values.astype(np.float64))
    assert (np.abs(got - wanted) <= np.spacing(np.abs(wanted).astype(np.float32))).all()
