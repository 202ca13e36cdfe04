from __future__ import annotations

from nirls.ir.model.instructions import PhiInstr, UndefInstr
from nirls.ir.model.phi_builder import PhiBuilder
from tests.passes.expectation import assert_valid, parse_body

BODY = """
block b0:
1     %0 = @load_front_face
if %0 {
    block b1:
    32 %1 = load_const (0x00000001)
} else {
    block b2:
}
block b3:
32    %2 = load_const (0x00000002)
32    %3 = ineg %2
block b4:
"""


def test_a_join_and_a_path_without_a_value() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    phis = PhiBuilder(impl)
    first, then, other, join = impl.blocks()
    value = phis.add_value(1, 32, [then])
    assert [block.index for block in phis.blocks_in_order()] == [0, 1, 2, 3]
    assert then.last is not None
    assert then.last.def_ is not None
    value.assign(then, then.last.def_)
    assert isinstance(value.at_end_of(other).instr, UndefInstr)
    negation = join.last
    assert negation is not None
    negation.srcs()[0].set_def(value.at_start_of(join))
    phis.finish()
    assert_valid(shader)
    (phi,) = join.phis()
    assert {src.pred for src in phi.sources} == {then, other}
    assert isinstance(first.first, UndefInstr)


def test_what_nothing_reads_goes() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    phis = PhiBuilder(impl)
    phis.add_value(4, 32, [impl.blocks()[1]])
    phis.finish()
    assert not any(isinstance(instr, PhiInstr | UndefInstr) for instr in impl.instrs())
