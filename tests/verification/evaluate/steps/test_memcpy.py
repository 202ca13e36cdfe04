"""Copies of bytes between variables."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.verification.evaluate.shader_text import run, shader_of, store, stored

VECTORS = """\
    decl_var  INTERP_MODE_NONE none vec4 v
    decl_var  INTERP_MODE_NONE none uvec4 u
    decl_var  INTERP_MODE_NONE none uint[4] a
    decl_var  INTERP_MODE_NONE none uint16_t[8] h
    decl_var  INTERP_MODE_NONE none uint64_t[2] d
    decl_var  INTERP_MODE_NONE none vec3 t
"""
TYPES = {"v": "vec4", "u": "uvec4", "a": "uint[4]", "h": "uint16_t[8]", "d": "uint64_t[2]", "t": "vec3"}
SHAPES = {"v": "32x4", "u": "32x4", "a": "32", "h": "16", "d": "64"}


def _deref(number: int, name: str) -> str:
    return f"    32     %{number} = deref_var &{name} (function_temp {TYPES[name]})"


def copying(*lines: str, read: str = "u") -> Shader:
    """A vertex shader that fills `v` and `u` with numbers, runs lines, and stores `read`.

    %10 to %15 are the addresses of the variables, %16 the first element of `a`, %20 to %23 are sizes.
    """
    body = [
        "    block b0:   // preds:",
        "    32     %0 = load_const (0x00000000)",
        "    32x4   %1 = load_const (0x00010002, 0x00030004, 0x00050006, 0x00070008)",
        "    32x4   %2 = load_const (0x000a000b, 0x000c000d, 0x000e000f, 0x00100011)",
        *(_deref(10 + number, name) for number, name in enumerate(TYPES)),
        "    32     %16 = deref_array &(*%12)[0] (function_temp uint)  // &a[0]",
        "    32     %17 = deref_array &(*%12)[1] (function_temp uint)  // &a[1]",
        *(
            f"    32     %{20 + number} = load_const (0x{size:08x})"
            for number, size in enumerate((4, 8, 16, 6))
        ),
        "                @store_deref (%10, %1) (wrmask=xyzw, access=none)",
        "                @store_deref (%11, %2) (wrmask=xyzw, access=none)",
        *(f"                {line}" for line in lines),
    ]
    if read in ("v", "u"):
        body.append(f"    32x4   %30 = @load_deref (%{10 + list(TYPES).index(read)}) (access=none)")
        body += [f"    32     %{31 + row} = mov %30.{'xyzw'[row]}" for row in range(4)]
    else:
        at = 10 + list(TYPES).index(read)
        element = TYPES[read].partition("[")[0]
        for row in range(4):
            index = min(row, 1) if read == "d" else row
            size = SHAPES[read]
            body += [
                f"    32     %{40 + row} = deref_array &(*%{at})[{index}] (function_temp {element})",
                f"    {size}     %{50 + row} = @load_deref (%{40 + row}) (access=none)",
                f"    32     %{31 + row} = {'mov' if size == '32' else 'u2u32'} %{50 + row}",
            ]
    body += [store(str(31 + row), "0", component=row) for row in range(4)]
    return shader_of("\n".join(body), locals_=VECTORS)


def memcpy(to: int, source: int, size: int) -> str:
    return f"@memcpy_deref (%{to}, %{source}, %{size}) (dst_access=0, src_access=0)"


V = [0x00010002, 0x00030004, 0x00050006, 0x00070008]
U = [0x000A000B, 0x000C000D, 0x000E000F, 0x00100011]


@pytest.mark.parametrize(
    ("lines", "read", "expected"),
    [
        ((memcpy(11, 10, 22),), "u", V),
        ((memcpy(11, 10, 21),), "u", [*V[:2], *U[2:]]),
        ((memcpy(11, 10, 23),), "u", [V[0], U[1] & 0xFFFF0000 | V[1] & 0xFFFF, *U[2:]]),
        ((memcpy(12, 10, 22),), "a", V),
        ((memcpy(13, 10, 22),), "h", [2, 1, 4, 3]),
        ((memcpy(14, 10, 22),), "d", [V[0], V[2], V[2], V[2]]),
        ((memcpy(12, 10, 22), memcpy(17, 11, 20)), "a", [V[0], U[0], *V[2:]]),
        ((memcpy(12, 10, 22), memcpy(11, 16, 20)), "u", [V[0], *U[1:]]),
        ((memcpy(14, 10, 22), memcpy(11, 14, 22)), "u", V),
    ],
)
def test_bytes_arrive(lines: tuple[str, ...], read: str, expected: list[int]) -> None:
    result = run(copying(*lines, read=read))
    assert [stored(result, row)[0] for row in range(4)] == expected


def test_a_cast_of_the_address_does_not_matter() -> None:
    casts = (
        f"32     %{to} = deref_cast (uint8_t *)%{at} (function_temp uint8_t)"
        "  (ptr_stride=1, align_mul=0, align_offset=0)"
        for to, at in ((60, 10), (61, 11))
    )
    result = run(copying(*casts, memcpy(61, 60, 22)))
    assert [stored(result, row)[0] for row in range(4)] == V


@pytest.mark.parametrize(
    "lines",
    [
        (memcpy(15, 10, 21),),
        (memcpy(16, 10, 21),),
        (memcpy(11, 10, 2),),
        ("32  %60 = @load_vertex_id_zero_base", memcpy(11, 10, 60)),
    ],
)
def test_copies_whose_layout_or_size_is_not_known_are_unchecked(lines: tuple[str, ...]) -> None:
    changed = copying(*lines, "@store_deref (%10, %2) (wrmask=xyzw, access=none)")
    assert isinstance(verify_shaders(copying(*lines, read="v"), changed), Unchecked)


LOAD = "32x4   %60 = @load_deref (%10) (access=none)"


@pytest.mark.parametrize(
    ("after", "is_right"),
    [
        ((LOAD, "@store_deref (%11, %60) (wrmask=xyzw, access=none)"), True),
        ((LOAD, "@store_deref (%10, %60) (wrmask=xyzw, access=none)"), False),
        ((LOAD, "@store_deref (%11, %60) (wrmask=xyz, access=none)"), False),
        ((memcpy(10, 11, 22),), False),
        ((memcpy(11, 10, 21),), False),
        ((), False),
        ((memcpy(11, 10, 22), memcpy(11, 10, 22)), True),
        ((memcpy(12, 10, 22), memcpy(11, 12, 22)), True),
    ],
)
def test_what_may_replace_a_copy(after: tuple[str, ...], is_right: bool) -> None:
    verdict = verify_shaders(copying(memcpy(11, 10, 22)), copying(*after))
    assert isinstance(verdict, Equivalent if is_right else Different)
