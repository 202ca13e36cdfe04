"""Spans say where in a dump something was read from."""

from __future__ import annotations

from nirls.ir.text.parse import parse_dump

TEXT = """shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)  // zéro
               // succs: b1
    block b1:
}
""".encode()


def test_a_span_is_the_text_in_bytes_and_the_line_from_zero() -> None:
    (impl,) = parse_dump(TEXT).impls()
    (instr,) = impl.instrs()
    assert instr.span is not None
    assert TEXT[instr.span.start : instr.span.end] == b"32    %0 = load_const (0x00000000)"
    assert instr.span.line == 5
    end = impl.end_block.span
    assert end is not None
    assert TEXT[end.start : end.end].startswith(b"block b1:")
    assert end.line == 7
