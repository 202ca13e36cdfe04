"""Known answers of the opcodes of single drivers, and where they are undefined."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.alu.alu_lanes import Lane, is_undefined, run
from tests.verification.evaluate.alu.exact_float import bits_of_float

NAN, ONE = 0x7FC00000, 0x3F800000


def floats(*values: float) -> tuple[int, ...]:
    return tuple(bits_of_float(value, 32) for value in values)


@pytest.mark.parametrize(
    ("opcode", "size", "sources", "result"),
    [
        ("shfr", 32, (0x12345678, 0x9ABCDEF0, 8), 0x789ABCDE),
        ("shfr", 32, (0x12345678, 0x9ABCDEF0, 32), 0x9ABCDEF0),
        ("alignbyte_amd", 32, (0x12345678, 0x9ABCDEF0, 7), 0x3456789A),
        ("prmt_nv", 32, (0x7604, 0x33221100, 0x77665544), 0x77660044),
        ("prmt_nv", 32, (0x000F, 0, 0x80000000), 0x000000FF),
        ("extr_agx", 32, (0x12345678, 0x9ABCDEF0, 28, 8), 0x01),
        ("extr_agx", 32, (0x12345678, 0x9ABCDEF0, 28, 0), 0xABCDEF01),
        ("extr_agx", 32, (0xFFFFFFFF, 0xFFFFFFFF, 64, 8), 0),
        ("imadshl_agx", 32, (3, 4, 5, 2), 32),
        ("imsubshl_agx", 16, (3, 4, 5, 2), 0xFFF8),
        ("ilea_agx", 32, (0x1000, 0xFFFFFFFF, 2), 0xFFC),
        ("ulea_agx", 32, (0x1000, 0xFFFFFFFF, 2), 0x400000FFC),
        ("bounds_agx", 32, (7, 0xFFFFFFFF, 0), 7),
        ("bounds_agx", 32, (7, 1, 0), 0),
        ("interleave_agx", 32, (0xFFFF, 0x0001), 0x55555557),
        ("fmin_agx", 32, (1, ONE), 1),
        ("fmin_agx", 32, (ONE, NAN), ONE),
        ("fmax_agx", 32, (NAN, ONE), ONE),
        ("shlm_ir3", 32, (0x0F, 36, 0x3C), 0x30),
        ("shrg_ir3", 8, (0x80, 7, 0x10), 0x11),
        ("andg_ir3", 16, (0xFF00, 0x0FF0, 1), 0x0F01),
        ("imadsh_mix16", 32, (0xAAAA0003, 0x0005BBBB, 7), 15 * 65536 + 7),
        ("imad24_ir3", 32, (0x00FFFFFF, 2, 5), 3),
        ("usadd_4x8_vc4", 32, (0xFF800102, 0x01800304), 0xFFFF0406),
        ("ussub_4x8_vc4", 32, (0x10203040, 0x20103041), 0x00100000),
        ("umin_4x8_vc4", 32, (0x10FF3040, 0x20103041), 0x10103040),
        ("umax_4x8_vc4", 32, (0x10FF3040, 0x20103041), 0x20FF3041),
        ("umul_unorm_4x8_vc4", 32, (0xFFFF8001, 0xFF8080FF), 0xFF804001),
        ("cube_amd", 32, (floats(2, 1, -1),), floats(-1, 1, 4, 0)),
        ("cube_amd", 32, (floats(-1, -3, 2),), floats(-2, -1, -6, 3)),
        ("cube_amd", 32, (floats(1, 1, 1),), floats(-1, 1, 2, 4)),
        ("cube_face_coord_amd", 32, (floats(2, 1, -1),), floats(0.75, 0.25)),
        ("cube_face_index_amd", 32, (floats(0, 0, -1),), bits_of_float(5.0, 32)),
        ("pack_32_to_r11g11b10_v3d", 32, (0x38003C00, 0x4000), 0x3C0 | 0x380 << 11 | 0x200 << 22),
        # Rounding up past the largest number stays at it; infinity is kept; negative numbers become 0.
        ("pack_32_to_r11g11b10_v3d", 32, (0x7C007BFF, 0xBC00), 0x7BF | 0x7C0 << 11),
        ("pack_uint_32_to_r10g10b10a2_v3d", 32, (0x03FF0001, 0x00070002), 0xC02FFC01),
        ("pack_4x16_to_4x8_v3d", 32, (0x00120034, 0x00560078), 0x56781234),
        ("pack_2x32_to_2x16_v3d", 32, (0xAAAA1234, 0xBBBB5678), 0x56781234),
        ("pack_2x16_to_unorm_2x8_v3d", 32, (0x3C003800,), 0x00FF0080),
        ("pack_2x16_to_snorm_2x8_v3d", 32, (0x3C00BC00,), 0x007F0081),
        ("pack_2x16_to_unorm_2x10_v3d", 32, (0x3C003800,), 0x03FF0200),
        ("pack_2x16_to_unorm_10_2_v3d", 32, (0x3C003C00,), 0x000303FF),
        ("f2unorm_16_v3d", 32, (ONE,), 0xFFFF),
        ("f2snorm_16_v3d", 32, (0xBF800000,), 0x8001),
    ],
)
def test_known_results(opcode: str, size: int, sources: tuple[Lane, ...], result: Lane) -> None:
    assert run(opcode, size, *sources) == result


@pytest.mark.parametrize(
    ("opcode", "size", "sources", "undefined"),
    [
        ("imadshl_agx", 32, (1, 2, 3, 4), False),
        ("imadshl_agx", 32, (1, 2, 3, 5), True),
        ("imsubshl_agx", 32, (1, 2, 3, 0xFFFFFFFF), True),
        ("ilea_agx", 32, (1, 2, 63), False),
        ("ulea_agx", 32, (1, 2, 64), True),
        ("extr_agx", 32, (1, 2, 3, 31), False),
        ("extr_agx", 32, (1, 2, 3, 32), True),
        ("cube_amd", 32, (floats(1, 2, 3),), False),
        ("cube_amd", 32, ((ONE, NAN, ONE),), True),
    ],
)
def test_undefined(opcode: str, size: int, sources: tuple[Lane, ...], undefined: bool) -> None:
    assert is_undefined(opcode, size, *sources) is undefined
