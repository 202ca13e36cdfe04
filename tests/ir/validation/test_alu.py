from __future__ import annotations

import pytest

BAD = [
    (
        "bad-source-count",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = fadd %0
        ^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "bad-bit-size",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        16    %1 = load_const (0x3c00 = 1.000000)
        32    %2 = fadd %0, %1
                            ^^
        """,
    ),
    (
        "bad-bit-size",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = flt %0, %0
              ^^
        """,
    ),
    (
        "bad-bit-size",
        """
        8     %0 = load_const (0x01 = 1)
        8     %1 = fneg %0
                        ^^
        """,
    ),
    (
        "bad-bit-size",
        """
        32    %0 = load_const (0x00000001 = 0.000000)
        32    %1 = bcsel %0, %0, %0
                         ^^
        """,
    ),
    (
        "bad-component-count",
        """
        32x2  %0 = load_const (0x3f800000, 0x3f800000) = (1.000000, 1.000000)
        32x3  %1 = fadd %0.xyx, %0
                                ^^
        """,
    ),
    (
        "bad-component-count",
        """
        32x3  %0 = load_const (0x3f800000, 0x3f800000, 0x3f800000) = (1.0, 1.0, 1.0)
        32x2  %1 = fdot3 %0, %0
              ^^
        """,
    ),
    (
        "bad-swizzle",
        """
        32x2  %0 = load_const (0x3f800000, 0x3f800000) = (1.000000, 1.000000)
        32    %1 = fneg %0.z
                        ^^
        """,
    ),
    (
        "bad-swizzle",
        """
        vec1 32 ssa_0 = load_const (0x3f800000 = 1.000000)
        vec2 32 ssa_1 = fadd ssa_0.xy, ssa_0.xx
                             ^^^^^
        """,
    ),
    (
        "bad-modifier",
        """
        vec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
        vec1 32 ssa_1 = iadd.sat ssa_0, ssa_0
                ^^^^^
        """,
    ),
    (
        "constant-required",
        """
        32    %0 = load_const (0x00000004 = 0.000000)
        32    %1 = extract_u8 %0, %0
                                  ^^
        """,
    ),
]

GOOD = [
    # all sources and the result agree
    """
    16    %0 = load_const (0x3c00 = 1.000000)
    16    %1 = fadd %0, %0
    """,
    # conversions change the size
    """
    32    %0 = load_const (0x3f800000 = 1.000000)
    16    %1 = f2f16 %0
    1     %2 = flt %0, %0
    32    %3 = b2f32 %2
    32    %4 = bcsel %2, %0, %3
    """,
    # a shift amount has 32 bits whatever is shifted
    """
    64    %0 = load_const (0x0000000000000001 = 1)
    32    %1 = load_const (0x00000001 = 0.000000)
    64    %2 = ishl %0, %1
    """,
    """
    32x4  %0 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000) = (0, 0, 0, 0)
    32    %1 = fdot3 %0.xyz, %0.wzy
    32x2  %2 = vec2 %1, %0.w
    """,
    """
    32    %0 = load_const (0x00000003 = 0.000000)
    32    %1 = extract_u8 %0, %0
    """,
    # booleans had 32 bits before 2019
    """
    vec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
    vec1 32 ssa_1 = flt ssa_0, ssa_0
    vec1 32 ssa_2 = bcsel ssa_1, ssa_0, -ssa_0
    vec1 32 ssa_3 = fadd.sat ssa_2, abs(ssa_0)
    """,
    """
    vec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
    vec1 32 ssa_1 = imov ssa_0
    vec1 32 ssa_2 = fne ssa_1, ssa_0
    vec1 32 ssa_3 = b2f ssa_2
    """,
]

# Printers left out an identity swizzle, of wider values too, until 2019.
GOOD.append(
    """
    vec4 32 ssa_0 = load_const (0x0 /* 0.0 */, 0x0 /* 0.0 */, 0x0 /* 0.0 */, 0x0 /* 0.0 */)
    vec3 32 ssa_1 = fadd ssa_0, ssa_0.wxy
    vec1 32 ssa_2 = flt ssa_1, ssa_0.w
    """
)


@pytest.mark.parametrize(("code", "body"), BAD)
def test_bad(check, code: str, body: str) -> None:
    # The tables alone say how many sources there are, and how many components a fixed size has.
    is_of_the_tables = code in ("bad-source-count", "constant-required") or "fdot3" in body
    check(code, body, severity="warning" if is_of_the_tables else "error")


@pytest.mark.parametrize("body", GOOD)
def test_good(check_clean, body: str) -> None:
    check_clean(body)


def test_piece_from_a_computed_number_is_suspicious(check) -> None:
    check(
        "constant-required",
        """
        32    %0 = load_const (0x00000001 = 0.000000)
        32    %1 = iadd %0, %0
        32    %2 = extract_u8 %0, %1
                                  ^^
        """,
        severity="warning",
    )


def test_undefined_source_does_not_cascade(check) -> None:
    check(
        "undefined-value",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = fadd %0, %7
                            ^^
        32    %2 = fadd %1, %0
        """,
    )
