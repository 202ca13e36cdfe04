from __future__ import annotations

from nirls.ir.model.clone import clone_shader
from nirls.server.ide.graphs.instr_text import instr_text
from tests.passes.shader_text import ONE, ZERO, shader


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
