from __future__ import annotations

import pytest

from nirls.ir.model.block_split import BlockSplitter
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import PhiInstr
from tests.passes.expectation import assert_valid, parse_body

BODY = """
block b0:
1     %0 = @load_front_face
if %0 {
    block b1:
    32 %1 = load_const (0x00000001)
    32 %2 = iadd %1, %1
} else {
    block b2:
    32 %3 = load_const (0x00000003)
}
block b3:
32    %4 = phi b1: %2, b2: %3
32    %5 = iadd %4, %4
block b4:
"""


def test_an_if_in_the_middle_of_a_branch() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    b1 = impl.blocks()[1]
    add, condition = b1.last, impl.start_block.last
    assert add is not None
    assert condition is not None
    assert condition.def_ is not None
    node, rest = BlockSplitter(impl).insert_if(add, condition.def_)
    impl.link_blocks()
    assert_valid(shader)
    assert [block.index for block in impl.blocks()] == [0, 1, 6, 7, 5, 2, 3]
    assert rest.first is add
    assert node.parent is rest.parent is b1.parent
    phi = next(impl.blocks()[-1].phis())
    assert [src.pred for src in phi.sources] == [rest, impl.blocks()[-2]]


def test_an_if_within_the_new_one() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    add, condition = impl.blocks()[-1].last, impl.start_block.last
    assert add is not None
    assert condition is not None
    assert condition.def_ is not None
    splitter = BlockSplitter(impl)
    node, _ = splitter.insert_if(add, condition.def_)
    first = node.then_body[0]
    assert isinstance(first, Block)
    splitter.nest_if(first, condition.def_)
    impl.link_blocks()
    assert_valid(shader)
    assert len(node.then_body) == 3


def test_no_if_between_phis() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    phi, condition = impl.blocks()[-1].first, impl.start_block.last
    assert isinstance(phi, PhiInstr)
    assert condition is not None
    assert condition.def_ is not None
    with pytest.raises(ValueError, match="no phi"):
        BlockSplitter(impl).insert_if(phi, condition.def_)
