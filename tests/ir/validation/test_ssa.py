from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from tests.passes.shader_text import shader_text

DIAMOND = """
    block b0:  // preds:
    1     %0 = load_const (true)
    32    %1 = load_const (0x3f800000 = 1.000000)
          // succs: b1 b2
    if %0 {{
        block b1:  // preds: b0
        32    %2 = fneg %1
              // succs: b3
    }} else {{
        block b2:  // preds: b0
        32    %3 = fabs %1
              // succs: b3
    }}
    block b3:  // preds: b1 b2
{join}
          // succs: b4
    block b4:
"""


def diamond(join: str) -> str:
    lines = [line.removeprefix("    ") for line in join.strip("\n").splitlines()]
    return DIAMOND.format(join="\n".join(lines))


BAD = [
    (
        "undefined-value",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = fadd %0, %12
                            ^^^
        """,
    ),
    (
        "undefined-value",
        """
        vec1 32 ssa_0 = load_const (0x3f800000 = 1.000000)
        vec1 32 ssa_1 = fadd ssa_12, ssa_0
                             ^^^^^^
        """,
    ),
    (
        "duplicate-value",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %0 = load_const (0x40000000 = 2.000000)
              ^^
        """,
    ),
    (
        "dominance",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = fadd %0, %2
                            ^^
        32    %2 = fneg %0
        """,
    ),
    (
        "dominance",
        diamond("""
        32    %4 = fadd %1, %2
                            ^^
        """),
    ),
    (
        "dominance",
        diamond("""
        32    %4 = phi b1: %3, b2: %3
                           ^^
        """),
    ),
    (
        "phi-sources",
        diamond("""
        32    %4 = phi b1: %2
        ^^^^^^^^^^^^^^^^^^^^^
        """),
    ),
    (
        "phi-sources",
        diamond("""
        32    %4 = phi b1: %2, b2: %3, b0: %1
                                       ^^
        """),
    ),
    (
        "phi-sources",
        diamond("""
        32    %4 = phi b1: %2, b2: %3, b2: %3
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """),
    ),
    (
        "bad-component-count",
        diamond("""
        32x2  %4 = phi b1: %2, b2: %3
                           ^^
                                   ^^
        """),
    ),
    (
        "bad-bit-size",
        diamond("""
        16    %4 = phi b1: %2, b2: %3
                           ^^
                                   ^^
        """),
    ),
    (
        "phi-position",
        diamond("""
        32    %4 = fneg %1
        32    %5 = phi b1: %2, b2: %3
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """),
    ),
    (
        "bad-component-count",
        """
        32x6  %0 = undefined
              ^^
        """,
    ),
    (
        "bad-bit-size",
        """
        24    %0 = undefined
              ^^
        """,
    ),
    (
        "bad-constant",
        """
        32x2  %0 = load_const (0x3f800000 = 1.000000)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "bad-constant",
        """
        16    %0 = load_const (0x3f800000 = 1.000000)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
]

GOOD = [
    diamond("""
        32    %4 = phi b1: %2, b2: %3
        32    %5 = fadd %4, %1
    """),
    # sources may be equal, and come from above the branch
    diamond("""
        32    %4 = phi b2: %1, b1: %1
    """),
    # the phi of a loop reads a value that is defined below it
    """
    block b0:  // preds:
    32    %0 = load_const (0x00000001 = 0.000000)
          // succs: b1
    loop {
        block b1:  // preds: b0 b4
        32    %1 = phi b0: %0, b4: %2
        1     %3 = ieq %1, %0
              // succs: b2 b3
        if %3 {
            block b2:  // preds: b1
            break
            // succs: b5
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b3
        32    %2 = iadd %1, %0
              // succs: b1
    }
    block b5:  // preds: b2
    32    %4 = iadd %1, %0
          // succs: b6
    block b6:
    """,
    """
    32x16 %0 = undefined
    64    %1 = load_const (0xffffffffffffffff = -1)
    1     %2 = load_const (true)
    """,
]


@pytest.mark.parametrize(("code", "body"), BAD)
def test_bad(check, code: str, body: str) -> None:
    check(code, body)


@pytest.mark.parametrize("body", GOOD)
def test_good(check_clean, body: str) -> None:
    check_clean(body)


def test_value_of_a_loop_does_not_reach_above_it(check) -> None:
    check(
        "dominance",
        """
        block b0:  // preds:
        32    %0 = load_const (0x00000001 = 0.000000)
              // succs: b1
        loop {
            block b1:  // preds: b0 b1
            32    %1 = phi b0: %2, b1: %0
                               ^^
            32    %2 = iadd %1, %0
                  // succs: b1
        }
        block b2:  // preds:
              // succs: b3
        block b3:
        """,
    )


def test_condition_is_read_ahead_of_the_if(check) -> None:
    check(
        "dominance",
        """
        block b0:  // preds:
        // succs: b1 b2
        if %0 {
           ^^
            block b1:  // preds: b0
            1     %0 = load_const (true)
            // succs: b3
        } else {
            block b2:  // preds: b0, succs: b3
        }
        block b3:  // preds: b1 b2, succs: b4
        block b4:
        """,
    )


def test_related_place_is_the_first_definition() -> None:
    from nirls.ir.text.parse import parse_dump
    from nirls.ir.validation import validate

    text = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x3f800000 = 1.000000)
    32    %0 = load_const (0x40000000 = 2.000000)
          // succs: b1
    block b1:
}
"""
    (problem,) = validate(parse_dump(text))
    (related,) = problem.related
    assert text[related.place.start : related.place.end].startswith(b"32    %0 = load_const (0x3f")
    assert related.message == "%0 is defined here first"


@pytest.mark.parametrize(
    ("between", "where"), [([], " (1 line below)"), (["32 %5 = load_const (0x00000000)"], " (2 lines below)")]
)
def test_use_above_the_definition_in_one_block(between: list[str], where: str) -> None:
    lines = ["32 %0 = load_const (0x3f800000)", "32 %1 = fadd %0, %2", *between, "32 %2 = fneg %0"]
    (problem,) = validate(parse_dump(shader_text("VERTEX", *lines).encode()))
    assert (problem.code, problem.message) == ("dominance", f"%2 is used before its definition{where}")


def test_use_in_its_own_definition() -> None:
    (problem,) = validate(parse_dump(shader_text("VERTEX", "32 %0 = fneg %0").encode()))
    assert problem.message == "%0 is used before its definition"
