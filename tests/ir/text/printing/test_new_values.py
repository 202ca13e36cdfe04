"""Divergence of values that a pass added."""

from __future__ import annotations

from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import print_shader

TEXT = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    con block b0:       // preds:
    div 32x4   %0 = @load_frag_coord
    con 32     %1 = load_const (0x3f800000 = 1.000000)
                    // succs: b1
    block b1:
}
"""


def test_new_values_say_what_follows_from_their_operands() -> None:
    shader = clone_shader(parse_dump(TEXT))
    impl = shader.entrypoint
    assert impl is not None
    coord, one = impl.defs()
    builder = Builder(impl, impl.start_block)
    builder.next_index = 12
    builder.alu("fneg", [coord], 4, 32)
    builder.alu("fneg", [one], 1, 32)
    loaded = builder.intrinsic("load_sample_id", [], {}, 1).def_
    assert loaded is not None
    builder.alu("ineg", [loaded], 1, 32)
    text = print_shader(shader).decode()
    assert "    div 32x4  %12 = fneg %0\n" in text
    assert "    con 32    %13 = fneg %1 (1.000000)\n" in text
    assert "        32    %14 = @load_sample_id\n" in text
    assert "        32    %15 = ineg %14\n" in text


def test_values_that_have_no_word_in_the_dump_keep_their_lines() -> None:
    text = TEXT.replace(b"con 32     %1", b"    32     %1")
    assert print_shader(parse_dump(text)) == text
    assert print_shader(clone_shader(parse_dump(text))) == text
