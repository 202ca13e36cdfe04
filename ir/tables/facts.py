"""Opcodes and intrinsics of Mesa 22.3 and 25.0, in the notation of `rows`.

Written by tools/generate_tables.py; change that, not this.
"""

# ruff: noqa: E501

OPCODES = """
alignbyte_amd | uint32, uint32, uint32 -> uint32 |  | 25.0
amul | int, int -> int | 2src_commutative associative | 22.3 25.0
andg_ir3 | uint, uint, uint -> uint | 2src_commutative | 25.0
b16all_fequal16 | float[16], float[16] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_fequal2 | float[2], float[2] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_fequal3 | float[3], float[3] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_fequal4 | float[4], float[4] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_fequal5 | float[5], float[5] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_fequal8 | float[8], float[8] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_iequal16 | int[16], int[16] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_iequal2 | int[2], int[2] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_iequal3 | int[3], int[3] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_iequal4 | int[4], int[4] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_iequal5 | int[5], int[5] -> bool16[1] | 2src_commutative | 22.3 25.0
b16all_iequal8 | int[8], int[8] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_fnequal16 | float[16], float[16] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_fnequal2 | float[2], float[2] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_fnequal3 | float[3], float[3] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_fnequal4 | float[4], float[4] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_fnequal5 | float[5], float[5] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_fnequal8 | float[8], float[8] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_inequal16 | int[16], int[16] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_inequal2 | int[2], int[2] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_inequal3 | int[3], int[3] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_inequal4 | int[4], int[4] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_inequal5 | int[5], int[5] -> bool16[1] | 2src_commutative | 22.3 25.0
b16any_inequal8 | int[8], int[8] -> bool16[1] | 2src_commutative | 22.3 25.0
b16csel | bool16, uint, uint -> uint | selection | 22.3 25.0
b2b1 | bool -> bool1 | conversion | 22.3 25.0
b2b16 | bool -> bool16 | conversion | 22.3 25.0
b2b32 | bool -> bool32 | conversion | 22.3 25.0
b2b8 | bool -> bool8 | conversion | 22.3 25.0
b2f16 | bool -> float16 | conversion | 22.3 25.0
b2f32 | bool -> float32 | conversion | 22.3 25.0
b2f64 | bool -> float64 | conversion | 22.3 25.0
b2i1 | bool -> int1 | conversion | 22.3 25.0
b2i16 | bool -> int16 | conversion | 22.3 25.0
b2i32 | bool -> int32 | conversion | 22.3 25.0
b2i64 | bool -> int64 | conversion | 22.3 25.0
b2i8 | bool -> int8 | conversion | 22.3 25.0
b32all_fequal16 | float[16], float[16] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_fequal2 | float[2], float[2] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_fequal3 | float[3], float[3] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_fequal4 | float[4], float[4] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_fequal5 | float[5], float[5] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_fequal8 | float[8], float[8] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_iequal16 | int[16], int[16] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_iequal2 | int[2], int[2] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_iequal3 | int[3], int[3] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_iequal4 | int[4], int[4] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_iequal5 | int[5], int[5] -> bool32[1] | 2src_commutative | 22.3 25.0
b32all_iequal8 | int[8], int[8] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_fnequal16 | float[16], float[16] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_fnequal2 | float[2], float[2] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_fnequal3 | float[3], float[3] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_fnequal4 | float[4], float[4] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_fnequal5 | float[5], float[5] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_fnequal8 | float[8], float[8] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_inequal16 | int[16], int[16] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_inequal2 | int[2], int[2] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_inequal3 | int[3], int[3] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_inequal4 | int[4], int[4] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_inequal5 | int[5], int[5] -> bool32[1] | 2src_commutative | 22.3 25.0
b32any_inequal8 | int[8], int[8] -> bool32[1] | 2src_commutative | 22.3 25.0
b32csel | bool32, uint, uint -> uint | selection | 22.3 25.0
b32fcsel_mdg | bool32, float, float -> uint | selection | 25.0
b8all_fequal16 | float[16], float[16] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_fequal2 | float[2], float[2] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_fequal3 | float[3], float[3] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_fequal4 | float[4], float[4] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_fequal5 | float[5], float[5] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_fequal8 | float[8], float[8] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_iequal16 | int[16], int[16] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_iequal2 | int[2], int[2] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_iequal3 | int[3], int[3] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_iequal4 | int[4], int[4] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_iequal5 | int[5], int[5] -> bool8[1] | 2src_commutative | 22.3 25.0
b8all_iequal8 | int[8], int[8] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_fnequal16 | float[16], float[16] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_fnequal2 | float[2], float[2] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_fnequal3 | float[3], float[3] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_fnequal4 | float[4], float[4] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_fnequal5 | float[5], float[5] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_fnequal8 | float[8], float[8] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_inequal16 | int[16], int[16] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_inequal2 | int[2], int[2] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_inequal3 | int[3], int[3] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_inequal4 | int[4], int[4] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_inequal5 | int[5], int[5] -> bool8[1] | 2src_commutative | 22.3 25.0
b8any_inequal8 | int[8], int[8] -> bool8[1] | 2src_commutative | 22.3 25.0
b8csel | bool8, uint, uint -> uint | selection | 22.3 25.0
ball_fequal16 | float[16], float[16] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_fequal2 | float[2], float[2] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_fequal3 | float[3], float[3] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_fequal4 | float[4], float[4] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_fequal5 | float[5], float[5] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_fequal8 | float[8], float[8] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_iequal16 | int[16], int[16] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_iequal2 | int[2], int[2] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_iequal3 | int[3], int[3] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_iequal4 | int[4], int[4] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_iequal5 | int[5], int[5] -> bool1[1] | 2src_commutative | 22.3 25.0
ball_iequal8 | int[8], int[8] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_fnequal16 | float[16], float[16] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_fnequal2 | float[2], float[2] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_fnequal3 | float[3], float[3] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_fnequal4 | float[4], float[4] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_fnequal5 | float[5], float[5] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_fnequal8 | float[8], float[8] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_inequal16 | int[16], int[16] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_inequal2 | int[2], int[2] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_inequal3 | int[3], int[3] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_inequal4 | int[4], int[4] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_inequal5 | int[5], int[5] -> bool1[1] | 2src_commutative | 22.3 25.0
bany_inequal8 | int[8], int[8] -> bool1[1] | 2src_commutative | 22.3 25.0
bcsel | bool1, uint, uint -> uint | selection | 22.3 25.0
bfi | uint32, uint32, uint32 -> uint32 |  | 22.3 25.0
bfm | int32, int32 -> uint32 |  | 22.3 25.0
bit_count | uint -> uint32 |  | 22.3 25.0
bitfield_insert | uint32, uint32, int32, int32 -> uint32 |  | 22.3 25.0
bitfield_reverse | uint32 -> uint32 |  | 22.3 25.0
bitfield_select | uint, uint, uint -> uint |  | 22.3 25.0
bitnz | uint, uint32 -> bool1 |  | 25.0
bitnz16 | uint, uint32 -> bool16 |  | 25.0
bitnz32 | uint, uint32 -> bool32 |  | 25.0
bitnz8 | uint, uint32 -> bool8 |  | 25.0
bitz | uint, uint32 -> bool1 |  | 25.0
bitz16 | uint, uint32 -> bool16 |  | 25.0
bitz32 | uint, uint32 -> bool32 |  | 25.0
bitz8 | uint, uint32 -> bool8 |  | 25.0
bounds_agx | int, int, int -> int |  | 25.0
cube_amd | float32[3] -> float32[4] |  | 25.0
cube_face_coord_amd | float32[3] -> float32[2] |  | 22.3
cube_face_index_amd | float32[3] -> float32[1] |  | 22.3
cube_r600 | float32[3] -> float32[4] |  | 22.3
extr_agx | uint32, uint32, uint32, uint32 -> uint32 |  | 25.0
extract_i16 | int, int -> int |  | 22.3 25.0
extract_i8 | int, int -> int |  | 22.3 25.0
extract_u16 | uint, uint -> uint |  | 22.3 25.0
extract_u8 | uint, uint -> uint |  | 22.3 25.0
f2b1 | float -> bool1 | conversion | 22.3
f2b16 | float -> bool16 | conversion | 22.3
f2b32 | float -> bool32 | conversion | 22.3
f2b8 | float -> bool8 | conversion | 22.3
f2f16 | float -> float16 | conversion | 22.3 25.0
f2f16_rtne | float -> float16 | conversion | 22.3 25.0
f2f16_rtz | float -> float16 | conversion | 22.3 25.0
f2f32 | float -> float32 | conversion | 22.3 25.0
f2f64 | float -> float64 | conversion | 22.3 25.0
f2fmp | float32 -> float16 | conversion | 22.3 25.0
f2i1 | float -> int1 | conversion | 22.3 25.0
f2i16 | float -> int16 | conversion | 22.3 25.0
f2i32 | float -> int32 | conversion | 22.3 25.0
f2i64 | float -> int64 | conversion | 22.3 25.0
f2i8 | float -> int8 | conversion | 22.3 25.0
f2imp | float32 -> int16 | conversion | 22.3 25.0
f2snorm_16_v3d | uint32 -> uint32 |  | 25.0
f2u1 | float -> uint1 | conversion | 22.3 25.0
f2u16 | float -> uint16 | conversion | 22.3 25.0
f2u32 | float -> uint32 | conversion | 22.3 25.0
f2u64 | float -> uint64 | conversion | 22.3 25.0
f2u8 | float -> uint8 | conversion | 22.3 25.0
f2ump | float32 -> uint16 | conversion | 22.3 25.0
f2unorm_16_v3d | uint32 -> uint32 |  | 25.0
fabs | float -> float |  | 22.3 25.0
fadd | float, float -> float | 2src_commutative associative | 22.3 25.0
fall_equal16 | float32[16], float32[16] -> float32[1] | 2src_commutative | 22.3 25.0
fall_equal2 | float32[2], float32[2] -> float32[1] | 2src_commutative | 22.3 25.0
fall_equal3 | float32[3], float32[3] -> float32[1] | 2src_commutative | 22.3 25.0
fall_equal4 | float32[4], float32[4] -> float32[1] | 2src_commutative | 22.3 25.0
fall_equal5 | float32[5], float32[5] -> float32[1] | 2src_commutative | 22.3 25.0
fall_equal8 | float32[8], float32[8] -> float32[1] | 2src_commutative | 22.3 25.0
fany_nequal16 | float32[16], float32[16] -> float32[1] | 2src_commutative | 22.3 25.0
fany_nequal2 | float32[2], float32[2] -> float32[1] | 2src_commutative | 22.3 25.0
fany_nequal3 | float32[3], float32[3] -> float32[1] | 2src_commutative | 22.3 25.0
fany_nequal4 | float32[4], float32[4] -> float32[1] | 2src_commutative | 22.3 25.0
fany_nequal5 | float32[5], float32[5] -> float32[1] | 2src_commutative | 22.3 25.0
fany_nequal8 | float32[8], float32[8] -> float32[1] | 2src_commutative | 22.3 25.0
fceil | float -> float |  | 22.3 25.0
fclamp_pos | float -> float |  | 25.0
fclamp_pos_mali | float -> float |  | 22.3
fcos | float -> float |  | 22.3 25.0
fcos_amd | float -> float |  | 22.3 25.0
fcos_mdg | float -> float |  | 25.0
fcsel | float32, float32, float32 -> float32 | selection | 22.3 25.0
fcsel_ge | float32, float32, float32 -> float32 | selection | 22.3 25.0
fcsel_gt | float32, float32, float32 -> float32 | selection | 22.3 25.0
fddx | float -> float |  | 22.3
fddx_coarse | float -> float |  | 22.3
fddx_fine | float -> float |  | 22.3
fddx_must_abs_mali | float -> float |  | 22.3
fddy | float -> float |  | 22.3
fddy_coarse | float -> float |  | 22.3
fddy_fine | float -> float |  | 22.3
fddy_must_abs_mali | float -> float |  | 22.3
fdiv | float, float -> float |  | 22.3 25.0
fdot16 | float[16], float[16] -> float[1] | 2src_commutative | 22.3 25.0
fdot16_replicated | float[16], float[16] -> float | 2src_commutative | 22.3 25.0
fdot2 | float[2], float[2] -> float[1] | 2src_commutative | 22.3 25.0
fdot2_replicated | float[2], float[2] -> float | 2src_commutative | 22.3 25.0
fdot3 | float[3], float[3] -> float[1] | 2src_commutative | 22.3 25.0
fdot3_replicated | float[3], float[3] -> float | 2src_commutative | 22.3 25.0
fdot4 | float[4], float[4] -> float[1] | 2src_commutative | 22.3 25.0
fdot4_replicated | float[4], float[4] -> float | 2src_commutative | 22.3 25.0
fdot5 | float[5], float[5] -> float[1] | 2src_commutative | 22.3 25.0
fdot5_replicated | float[5], float[5] -> float | 2src_commutative | 22.3 25.0
fdot8 | float[8], float[8] -> float[1] | 2src_commutative | 22.3 25.0
fdot8_replicated | float[8], float[8] -> float | 2src_commutative | 22.3 25.0
fdph | float[3], float[4] -> float[1] |  | 22.3 25.0
fdph_replicated | float[3], float[4] -> float |  | 22.3 25.0
feq | float, float -> bool1 | 2src_commutative | 22.3 25.0
feq16 | float, float -> bool16 | 2src_commutative | 22.3 25.0
feq32 | float, float -> bool32 | 2src_commutative | 22.3 25.0
feq8 | float, float -> bool8 | 2src_commutative | 22.3 25.0
fequ | float, float -> bool1 | 2src_commutative | 25.0
fequ16 | float, float -> bool16 | 2src_commutative | 25.0
fequ32 | float, float -> bool32 | 2src_commutative | 25.0
fequ8 | float, float -> bool8 | 2src_commutative | 25.0
fexp2 | float -> float |  | 22.3 25.0
ffloor | float -> float |  | 22.3 25.0
ffma | float, float, float -> float | 2src_commutative | 22.3 25.0
ffmaz | float32, float32, float32 -> float32 | 2src_commutative | 22.3 25.0
ffract | float -> float |  | 22.3 25.0
fge | float, float -> bool1 |  | 22.3 25.0
fge16 | float, float -> bool16 |  | 22.3 25.0
fge32 | float, float -> bool32 |  | 22.3 25.0
fge8 | float, float -> bool8 |  | 22.3 25.0
fgeu | float, float -> bool1 |  | 25.0
fgeu16 | float, float -> bool16 |  | 25.0
fgeu32 | float, float -> bool32 |  | 25.0
fgeu8 | float, float -> bool8 |  | 25.0
find_lsb | int -> int32 |  | 22.3 25.0
fisfinite | float -> bool1 |  | 22.3 25.0
fisfinite32 | float -> bool32 |  | 22.3 25.0
fisnormal | float -> bool1 |  | 22.3 25.0
flog2 | float -> float |  | 22.3 25.0
flrp | float, float, float -> float |  | 22.3 25.0
flt | float, float -> bool1 |  | 22.3 25.0
flt16 | float, float -> bool16 |  | 22.3 25.0
flt32 | float, float -> bool32 |  | 22.3 25.0
flt8 | float, float -> bool8 |  | 22.3 25.0
fltu | float, float -> bool1 |  | 25.0
fltu16 | float, float -> bool16 |  | 25.0
fltu32 | float, float -> bool32 |  | 25.0
fltu8 | float, float -> bool8 |  | 25.0
fmax | float, float -> float | 2src_commutative associative | 22.3 25.0
fmax_agx | float32, float32 -> uint32 | 2src_commutative associative | 25.0
fmin | float, float -> float | 2src_commutative associative | 22.3 25.0
fmin_agx | float32, float32 -> uint32 | 2src_commutative associative | 25.0
fmod | float, float -> float |  | 22.3 25.0
fmul | float, float -> float | 2src_commutative associative | 22.3 25.0
fmulz | float32, float32 -> float32 | 2src_commutative associative | 22.3 25.0
fneg | float -> float |  | 22.3 25.0
fneo | float, float -> bool1 | 2src_commutative | 25.0
fneo16 | float, float -> bool16 | 2src_commutative | 25.0
fneo32 | float, float -> bool32 | 2src_commutative | 25.0
fneo8 | float, float -> bool8 | 2src_commutative | 25.0
fneu | float, float -> bool1 | 2src_commutative | 22.3 25.0
fneu16 | float, float -> bool16 | 2src_commutative | 22.3 25.0
fneu32 | float, float -> bool32 | 2src_commutative | 22.3 25.0
fneu8 | float, float -> bool8 | 2src_commutative | 22.3 25.0
ford | float, float -> bool1 | 2src_commutative | 25.0
ford16 | float, float -> bool16 | 2src_commutative | 25.0
ford32 | float, float -> bool32 | 2src_commutative | 25.0
ford8 | float, float -> bool8 | 2src_commutative | 25.0
fpow | float, float -> float |  | 22.3 25.0
fquantize2f16 | float -> float |  | 22.3 25.0
frcp | float -> float |  | 22.3 25.0
frem | float, float -> float |  | 22.3 25.0
frexp_exp | float -> int32 |  | 22.3 25.0
frexp_sig | float -> float |  | 22.3 25.0
fround_even | float -> float |  | 22.3 25.0
frsq | float -> float |  | 22.3 25.0
fsat | float -> float |  | 22.3 25.0
fsat_signed | float -> float |  | 25.0
fsat_signed_mali | float -> float |  | 22.3
fsign | float -> float |  | 22.3 25.0
fsin | float -> float |  | 22.3 25.0
fsin_agx | float -> float |  | 22.3 25.0
fsin_amd | float -> float |  | 22.3 25.0
fsin_mdg | float -> float |  | 25.0
fsqrt | float -> float |  | 22.3 25.0
fsub | float, float -> float |  | 22.3 25.0
fsum2 | float[2] -> float[1] |  | 22.3 25.0
fsum3 | float[3] -> float[1] |  | 22.3 25.0
fsum4 | float[4] -> float[1] |  | 22.3 25.0
ftrunc | float -> float |  | 22.3 25.0
funord | float, float -> bool1 | 2src_commutative | 25.0
funord16 | float, float -> bool16 | 2src_commutative | 25.0
funord32 | float, float -> bool32 | 2src_commutative | 25.0
funord8 | float, float -> bool8 | 2src_commutative | 25.0
i2b1 | int -> bool1 | conversion | 22.3
i2b16 | int -> bool16 | conversion | 22.3
i2b32 | int -> bool32 | conversion | 22.3
i2b8 | int -> bool8 | conversion | 22.3
i2f16 | int -> float16 | conversion | 22.3 25.0
i2f32 | int -> float32 | conversion | 22.3 25.0
i2f64 | int -> float64 | conversion | 22.3 25.0
i2fmp | int32 -> float16 | conversion | 22.3 25.0
i2i1 | int -> int1 | conversion | 22.3 25.0
i2i16 | int -> int16 | conversion | 22.3 25.0
i2i32 | int -> int32 | conversion | 22.3 25.0
i2i64 | int -> int64 | conversion | 22.3 25.0
i2i8 | int -> int8 | conversion | 22.3 25.0
i2imp | int32 -> int16 | conversion | 22.3 25.0
i32csel_ge | int32, int32, int32 -> int32 | selection | 22.3 25.0
i32csel_gt | int32, int32, int32 -> int32 | selection | 22.3 25.0
iabs | int -> int |  | 22.3 25.0
iadd | int, int -> int | 2src_commutative associative | 22.3 25.0
iadd3 | int, int, int -> int | 2src_commutative associative | 22.3 25.0
iadd_sat | int, int -> int | 2src_commutative | 22.3 25.0
iand | uint, uint -> uint | 2src_commutative associative | 22.3 25.0
ibfe | int32, uint32, uint32 -> int32 |  | 22.3 25.0
ibitfield_extract | int32, int32, int32 -> int32 |  | 22.3 25.0
icsel_eqz | int, int, int -> int | selection | 25.0
idiv | int, int -> int |  | 22.3 25.0
ieq | int, int -> bool1 | 2src_commutative | 22.3 25.0
ieq16 | int, int -> bool16 | 2src_commutative | 22.3 25.0
ieq32 | int, int -> bool32 | 2src_commutative | 22.3 25.0
ieq8 | int, int -> bool8 | 2src_commutative | 22.3 25.0
ifind_msb | int32 -> int32 |  | 22.3 25.0
ifind_msb_rev | int32 -> int32 |  | 25.0
ifind_msb_rev | int -> int32 |  | 22.3
ige | int, int -> bool1 |  | 22.3 25.0
ige16 | int, int -> bool16 |  | 22.3 25.0
ige32 | int, int -> bool32 |  | 22.3 25.0
ige8 | int, int -> bool8 |  | 22.3 25.0
ihadd | int, int -> int | 2src_commutative | 22.3 25.0
ilea_agx | uint64, int32, uint32 -> uint64 |  | 25.0
ilt | int, int -> bool1 |  | 22.3 25.0
ilt16 | int, int -> bool16 |  | 22.3 25.0
ilt32 | int, int -> bool32 |  | 22.3 25.0
ilt8 | int, int -> bool8 |  | 22.3 25.0
imad | int, int, int -> int | 2src_commutative associative | 25.0
imad24_ir3 | int32, int32, int32 -> int32 | 2src_commutative | 22.3 25.0
imadsh_mix16 | int32, int32, int32 -> int32 |  | 22.3 25.0
imadshl_agx | int, int, int, int -> int |  | 25.0
imax | int, int -> int | 2src_commutative associative | 22.3 25.0
imin | int, int -> int | 2src_commutative associative | 22.3 25.0
imod | int, int -> int |  | 22.3 25.0
imsubshl_agx | int, int, int, int -> int |  | 25.0
imul | int, int -> int | 2src_commutative associative | 22.3 25.0
imul24 | int32, int32 -> int32 | 2src_commutative associative | 22.3 25.0
imul24_relaxed | int32, int32 -> int32 | 2src_commutative associative | 22.3 25.0
imul_2x32_64 | int32, int32 -> int64 | 2src_commutative | 22.3 25.0
imul_32x16 | int32, int32 -> int32 |  | 22.3 25.0
imul_high | int, int -> int | 2src_commutative | 22.3 25.0
ine | int, int -> bool1 | 2src_commutative | 22.3 25.0
ine16 | int, int -> bool16 | 2src_commutative | 22.3 25.0
ine32 | int, int -> bool32 | 2src_commutative | 22.3 25.0
ine8 | int, int -> bool8 | 2src_commutative | 22.3 25.0
ineg | int -> int |  | 22.3 25.0
inot | int -> int |  | 22.3 25.0
insert_u16 | uint, uint -> uint |  | 22.3 25.0
insert_u8 | uint, uint -> uint |  | 22.3 25.0
interleave_agx | uint16, uint16 -> uint32 |  | 25.0
ior | uint, uint -> uint | 2src_commutative associative | 22.3 25.0
irem | int, int -> int |  | 22.3 25.0
irhadd | int, int -> int | 2src_commutative | 22.3 25.0
ishl | int, uint32 -> int |  | 22.3 25.0
ishr | int, uint32 -> int |  | 22.3 25.0
isign | int -> int |  | 22.3 25.0
isub | int, int -> int |  | 22.3 25.0
isub_sat | int, int -> int |  | 22.3 25.0
ixor | uint, uint -> uint | 2src_commutative associative | 22.3 25.0
ldexp | float, int32 -> float |  | 22.3 25.0
mov | uint -> uint |  | 22.3 25.0
mqsad_4x8 | uint32[1], uint32[2], uint32[4] -> uint32[4] |  | 25.0
msad_4x8 | uint32, uint32, uint32 -> uint32 |  | 25.0
pack_2x16_to_snorm_2x8_v3d | uint32 -> uint32 |  | 25.0
pack_2x16_to_unorm_10_2_v3d | uint32 -> uint32 |  | 25.0
pack_2x16_to_unorm_2x10_v3d | uint32 -> uint32 |  | 25.0
pack_2x16_to_unorm_2x8_v3d | uint32 -> uint32 |  | 25.0
pack_2x32_to_2x16_v3d | uint32[1], uint32[1] -> uint32[1] |  | 25.0
pack_32_2x16 | uint16[2] -> uint32[1] |  | 22.3 25.0
pack_32_2x16_split | uint16, uint16 -> uint32 |  | 22.3 25.0
pack_32_4x8 | uint8[4] -> uint32[1] |  | 22.3 25.0
pack_32_4x8_split | uint8, uint8, uint8, uint8 -> uint32 |  | 22.3 25.0
pack_32_to_r11g11b10_v3d | uint32, uint32 -> uint32 |  | 25.0
pack_4x16_to_4x8_v3d | uint32, uint32 -> uint32 |  | 25.0
pack_64_2x32 | uint32[2] -> uint64[1] |  | 22.3 25.0
pack_64_2x32_split | uint32, uint32 -> uint64 |  | 22.3 25.0
pack_64_4x16 | uint16[4] -> uint64[1] |  | 22.3 25.0
pack_double_2x32_dxil | uint32[2] -> uint64[1] |  | 22.3 25.0
pack_half_2x16 | float32[2] -> uint32[1] |  | 22.3 25.0
pack_half_2x16_rtz_split | float32[1], float32[1] -> uint32[1] |  | 25.0
pack_half_2x16_split | float32[1], float32[1] -> uint32[1] |  | 22.3 25.0
pack_sint_2x16 | int32[2] -> int32[1] |  | 22.3 25.0
pack_snorm_2x16 | float[2] -> uint32[1] |  | 25.0
pack_snorm_2x16 | float32[2] -> uint32[1] |  | 22.3
pack_snorm_4x8 | float32[4] -> uint32[1] |  | 22.3 25.0
pack_uint_2x16 | uint32[2] -> uint32[1] |  | 22.3 25.0
pack_uint_32_to_r10g10b10a2_v3d | uint32, uint32 -> uint32 |  | 25.0
pack_unorm_2x16 | float[2] -> uint32[1] |  | 25.0
pack_unorm_2x16 | float32[2] -> uint32[1] |  | 22.3
pack_unorm_4x8 | float32[4] -> uint32[1] |  | 22.3 25.0
pack_uvec2_to_uint | uint32[2] -> uint32[1] |  | 22.3 25.0
pack_uvec4_to_uint | uint32[4] -> uint32[1] |  | 22.3 25.0
prmt_nv | uint32, uint32, uint32 -> uint32 |  | 25.0
sad_u8x4 | uint[1], uint[1], uint[1] -> uint[1] |  | 22.3
sdot_2x16_iadd | uint32, uint32, int32 -> int32 | 2src_commutative | 22.3 25.0
sdot_2x16_iadd_sat | uint32, uint32, int32 -> int32 | 2src_commutative | 22.3 25.0
sdot_4x8_iadd | uint32, uint32, int32 -> int32 | 2src_commutative | 22.3 25.0
sdot_4x8_iadd_sat | uint32, uint32, int32 -> int32 | 2src_commutative | 22.3 25.0
seq | float, float -> float | 2src_commutative | 22.3 25.0
sge | float, float -> float |  | 22.3 25.0
shfr | uint32, uint32, uint32 -> uint32 |  | 25.0
shlg_ir3 | uint, uint32, uint -> uint |  | 25.0
shlm_ir3 | uint, uint32, uint -> uint |  | 25.0
shrg_ir3 | uint, uint32, uint -> uint |  | 25.0
shrm_ir3 | uint, uint32, uint -> uint |  | 25.0
slt | float, float -> float |  | 22.3 25.0
sne | float, float -> float | 2src_commutative | 22.3 25.0
sudot_4x8_iadd | uint32, uint32, int32 -> int32 |  | 22.3 25.0
sudot_4x8_iadd_sat | uint32, uint32, int32 -> int32 |  | 22.3 25.0
u2f16 | uint -> float16 | conversion | 22.3 25.0
u2f32 | uint -> float32 | conversion | 22.3 25.0
u2f64 | uint -> float64 | conversion | 22.3 25.0
u2fmp | uint32 -> float16 | conversion | 22.3 25.0
u2u1 | uint -> uint1 | conversion | 22.3 25.0
u2u16 | uint -> uint16 | conversion | 22.3 25.0
u2u32 | uint -> uint32 | conversion | 22.3 25.0
u2u64 | uint -> uint64 | conversion | 22.3 25.0
u2u8 | uint -> uint8 | conversion | 22.3 25.0
uabs_isub | int, int -> uint |  | 22.3 25.0
uabs_usub | uint, uint -> uint |  | 22.3 25.0
uadd_carry | uint, uint -> uint | 2src_commutative | 22.3 25.0
uadd_sat | uint, uint -> uint | 2src_commutative | 22.3 25.0
ubfe | uint32, uint32, uint32 -> uint32 |  | 22.3 25.0
ubitfield_extract | uint32, int32, int32 -> uint32 |  | 22.3 25.0
uclz | uint32 -> uint32 |  | 22.3 25.0
udiv | uint, uint -> uint |  | 22.3 25.0
udiv_aligned_4 | uint -> uint |  | 25.0
udot_2x16_uadd | uint32, uint32, uint32 -> uint32 | 2src_commutative | 22.3 25.0
udot_2x16_uadd_sat | uint32, uint32, int32 -> int32 | 2src_commutative | 22.3 25.0
udot_4x8_uadd | uint32, uint32, uint32 -> uint32 | 2src_commutative | 22.3 25.0
udot_4x8_uadd_sat | uint32, uint32, int32 -> int32 | 2src_commutative | 22.3 25.0
ufind_msb | uint -> int32 |  | 22.3 25.0
ufind_msb_rev | uint -> int32 |  | 22.3 25.0
uge | uint, uint -> bool1 |  | 22.3 25.0
uge16 | uint, uint -> bool16 |  | 22.3 25.0
uge32 | uint, uint -> bool32 |  | 22.3 25.0
uge8 | uint, uint -> bool8 |  | 22.3 25.0
uhadd | uint, uint -> uint | 2src_commutative | 22.3 25.0
ulea_agx | uint64, uint32, uint32 -> uint64 |  | 25.0
ult | uint, uint -> bool1 |  | 22.3 25.0
ult16 | uint, uint -> bool16 |  | 22.3 25.0
ult32 | uint, uint -> bool32 |  | 22.3 25.0
ult8 | uint, uint -> bool8 |  | 22.3 25.0
umad24 | uint32, uint32, uint32 -> uint32 | 2src_commutative | 22.3 25.0
umad24_relaxed | uint32, uint32, uint32 -> uint32 | 2src_commutative | 22.3 25.0
umax | uint, uint -> uint | 2src_commutative associative | 22.3 25.0
umax_4x8_vc4 | int32, int32 -> int32 | 2src_commutative associative | 22.3 25.0
umin | uint, uint -> uint | 2src_commutative associative | 22.3 25.0
umin_4x8_vc4 | int32, int32 -> int32 | 2src_commutative associative | 22.3 25.0
umod | uint, uint -> uint |  | 22.3 25.0
umul24 | int32, int32 -> int32 | 2src_commutative associative | 22.3 25.0
umul24_relaxed | uint32, uint32 -> uint32 | 2src_commutative associative | 22.3 25.0
umul_2x32_64 | uint32, uint32 -> uint64 | 2src_commutative | 22.3 25.0
umul_32x16 | uint32, uint32 -> uint32 |  | 22.3 25.0
umul_high | uint, uint -> uint | 2src_commutative | 22.3 25.0
umul_low | uint32, uint32 -> uint32 | 2src_commutative | 22.3 25.0
umul_unorm_4x8_vc4 | uint32, uint32 -> uint32 | 2src_commutative associative | 25.0
umul_unorm_4x8_vc4 | int32, int32 -> int32 | 2src_commutative associative | 22.3
unpack_32_2x16 | uint32[1] -> uint16[2] |  | 22.3 25.0
unpack_32_2x16_split_x | uint32 -> uint16 |  | 22.3 25.0
unpack_32_2x16_split_y | uint32 -> uint16 |  | 22.3 25.0
unpack_32_4x8 | uint32[1] -> uint8[4] |  | 22.3 25.0
unpack_64_2x32 | uint64[1] -> uint32[2] |  | 22.3 25.0
unpack_64_2x32_split_x | uint64 -> uint32 |  | 22.3 25.0
unpack_64_2x32_split_y | uint64 -> uint32 |  | 22.3 25.0
unpack_64_4x16 | uint64[1] -> uint16[4] |  | 22.3 25.0
unpack_double_2x32_dxil | uint64[1] -> uint32[2] |  | 22.3 25.0
unpack_half_2x16 | uint32[1] -> float32[2] |  | 22.3 25.0
unpack_half_2x16_flush_to_zero | uint32[1] -> float32[2] |  | 22.3
unpack_half_2x16_split_x | uint32 -> float32 |  | 22.3 25.0
unpack_half_2x16_split_x_flush_to_zero | uint32 -> float32 |  | 22.3
unpack_half_2x16_split_y | uint32 -> float32 |  | 22.3 25.0
unpack_half_2x16_split_y_flush_to_zero | uint32 -> float32 |  | 22.3
unpack_snorm_2x16 | uint32[1] -> float32[2] |  | 22.3 25.0
unpack_snorm_4x8 | uint32[1] -> float32[4] |  | 22.3 25.0
unpack_unorm_2x16 | uint32[1] -> float32[2] |  | 22.3 25.0
unpack_unorm_4x8 | uint32[1] -> float32[4] |  | 22.3 25.0
urhadd | uint, uint -> uint | 2src_commutative | 22.3 25.0
urol | uint, uint32 -> uint |  | 22.3 25.0
uror | uint, uint32 -> uint |  | 22.3 25.0
usadd_4x8_vc4 | int32, int32 -> int32 | 2src_commutative associative | 22.3 25.0
ushr | uint, uint32 -> uint |  | 22.3 25.0
ussub_4x8_vc4 | int32, int32 -> int32 |  | 22.3 25.0
usub_borrow | uint, uint -> uint |  | 22.3 25.0
usub_sat | uint, uint -> uint |  | 22.3 25.0
vec16 | uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1] -> uint[16] |  | 22.3 25.0
vec2 | uint[1], uint[1] -> uint[2] |  | 22.3 25.0
vec3 | uint[1], uint[1], uint[1] -> uint[3] |  | 22.3 25.0
vec4 | uint[1], uint[1], uint[1], uint[1] -> uint[4] |  | 22.3 25.0
vec5 | uint[1], uint[1], uint[1], uint[1], uint[1] -> uint[5] |  | 22.3 25.0
vec8 | uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1], uint[1] -> uint[8] |  | 22.3 25.0
"""

