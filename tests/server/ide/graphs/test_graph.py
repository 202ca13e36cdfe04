from __future__ import annotations

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.span import Span
from nirls.server.ide.graphs.graph import LONGEST_LINE, NodePlace, cut, instr_text, place_of, texts_of
from tests.passes.shader_text import ONE, ZERO, shader


def test_places() -> None:
    assert place_of(None) is None
    assert place_of(Span(3, 9, 1), 2) == NodePlace(3, 9, 1, 2)


def test_long_lines_are_cut() -> None:
    assert cut("a  b\t c") == "a b c"
    assert len(cut("x" * 500)) == LONGEST_LINE


def test_many_lines_are_counted() -> None:
    assert texts_of(["a", "b"], 2) == ("a", "b")
    assert texts_of(["a", "b", "c", "d"], 3) == ("a", "b", "… 2 more")


def test_the_text_of_the_dump_without_comment_and_columns() -> None:
    parsed = shader("VERTEX", f"{ZERO}  // </script>", ONE)
    (impl,) = parsed.impls()
    assert [instr_text(parsed, instr) for instr in impl.instrs()] == [
        "32 %0 = load_const (0x00000000 = 0.000000)",
        "32 %1 = load_const (0x3f800000 = 1.000000)",
    ]


def test_an_instruction_without_text() -> None:
    parsed = clone_shader(shader("VERTEX", ZERO))
    (instr,) = next(parsed.impls()).instrs()
    instr.span = None
    assert instr_text(parsed, instr) == "<LoadConstInstr %0 load_const>"
