"""Known answers of packing opcodes."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.alu.alu_lanes import Lane, is_undefined, run

ONE, MINUS_ONE, HALF, NAN, TWO = 0x3F800000, 0xBF800000, 0x3F000000, 0x7FC00000, 0x40000000


@pytest.mark.parametrize(
    ("opcode", "size", "sources", "result"),
    [
        ("pack_32_4x8", 32, ((0x01, 0x23, 0x45, 0x67),), 0x67452301),
        ("pack_32_2x16", 32, ((0x0123, 0x4567),), 0x45670123),
        ("pack_64_2x32", 32, ((0x01234567, 0x89ABCDEF),), 0x89ABCDEF01234567),
        ("pack_64_4x16", 32, ((1, 2, 3, 4),), 0x0004000300020001),
        ("unpack_32_4x8", 32, (0x67452301,), (0x01, 0x23, 0x45, 0x67)),
        ("unpack_32_2x16", 32, (0x45670123,), (0x0123, 0x4567)),
        ("unpack_64_2x32", 32, (0x89ABCDEF01234567,), (0x01234567, 0x89ABCDEF)),
        ("unpack_64_4x16", 32, (0x0004000300020001,), (1, 2, 3, 4)),
        ("pack_64_2x32_split", 32, (1, 2), 0x200000001),
        ("pack_32_4x8_split", 32, (1, 2, 3, 4), 0x04030201),
        ("unpack_64_2x32_split_y", 32, (0x89ABCDEF01234567,), 0x89ABCDEF),
        ("unpack_32_2x16_split_x", 32, (0x45670123,), 0x0123),
        ("pack_unorm_4x8", 32, ((ONE, TWO, MINUS_ONE, HALF),), 0x8000FFFF),
        ("pack_unorm_4x8", 32, ((NAN, 0, 0, 0),), 0),
        ("pack_snorm_4x8", 32, ((ONE, MINUS_ONE, 0xC0000000, HALF),), 0x4081817F),
        ("pack_snorm_2x16", 32, ((MINUS_ONE, ONE),), 0x7FFF8001),
        ("pack_unorm_2x16", 16, ((0x3C00, 0x3800),), 0x8000FFFF),
        ("unpack_unorm_4x8", 32, (0x00FF8001,), (0x3B808081, 0x3F008081, ONE, 0)),
        # The second half comes from the high word (Mesa's C expression shifts the wrong way).
        ("unpack_unorm_2x16", 32, (0xFFFF0000,), (0, ONE)),
        ("unpack_snorm_2x16", 32, (0x80008001,), (MINUS_ONE, MINUS_ONE)),
        ("unpack_snorm_4x8", 32, (0x7F8081FF,), (0xBC010204, MINUS_ONE, MINUS_ONE, ONE)),
        ("pack_half_2x16", 32, ((ONE, 0xC7800000),), 0xFC003C00),
        ("pack_half_2x16_split", 32, (0x477FF000, ONE), 0x3C007C00),
        ("pack_half_2x16_rtz_split", 32, (0x477FF000, ONE), 0x3C007BFF),
        ("unpack_half_2x16", 32, (0x00013C00,), (ONE, 0x33800000)),
        ("unpack_half_2x16_flush_to_zero", 32, (0x80013C00,), (ONE, 0x80000000)),
        ("unpack_half_2x16_split_y", 32, (0x80013C00,), 0xB3800000),
        ("unpack_half_2x16_split_y_flush_to_zero", 32, (0x80013C00,), 0x80000000),
        ("pack_uint_2x16", 32, ((0x12345, 0x1234),), 0x1234FFFF),
        ("pack_sint_2x16", 32, ((0xFFFF0000, 0x8000),), 0x7FFF8000),
        ("pack_uvec2_to_uint", 32, ((0x12345, 0x6789A),), 0x789A2345),
        ("pack_uvec4_to_uint", 32, ((0x100, 0, 0, 0xFF),), 0xFF000100),
        ("sdot_4x8_iadd", 32, (0xFF020304, 0x02050607, 10), 10 + 28 + 18 + 10 - 2),
        ("udot_4x8_uadd", 32, (0xFF000000, 0xFF000000, 0xFFFFFFFF), 0xFE00),
        ("udot_4x8_uadd_sat", 32, (0x00000001, 0x00000001, 0xFFFFFFFF), 0xFFFFFFFF),
        ("sdot_4x8_iadd_sat", 32, (0x00000001, 0x00000001, 0x7FFFFFFF), 0x7FFFFFFF),
        ("sdot_4x8_iadd_sat", 32, (0x000000FF, 0x00000001, 0x80000000), 0x80000000),
        ("sudot_4x8_iadd", 32, (0x000000FF, 0x000000FF, 0), 0xFFFFFF01),
        ("sdot_2x16_iadd", 32, (0x80008000, 0x80008000, 0), 0x80000000),
        ("sdot_2x16_iadd_sat", 32, (0x80008000, 0x80008000, 0), 0x7FFFFFFF),
        ("udot_2x16_uadd_sat", 32, (0xFFFFFFFF, 0xFFFFFFFF, 0), 0xFFFFFFFF),
        ("msad_4x8", 32, (0x00050000, 0x09090909, 100), 104),
        ("sad_u8x4", 32, (0x01020304, 0x04030201, 100), 108),
        ("mqsad_4x8", 32, (1, (0x04030201, 0x05), (10, 20, 30, 40)), (10, 21, 32, 43)),
    ],
)
def test_known_results(opcode: str, size: int, sources: tuple[Lane, ...], result: Lane) -> None:
    assert run(opcode, size, *sources) == result


@pytest.mark.parametrize("opcode", ["pack_unorm_4x8", "pack_snorm_4x8"])
def test_a_nan_has_no_normalized_form(opcode: str) -> None:
    assert is_undefined(opcode, 32, (0, 0, NAN, 0))
    assert not is_undefined(opcode, 32, (0, 0x7F800000, ONE, 0))
