from __future__ import annotations

from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.merged_channels import merged_channels
from nirls.ir.model.values import Def
from tests.passes.expectation import parse_body

BODY = """
block b0:
32x2 %0 = load_const (0x00000001, 0x00000002)
32x3 %1 = load_const (0x00000003, 0x00000004, 0x00000005)
block b1:
"""


def test_whole_part_and_none() -> None:
    (impl,) = parse_body(BODY).impls()
    pair, triple = list(impl.defs())
    builder = Builder(impl, impl.start_block)

    def never() -> Def:
        raise AssertionError("nothing else is needed")

    assert merged_channels(builder, triple, {0: 0, 1: 1, 2: 2}, 3, never) is triple
    turned = merged_channels(builder, triple, {0: 2, 1: 1, 2: 0}, 3, never)
    assert isinstance(turned.instr, AluInstr)
    assert [src.swizzle for src in turned.instr.sources] == [(2,), (1,), (0,)]
    mixed = merged_channels(builder, pair, {1: 0}, 3, lambda: triple)
    assert isinstance(mixed.instr, AluInstr)
    reads = [(src.def_, src.swizzle) for src in mixed.instr.sources]
    assert reads == [(triple, (0,)), (pair, (0,)), (triple, (2,))]
