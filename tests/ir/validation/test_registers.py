from __future__ import annotations

import textwrap

import pytest

BAD = [
    (
        "bad-register",
        """
        vec1 32 ssa_0 = fneg r7.x
                             ^^
        """,
    ),
    (
        "bad-swizzle",
        """
        vec1 32 ssa_0 = fneg r0.z
                             ^^
        """,
    ),
    (
        "bad-register",
        """
        vec1 32 ssa_0 = fneg r1[4]
                             ^^
        """,
    ),
]

GOOD = [
    """
    vec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
    r0.x = fneg ssa_0
    r0.xy = fadd r0, ssa_0.xx
    vec1 32 ssa_1 = fneg r1[3]
    """,
]


def classic(body: str) -> str:
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return (
        "shader: MESA_SHADER_FRAGMENT\ndecl_function main (0 params)\n\nimpl main {\n"
        "    decl_reg vec2 32 r0\n    decl_reg vec1 32 r1[4]\n"
        f"    block block_0:\n    /* preds: */\n{lines}\n"
        "    /* succs: block_1 */\n    block block_1:\n}\n"
    )


@pytest.mark.parametrize(("code", "body"), BAD)
def test_bad(check, code: str, body: str) -> None:
    check(code, classic(body))


@pytest.mark.parametrize("body", GOOD)
def test_good(check_clean, body: str) -> None:
    check_clean(classic(body))


def test_write_mask_beyond_the_register(check) -> None:
    check(
        "bad-write-mask",
        classic(
            """
            vec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
            r0.z = fneg ssa_0
            ^^^^^^^^^^^^^^^^^
            """
        ),
    )


def test_register_of_other_sizes(check) -> None:
    check(
        "bad-register",
        """
        32    %0 = @decl_reg () (num_components=1, bit_size=32, num_array_elems=0, divergent=0)
        32x2  %1 = @load_reg (%0) (base=0, legacy_fabs=0, legacy_fneg=0)
                              ^^
        """,
    )


@pytest.mark.parametrize(
    ("code", "sizes"),
    [
        ("bad-component-count", "num_components=255, bit_size=32"),
        ("bad-bit-size", "num_components=1, bit_size=7"),
    ],
)
def test_declaration_of_invalid_sizes(check, code: str, sizes: str) -> None:
    line = f"32    %0 = @decl_reg () ({sizes}, num_array_elems=0, divergent=0)"
    check(code, f"{line}\n{'^' * len(line)}")


def test_handle_that_is_no_register(check) -> None:
    check(
        "bad-register",
        """
        32    %0 = undefined
        32    %1 = @load_reg (%0) (base=0, legacy_fabs=0, legacy_fneg=0)
                              ^^
        """,
    )


def test_register_read_and_written(check_clean) -> None:
    check_clean(
        """
        32    %0 = @decl_reg () (num_components=2, bit_size=32, num_array_elems=0, divergent=0)
        32x2  %1 = @load_reg (%0) (base=0, legacy_fabs=0, legacy_fneg=0)
        @store_reg (%1, %0) (base=0, wrmask=xy, legacy_fsat=0)
        """
    )
