"""Dumps that are cut off, or mixed with others."""

import pytest

from nirls.ir.text.parse import dump_texts, parse_dump
from nirls.ir.validation import validate

DUMP = """shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:    // preds:
    1       %0 = load_const (true)
                 // succs: b1 b2
    if %0 {
        block b1:    // preds: b0
        32      %1 = load_const (0x00000001)
                     // succs: b3
    } else {
        block b2:    // preds: b0, succs: b3
    }
    block b3:    // preds: b1 b2
    32      %2 = load_const (0x00000002)
    32      %3 = load_const (0x00000003)
                 // succs: b4
    block b4:
}
"""


def damaged_line(text: str) -> int | None:
    damage = parse_dump(text.encode()).damage
    return None if damage is None else damage.span.line + 1


def cut(line: int) -> str:
    return "".join(DUMP.splitlines(keepends=True)[:line])


def with_lines(number: int, lines: list[str]) -> str:
    old = DUMP.splitlines()
    return "\n".join([*old[:number], *lines, *old[number:]]) + "\n"


@pytest.mark.parametrize("line", [7, 10, 14, 17, 19])
def test_a_dump_that_is_cut_off_breaks_at_its_last_line(line: int) -> None:
    assert damaged_line(cut(line)) == line


def test_text_of_another_thread_breaks_a_dump_where_it_starts() -> None:
    foreign = ["    32     %9 = iadd %1, SHADER KEY", "  opt.prefer_mono = 0", "  opt.inline = 0"]
    assert damaged_line(with_lines(10, foreign)) == 11


def test_instructions_of_another_thread_break_a_dump_at_the_first_of_them() -> None:
    lines = DUMP.splitlines()
    other = ["32      %7 = load_const (0x00000004)", *lines[14:18], *lines[4:7], *lines[14:18]]
    assert damaged_line(with_lines(10, [f"    {line.strip()}" for line in other])) == 11


@pytest.mark.parametrize("line", ["nonsense", "    32     %9 = iadd %1,", "    32     %1 = undefined"])
def test_a_typing_error_is_no_damage(line: str) -> None:
    assert damaged_line(DUMP) is None
    assert damaged_line(with_lines(10, [line])) is None


def repeated(times: int, indentation: str = "    ") -> str:
    """The dump with its first instructions again, as blocks of the same number."""
    again = [f"{indentation}block b1:    // preds: b0", f"{indentation}32      %1 = load_const (0x00000001)"]
    return with_lines(18, again * times)


def test_repeated_blocks_alone_are_no_damage() -> None:
    assert damaged_line(repeated(4)) is None
    codes = [problem.code for problem in validate(parse_dump(repeated(4).encode()))]
    assert codes.count("duplicate-block") == 4


def test_repeated_blocks_with_text_of_another_writer_are_damage() -> None:
    assert damaged_line(
        repeated(4).replace("    32      %3 = load_const (0x000", "    32      %3 = load_cSHADER KEY")
    )
    shifted = repeated(4).replace("    32      %3", "            32      %3")
    assert damaged_line(shifted) == 17


def test_a_dump_without_indentation_is_whole() -> None:
    lines = [line.strip() for line in DUMP.splitlines()]
    text = "\n".join(["// before", *lines, "after"]) + "\n"
    (only,) = dump_texts(text.encode())
    assert only.decode() == text[text.index("shader:") : text.index("after")]
    assert parse_dump(only).damage is None
    assert not validate(parse_dump(only))


def test_a_damaged_dump_has_one_problem() -> None:
    text = cut(14)
    (problem,) = validate(parse_dump(text.encode()))
    assert (problem.code, text.count("\n", 0, problem.place.start) + 1) == ("damaged-dump", 14)
