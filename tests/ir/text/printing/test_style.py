"""The habits of a dump, taken from its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.shader import Dialect
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import FunctionStyle, PrintStyle, fresh
from nirls.ir.text.printing.style import digits

HEAD = "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n\nimpl main {\n"


def style_of(*lines: str, newline: str = "\n") -> PrintStyle:
    text = HEAD + "".join([f"{line}\n" for line in lines]) + "}\n"
    return PrintStyle.of(parse_dump(text.replace("\n", newline).encode()))


@pytest.mark.parametrize(
    ("line", "width"),
    [
        ("    32     %7 = undefined", 2),
        ("    32x4   %7 = undefined", 2),
        ("    1      %7 = undefined", 2),
        ("    16x16    %7 = undefined", 4),
        ("    con 32    %7 = undefined", 1),
        ("    32    %123 = undefined", 3),
    ],
)
def test_the_number_column_is_measured(line: str, width: int) -> None:
    style = style_of("    block b0:  // preds:", line)
    assert style.function("main") == FunctionStyle(width, divergence="con" in line)


def test_a_hand_made_function_gets_the_digits_that_mesa_counts() -> None:
    lines = [f"    32 %{i} = undefined" for i in range(10)]
    shader = parse_dump((HEAD + "    block b0:\n" + "\n".join(lines) + "\n}\n").encode())
    shader.source = b""
    assert PrintStyle.of(shader).function("main").number_width == 2


def test_line_ends_and_indentation() -> None:
    style = style_of("\tblock b0:  // preds:", "\t32 %0 = undefined", newline="\r\n")
    assert (style.newline, style.indent) == ("\r\n", "\t")


def test_older_dumps_pad_the_bit_size_or_not() -> None:
    block = "\tblock block_0:\n\t/* preds: */"
    classic = style_of(block, "\tvec1  1 ssa_0 = load_const (true)")
    old = style_of(
        block, "\tvec1 32 ssa_1 = load_const (0x00000000 /* 0.000000 */)", "\tvec1 1 ssa_0 = undefined"
    )
    assert (classic.dialect, classic.bit_size_width) == (Dialect.CLASSIC, 2)
    assert (old.dialect, old.bit_size_width) == (Dialect.OLD, 1)


def test_classic_raw_values_are_remembered() -> None:
    style = style_of(
        "\tblock block_0:",
        "\tvec1 32 ssa_0 = undefined",
        "\tvec1 32 ssa_1 = intrinsic image_load (ssa_0) (image_dim=2D /*1*/, format=r32_float /*64*/)",
    )
    assert style.raw_values == {"image_dim=2D": 1, "format=r32_float": 64}


def test_constants_that_are_not_repeated_stay_so() -> None:
    lines = ["    block b0:  // preds:", "    32  %0 = load_const (0x00000001)"]
    assert not style_of(*lines, "    32  %1 = ineg %0").inline_constants
    assert style_of(*lines, "    32  %1 = ineg %0 (0x1)").inline_constants
    assert style_of(*lines).inline_constants


def test_floats_with_exponents_tell_a_newer_printer() -> None:
    lines = ["    block b0:  // preds:", "    32  %0 = load_const (0x5d5e0b6b = 1.000000e+18)"]
    assert style_of(*lines).exponents


@pytest.mark.parametrize(("number", "count"), [(0, 1), (9, 1), (10, 2), (12345, 5)])
def test_digits(number: int, count: int) -> None:
    assert digits(number) == count


def test_numbers_of_old_positional_indices_are_remembered() -> None:
    style = style_of(
        "\tblock block_0:",
        "\tvec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)",
        "\tintrinsic scoped_barrier () (0, 128) /* mem_semantics=NONE */ /* mem_modes=ssbo */",
    )
    assert (style.dialect, style.raw_values) == (
        Dialect.OLD,
        {"mem_semantics=NONE": 0, "mem_modes=ssbo": 128},
    )


def test_the_first_modern_printers_have_their_habits(data: Path) -> None:
    text = (data / "first_modern.frag.nir").read_bytes()
    shader = parse_dump(text)
    style = PrintStyle.of(shader)
    assert style.space_behind_edges
    assert style.access_numbers
    assert fresh(shader).strip() == text.strip()


def test_a_comment_of_the_newest_printers_is_told_by_its_words_or_by_its_header() -> None:
    lines = ["    block b0:  // preds:", "    32    %0 = load_const (0x00000000)"]
    assert not style_of(*lines, "    32    %1 = fneg! %0 (0x0)").math_control_behind
    assert style_of(*lines, "    32    %1 = fneg %0 (0x0) // exact").math_control_behind
    text = HEAD.replace("decl_", "max_subgroup_size: 128\ndecl_", 1) + "}\n"
    assert PrintStyle.of(parse_dump(text.encode())).math_control_behind
    marked = text.replace("}", "    block b0:\n    32    %0 = undefined\n    32    %1 = fneg! %0\n}")
    assert not PrintStyle.of(parse_dump(marked.encode())).math_control_behind


def test_the_mark_of_values_is_that_of_the_dump() -> None:
    assert style_of("    block b0:  // preds:", "    32    ssa_0 = undefined").value_mark == "ssa_"
    assert style_of("    block b0:  // preds:", "    32    %0 = undefined").value_mark == "%"
