"""What the opcodes and intrinsics do, in a sentence each, for hover texts and completion.

Opcodes are described by family: the first pattern that matches the whole name gives the text. System
values of drivers that nobody wrote a line about are described by their name.
"""

from __future__ import annotations

import re
from functools import cache

from nirls.ir.tables.lookup import intrinsic, opcode

_TYPE_WORDS = {"f": "float", "i": "signed integer", "u": "unsigned integer", "b": "boolean", "d": "double"}
_COMPARISON_WORDS = {
    "lt": "less than",
    "ge": "greater than or equal to",
    "gt": "greater than",
    "le": "less than or equal to",
    "eq": "equal to",
    "ne": "not equal to",
}

# (pattern of the whole name, text). In the text {0}, {1}, ... stand for the groups, and {type:N} and
# {compare:N} for the word that the letters of group N abbreviate.
_OPCODE_FAMILIES: tuple[tuple[str, str], ...] = (
    # Moves and vectors
    ("mov|[fi]mov", "Copies the source, with a swizzle where one is printed."),
    (r"vec(\d+)", "Makes a vector of {0} components from as many scalars."),
    # Conversions
    (r"f2f16_(rtne|rtz|undef)", "Converts a float to 16 bits with the rounding {0}."),
    (r"([fiub])2([fiu])mp", "Converts {type:0} to 16-bit {type:1} where mediump allows to keep 32 bits."),
    (r"[fiu]2b(\d*)", "True where the source is not zero, as a boolean{bits:0}."),
    (r"b2b(\d+)", "The same truth value as a boolean{bits:0}."),
    (r"b2([fi])(\d*)", "1 where the source is true and 0 where it is false, as {type:0}{bits:1}."),
    (r"([fiud])2([fiu])(\d+)", "Converts {type:0} to {2}-bit {type:1}."),
    (r"([fiud])2([fiudb])", "Converts {type:0} to {type:1}."),
    (r"f2([su]norm)_16_v3d", "Converts a float to 16-bit {0} (V3D)."),
    ("fquantize2f16", "Rounds to the precision and range of a half float, kept in the size of the source."),
    # Float arithmetic
    ("fadd", "Sum of two floats."),
    ("fsub", "Difference of two floats."),
    ("fmul", "Product of two floats."),
    ("fmulz", "Product of two floats where zero times anything, infinity and NaN too, is zero."),
    ("fdiv", "Quotient of two floats."),
    ("ffma", "a * b + c with a single rounding."),
    ("ffmaz", "a * b + c with a single rounding, where zero times anything is zero."),
    ("fneg", "Negation: flips the sign bit."),
    ("fabs", "Absolute value: clears the sign bit."),
    ("fsign", "-1, 0 or 1 by the sign of the float."),
    ("fsat", "Clamps to the range 0 to 1; NaN becomes 0."),
    ("fsat_signed.*", "Clamps to the range -1 to 1."),
    ("fclamp_pos.*", "Clamps negative values to 0."),
    ("frcp", "Reciprocal, 1 / a."),
    ("frsq", "Reciprocal square root, 1 / sqrt(a)."),
    ("fsqrt", "Square root."),
    ("fexp2", "2 to the power of a."),
    ("flog2", "Logarithm to base 2."),
    ("fexp", "e to the power of a."),
    ("flog", "Natural logarithm."),
    ("fpow", "a to the power of b, for a that is not negative."),
    ("fmod", "a - b * floor(a / b): the remainder with the sign of b."),
    ("frem", "a - b * trunc(a / b): the remainder with the sign of a."),
    ("ftrunc", "Rounds toward zero."),
    ("fceil", "Rounds up to an integer."),
    ("ffloor", "Rounds down to an integer."),
    ("ffract", "Fraction, a - floor(a)."),
    ("fround_even", "Rounds to the nearest integer, halves to the even one."),
    ("flrp", "Linear interpolation, a * (1 - c) + b * c."),
    ("f(min|max)(_agx)?", "The {0}imum of two floats; the other one where one is NaN."),
    ("([fiu])(min|max)3", "The {1}imum of three values ({type:0})."),
    ("([fiu])med3", "The middle one of three values ({type:0})."),
    ("fsin|fcos", "Sine or cosine of an angle in radians."),
    ("f(sin|cos)_(amd|r600|mdg|agx)", "Hardware {0} with the angle scaled as the {1} hardware takes it."),
    ("frexp_(exp|sig)", "The {0} part (exponent or significand) of a float split as 0.5 <= |sig| < 1."),
    ("ldexp", "a * 2 to the power of the integer b."),
    ("fisfinite(32)?", "Whether the float is neither infinite nor NaN."),
    ("fisnormal", "Whether the float is normal: not zero, subnormal, infinite or NaN."),
    (r"fddx(.*)", "Derivative in x across the quad of pixels."),
    (r"fddy(.*)", "Derivative in y across the quad of pixels."),
    (r"fdot(\d+)", "Dot product of two vectors of {0} floats."),
    (r"fdot(\d+)_replicated|fdot_replicated(\d)", "Dot product, written to all components of the result."),
    ("fdph(_replicated)?", "Dot product of a vec3 extended by 1 with a vec4."),
    (r"fsum(\d)", "Sum of the {0} components of a vector."),
    (r"fnoise(\d)_(\d)", "GLSL noise function: {0} results from a position of {1} components."),
    # Comparisons
    ("([fiu])(lt|ge|eq)(8|16|32)?", "Whether a is {compare:1} b ({type:0}, ordered for floats)."),
    ("ine(8|16|32)?", "Whether a is not equal to b (integer)."),
    ("fneu?(8|16|32)?", "Whether a is not equal to b (float); true where one is NaN."),
    ("f(lt|ge|eq)u(8|16|32)?", "Whether a is {compare:0} b (float); true where one is NaN."),
    ("fneo(8|16|32)?", "Whether a is less or greater than b (float); false where one is NaN."),
    ("ford(8|16|32)?", "Whether neither float is NaN."),
    ("funord(8|16|32)?", "Whether one of the floats is NaN."),
    ("s(lt|ge|eq|ne)", "1.0 where a is {compare:0} b, else 0.0."),
    (r"b(?:8|16|32)?all_([fi])equal(\d+)|ball_([fi])equal(\d+)", "Whether all components are equal."),
    (r"b(?:8|16|32)?any_([fi])nequal(\d+)", "Whether any components differ."),
    (r"fall_equal(\d+)", "1.0 where all {0} components are equal, else 0.0."),
    (r"fany_nequal(\d+)", "1.0 where any of the {0} components differ, else 0.0."),
    (r"[bf]all(\d)", "Whether all {0} components are true."),
    (r"[bf]any(\d)", "Whether any of the {0} components is true."),
    ("bit(n?)z(8|16|32)?", "Tests the bit of a with the number b: whether it is clear (z) or set (nz)."),
    # Selection
    (r"b(8|16|32)?csel", "b where the boolean a is true, else c; component by component."),
    ("fcsel", "b where the float a is not zero, else c."),
    ("([fi])(?:32)?csel_(gt|ge)", "b where a is greater than (gt) or at least (ge) zero, else c."),
    ("icsel_eqz", "b where the integer a is zero, else c."),
    ("b32fcsel_mdg", "Float select by a 32-bit boolean (Midgard)."),
    # Integer arithmetic
    ("iadd", "Sum of two integers, wrapping."),
    ("iadd3", "Sum of three integers, wrapping."),
    ("isub", "Difference of two integers, wrapping."),
    ("([iu])(add|sub)_sat", "Sum or difference ({1}) that saturates at the range of the type ({type:0})."),
    ("uadd_carry", "1 where the unsigned sum overflows, else 0."),
    ("usub_borrow", "1 where the unsigned difference is below zero, else 0."),
    ("imul|umul_low|amul", "Low half of the product of two integers."),
    ("([iu])mul_high", "High half of the product ({type:0})."),
    ("([iu])mul_2x32_64", "Full 64-bit product of two 32-bit values ({type:0})."),
    ("([iu])mul_32x16", "Low 32 bits of the product of 32-bit a and the low 16 bits of b ({type:0})."),
    ("([iu])mul24(_relaxed)?", "Product of the low 24 bits of both ({type:0})."),
    ("(umad24|imad24)(_relaxed|_ir3)?", "Product of the low 24 bits of both, plus c."),
    ("imad", "a * b + c on integers."),
    ("imadsh_mix16|im(add|sub)shl_agx|imadshl_agx|[iu]lea_agx", "Multiply or shift and add of a driver."),
    ("([iu])div", "Quotient, rounded toward zero ({type:0})."),
    ("udiv_aligned_4", "Unsigned quotient where both operands are multiples of 4."),
    ("umod", "Unsigned remainder."),
    ("imod", "Remainder with the sign of the divisor."),
    ("irem", "Remainder with the sign of the dividend."),
    ("ineg", "Negation of an integer, wrapping."),
    ("iabs", "Absolute value of a signed integer; the lowest one stays."),
    ("isign", "-1, 0 or 1 by the sign of the integer."),
    ("([iu])(min|max)", "The {1}imum of two values ({type:0})."),
    ("([iu])hadd", "Mean of two values without overflow, rounded down ({type:0})."),
    ("([iu])rhadd", "Mean of two values without overflow, rounded up ({type:0})."),
    ("uabs_([iu])sub", "Absolute difference of two values ({type:0}), unsigned."),
    # Bits
    ("inot", "Bitwise complement; logical not of a boolean."),
    ("iand", "Bitwise and; logical and of booleans."),
    ("ior", "Bitwise or; logical or of booleans."),
    ("ixor", "Bitwise exclusive or; logical difference of booleans."),
    ("fnot|fand|for|fxor", "Logic on float truth values: nonzero is true, and the result is 1.0 or 0.0."),
    ("ishl", "Shift left; the amount is taken modulo the bit size."),
    ("ishr", "Arithmetic shift right; the amount is taken modulo the bit size."),
    ("ushr", "Logical shift right; the amount is taken modulo the bit size."),
    ("uro[lr]", "Rotation to the left (l) or to the right (r)."),
    ("shfr|sh[lr][gm]_ir3|andg_ir3|alignbyte_amd|prmt_nv", "Shift or permutation of bytes of a driver."),
    ("bit_count", "Number of set bits."),
    ("bitfield_reverse", "The bits in reverse order."),
    ("bitfield_select", "Bits of b where the mask a is set, of c elsewhere."),
    ("bitfield_insert", "base with the bits from `offset`, `bits` many, replaced by those of `insert`."),
    ("([iu])bitfield_extract", "The bits from `offset`, `bits` many, extended as {type:0} (GLSL rules)."),
    ("([iu])bfe", "The bits from `offset`, `bits` many, extended as {type:0} (SM5: counts modulo 32)."),
    ("bfm", "A mask of a set bits from bit b on."),
    ("bfi", "Inserts b into c where the mask a is set, shifted to the mask's lowest bit."),
    ("find_lsb", "Number of the lowest set bit, -1 where there is none."),
    ("([iu])find_msb", "Number of the highest significant bit ({type:0}), -1 where there is none."),
    ("([iu])find_msb_rev", "The highest significant bit ({type:0}), counted from the top."),
    ("uclz", "Number of leading zero bits."),
    ("(extract|insert)_([iu])(8|16)", "{0}s the {2}-bit piece number b, as {type:1}."),
    # Packing
    ("pack_64_2x32(_split)?|pack_double_2x32.*", "A 64-bit value from two 32-bit halves, low one first."),
    ("unpack_64_2x32|unpack_double_2x32(_dxil)?", "The two 32-bit halves of a 64-bit value."),
    ("unpack_(?:64|double)_2x32_split_([xy])", "The low (x) or high (y) half of a 64-bit value."),
    ("pack_32_2x16(_split)?", "A 32-bit value from two 16-bit halves, low one first."),
    ("unpack_32_2x16", "The two 16-bit halves of a 32-bit value."),
    ("unpack_32_2x16_split_([xy])", "The low (x) or high (y) half of a 32-bit value."),
    ("pack_64_4x16", "A 64-bit value from four 16-bit pieces."),
    ("unpack_64_4x16", "The four 16-bit pieces of a 64-bit value."),
    ("pack_32_4x8(_split)?", "A 32-bit value from four bytes."),
    ("unpack_32_4x8", "The four bytes of a 32-bit value."),
    (r"pack_half_2x16(.*)", "Two floats as half floats in 32 bits."),
    (r"unpack_half_2x16(.*)", "Floats from the half floats in 32 bits."),
    (r"pack_([su]norm|[su]int)_(\dx\d+)", "Floats or integers as {0} fields {1} in 32 bits."),
    (r"unpack_([su]norm)_(\dx\d+)", "Floats from the {0} fields {1} of 32 bits."),
    ("pack_uvec2_to_uint", "Two unsigned values as 16-bit fields of 32 bits."),
    ("pack_uvec4_to_uint", "Four unsigned values as bytes of 32 bits."),
    ("pack_.*_v3d", "Packs into a framebuffer or vertex format (V3D)."),
    # Packed and dot arithmetic
    (r"(s|u|su)dot_(\dx\d+)_([iu])add(_sat)?", "Dot product of packed integers ({1}) added to c."),
    (r"(u[a-z_]+)_4x8(_vc4)?", "{0} on each of four unsigned bytes."),
    ("m?q?sad_.*", "Sum of absolute differences of bytes."),
    # Cube maps and drivers
    ("cube_.*", "Face or coordinates of a cube map lookup for a direction."),
    (r".*_agx", "Operation of Apple hardware."),
)


