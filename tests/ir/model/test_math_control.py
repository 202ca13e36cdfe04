"""What float results must be kept, and a dump of the printer that says so behind operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.instructions import AluInstr, CallInstr, IntrinsicInstr
from nirls.ir.model.math_control import control_text, leading_words, stricter, words_of_comment
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import print_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.validation import validate

DUMP = (Path(__file__).resolve().parents[2] / "data" / "newest_printer.comp.nir").read_bytes()


def alu(shader: Shader, number: int) -> AluInstr:
    values = [value for impl in shader.impls() for value in impl.defs() if value.index == number]
    found = values[-1].instr
    assert isinstance(found, AluInstr)
    return found


@pytest.mark.parametrize(
    ("comment", "words", "rest"),
    [
        ("// exact", {"exact"}, ""),
        ("// preserve:sz", {"preserve:sz"}, ""),
        (
            "// no-contract, preserve:sz,inf,nan",
            {"no-contract", "preserve:sz", "preserve:inf", "preserve:nan"},
            "",
        ),
        ("// exact, preserve:nan and a remark", {"exact", "preserve:nan"}, "and a remark"),
        ("// exact  // and another", {"exact"}, "and another"),
        ("// exactly so", set(), "exactly so"),
        ("// Color", set(), "Color"),
        ("/* exact */", set(), ""),
        (None, set(), ""),
    ],
)
def test_words_of_a_comment(comment: str | None, words: set[str], rest: str) -> None:
    assert words_of_comment(comment) == (words, rest)


def test_words_are_printed_in_the_order_of_mesa() -> None:
    words, _ = leading_words("no-reassoc, preserve:sz,nan")
    assert control_text(words) == "no-reassoc, preserve:sz,nan"
    mixed = frozenset(("nsw", "preserve:nan", "exact", "preserve:inf"))
    assert control_text(mixed) == "exact, preserve:inf,nan"
    assert control_text(frozenset(("nsw",))) == ""


def test_two_different_demands_are_met_by_exact() -> None:
    both = stricter(frozenset(("no-contract", "preserve:sz")), frozenset(("no-reassoc", "nuw")))
    assert both == {"exact", "preserve:sz"}
    assert stricter(frozenset(("no-contract",)), frozenset()) == {"no-contract"}


def test_a_dump_of_the_newest_printer_is_read_and_printed_from_the_ir_alone() -> None:
    shader = parse_dump(DUMP)
    assert not shader.unreadable
    assert [problem.message for problem in validate(shader)] == []
    assert fresh(shader).strip() == DUMP.strip()


def test_so_is_one_that_debug_info_was_gathered_from() -> None:
    text = DUMP.replace(b"%", b"ssa_")
    assert fresh(parse_dump(text)).strip() == text.strip()


def test_demands_are_in_the_ir() -> None:
    shader = parse_dump(DUMP)
    assert alu(shader, 3).exact
    assert alu(shader, 4).exact
    assert not alu(shader, 6).exact
    assert alu(shader, 6).flags == {"preserve:sz", "preserve:inf", "preserve:nan"}
    assert alu(shader, 7).flags == {"exact", "nsw"}
    indices = {
        instr.name: instr.indices
        for impl in shader.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr)
    }
    assert indices["reduce"]["fp_math_ctrl"] == "exact, preserve:sz,inf,nan"
    assert indices["inclusive_scan"] == {"reduction_op": "fadd", "fp_math_ctrl": "fp-fast-math"}


def test_a_changed_demand_replaces_the_comment() -> None:
    shader = parse_dump(DUMP)
    operation = alu(shader, 4)
    operation.flags = frozenset(("exact", "preserve:nan"))
    printed = print_shader(shader)
    assert b"= fmul %3, %3 // exact, preserve:nan\n" in printed
    assert printed.replace(b"// exact, preserve:nan\n", b"// no-contract\n", 1) == DUMP


def test_calls_keep_their_word_and_their_pointer() -> None:
    calls = [
        instr for impl in parse_dump(DUMP).impls() for instr in impl.instrs() if isinstance(instr, CallInstr)
    ]
    assert [(call.op, call.is_indirect, len(call.arguments)) for call in calls] == [
        ("call", False, 3),
        ("call", True, 3),
        ("cmat_call_per_element", False, 2),
    ]


def test_a_changed_line_keeps_its_demand_and_the_remark_behind_it() -> None:
    text = DUMP.replace(b"= fmul %3, %3 // no-contract", b"= fmul %3, %3 // no-contract mine")
    for _ in range(2):
        shader = parse_dump(text)
        operation = alu(shader, 4)
        operation.sources[1].set_def(operation.sources[0].def_)
        operation.op = "fadd" if operation.op == "fmul" else "fmul"
        text = print_shader(shader)
        assert text.count(b"// no-contract") == 1
        assert b"// mine\n" in text
        assert b"// //" not in text
