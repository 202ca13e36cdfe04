"""A line read from the cache is the line read anew, whatever the numbers of its values are."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import DerefInstr, Instr, LoadConstInstr, PhiInstr
from nirls.ir.text.lowering import tree
from nirls.ir.text.lowering.known_lines import KnownLines, split_line
from nirls.ir.text.lowering.records import LineRecord, UndefRecord
from nirls.ir.text.parse import parse_dump
from tests.ir.text.lowering.test_lines import line_of

DUMP = "shader: MESA_SHADER_COMPUTE\nimpl main {\n    block b0:\n%s\n}\n"
RECORD = LineRecord(UndefRecord(None), 10, None)

LINES = (
    "32x4  %{0} = fadd! %{1}.xxyz, %{2} (1.0, 2.0).yyxx",
    "32    %{0} = fmul %{1}, %{1}",
    "con 32    %{0}.color = fneg %{1}.color.y",
    "vec1 32 ssa_{0} = fadd -ssa_{1}.x, abs(ssa_{2}.w)",
    "32x4  %{0} = @load_input (%{1}, %{2} (0x0)) (base=0, range=1, component=0, dest_type=float32)",
    "vec4 32 ssa_{0} = intrinsic load_ubo (ssa_{1}, ssa_{2}) (0, 4) /* access=0 */ /* align_mul=4 */",
    "32    %{0} = phi b0: %{1}, b7: %{2}",
    "goto b1 if %{0} else b2",
    "r0.xy = fadd r1[2 + ssa_{0}].xy, ssa_{1}.zw",
    "r3[2 + ssa_{0}].x = mov ssa_{1}.x",
    "32    %{0} = deref_array &(*%{1})[%{2}] (shader_out float)  // &(*%{1})[%{2}]",
    "32    %{0} = deref_var &ssa_{1} (function_temp float)",
    "32x4  %{0} = (float32)tex %{1} (coord), %{2} (lod), 0 (texture), 0 (sampler)",
    "32    %{0} = load_const (0x3f800000 = 1.000000)",
    "call helper %{0}, %{1}",
    "32    %{0} = fneg %{1}  // %{2} is commented",
    "32    %{0} = fneg %9999999999999999999",
)


def read(known: KnownLines, *lines: bytes) -> int:
    """Read the lines of a dump; return the number of misses."""
    known.begin_dump()
    missed = [line for line in lines if known.get(line) is None]
    for line in missed:
        known.add(line, RECORD._replace(length=len(line)))
    return len(missed)


def described(instr: Instr) -> object:
    """Everything about an instruction that its line states."""
    fields = [
        (name, getattr(instr, name))
        for name in (
            "op",
            "name",
            "flags",
            "values",
            "indices",
            "jump_kind",
            "callee",
            "deref_kind",
            "var_name",
        )
        if hasattr(instr, name)
    ]
    srcs = [
        (
            src.def_ and src.def_.index,
            src.reg and src.reg.index,
            src.reg_offset,
            getattr(src, "swizzle", None),
        )
        for src in instr.all_srcs()
    ]
    dest = instr.reg_dest and (instr.reg_dest.reg.index, instr.reg_dest.write_mask, instr.reg_dest.offset)
    defs = [(value.index, value.num_components, value.bit_size, value.name) for value in instr.defs()]
    return type(instr), fields, srcs, dest, defs, instr.span, instr.comment


def parsed(line: str) -> list[object]:
    shader = parse_dump((DUMP % f"        {line}").encode())
    return [described(instr) for impl in shader.impls() for instr in impl.instrs()]


@pytest.mark.parametrize("line", LINES)
def test_a_known_line_is_read_as_an_unknown_one(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that differ, repeat, are in another order or have more digits."""
    for numbers in ((3, 1, 2), (7, 7, 7), (2, 5, 2), (1, 3, 7), (1200, 41, 0)):
        text = line.format(*numbers)
        monkeypatch.setattr(tree, "_LINES", KnownLines())
        fresh = parsed(text)
        assert fresh
        monkeypatch.setattr(tree, "_LINES", KnownLines())
        parsed(line.format(3, 1, 2))
        assert parsed(text) == fresh


def test_one_record_serves_all_lines_of_a_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownLines()
    monkeypatch.setattr(tree, "_LINES", known)
    body = "\n".join(
        f"        32 {' ' * (each % 3)} %{each + 1} = fadd %{each} (0.{each}, -{each}e+05).y, %{7 * each}"
        for each in range(10, 90)
    )
    parse_dump((DUMP % body).encode())
    assert len(known.patterns) == 1


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("32 %3 = fadd %1 (0.5).y, %2", "32 %3 = fadd %1.y, %2"),
        ("32 %3 = fadd %1 (0.5), %2", "32 %3 = fadd %1, %2"),
        ("32 %3 = fadd %1, %2", "32 ssa_3 = fadd ssa_1, ssa_2"),
        ("32 %3 = fadd %1, %2", "con 32 %3 = fadd %1, %2"),
        ("32 %3 = fadd %1, %2", "32 %3 = fadd %1, %2  // %2"),
        ("32 %3 = load_const (0x1)", "32 %3 = load_const (0x2)"),
    ],
)
def test_lines_of_other_records_have_other_patterns(line: str, other: str) -> None:
    assert split_line(line.encode())[0] != split_line(other.encode())[0]


def test_numbers_outside_of_operands_are_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_LINES", KnownLines())
    body = "\n".join(
        f"        32    %{index} = deref_var &ssa_{index + 5} (function_temp float)" for index in range(2)
    )
    shader = parse_dump((DUMP % body).encode())
    names = [
        instr.var_name for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, DerefInstr)
    ]
    assert names == ["ssa_5", "ssa_6"]


def test_a_line_is_read_once() -> None:
    known = KnownLines()
    assert read(known, b"one", b"two") == 2
    assert read(known, b"two", b"three", b"one") == 1


def test_what_each_dump_repeats_stays_and_all_else_goes() -> None:
    known = KnownLines(most=100)
    for number in range(200):
        assert read(known, b"repeated", b"line %d" % number) == 1 + (number == 0)
        assert len(known.lines) < 40
    assert known.get(b"line 3") is None


def test_a_dump_of_any_size_is_known_when_it_is_read_again() -> None:
    known = KnownLines(most=100)
    lines = [b"line %d" % number for number in range(1000)]
    assert read(known, *lines) == 1000
    assert read(known, *lines[:500], b"edited", *lines[501:]) == 1
    assert read(known, *lines[:500], b"edited", *lines[501:]) == 0


@pytest.mark.sweep
def test_dumps_that_are_read_for_ever_take_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownLines(most=1000)
    monkeypatch.setattr(tree, "_LINES", known)
    for number in range(100):
        lines = "\n".join(
            f"        32    %{index} = load_const ({number * 100 + index})" for index in range(100)
        )
        shader = parse_dump((DUMP % lines).encode())
        assert (
            sum(isinstance(instr, LoadConstInstr) for impl in shader.impls() for instr in impl.instrs())
            == 100
        )
    assert len(known.lines) <= 200
    assert len(known.patterns) <= 200


def test_phis_read_the_values_of_their_own_line() -> None:
    lines = "        32    %5 = phi b0: %1, b7: %2\n        32    %6 = phi b0: %3, b7: %4"
    shader = parse_dump((DUMP % lines).encode())
    phis = [instr for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, PhiInstr)]
    assert [[src.ssa.index for src in phi.srcs()] for phi in phis] == [[1, 2], [3, 4]]


def test_annotations_are_noted_in_the_record() -> None:
    assert not line_of("32 %1 = fneg %0").is_annotated
