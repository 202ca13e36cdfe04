"""Integer arithmetic in other forms: right ones are not different, wrong ones not equivalent."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader, store

INPUTS = [
    f"32 %{number} = @load_input (%0) (base=0, range=1, component=0, dest_type=uint32,"
    f" io location=VERT_ATTRIB_GENERIC{number} slots=1)"
    for number in (1, 2)
]
WIDE = [
    f"64 %{number} = @load_input (%0) (base=0, range=1, component=0, dest_type=uint64,"
    f" io location=VERT_ATTRIB_GENERIC{number} slots=1)"
    for number in (3, 4)
]


def const(number: int, value: int, size: int = 32) -> str:
    return f"{size} %{number} = load_const (0x{value % (1 << size):0{size // 4}x})"


def computed(lines: tuple[str, ...], size: int = 32) -> Shader:
    """A vertex shader that stores %9, computed of %1 and %2 with 32 bits and %3 and %4 with 64."""
    stored = store("VAR0", "%9").replace("float32", f"uint{size}")
    return shader("VERTEX", ZERO, *INPUTS, *WIDE, *lines, stored)


def divided(op: str, divisor: int) -> tuple[str, ...]:
    return (const(5, divisor), f"32 %9 = {op} %1, %5")


def by_high_product(factor: int, shift: int) -> tuple[str, ...]:
    return const(5, factor), const(6, shift), "32 %7 = umul_high %1, %5", "32 %9 = ushr %7, %6"


def halves(last: str, *lines: str) -> tuple[str, ...]:
    """Operations on the lower halves %10 and %12, and the upper halves %11 and %13."""
    parts = [
        f"32 %{10 + 2 * place + half} = unpack_64_2x32_split_{'xy'[half]} %{3 + place}"
        for place in (0, 1)
        for half in (0, 1)
    ]
    return (*parts, *lines, f"64 %9 = pack_64_2x32_split {last}")


SUM = ("32 %20 = iadd %10, %12", "32 %21 = iadd %11, %13")
CARRY = ("1 %22 = ult %20, %10", "32 %23 = b2i32 %22", "32 %24 = iadd %21, %23")
PRODUCT = ("32 %20 = imul %10, %12", "32 %21 = umul_high %10, %12", "32 %22 = imul %10, %13")
CROSS = ("32 %23 = imul %11, %12", "32 %24 = iadd %21, %22", "32 %25 = iadd %24, %23")
BY_SEVEN = (
    *(const(5, 0x24924925), const(6, 1), const(7, 2), "32 %8 = umul_high %1, %5"),
    *("32 %10 = isub %1, %8", "32 %11 = ushr %10, %6", "32 %12 = iadd %11, %8"),
)
BY_FLOATS = ("32 %5 = u2f32! %1", "32 %6 = u2f32! %2", "32 %7 = fdiv! %5, %6", "32 %9 = f2u32! %7")

RIGHT = {
    "udiv 3": (divided("udiv", 3), by_high_product(0xAAAAAAAB, 1)),
    "udiv 10": (divided("udiv", 10), by_high_product(0xCCCCCCCD, 3)),
    "udiv 7": (divided("udiv", 7), (*BY_SEVEN, "32 %9 = ushr %12, %7")),
    "udiv 16": (divided("udiv", 16), (const(5, 4), "32 %9 = ushr %1, %5")),
    "umod 16": (divided("umod", 16), (const(5, 15), "32 %9 = iand %1, %5")),
    "imod 16": (divided("imod", 16), (const(5, 15), "32 %9 = iand %1, %5")),
    "idiv -1": (divided("idiv", -1), ("32 %9 = ineg %1",)),
    "umod of a variable": (
        ("32 %9 = umod %1, %2",),
        ("32 %5 = udiv %1, %2", "32 %6 = imul %5, %2", "32 %9 = isub %1, %6"),
    ),
    "udiv by 0 guarded": (
        ("32 %9 = udiv %1, %2",),
        (const(5, -1), "1 %6 = ieq %2, %0", "32 %7 = udiv %1, %2", "32 %9 = bcsel %6, %5, %7"),
    ),
    "umod by 0 guarded": (
        ("32 %9 = umod %1, %2",),
        ("1 %6 = ieq %2, %0", "32 %7 = umod %1, %2", "32 %9 = bcsel %6, %1, %7"),
    ),
}
RIGHT_64 = {
    "iadd 64": (("64 %9 = iadd %3, %4",), halves("%20, %24", *SUM, *CARRY)),
    "imul 64": (("64 %9 = imul %3, %4",), halves("%20, %25", *PRODUCT, *CROSS)),
    "ishl 64": ((const(5, 32), "64 %9 = ishl %3, %5"), halves("%0, %10")),
    "ushr 64": ((const(5, 32), "64 %9 = ushr %3, %5"), halves("%11, %0")),
    "mask 64": (
        (const(5, -16, 64), "64 %9 = iand %3, %5"),
        halves("%20, %11", const(5, -16), "32 %20 = iand %10, %5"),
    ),
}
WRONG = {
    "udiv 3, factor one less": (divided("udiv", 3), by_high_product(0xAAAAAAAA, 1)),
    "udiv 10, factor one less": (divided("udiv", 10), by_high_product(0xCCCCCCCC, 3)),
    "udiv 7 without a bit": (
        divided("udiv", 7),
        (const(5, 0x24924925), "32 %9 = umul_high %1, %5"),
    ),
    "udiv 7, factor two less": (
        divided("udiv", 7),
        (const(5, 0x24924923), *BY_SEVEN[1:], "32 %9 = ushr %12, %7"),
    ),
    "udiv 641, by the quotient of 2^32": (divided("udiv", 641), by_high_product(0x100000000 // 641, 0)),
    "idiv 8 by a shift": (divided("idiv", 8), (const(5, 3), "32 %9 = ishr %1, %5")),
    "irem 8 by a mask": (divided("irem", 8), (const(5, 7), "32 %9 = iand %1, %5")),
    "umod 12 by a mask": (divided("umod", 12), (const(5, 11), "32 %9 = iand %1, %5")),
    "division by floats": (("32 %9 = udiv %1, %2",), BY_FLOATS),
    "quotient of a product": (
        (const(5, 3), "32 %6 = imul %1, %5", "32 %9 = udiv %6, %5"),
        ("32 %9 = mov %1",),
    ),
    "upper half, signed": (("32 %9 = umul_high %1, %2",), ("32 %9 = imul_high %1, %2",)),
    "average": (
        ("32 %9 = uhadd %1, %2",),
        (const(5, 1), "32 %6 = iadd %1, %2", "32 %9 = ushr %6, %5"),
    ),
    "a sum that saturates": (("32 %9 = uadd_sat %1, %2",), ("32 %9 = iadd %1, %2",)),
    "24 bits": (("32 %9 = imul %1, %2",), ("32 %9 = umul24 %1, %2",)),
}
WRONG_64 = {
    "iadd 64 without carry": (("64 %9 = iadd %3, %4",), halves("%20, %21", *SUM)),
    "iadd 64, signed carry": (
        ("64 %9 = iadd %3, %4",),
        halves("%20, %24", *SUM, "1 %22 = ilt %20, %10", *CARRY[1:]),
    ),
    "imul 64 without a cross term": (("64 %9 = imul %3, %4",), halves("%20, %24", *PRODUCT, *CROSS[:2])),
    "imul 64, signed upper half": (
        ("64 %9 = imul %3, %4",),
        halves("%20, %25", PRODUCT[0], "32 %21 = imul_high %10, %12", PRODUCT[2], *CROSS),
    ),
    "mask of 32 bits": (
        (const(5, -16, 64), "64 %9 = iand %3, %5"),
        (const(5, 0xFFFFFFF0, 64), "64 %9 = iand %3, %5"),
    ),
    "udiv 64 of the lower halves": (
        ("64 %9 = udiv %3, %4",),
        halves("%20, %0", "32 %20 = udiv %10, %12"),
    ),
    "umax 64 of halves": (
        ("64 %9 = umax %3, %4",),
        halves("%20, %21", "32 %20 = umax %10, %12", "32 %21 = umax %11, %13"),
    ),
    "ishr 64 as ushr": ((const(5, 7), "64 %9 = ishr %3, %5"), (const(5, 7), "64 %9 = ushr %3, %5")),
}


@pytest.mark.parametrize("name", [*RIGHT, *RIGHT_64])
def test_right_forms_are_equivalent(name: str) -> None:
    size = 64 if name in RIGHT_64 else 32
    sides = (computed(lines, size) for lines in (RIGHT_64 if size == 64 else RIGHT)[name])
    assert isinstance(verify_shaders(*sides), Equivalent)


@pytest.mark.parametrize("name", [*WRONG, *WRONG_64])
def test_wrong_forms_are_different(name: str) -> None:
    size = 64 if name in WRONG_64 else 32
    sides = (computed(lines, size) for lines in (WRONG_64 if size == 64 else WRONG)[name])
    assert isinstance(verify_shaders(*sides), Different)