INTRINSICS = """
accept_ray_intersection |  -> - |  |  |  | 22.3 25.0
addr_mode_is | ? -> 1 |  | memory_modes | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
al2p_nv | 1 -> 1 | 32 | base, flags | CAN_ELIMINATE CAN_REORDER | 25.0
ald_nv | 1, 1 -> n | 32 | base, range_base, range, flags, access | CAN_ELIMINATE | 25.0
alloc_vertices_and_primitives_amd | 1, 1 -> - |  |  |  | 22.3
as_uniform | n -> n |  |  | CAN_ELIMINATE | 25.0
ast_nv | n, 1, 1 -> - |  | base, range_base, range, flags |  | 25.0
atomic_add_gen_prim_count_amd | 1 -> - |  | stream_id |  | 22.3 25.0
atomic_add_gs_emit_prim_count_amd | 1 -> - |  |  |  | 22.3 25.0
atomic_add_shader_invocation_count_amd | 1 -> - |  |  |  | 25.0
atomic_add_xfb_prim_count_amd | 1 -> - |  | stream_id |  | 22.3 25.0
atomic_counter_add | 1, 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_add | 1, 1 -> 1 |  | base |  | 22.3
atomic_counter_add_deref | ?, 1 -> 1 |  |  |  | 22.3 25.0
atomic_counter_and | 1, 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_and | 1, 1 -> 1 |  | base |  | 22.3
atomic_counter_and_deref | ?, 1 -> 1 |  |  |  | 22.3 25.0
atomic_counter_comp_swap | 1, 1, 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_comp_swap | 1, 1, 1 -> 1 |  | base |  | 22.3
atomic_counter_comp_swap_deref | ?, 1, 1 -> 1 |  |  |  | 22.3 25.0
atomic_counter_exchange | 1, 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_exchange | 1, 1 -> 1 |  | base |  | 22.3
atomic_counter_exchange_deref | ?, 1 -> 1 |  |  |  | 22.3 25.0
atomic_counter_inc | 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_inc | 1 -> 1 |  | base |  | 22.3
atomic_counter_inc_deref | ? -> 1 |  |  |  | 22.3 25.0
atomic_counter_max | 1, 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_max | 1, 1 -> 1 |  | base |  | 22.3
atomic_counter_max_deref | ?, 1 -> 1 |  |  |  | 22.3 25.0
atomic_counter_min | 1, 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_min | 1, 1 -> 1 |  | base |  | 22.3
atomic_counter_min_deref | ?, 1 -> 1 |  |  |  | 22.3 25.0
atomic_counter_or | 1, 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_or | 1, 1 -> 1 |  | base |  | 22.3
atomic_counter_or_deref | ?, 1 -> 1 |  |  |  | 22.3 25.0
atomic_counter_post_dec | 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_post_dec | 1 -> 1 |  | base |  | 22.3
atomic_counter_post_dec_deref | ? -> 1 |  |  |  | 22.3 25.0
atomic_counter_pre_dec | 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_pre_dec | 1 -> 1 |  | base |  | 22.3
atomic_counter_pre_dec_deref | ? -> 1 |  |  |  | 22.3 25.0
atomic_counter_read | 1 -> 1 |  | base, range_base | CAN_ELIMINATE | 25.0
atomic_counter_read | 1 -> 1 |  | base | CAN_ELIMINATE | 22.3
atomic_counter_read_deref | ? -> 1 |  |  | CAN_ELIMINATE | 22.3 25.0
atomic_counter_xor | 1, 1 -> 1 |  | base, range_base |  | 25.0
atomic_counter_xor | 1, 1 -> 1 |  | base |  | 22.3
atomic_counter_xor_deref | ?, 1 -> 1 |  |  |  | 22.3 25.0
ballot | 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
ballot_bit_count_exclusive | 4 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
ballot_bit_count_exclusive | 4 -> 1 |  |  | CAN_ELIMINATE | 22.3
ballot_bit_count_inclusive | 4 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
ballot_bit_count_inclusive | 4 -> 1 |  |  | CAN_ELIMINATE | 22.3
ballot_bit_count_reduce | 4 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
ballot_bit_count_reduce | 4 -> 1 |  |  | CAN_ELIMINATE | 22.3
ballot_bitfield_extract | 4, 1 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
ballot_bitfield_extract | 4, 1 -> 1 |  |  | CAN_ELIMINATE | 22.3
ballot_find_lsb | 4 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
ballot_find_lsb | 4 -> 1 |  |  | CAN_ELIMINATE | 22.3
ballot_find_msb | 4 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
ballot_find_msb | 4 -> 1 |  |  | CAN_ELIMINATE | 22.3
ballot_relaxed | 1 -> n |  |  | CAN_ELIMINATE | 25.0
bar_break_nv | 1, 1 -> 1 | 32 |  |  | 25.0
bar_set_nv |  -> 1 | 32 |  | CAN_ELIMINATE | 25.0
bar_sync_nv | 1, 1 -> - |  |  |  | 25.0
barrier |  -> - |  | execution_scope, memory_scope, memory_semantics, memory_modes |  | 25.0
begin_invocation_interlock |  -> - |  |  |  | 22.3 25.0
bindless_image_atomic | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access, atomic_op |  | 25.0
bindless_image_atomic_add | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_and | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_comp_swap | ?, 4, 1, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_dec_wrap | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_exchange | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_fadd | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_fmax | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_fmin | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_imax | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_imin | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_inc_wrap | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_or | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_swap | ?, 4, 1, 1, 1 -> 1 |  | image_dim, image_array, format, access, atomic_op |  | 25.0
bindless_image_atomic_umax | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_umin | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_atomic_xor | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
bindless_image_descriptor_amd | ? -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
bindless_image_format | ? -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
bindless_image_fragment_mask_load_amd | ?, 4 -> 1 | 32 | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 25.0
bindless_image_levels | ? -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 25.0
bindless_image_load | ?, 4, 1, 1 -> n |  | image_dim, image_array, format, access, dest_type | CAN_ELIMINATE | 22.3 25.0
bindless_image_load_raw_intel | ?, 1 -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE | 22.3 25.0
bindless_image_order | ? -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
bindless_image_samples | ? -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
bindless_image_samples_identical | ?, 4 -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE | 22.3 25.0
bindless_image_size | ?, 1 -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
bindless_image_sparse_load | ?, 4, 1, 1 -> n |  | image_dim, image_array, format, access, dest_type | CAN_ELIMINATE | 22.3 25.0
bindless_image_store | ?, 4, 1, n, 1 -> - |  | image_dim, image_array, format, access, src_type |  | 22.3 25.0
bindless_image_store_block_agx | ?, 1, ? -> - |  | image_dim, image_array, format, access, explicit_coord |  | 25.0
bindless_image_store_raw_intel | ?, 1, n -> - |  | image_dim, image_array, format, access |  | 22.3 25.0
bindless_image_texel_address | ?, 4, 1 -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 25.0
bindless_resource_ir3 | 1 -> 1 |  | desc_set | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
brcst_active_ir3 | 1, 1 -> 1 |  | cluster_size |  | 25.0
btd_retire_intel |  -> - |  |  |  | 22.3 25.0
btd_spawn_intel | 1, 1 -> - |  |  |  | 22.3 25.0
btd_stack_push_intel |  -> - |  | stack_size |  | 22.3 25.0
bvh64_intersect_ray_amd | 4, 2, 1, 3, 3, 3 -> 4 |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
byte_permute_amd | 1, 1, 1 -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 22.3
cmat_binary_op | ?, ?, ? -> - |  | alu_op |  | 25.0
cmat_bitcast | ?, ? -> - |  |  |  | 25.0
cmat_construct | ?, 1 -> - |  |  |  | 25.0
cmat_copy | ?, ? -> - |  |  |  | 25.0
cmat_extract | ?, 1 -> 1 |  |  |  | 25.0
cmat_insert | ?, 1, ?, 1 -> - |  |  |  | 25.0
cmat_length |  -> 1 | 32 | cmat_desc |  | 25.0
cmat_load | ?, ?, 1 -> - |  | matrix_layout |  | 25.0
cmat_muladd | ?, ?, ?, ? -> - |  | saturate, cmat_signed_mask |  | 25.0
cmat_muladd_amd | 16, 16, n -> n |  | saturate, cmat_signed_mask | CAN_ELIMINATE | 25.0
cmat_scalar_op | ?, ?, ? -> - |  | alu_op |  | 25.0
cmat_store | ?, ?, 1 -> - |  | matrix_layout |  | 25.0
cmat_unary_op | ?, ? -> - |  | alu_op |  | 25.0
cond_end_ir3 | 1 -> - |  |  |  | 22.3
control_barrier |  -> - |  |  |  | 22.3
convert_alu_types | n -> n |  | src_type, dest_type, rounding_mode, saturate | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
copy_deref | ?, ? -> - |  | dst_access, src_access |  | 22.3 25.0
copy_fs_outputs_nv |  -> - |  |  |  | 25.0
copy_global_to_uniform_ir3 | 2 -> - |  | base, range_base, range |  | 25.0
copy_push_const_to_uniform_ir3 | 1 -> - |  | base, range |  | 25.0
copy_ubo_to_uniform_ir3 | 1, 1 -> - |  | base, range |  | 22.3 25.0
ddx | n -> n | 16 32 |  | CAN_ELIMINATE | 25.0
ddx_coarse | n -> n | 16 32 |  | CAN_ELIMINATE | 25.0
ddx_fine | n -> n | 16 32 |  | CAN_ELIMINATE | 25.0
ddy | n -> n | 16 32 |  | CAN_ELIMINATE | 25.0
ddy_coarse | n -> n | 16 32 |  | CAN_ELIMINATE | 25.0
ddy_fine | n -> n | 16 32 |  | CAN_ELIMINATE | 25.0
debug_break |  -> - |  |  |  | 25.0
decl_reg |  -> 1 |  | num_components, num_array_elems, bit_size, divergent | CAN_ELIMINATE | 25.0
demote |  -> - |  |  |  | 22.3 25.0
demote_if | 1 -> - |  |  |  | 22.3 25.0
deref_atomic | ?, 1 -> 1 |  | access, atomic_op |  | 25.0
deref_atomic_add | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_and | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_comp_swap | ?, 1, 1 -> 1 |  | access |  | 22.3
deref_atomic_exchange | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_fadd | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_fcomp_swap | ?, 1, 1 -> 1 |  | access |  | 22.3
deref_atomic_fmax | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_fmin | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_imax | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_imin | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_or | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_swap | ?, 1, 1 -> 1 |  | access, atomic_op |  | 25.0
deref_atomic_umax | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_umin | ?, 1 -> 1 |  | access |  | 22.3
deref_atomic_xor | ?, 1 -> 1 |  | access |  | 22.3
deref_buffer_array_length | ? -> 1 |  | access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
deref_implicit_array_length | ? -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
deref_mode_is | ? -> 1 |  | memory_modes | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
deref_texture_src | 1 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
discard |  -> - |  |  |  | 22.3
discard_agx | 1 -> - |  |  |  | 25.0
discard_if | 1 -> - |  |  |  | 22.3
doorbell_agx | 1 -> - |  |  |  | 25.0
dpas_intel | n, ?, n -> n |  | dest_type, src_type, saturate, systolic_depth, repeat_count | CAN_ELIMINATE | 25.0
dpp16_shift_amd | n -> n |  | base | CAN_ELIMINATE | 25.0
elect |  -> 1 |  |  | CAN_ELIMINATE | 22.3 25.0
elect_any_ir3 |  -> 1 |  |  | CAN_ELIMINATE | 25.0
emit_vertex |  -> - |  | stream_id |  | 22.3 25.0
emit_vertex_nv | 1 -> 1 |  | stream_id |  | 25.0
emit_vertex_with_counter | 1, 1, 1, 1 -> - |  | stream_id |  | 25.0
emit_vertex_with_counter | 1, 1 -> - |  | stream_id |  | 22.3
end_invocation_interlock |  -> - |  |  |  | 22.3 25.0
end_patch_ir3 |  -> - |  |  |  | 22.3
end_primitive |  -> - |  | stream_id |  | 22.3 25.0
end_primitive_nv | 1 -> 1 |  | stream_id |  | 25.0
end_primitive_with_counter | 1, 1, 1, 1 -> - |  | stream_id |  | 25.0
end_primitive_with_counter | 1, 1 -> - |  | stream_id |  | 22.3
enqueue_node_payloads | ? -> - |  |  |  | 25.0
exclusive_scan | n -> n |  | reduction_op | CAN_ELIMINATE | 22.3 25.0
exclusive_scan_clusters_ir3 | 1, 1 -> 1 |  | reduction_op |  | 25.0
execute_callable | 1, ? -> - |  |  |  | 22.3 25.0
execute_closest_hit_amd | 1, 1, 1, 1, 1, 1 -> - |  |  |  | 22.3 25.0
execute_miss_amd | 1 -> - |  |  |  | 22.3 25.0
export_agx | n -> - |  | base |  | 25.0
export_amd | n -> - |  | base, write_mask, flags |  | 25.0
export_dual_src_blend_amd | n, n -> - |  | write_mask |  | 25.0
export_primitive_amd | 1 -> - |  |  |  | 22.3
export_row_amd | n, 1 -> - |  | base, write_mask, flags |  | 25.0
export_vertex_amd |  -> - |  |  |  | 22.3
fence_helper_exit_agx |  -> - |  |  |  | 25.0
fence_mem_to_tex_agx |  -> - |  |  |  | 25.0
fence_pbe_to_tex_agx |  -> - |  |  |  | 25.0
fence_pbe_to_tex_pixel_agx |  -> - |  |  |  | 25.0
final_primitive_nv | 1 -> - |  |  |  | 25.0
finalize_incoming_node_payload | ? -> 1 |  |  |  | 25.0
first_invocation |  -> 1 | 32 |  | CAN_ELIMINATE | 22.3 25.0
fs_out_nv | 1 -> - |  | base |  | 25.0
gds_atomic_add_amd | 1, 1, 1 -> 1 |  | base |  | 22.3 25.0
get_ssbo_size | ? -> 1 | 32 | access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
get_ubo_size | ? -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
global_atomic | 1, 1 -> 1 |  | atomic_op |  | 25.0
global_atomic_2x32 | 2, 1 -> 1 |  | atomic_op |  | 25.0
global_atomic_add | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_add_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_add_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_add_ir3 | 2, 1 -> 1 |  | base |  | 22.3
global_atomic_agx | 1, 1, 1 -> 1 |  | atomic_op, sign_extend |  | 25.0
global_atomic_amd | 1, 1, 1 -> 1 |  | base, atomic_op |  | 25.0
global_atomic_and | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_and_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_and_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_and_ir3 | 2, 1 -> 1 |  | base |  | 22.3
global_atomic_comp_swap | 1, 1, 1 -> 1 |  |  |  | 22.3
global_atomic_comp_swap_2x32 | 2, 1, 1 -> 1 |  |  |  | 22.3
global_atomic_comp_swap_amd | 1, 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_comp_swap_ir3 | 2, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_exchange | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_exchange_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_exchange_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_exchange_ir3 | 2, 1 -> 1 |  | base |  | 22.3
global_atomic_fadd | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_fadd_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_fadd_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_fcomp_swap | 1, 1, 1 -> 1 |  |  |  | 22.3
global_atomic_fcomp_swap_2x32 | 2, 1, 1 -> 1 |  |  |  | 22.3
global_atomic_fcomp_swap_amd | 1, 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_fmax | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_fmax_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_fmax_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_fmin | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_fmin_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_fmin_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_imax | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_imax_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_imax_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_imax_ir3 | 2, 1 -> 1 |  | base |  | 22.3
global_atomic_imin | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_imin_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_imin_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_imin_ir3 | 2, 1 -> 1 |  | base |  | 22.3
global_atomic_ir3 | 2, 1 -> 1 |  | base, atomic_op |  | 25.0
global_atomic_or | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_or_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_or_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_or_ir3 | 2, 1 -> 1 |  | base |  | 22.3
global_atomic_swap | 1, 1, 1 -> 1 |  | atomic_op |  | 25.0
global_atomic_swap_2x32 | 2, 1, 1 -> 1 |  | atomic_op |  | 25.0
global_atomic_swap_agx | 1, 1, 1, 1 -> 1 |  | atomic_op, sign_extend |  | 25.0
global_atomic_swap_amd | 1, 1, 1, 1 -> 1 |  | base, atomic_op |  | 25.0
global_atomic_swap_ir3 | 2, 1, 1 -> 1 |  | base, atomic_op |  | 25.0
global_atomic_umax | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_umax_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_umax_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_umax_ir3 | 2, 1 -> 1 |  | base |  | 22.3
global_atomic_umin | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_umin_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_umin_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_umin_ir3 | 2, 1 -> 1 |  | base |  | 22.3
global_atomic_xor | 1, 1 -> 1 |  |  |  | 22.3
global_atomic_xor_2x32 | 2, 1 -> 1 |  |  |  | 22.3
global_atomic_xor_amd | 1, 1, 1 -> 1 |  | base |  | 22.3
global_atomic_xor_ir3 | 2, 1 -> 1 |  | base |  | 22.3
group_memory_barrier |  -> - |  |  |  | 22.3
ignore_ray_intersection |  -> - |  |  |  | 22.3 25.0
image_atomic | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access, range_base, atomic_op |  | 25.0
image_atomic_add | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_and | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_comp_swap | 1, 4, 1, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_dec_wrap | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_exchange | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_fadd | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_fmax | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_fmin | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_imax | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_imin | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_inc_wrap | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_or | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_swap | 1, 4, 1, 1, 1 -> 1 |  | image_dim, image_array, format, access, range_base, atomic_op |  | 25.0
image_atomic_umax | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_umin | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_atomic_xor | 1, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access, atomic_op |  | 25.0
image_deref_atomic_add | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_and | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_comp_swap | ?, 4, 1, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_dec_wrap | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_exchange | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_fadd | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_fmax | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_fmin | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_imax | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_imin | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_inc_wrap | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_or | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_swap | ?, 4, 1, 1, 1 -> 1 |  | image_dim, image_array, format, access, atomic_op |  | 25.0
image_deref_atomic_umax | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_umin | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_atomic_xor | ?, 4, 1, 1 -> 1 |  | image_dim, image_array, format, access |  | 22.3
image_deref_descriptor_amd | ? -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
image_deref_format | ? -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
image_deref_fragment_mask_load_amd | ?, 4 -> 1 | 32 | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 25.0
image_deref_levels | ? -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 25.0
image_deref_load | ?, 4, 1, 1 -> n |  | image_dim, image_array, format, access, dest_type | CAN_ELIMINATE | 22.3 25.0
image_deref_load_param_intel | 1 -> n |  | base | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
image_deref_load_raw_intel | ?, 1 -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE | 22.3 25.0
image_deref_order | ? -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
image_deref_samples | ? -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
image_deref_samples_identical | ?, 4 -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE | 22.3 25.0
image_deref_size | ?, 1 -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
image_deref_sparse_load | ?, 4, 1, 1 -> n |  | image_dim, image_array, format, access, dest_type | CAN_ELIMINATE | 22.3 25.0
image_deref_store | ?, 4, 1, n, 1 -> - |  | image_dim, image_array, format, access, src_type |  | 22.3 25.0
image_deref_store_block_agx | ?, 1, ? -> - |  | image_dim, image_array, format, access, explicit_coord |  | 25.0
image_deref_store_raw_intel | ?, 1, n -> - |  | image_dim, image_array, format, access |  | 22.3 25.0
image_deref_texel_address | ?, 4, 1 -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 25.0
image_descriptor_amd | 1 -> n |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE CAN_REORDER | 25.0
image_descriptor_amd | 1 -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3
image_format | 1 -> 1 |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE CAN_REORDER | 25.0
image_format | 1 -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3
image_fragment_mask_load_amd | 1, 4 -> 1 | 32 | image_dim, image_array, format, access, range_base | CAN_ELIMINATE CAN_REORDER | 25.0
image_levels | 1 -> 1 |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE CAN_REORDER | 25.0
image_load | 1, 4, 1, 1 -> n |  | image_dim, image_array, format, access, range_base, dest_type | CAN_ELIMINATE | 25.0
image_load | 1, 4, 1, 1 -> n |  | image_dim, image_array, format, access, dest_type | CAN_ELIMINATE | 22.3
image_load_raw_intel | 1, 1 -> n |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE | 25.0
image_load_raw_intel | 1, 1 -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE | 22.3
image_order | 1 -> 1 |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE CAN_REORDER | 25.0
image_order | 1 -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3
image_samples | 1 -> 1 |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE CAN_REORDER | 25.0
image_samples | 1 -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3
image_samples_identical | 1, 4 -> 1 |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE | 25.0
image_samples_identical | 1, 4 -> 1 |  | image_dim, image_array, format, access | CAN_ELIMINATE | 22.3
image_size | 1, 1 -> n |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE CAN_REORDER | 25.0
image_size | 1, 1 -> n |  | image_dim, image_array, format, access | CAN_ELIMINATE CAN_REORDER | 22.3
image_sparse_load | 1, 4, 1, 1 -> n |  | image_dim, image_array, format, access, range_base, dest_type | CAN_ELIMINATE | 25.0
image_sparse_load | 1, 4, 1, 1 -> n |  | image_dim, image_array, format, access, dest_type | CAN_ELIMINATE | 22.3
image_store | 1, 4, 1, n, 1 -> - |  | image_dim, image_array, format, access, range_base, src_type |  | 25.0
image_store | 1, 4, 1, n, 1 -> - |  | image_dim, image_array, format, access, src_type |  | 22.3
image_store_block_agx | 1, 1, ? -> - |  | image_dim, image_array, format, access, range_base, explicit_coord |  | 25.0
image_store_raw_intel | 1, 1, n -> - |  | image_dim, image_array, format, access, range_base |  | 25.0
image_store_raw_intel | 1, 1, n -> - |  | image_dim, image_array, format, access |  | 22.3
image_texel_address | 1, 4, 1 -> 1 |  | image_dim, image_array, format, access, range_base | CAN_ELIMINATE CAN_REORDER | 25.0
inclusive_scan | n -> n |  | reduction_op | CAN_ELIMINATE | 22.3 25.0
inclusive_scan_clusters_ir3 | 1 -> 1 |  | reduction_op |  | 25.0
initialize_node_payloads | ?, 1, 1 -> - |  | execution_scope |  | 25.0
interp_deref_at_centroid | 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
interp_deref_at_offset | 1, 2 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
interp_deref_at_sample | 1, 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
interp_deref_at_vertex | 1, 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
inverse_ballot | n -> 1 |  |  | CAN_ELIMINATE | 25.0
ipa_nv | 1, 1 -> 1 | 32 | base, flags | CAN_ELIMINATE CAN_REORDER | 25.0
is_helper_invocation |  -> 1 |  |  | CAN_ELIMINATE | 22.3 25.0
is_sparse_resident_zink | n -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER | 25.0
is_sparse_texels_resident | 1 -> 1 | 1 32 |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
is_subgroup_invocation_lt_amd | 1 -> 1 | 1 | base | CAN_ELIMINATE | 25.0
is_subgroup_invocation_lt_amd | 1 -> 1 | 1 |  | CAN_ELIMINATE | 22.3
isberd_nv | 1 -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 25.0
lane_permute_16_amd | 1, 1, 1 -> 1 | 32 |  | CAN_ELIMINATE | 22.3 25.0
last_invocation |  -> 1 | 32 |  | CAN_ELIMINATE | 22.3 25.0
launch_mesh_workgroups | 3 -> - |  | base, range |  | 22.3 25.0
launch_mesh_workgroups_with_payload_deref | 3, ? -> - |  |  |  | 22.3 25.0
ldc_nv | 1, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 25.0
ldcx_nv | 1, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 25.0
ldtram_nv |  -> 2 | 32 | base, flags | CAN_ELIMINATE CAN_REORDER | 25.0
load_aa_line_width |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_accel_struct_amd |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_active_samples_agx |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_active_subgroup_count_agx |  -> 1 |  |  | CAN_ELIMINATE | 25.0
load_active_subgroup_invocation_agx |  -> 1 |  |  | CAN_ELIMINATE | 25.0
load_agx | 1, 1 -> n |  | access, base, format, sign_extend | CAN_ELIMINATE | 25.0
load_alpha_reference_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_api_sample_mask_agx |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_attrib_clamp_agx | 1 -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_attribute_pan | 1, 1, 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE CAN_REORDER | 25.0
load_back_face_agx |  -> 1 | 1 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_barycentric_at_offset | 2 -> 2 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_barycentric_at_offset_nv | 1 -> 2 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 25.0
load_barycentric_at_sample | 1 -> 2 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_barycentric_centroid |  -> 2 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_barycentric_coord_at_offset | 2 -> 3 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 25.0
load_barycentric_coord_at_sample | 1 -> 3 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 25.0
load_barycentric_coord_centroid |  -> 3 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 25.0
load_barycentric_coord_pixel |  -> 3 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 25.0
load_barycentric_coord_sample |  -> 3 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 25.0
load_barycentric_model |  -> 3 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_barycentric_optimize_amd |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_barycentric_pixel |  -> 2 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_barycentric_sample |  -> 2 |  | interp_mode | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_base_global_invocation_id |  -> 3 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_base_instance |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_base_vertex |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_base_workgroup_id |  -> 3 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_blend_const_color_a_float |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_blend_const_color_aaaa8888_unorm |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_blend_const_color_b_float |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_blend_const_color_g_float |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_blend_const_color_r_float |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_blend_const_color_rgba |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_blend_const_color_rgba8888_unorm |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_btd_global_arg_addr_intel |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_btd_local_arg_addr_intel |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_btd_resume_sbt_addr_intel |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_btd_shader_type_intel |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_btd_stack_id_intel |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_buffer_amd | 4, 1, 1, 1 -> n |  | base, memory_modes, access | CAN_ELIMINATE | 25.0
load_buffer_amd | 4, 1, 1, 1 -> n |  | base, is_swizzled, slc_amd, memory_modes, access | CAN_ELIMINATE | 22.3
load_callable_sbt_addr_intel |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_callable_sbt_stride_intel |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_clamp_vertex_color_amd |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_clip_half_line_width_amd |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_clip_z_coeff_agx |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_coalesced_input_count |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_coefficients_agx | 1 -> 3 | 32 | component, io_semantics, interp_mode | CAN_ELIMINATE CAN_REORDER | 25.0
load_color0 |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_color1 |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_const_ir3 | 1 -> n |  | base | CAN_ELIMINATE CAN_REORDER | 25.0
load_constant | 1 -> n |  | base, range, access, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 25.0
load_constant | 1 -> n |  | base, range, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 22.3
load_constant_agx | 1, 1 -> n |  | access, base, format, sign_extend | CAN_ELIMINATE CAN_REORDER | 25.0
load_constant_base_ptr |  -> n | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_converted_output_pan | 1 -> n |  | dest_type, io_semantics | CAN_ELIMINATE | 25.0
load_core_id_agx |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_cull_any_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE | 22.3 25.0
load_cull_back_face_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE | 22.3 25.0
load_cull_ccw_amd |  -> 1 | 1 |  | CAN_ELIMINATE | 22.3 25.0
load_cull_front_face_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE | 22.3 25.0
load_cull_line_viewport_xy_scale_and_offset_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_cull_mask |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_cull_mask_and_flags_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_cull_small_line_precision_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_cull_small_lines_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE | 25.0
load_cull_small_prim_precision_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 22.3
load_cull_small_primitives_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE | 22.3
load_cull_small_triangle_precision_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_cull_small_triangles_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE | 25.0
load_cull_triangle_viewport_xy_scale_and_offset_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_debug_log_desc_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_depth_never_agx |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_deref | ? -> n |  | access | CAN_ELIMINATE | 22.3 25.0
load_deref_block_intel | ? -> n |  | access | CAN_ELIMINATE | 22.3 25.0
load_desc_set_address_intel | 1 -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER | 22.3
load_draw_id |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_esgs_vertex_stride_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_exported_agx |  -> n |  | base | CAN_ELIMINATE | 25.0
load_fb_layers_v3d |  -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_fbfetch_image_desc_amd |  -> 8 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_fbfetch_image_fmask_desc_amd |  -> 8 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_fep_w_v3d |  -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_first_vertex |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_fixed_point_size_agx |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_flat_mask |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_force_vrs_rates_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_frag_coord |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_frag_coord_unscaled_ir3 |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_frag_coord_zw |  -> 1 | 32 | component | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_frag_coord_zw_pan | 2 -> 1 | 32 | component | CAN_ELIMINATE CAN_REORDER | 25.0
load_frag_invocation_count |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_frag_offset_ir3 | 1 -> 2 | 32 | range | CAN_ELIMINATE CAN_REORDER | 25.0
load_frag_shading_rate |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_frag_size |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_frag_size_ir3 | 1 -> 2 | 32 | range | CAN_ELIMINATE CAN_REORDER | 25.0
load_from_texture_handle_agx | 2 -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_front_face |  -> 1 | 1 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_front_face_fsign |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_fs_input_interp_deltas | 1 -> 3 |  | base, component, io_semantics | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_fully_covered |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_geometry_param_buffer_agx |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_global | 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_global_2x32 | 2 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_global_amd | 1, 1 -> n |  | base, access, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_global_base_ptr |  -> n | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_global_block_intel | 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_global_const_block_intel | 1, 1 -> n | 32 | base | CAN_ELIMINATE CAN_REORDER | 22.3
load_global_constant | 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_global_constant_bounded | 1, 1, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_global_constant_offset | 1, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_global_constant_uniform_block_intel | 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 25.0
load_global_etna | 1, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 25.0
load_global_invocation_id |  -> 3 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_global_invocation_id_zero_base |  -> 3 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_global_invocation_index |  -> 1 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_global_ir3 | 2, 1 -> n |  | access, align_mul, align_offset, range_base, range | CAN_ELIMINATE | 25.0
load_global_ir3 | 2, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 22.3
load_global_size |  -> 3 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_gs_header_ir3 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_gs_vertex_offset_amd |  -> 1 | 32 | base | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_gs_wave_id_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_helper_arg_hi_agx |  -> n |  |  | CAN_ELIMINATE | 25.0
load_helper_arg_lo_agx |  -> n |  |  | CAN_ELIMINATE | 25.0
load_helper_invocation |  -> 1 | 1 32 |  | CAN_ELIMINATE sysval | 25.0
load_helper_invocation |  -> 1 | 1 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_helper_op_id_agx |  -> n |  |  | CAN_ELIMINATE | 25.0
load_hit_attrib_amd |  -> 1 | 32 | base |  | 25.0
load_hs_out_patch_data_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_hs_patch_stride_ir3 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_initial_edgeflags_amd |  -> 1 | 32 |  |  | 22.3 25.0
load_inline_data_intel |  -> n |  | base | CAN_ELIMINATE CAN_REORDER | 25.0
load_input | 1 -> n |  | base, range, component, dest_type, io_semantics | CAN_ELIMINATE CAN_REORDER | 25.0
load_input | 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE CAN_REORDER | 22.3
load_input_assembly_buffer_agx |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_input_topology_agx |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_input_vertex | 1, 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_instance_id |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_interpolated_input | 2, 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_intersection_opaque_amd |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_invocation_id |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_is_first_fan_agx |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_is_indexed_draw |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_kernel_input | 1 -> n |  | base, range, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_layer_id |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_lds_ngg_gs_out_vertex_base_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_lds_ngg_scratch_base_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_leaf_opaque_intel |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_leaf_procedural_intel |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_line_coord |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_line_width |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_local_invocation_id |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_local_invocation_index |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_local_pixel_agx | 1 -> n |  | base, format | CAN_ELIMINATE CAN_REORDER | 25.0
load_local_shared_r600 | n -> n |  |  | CAN_ELIMINATE | 22.3 25.0
load_lshs_vertex_stride_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_merged_wave_info_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_mesh_inline_data_intel |  -> 1 | 32 64 | align_offset | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_mesh_view_count |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_mesh_view_indices | 1 -> n |  | base, range | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_multisampled_pan |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_noperspective_varyings_pan |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_num_subgroups |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_num_vertices |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_num_vertices_per_primitive_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_num_workgroups |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_num_workgroups |  -> 3 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_ordered_id_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_output | 1 -> n |  | base, range, component, dest_type, io_semantics | CAN_ELIMINATE | 25.0
load_output | 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE | 22.3
load_packed_passthrough_primitive_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_param |  -> n |  | param_idx | CAN_ELIMINATE | 22.3 25.0
load_patch_vertices_in |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_per_primitive_input | 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE CAN_REORDER | 25.0
load_per_primitive_output | 1, 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE | 22.3 25.0
load_per_vertex_input | 1, 1 -> n |  | base, range, component, dest_type, io_semantics | CAN_ELIMINATE CAN_REORDER | 25.0
load_per_vertex_input | 1, 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE CAN_REORDER | 22.3
load_per_vertex_output | 1, 1 -> n |  | base, range, component, dest_type, io_semantics | CAN_ELIMINATE | 25.0
load_per_vertex_output | 1, 1 -> n |  | base, component, dest_type, io_semantics | CAN_ELIMINATE | 22.3
load_per_view_output | 1, 1 -> n |  | base, range, component, dest_type, io_semantics | CAN_ELIMINATE | 25.0
load_persp_center_rhw_ir3 |  -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_pipeline_stat_query_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_pixel_coord |  -> 2 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_point_coord |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_point_coord_maybe_flipped | 2 -> 2 | 32 |  |  | 25.0
load_point_coord_maybe_flipped |  -> 2 | 32 |  |  | 22.3
load_poly_line_smooth_enabled |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_polygon_stipple_agx | 1 -> 1 | 32 |  | CAN_ELIMINATE | 25.0
load_polygon_stipple_buffer_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_preamble |  -> n |  | base | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_prim_gen_query_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_prim_xfb_query_enabled_amd |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_primitive_id |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_primitive_location_ir3 |  -> 1 | 32 | driver_location | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_printf_base_identifier |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_printf_buffer_address |  -> 1 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_printf_buffer_size |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_provoking_last |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_provoking_vtx_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_provoking_vtx_in_prim_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ptr_dxil | 1, 1 -> n |  |  |  | 22.3
load_push_constant | 1 -> n |  | base, range, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 25.0
load_push_constant | 1 -> n |  | base, range | CAN_ELIMINATE CAN_REORDER | 22.3
load_push_constant_zink | 1 -> n |  | component | CAN_ELIMINATE CAN_REORDER | 25.0
load_rasterization_primitive_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_rasterization_samples_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_raw_output_pan | 1 -> n |  | io_semantics | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_raw_vertex_id_pan |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_raw_vertex_offset_pan |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_ray_base_mem_addr_intel |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_flags |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_geometry_index |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_hit_kind |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_hit_sbt_addr_intel |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_hit_sbt_stride_intel |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_hw_stack_size_intel |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_instance_custom_index |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_launch_id |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_launch_size |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_launch_size_addr_amd |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_ray_miss_sbt_addr_intel |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_miss_sbt_stride_intel |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_num_dss_rt_stacks_intel |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_object_direction |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_object_origin |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_object_to_world |  -> 3 | 32 | column | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_query_global_intel |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_sw_stack_size_intel |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_t_max |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_t_min |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_tracing_stack_base_lvp |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_ray_triangle_vertex_positions |  -> 3 | 32 | column | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_ray_world_direction |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_world_origin |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ray_world_to_object |  -> 3 | 32 | column | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_reg | 1 -> n |  | base, legacy_fabs, legacy_fneg | CAN_ELIMINATE | 25.0
load_reg_indirect | 1, 1 -> n |  | base, legacy_fabs, legacy_fneg | CAN_ELIMINATE | 25.0
load_rel_patch_id_ir3 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_reloc_const_intel |  -> 1 | 32 | param_idx, base | CAN_ELIMINATE CAN_REORDER | 25.0
load_reloc_const_intel |  -> 1 | 32 | param_idx | CAN_ELIMINATE CAN_REORDER | 22.3
load_resume_shader_address_amd |  -> 1 | 64 | call_idx | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_ring_attr_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_attr_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_es2gs_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_esgs_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_gs2vs_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_ring_gsvs_amd |  -> 4 | 32 | stream_id | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_ring_gsvs_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_ring_mesh_scratch_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_mesh_scratch_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_task_draw_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_task_payload_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_tess_factors_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_tess_factors_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_tess_offchip_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_ring_tess_offchip_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_rt_arg_scratch_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_rt_conversion_pan |  -> 1 | 32 | base, src_type | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_rt_dynamic_callable_stack_base_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_sample_id |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sample_id_no_per_sample |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sample_mask |  -> 1 | 32 |  | CAN_ELIMINATE sysval | 25.0
load_sample_mask_in |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sample_pos |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sample_pos_from_id | 1 -> 2 |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_sample_pos_or_center |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sample_positions_agx |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_sample_positions_amd | 1, 1 -> 2 |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_sample_positions_pan |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sampler_handle_agx | 1 -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_sampler_lod_parameters_pan | 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_samples_log2_agx |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_sbt_base_amd |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sbt_offset_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sbt_stride_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_scalar_arg_amd |  -> n | 32 | base, arg_upper_bound_u32_amd | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_scratch | 1 -> n |  | align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_scratch_base_ptr |  -> n | 32 64 | base | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_scratch_dxil | 1 -> n |  |  | CAN_ELIMINATE | 22.3
load_shader_call_data_offset_lvp |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_shader_index |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_shader_part_tests_zs_agx |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_shader_record_ptr |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_shared | 1 -> n |  | base, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_shared2_amd | 1 -> 2 |  | offset0, offset1, st64 | CAN_ELIMINATE | 22.3 25.0
load_shared_base_ptr |  -> n | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_shared_block_intel | 1 -> n |  | base, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_shared_dxil | 1 -> n |  |  | CAN_ELIMINATE | 22.3
load_shared_ir3 | 1 -> n |  | base, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_shared_uniform_block_intel | 1 -> n |  | base, align_mul, align_offset | CAN_ELIMINATE | 25.0
load_simd_width_intel |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sm_count_nv |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_sm_id_nv |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_smem_amd | 1, 1 -> n | 32 | align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_ssbo | ?, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_ssbo_address | 1, 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_ssbo_address | 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 22.3
load_ssbo_block_intel | ?, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_ssbo_ir3 | 1, 1, 1 -> n |  | base, access, align_mul, align_offset | CAN_ELIMINATE | 25.0
load_ssbo_ir3 | 1, 1, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 22.3
load_ssbo_uniform_block_intel | ?, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 25.0
load_stack |  -> n |  | base, align_mul, align_offset, call_idx, value_id | CAN_ELIMINATE | 22.3 25.0
load_stat_query_address_agx |  -> 1 | 64 | base | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_streamout_buffer_amd |  -> 4 | 32 | base | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_streamout_config_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_streamout_offset_amd |  -> 1 | 32 | base | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_streamout_write_index_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_eq_mask |  -> n | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_ge_mask |  -> n | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_gt_mask |  -> n | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_id |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_id_shift_ir3 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_invocation |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_le_mask |  -> n | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_lt_mask |  -> n | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_subgroup_size |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_sysval_agx |  -> n |  | desc_set, binding, flags | CAN_ELIMINATE CAN_REORDER | 25.0
load_sysval_nv |  -> 1 | 32 64 | access, base | CAN_ELIMINATE | 25.0
load_task_ib_addr |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_task_ib_stride |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_task_payload | 1 -> n |  | base, align_mul, align_offset | CAN_ELIMINATE | 22.3 25.0
load_task_ring_entry_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tcs_header_ir3 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tcs_in_param_base_r600 |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tcs_num_patches_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tcs_out_param_base_r600 |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tcs_primitive_mode_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_tcs_rel_patch_id_r600 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tcs_tess_factor_base_r600 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tcs_tess_levels_to_tes_amd |  -> 1 | 1 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_tess_coord |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tess_coord_r600 |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_tess_coord_xy |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_tess_factor_base_ir3 |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tess_level_inner |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tess_level_inner_default |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tess_level_outer |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tess_level_outer_default |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tess_param_base_ir3 |  -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tess_param_buffer_agx |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_tess_rel_patch_id_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_tex_sprite_mask_agx |  -> 1 | 16 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_texture_base_agx |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_texture_handle_agx | 1 -> 2 | 32 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_texture_rect_scaling | 1 -> 2 |  |  | CAN_ELIMINATE CAN_REORDER | 22.3
load_texture_scale | 1 -> 2 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_texture_size_etna | 1 -> 3 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_tlb_color_brcm | 1 -> n |  | base, component |  | 25.0
load_tlb_color_v3d | 1 -> n |  | base, component |  | 22.3
load_topology_id_intel |  -> 1 | 32 | base | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_typed_buffer_amd | 4, 1, 1, 1 -> n |  | base, memory_modes, access, format, align_mul, align_offset | CAN_ELIMINATE | 25.0
load_uav_ir3 | 1, 2 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE | 25.0
load_ubo | ?, 1 -> n |  | access, align_mul, align_offset, range_base, range | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_ubo_dxil | 1, 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 22.3
load_ubo_uniform_block_intel | ?, 1 -> n |  | access, align_mul, align_offset, range_base, range | CAN_ELIMINATE CAN_REORDER | 25.0
load_ubo_vec4 | ?, 1 -> n |  | access, base, component | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_uniform | 1 -> n |  | base, range, dest_type | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_user_clip_plane |  -> 4 | 32 | ucp_id | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_user_data_amd |  -> 8 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_user_data_amd |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_uvs_index_agx |  -> 1 | 16 | io_semantics | CAN_ELIMINATE CAN_REORDER | 25.0
load_vbo_base_agx | 1 -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER | 25.0
load_vector_arg_amd |  -> n | 32 | base, arg_upper_bound_u32_amd | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_vertex_id |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_vertex_id_zero_base |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_view_index |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_viewport_offset |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_viewport_scale |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_viewport_x_offset |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_viewport_x_scale |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_viewport_xy_scale_and_offset |  -> 4 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_viewport_y_offset |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_viewport_y_scale |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_viewport_z_offset |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_viewport_z_scale |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_vs_output_buffer_agx |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_vs_outputs_agx |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_vs_primitive_stride_ir3 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_vs_vertex_stride_ir3 |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_vulkan_descriptor | ? -> n |  | desc_type | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
load_warp_id_nv |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_warps_per_sm_nv |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_work_dim |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_workgroup_id |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_workgroup_id |  -> 3 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_workgroup_id_zero_base |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3
load_workgroup_index |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_workgroup_num_input_primitives_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_workgroup_num_input_vertices_amd |  -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_workgroup_size |  -> 3 | 32 |  | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_xfb_address |  -> 1 | 32 64 | base | CAN_ELIMINATE CAN_REORDER sysval | 22.3 25.0
load_xfb_index_buffer |  -> 1 | 32 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_xfb_size |  -> 1 | 32 | base | CAN_ELIMINATE CAN_REORDER sysval | 25.0
load_xfb_state_address_gfx12_amd |  -> 1 | 64 |  | CAN_ELIMINATE CAN_REORDER sysval | 25.0
masked_swizzle_amd | n -> n |  | swizzle_mask, fetch_inactive | CAN_ELIMINATE | 25.0
masked_swizzle_amd | n -> n |  | swizzle_mask | CAN_ELIMINATE | 22.3
mbcnt_amd | 1, 1 -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 25.0
mbcnt_amd | 1, 1 -> 1 | 32 |  | CAN_ELIMINATE | 22.3
memcpy_deref | ?, ?, 1 -> - |  | dst_access, src_access |  | 22.3 25.0
memory_barrier |  -> - |  |  |  | 22.3
memory_barrier_atomic_counter |  -> - |  |  |  | 22.3
memory_barrier_buffer |  -> - |  |  |  | 22.3
memory_barrier_image |  -> - |  |  |  | 22.3
memory_barrier_shared |  -> - |  |  |  | 22.3
memory_barrier_tcs_patch |  -> - |  |  |  | 22.3
nop |  -> - |  |  | CAN_ELIMINATE | 22.3 25.0
nop_amd |  -> - |  | base |  | 25.0
optimization_barrier_sgpr_amd | n -> n |  |  | CAN_ELIMINATE | 25.0
optimization_barrier_vgpr_amd | n -> n |  |  | CAN_ELIMINATE | 22.3 25.0
ordered_add_loop_gfx12_amd | 1, 1, 1, 1 -> 1 | 32 |  |  | 25.0
ordered_xfb_counter_add_amd | 1, n -> n | 32 | write_mask |  | 22.3
ordered_xfb_counter_add_gfx11_amd | 1, n -> n | 32 | write_mask |  | 25.0
overwrite_tes_arguments_amd | 1, 1, 1, 1 -> - |  |  |  | 22.3 25.0
overwrite_vs_arguments_amd | 1, 1 -> - |  |  |  | 22.3 25.0
pin_cx_handle_nv | 1 -> - |  |  |  | 25.0
preamble_end_ir3 |  -> - |  |  |  | 22.3 25.0
preamble_start_ir3 |  -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
prefetch_sam_ir3 | 1, 1 -> - |  |  | CAN_REORDER | 25.0
prefetch_tex_ir3 | 1 -> - |  |  | CAN_REORDER | 25.0
prefetch_ubo_ir3 | 1 -> - |  |  | CAN_REORDER | 25.0
printf | 1, 1 -> 1 | 32 |  |  | 22.3 25.0
printf_abort |  -> - |  |  |  | 25.0
quad_ballot_agx | 1 -> 1 |  |  | CAN_ELIMINATE | 25.0
quad_broadcast | n, 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
quad_swap_diagonal | n -> n |  |  | CAN_ELIMINATE | 22.3 25.0
quad_swap_horizontal | n -> n |  |  | CAN_ELIMINATE | 22.3 25.0
quad_swap_vertical | n -> n |  |  | CAN_ELIMINATE | 22.3 25.0
quad_swizzle_amd | n -> n |  | swizzle_mask, fetch_inactive | CAN_ELIMINATE | 25.0
quad_swizzle_amd | n -> n |  | swizzle_mask | CAN_ELIMINATE | 22.3
quad_vote_all | 1 -> 1 |  |  | CAN_ELIMINATE | 25.0
quad_vote_any | 1 -> 1 |  |  | CAN_ELIMINATE | 25.0
ray_intersection_ir3 | 2, 1, 8, 1 -> 5 |  |  | CAN_ELIMINATE CAN_REORDER | 25.0
read_first_invocation | n -> n |  |  | CAN_ELIMINATE | 22.3 25.0
read_getlast_ir3 | n -> n |  |  | CAN_ELIMINATE | 25.0
read_invocation | n, 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
read_invocation_cond_ir3 | n, 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
reduce | n -> n |  | reduction_op, cluster_size | CAN_ELIMINATE | 22.3 25.0
reduce_clusters_ir3 | 1 -> 1 |  | reduction_op |  | 25.0
report_ray_intersection | 1, 1 -> 1 |  |  |  | 22.3 25.0
resource_intel | 1, 1, 1, 1 -> 1 | 32 | desc_set, binding, resource_access_intel, resource_block_intel | CAN_ELIMINATE CAN_REORDER | 25.0
rotate | n, 1 -> n |  | cluster_size | CAN_ELIMINATE | 25.0
rq_confirm_intersection | ? -> - |  |  |  | 22.3 25.0
rq_generate_intersection | ?, 1 -> - |  |  |  | 22.3 25.0
rq_initialize | ?, ?, 1, 1, 3, 1, 3, 1 -> - |  |  |  | 22.3 25.0
rq_load | ? -> n |  | ray_query_value, committed, column |  | 25.0
rq_load | ?, 1 -> n |  | base, column |  | 22.3
rq_proceed | ? -> 1 |  |  |  | 22.3 25.0
rq_terminate | ? -> - |  |  |  | 22.3 25.0
rt_execute_callable | 1, ? -> - |  | call_idx, stack_size |  | 22.3 25.0
rt_resume |  -> - |  | call_idx, stack_size |  | 22.3 25.0
rt_return_amd |  -> - |  |  |  | 22.3 25.0
rt_trace_ray | ?, 1, 1, 1, 1, 1, 3, 1, 3, 1, ? -> - |  | call_idx, stack_size |  | 22.3 25.0
sample_mask_agx | 1, 1 -> - |  |  |  | 25.0
scoped_barrier |  -> - |  | execution_scope, memory_scope, memory_semantics, memory_modes |  | 22.3
sendmsg_amd | 1 -> - |  | base |  | 25.0
set_vertex_and_primitive_count | 1, 1, 1 -> - |  | stream_id |  | 25.0
set_vertex_and_primitive_count | 1, 1 -> - |  | stream_id |  | 22.3
shader_clock |  -> 2 | 32 | memory_scope | CAN_ELIMINATE | 22.3 25.0
shared_append_amd |  -> 1 | 32 | base |  | 25.0
shared_atomic | 1, 1 -> 1 |  | base, atomic_op |  | 25.0
shared_atomic_add | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_add_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_and | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_and_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_comp_swap | 1, 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_comp_swap_dxil | 1, 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_exchange | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_exchange_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_fadd | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_fcomp_swap | 1, 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_fmax | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_fmin | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_imax | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_imax_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_imin | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_imin_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_or | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_or_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_swap | 1, 1, 1 -> 1 |  | base, atomic_op |  | 25.0
shared_atomic_umax | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_umax_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_umin | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_umin_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_atomic_xor | 1, 1 -> 1 |  | base |  | 22.3
shared_atomic_xor_dxil | 1, 1 -> 1 |  |  |  | 22.3
shared_consume_amd |  -> 1 | 32 | base |  | 25.0
shuffle | n, 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
shuffle_down | n, 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
shuffle_down_uniform_ir3 | n, 1 -> n |  |  | CAN_ELIMINATE | 25.0
shuffle_up | n, 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
shuffle_up_uniform_ir3 | n, 1 -> n |  |  | CAN_ELIMINATE | 25.0
shuffle_xor | n, 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
shuffle_xor_uniform_ir3 | n, 1 -> n |  |  | CAN_ELIMINATE | 25.0
sleep_amd |  -> - |  | base |  | 25.0
sparse_residency_code_and | 1, 1 -> 1 | 32 |  | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
ssa_bar_nv | 1 -> - |  |  |  | 25.0
ssbo_atomic | ?, 1, 1 -> 1 |  | access, atomic_op |  | 25.0
ssbo_atomic_add | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_add_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_and | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_and_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_comp_swap | ?, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_comp_swap_ir3 | 1, 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_exchange | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_exchange_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_fadd | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_fcomp_swap | ?, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_fmax | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_fmin | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_imax | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_imax_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_imin | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_imin_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_ir3 | 1, 1, 1, 1 -> 1 |  | access, atomic_op |  | 25.0
ssbo_atomic_or | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_or_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_swap | ?, 1, 1, 1 -> 1 |  | access, atomic_op |  | 25.0
ssbo_atomic_swap_ir3 | 1, 1, 1, 1, 1 -> 1 |  | access, atomic_op |  | 25.0
ssbo_atomic_umax | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_umax_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_umin | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_umin_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_xor | ?, 1, 1 -> 1 |  | access |  | 22.3
ssbo_atomic_xor_ir3 | 1, 1, 1, 1 -> 1 |  | access |  | 22.3
stack_map_agx | 1, 1 -> - |  |  |  | 25.0
stack_unmap_agx | 1 -> 1 | 32 |  |  | 25.0
store_agx | n, 1, 1 -> - |  | access, base, format, sign_extend |  | 25.0
store_buffer_amd | n, 4, 1, 1, 1 -> - |  | base, write_mask, memory_modes, access |  | 25.0
store_buffer_amd | n, 4, 1, 1, 1 -> - |  | base, write_mask, is_swizzled, slc_amd, memory_modes, access |  | 22.3
store_combined_output_pan | n, 1, 1, 1, 4 -> - |  | io_semantics, component, src_type, dest_type |  | 22.3 25.0
store_const_ir3 | n -> - |  | base |  | 25.0
store_deref | ?, n -> - |  | write_mask, access |  | 22.3 25.0
store_deref_block_intel | ?, n -> - |  | write_mask, access |  | 22.3 25.0
store_global | n, 1 -> - |  | write_mask, access, align_mul, align_offset |  | 22.3 25.0
store_global_2x32 | n, 2 -> - |  | write_mask, access, align_mul, align_offset |  | 22.3 25.0
store_global_amd | n, 1, 1 -> - |  | base, access, align_mul, align_offset, write_mask |  | 22.3 25.0
store_global_block_intel | n, 1 -> - |  | write_mask, access, align_mul, align_offset |  | 22.3 25.0
store_global_etna | n, 1, 1 -> - |  | write_mask, access, align_mul, align_offset |  | 25.0
store_global_ir3 | n, 2, 1 -> - |  | access, align_mul, align_offset |  | 22.3 25.0
store_hit_attrib_amd | 1 -> - |  | base |  | 25.0
store_local_pixel_agx | n, 1, ? -> - |  | base, write_mask, format, explicit_coord | CAN_REORDER | 25.0
store_local_shared_r600 | n, 1 -> - |  | write_mask |  | 22.3 25.0
store_output | n, 1 -> - |  | base, range, write_mask, component, src_type, io_semantics, io_xfb, io_xfb2 |  | 25.0
store_output | n, 1 -> - |  | base, write_mask, component, src_type, io_semantics, io_xfb, io_xfb2 |  | 22.3
store_per_primitive_output | n, 1, 1 -> - |  | base, range, write_mask, component, src_type, io_semantics |  | 25.0
store_per_primitive_output | n, 1, 1 -> - |  | base, write_mask, component, src_type, io_semantics |  | 22.3
store_per_vertex_output | n, 1, 1 -> - |  | base, range, write_mask, component, src_type, io_semantics |  | 25.0
store_per_vertex_output | n, 1, 1 -> - |  | base, write_mask, component, src_type, io_semantics |  | 22.3
store_per_view_output | n, 1, 1 -> - |  | base, range, write_mask, component, src_type, io_semantics |  | 25.0
store_preamble | n -> - |  | base |  | 22.3 25.0
store_raw_output_pan | n -> - |  | io_semantics, base |  | 25.0
store_raw_output_pan | n -> - |  |  |  | 22.3
store_reg | n, 1 -> - |  | base, write_mask, legacy_fsat |  | 25.0
store_reg_indirect | n, 1, 1 -> - |  | base, write_mask, legacy_fsat |  | 25.0
store_scalar_arg_amd | n -> - |  | base |  | 25.0
store_scratch | n, 1 -> - |  | align_mul, align_offset, write_mask |  | 22.3 25.0
store_scratch_dxil | 1, 1 -> - |  |  |  | 22.3
store_shared | n, 1 -> - |  | base, write_mask, align_mul, align_offset |  | 22.3 25.0
store_shared2_amd | 2, 1 -> - |  | offset0, offset1, st64 |  | 22.3 25.0
store_shared_block_intel | n, 1 -> - |  | base, write_mask, align_mul, align_offset |  | 22.3 25.0
store_shared_dxil | 1, 1 -> - |  |  |  | 22.3
store_shared_ir3 | n, 1 -> - |  | base, align_mul, align_offset |  | 22.3 25.0
store_shared_masked_dxil | 1, 1, 1 -> - |  |  |  | 22.3
store_ssbo | n, ?, 1 -> - |  | write_mask, access, align_mul, align_offset |  | 22.3 25.0
store_ssbo_block_intel | n, ?, 1 -> - |  | write_mask, access, align_mul, align_offset |  | 22.3 25.0
store_ssbo_ir3 | n, 1, 1, 1 -> - |  | base, write_mask, access, align_mul, align_offset |  | 25.0
store_ssbo_ir3 | n, 1, 1, 1 -> - |  | write_mask, access, align_mul, align_offset |  | 22.3
store_ssbo_masked_dxil | 1, 1, 1, 1 -> - |  |  |  | 22.3
store_stack | n -> - |  | base, align_mul, align_offset, write_mask, call_idx, value_id |  | 22.3 25.0
store_task_payload | n, 1 -> - |  | base, write_mask, align_mul, align_offset |  | 22.3 25.0
store_tf_r600 | n -> - |  |  |  | 22.3 25.0
store_tlb_sample_color_v3d | n, 1 -> - |  | base, component, src_type |  | 22.3 25.0
store_uniform_ir3 | n -> - |  | base |  | 22.3
store_uvs_agx | n, 1 -> - |  |  | CAN_REORDER | 25.0
store_vector_arg_amd | n -> - |  | base |  | 25.0
store_zs_agx | 1, 1, 1 -> - |  | base |  | 25.0
strict_wqm_coord_amd | n -> n | 32 | base | CAN_ELIMINATE | 25.0
task_payload_atomic | 1, 1 -> 1 |  | base, atomic_op |  | 25.0
task_payload_atomic_add | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_and | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_comp_swap | 1, 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_exchange | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_fadd | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_fcomp_swap | 1, 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_fmax | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_fmin | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_imax | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_imin | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_or | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_swap | 1, 1, 1 -> 1 |  | base, atomic_op |  | 25.0
task_payload_atomic_umax | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_umin | 1, 1 -> 1 |  | base |  | 22.3
task_payload_atomic_xor | 1, 1 -> 1 |  | base |  | 22.3
terminate |  -> - |  |  |  | 22.3 25.0
terminate_if | 1 -> - |  |  |  | 22.3 25.0
terminate_ray |  -> - |  |  |  | 22.3 25.0
trace_ray | ?, 1, 1, 1, 1, 1, 3, 1, 3, 1, ? -> - |  |  |  | 22.3 25.0
trace_ray_intel | 1, 1, 1 -> - |  | synchronous |  | 22.3 25.0
unit_test_amd | n -> - |  | base |  | 25.0
unit_test_divergent_amd |  -> n |  | base |  | 25.0
unit_test_uniform_amd |  -> n |  | base |  | 25.0
unpin_cx_handle_nv | 1 -> - |  |  |  | 25.0
use | n -> - |  |  |  | 25.0
vote_all | 1 -> 1 |  |  | CAN_ELIMINATE | 22.3 25.0
vote_any | 1 -> 1 |  |  | CAN_ELIMINATE | 22.3 25.0
vote_feq | n -> 1 |  |  | CAN_ELIMINATE | 22.3 25.0
vote_ieq | n -> 1 |  |  | CAN_ELIMINATE | 22.3 25.0
vulkan_resource_index | 1 -> n |  | desc_set, binding, desc_type | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
vulkan_resource_reindex | n, 1 -> n |  | desc_type | CAN_ELIMINATE CAN_REORDER | 22.3 25.0
write_invocation_amd | n, n, 1 -> n |  |  | CAN_ELIMINATE | 22.3 25.0
xfb_counter_sub_gfx11_amd | n -> - | 32 | write_mask |  | 25.0
"""