def describe_opcode(name: str) -> str:
    """What an ALU opcode does, in a sentence; "" for a name that no table has."""
    if opcode(name) is None:
        return ""
    for pattern, text in _opcode_families():
        match = pattern.fullmatch(name)
        if match is not None:
            return _filled(text, match)
    return "An ALU operation."


def describe_intrinsic(name: str) -> str:
    """What an intrinsic does, in a sentence; "" for a name that no table has."""
    entry = intrinsic(name)
    if entry is None:
        return ""
    from nirls.ir.tables.intrinsic_texts import INTRINSIC_FAMILIES, INTRINSIC_TEXTS, VENDORS

    text = INTRINSIC_TEXTS.get(name)
    if text is not None:
        return text
    for pattern, family in INTRINSIC_FAMILIES:
        match = re.fullmatch(pattern, name)
        if match is not None:
            return _filled(family, match)
    vendor = next((title for suffix, title in VENDORS.items() if name.endswith(f"_{suffix}")), "")
    origin = f" of {vendor}" if vendor else ""
    words = name.replace("_", " ")
    if entry.is_sysval:
        return f"System value{origin}: {words.removeprefix('load ')}."
    return f"Intrinsic{origin}: {words}."


@cache
def _opcode_families() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), text) for pattern, text in _OPCODE_FAMILIES)


_PLACEHOLDER = re.compile(r"\{(?:(type|compare|bits):)?(\d)\}")


def _filled(text: str, match: re.Match[str]) -> str:
    def word(found: re.Match[str]) -> str:
        kind, letters = found.group(1), match.group(int(found.group(2)) + 1) or ""
        if kind == "type":
            return _TYPE_WORDS[letters]
        if kind == "compare":
            return _COMPARISON_WORDS[letters]
        if kind == "bits":
            return f" of {letters} bit{'s' * (letters != '1')}" if letters else ""
        return letters or "any"

    filled = _PLACEHOLDER.sub(word, text)
    is_operand = filled[1:2] in (" ", ".")
    return filled if is_operand else filled[:1].upper() + filled[1:]
