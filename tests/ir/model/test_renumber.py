from __future__ import annotations

from nirls.ir.model.renumber import renumber
from nirls.ir.text.parse import parse_dump

TEXT = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b4:  // preds:
    1     %30 = load_const (true)
               // succs: b6 b7
    if %30 {
        block b6:  // preds: b4
        32    %20 = load_const (0x00000001)
        // succs: b9
    } else {
        block b7:  // preds: b4, succs: b9
    }
    block b9:  // preds: b6 b7
    32    %7 = phi b6: %20, b7: %99
    32    %8 = iadd %7, %7
               // succs: b10
    block b10:
}
"""


def test_values_and_blocks_are_numbered_in_printed_order() -> None:
    shader = parse_dump(TEXT)
    renumber(shader)
    (impl,) = shader.impls()
    assert [value.index for value in impl.defs()] == [0, 1, 2, 3]
    assert [value.index for value in impl.undefined_references] == [4]
    assert [block.index for block in impl.blocks()] == [0, 1, 2, 3]
    assert impl.end_block.index == 4
    assert {pred.index for pred in impl.blocks()[3].predecessors} == {1, 2}
