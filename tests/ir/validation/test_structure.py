from __future__ import annotations

import pytest

from nirls.ir.finding import Severity
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import defect_of, validate

BAD = [
    (
        "bad-jump",
        """
        block b0:  // preds:
        break
        ^^^^^
        // succs: b1
        block b1:
        """,
    ),
    (
        "bad-jump",
        """
        block b0:  // preds:
        continue
        ^^^^^^^^
        // succs: b1
        block b1:
        """,
    ),
    (
        "bad-jump",
        """
        block b0:  // preds:
        return
        ^^^^^^
        32    %0 = undefined
        // succs: b1
        block b1:
        """,
    ),
    (
        "bad-control-flow",
        """
        block b0:  // preds:
        // succs: b1
        block b1:  // preds: b0
        ^^^^^^^^^^^^^^^^^^^^^^^
        // succs: b2
        block b2:
        """,
    ),
    (
        "bad-condition",
        """
        block b0:  // preds:
        1x2   %0 = undefined
        // succs: b1 b2
        if %0 {
           ^^
            block b1:  // preds: b0, succs: b3
        } else {
            block b2:  // preds: b0, succs: b3
        }
        block b3:  // preds: b1 b2, succs: b4
        block b4:
        """,
    ),
    (
        "bad-condition",
        """
        block b0:  // preds:
        64    %0 = undefined
        // succs: b1 b2
        if %0 {
           ^^
            block b1:  // preds: b0, succs: b3
        } else {
            block b2:  // preds: b0, succs: b3
        }
        block b3:  // preds: b1 b2, succs: b4
        block b4:
        """,
    ),
]

GOOD = [
    # break and continue in the branches of an if in a loop; what follows the if is not reached
    """
    block b0:  // preds:
    1     %0 = undefined
    // succs: b1
    loop {
        block b1:  // preds: b0 b3 b4
        // succs: b2 b3
        if %0 {
            block b2:  // preds: b1
            break
            // succs: b5
        } else {
            block b3:  // preds: b1
            continue
            // succs: b1
        }
        block b4:  // preds:
        // succs: b1
    }
    block b5:  // preds: b2
    return
    // succs: b6
    block b6:
    """,
    # lowered booleans
    """
    block b0:  // preds:
    32    %0 = undefined
    // succs: b1 b2
    if %0 {
        block b1:  // preds: b0, succs: b3
    } else {
        block b2:  // preds: b0
        halt
        // succs: b4
    }
    block b3:  // preds: b1, succs: b4
    block b4:
    """,
]


@pytest.mark.parametrize(("code", "body"), BAD)
def test_bad(check, code: str, body: str) -> None:
    check(code, body)


@pytest.mark.parametrize("body", GOOD)
def test_good(check_clean, body: str) -> None:
    check_clean(body)


def test_wrong_predecessors(check) -> None:
    check(
        "stale-predecessors",
        """
        block b0:  // preds:
        // succs: b1
        loop {
            block b1:  // preds: b0
            ^^^^^^^^^^^^^^^^^^^^^^^
            // succs: b1
        }
        block b2:  // preds:
        // succs: b3
        block b3:
        """,
    )


def test_endless_loop_may_state_an_edge_behind_it(check_clean) -> None:
    check_clean(
        """
        block b0:  // preds:
        // succs: b1
        loop {
            block b1:  // preds: b0 b1
            // succs: b1 b2
        }
        block b2:  // preds: b1
        // succs: b3
        block b3:
        """,
    )


def test_code_outside_of_any_block_of_a_paste(check) -> None:
    check(
        "bad-control-flow",
        """
        block b0:  // preds:
        // succs:
        loop {
            32     %1 = load_const (0x00000001)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            break
        }
        block b2:  // preds:
        // succs: b3
        block b3:
        """,
        severity="warning",
    )


def test_block_number_used_twice(check) -> None:
    check(
        "duplicate-block",
        """
        block b0:  // preds:
        1     %0 = undefined
        // succs: b1 b1
        if %0 {
            block b1:  // preds: b0, succs: b3
        } else {
            block b1:  // preds: b0, succs: b3
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        }
        block b3:  // preds: b1, succs: b4
        block b4:
        """,
    )


def test_wrong_successors(check) -> None:
    check(
        "stale-successors",
        """
        block b0:  // preds:
        // succs: b2
        ^^^^^^^^^^^^
        block b1:
        """,
    )


def test_missing_label_of_the_end_block() -> None:
    body = "    block b0:  // preds:\n    // succs: b1\n    block b1:\n"
    text = f"shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\nimpl main {{\n{body}}}\n"
    assert validate(parse_dump(text.encode())) == []
    without = parse_dump(text.replace("    block b1:\n", "").encode())
    (found,) = validate(without)
    assert (found.code, found.severity) == ("stale-successors", Severity.WARNING)
    assert found.message == "b0 leads to b1, which is missing"
    excerpt = text.replace("decl_function main () (entrypoint)\n", "").replace("    block b1:\n", "")
    assert validate(parse_dump(excerpt.encode())) == []


def test_a_paste_without_block_lines_has_no_edges_to_check() -> None:
    text = "shader: MESA_SHADER_FRAGMENT\nimpl main {\n    32 %0 = undefined\n    // succs: b1 b2\n}\n"
    shader = parse_dump(text.encode())
    assert [problem.message for problem in validate(shader)] == ["instruction outside of any block"]
    assert defect_of(shader) == "instruction outside of any block"
