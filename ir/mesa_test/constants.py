"""C++ for constants: floats and integers as a reader wants them, other bits in hexadecimal."""

from __future__ import annotations

import math
import struct
from typing import Final

from nirls.ir.mesa_test.code import Code, def_name
from nirls.ir.model.float_bits import FLOAT_SIZES, float_bits, float_of
from nirls.ir.model.instructions import LoadConstInstr
from nirls.ir.text.printing.constants import FLOAT, INTEGER, signed
from nirls.ir.text.printing.type_inference import ConstantTypes

_LARGEST_DECIMAL: Final = 0xFFFF
_MOST_DIGITS: Final = 17
_FLOAT_VECTORS: Final = (2, 3, 4)


def write_constant(instr: LoadConstInstr, types: ConstantTypes, code: Code) -> None:
    """Write a constant by the shortest function of the builder that has its type."""
    value = instr.def_
    if value is None:
        return
    name = def_name(value)
    size, bits = value.bit_size, instr.values
    convert = "nir_const_value_for_raw_uint"
    if size == 1:
        convert = "nir_const_value_for_bool"
        texts = ["true" if one else "false" for one in bits]
        single = f"nir_imm_{texts[0]}(b)"
    elif _is_float(bits, size, types.of(value)):
        convert = "nir_const_value_for_float"
        texts = [float_literal(one, size) for one in bits]
        single = {16: "nir_imm_float16", 32: "nir_imm_float", 64: "nir_imm_double"}[size] + f"(b, {texts[0]})"
        if size == 32 and len(bits) in _FLOAT_VECTORS:
            code.line(f"nir_def *{name} = nir_imm_vec{len(bits)}(b, {', '.join(texts)});")
            return
    else:
        texts = [_integer(one, size) for one in bits]
        if size == 32:
            single = f"nir_imm_int(b, {texts[0]})"
            if len(bits) in _FLOAT_VECTORS:
                code.line(f"nir_def *{name} = nir_imm_ivec{len(bits)}(b, {', '.join(texts)});")
                return
        else:
            single = f"nir_imm_intN_t(b, {texts[0]}, {size})"
    if len(bits) == 1:
        code.line(f"nir_def *{name} = {single};")
        return
    code.line(f"nir_const_value {name}_values[] = {{")
    with code.indented():
        for text in texts:
            code.line(f"{convert}({text}, {size}),")
    code.line("};")
    code.line(f"nir_def *{name} = nir_build_imm(b, {len(bits)}, {size}, {name}_values);")


def _is_float(bits: tuple[int, ...], size: int, used_as: int) -> bool:
    """Whether all components are written as floats: they are used so, and have a literal."""
    if size not in FLOAT_SIZES or not all(map(math.isfinite, (float_of(one, size) for one in bits))):
        return False
    if used_as in (FLOAT, INTEGER):
        return used_as == FLOAT
    # Unknown or both uses: small bits are integers, a short decimal is a float.
    return any(bits) and all(
        one == 0 or (one >> (size - 8) and len(repr(float_of(one, size))) <= _MOST_DIGITS // 2)
        for one in bits
    )


def float_literal(bits: int, size: int) -> str:
    """Return the shortest literal that is rounded to these bits.

    >>> float_literal(0x3DCCCCCD, 32), float_literal(0x80000000, 32)
    ('0.1f', '-0.0f')
    """
    number = float_of(bits, size)
    for digits in range(1, _MOST_DIGITS + 1):
        text = f"{number:.{digits}g}"
        if _bits_of(text, size) == bits:
            break
    if "e" not in text and "." not in text:
        text = f"{text}.0"
    return text if size == 64 else f"{text}f"


def _bits_of(text: str, size: int) -> int | None:
    """Return the bits of a decimal; None if it is too large for the size."""
    try:
        # A literal with `f` is a float first, also where a half is made of it.
        number = float(text) if size == 64 else struct.unpack("<f", struct.pack("<f", float(text)))[0]
        return float_bits(number, size)
    except OverflowError:
        return None


def _integer(bits: int, size: int) -> str:
    number = signed(bits, size)
    if -_LARGEST_DECIMAL <= number <= _LARGEST_DECIMAL:
        return str(number)
    return f"0x{bits:x}" if size <= 32 else f"0x{bits:x}ull"
