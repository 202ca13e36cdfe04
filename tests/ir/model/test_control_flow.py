"""Editing the instructions of a block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr, JumpInstr, LoadConstInstr, PhiInstr, UndefInstr
from nirls.ir.model.shader import Function
from nirls.ir.model.values import Src


def check_list(block: Block, expected: list[Instr]) -> None:
    assert list(block) == expected
    assert list(reversed(block)) == expected[::-1]
    assert all(instr.block is block for instr in expected)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 20)), max_size=30))
def test_a_block_is_a_list(moves: list[tuple[bool, int]]) -> None:
    block, model = Block(0), list[Instr]()
    for insert, position in moves:
        if insert or not model:
            instr = UndefInstr()
            at = position % (len(model) + 1)
            block.insert_before(model[at] if at < len(model) else None, instr)
            model.insert(at, instr)
        else:
            model.pop(position % len(model)).unlink()
        check_list(block, model)


def test_the_instruction_at_hand_may_be_removed_while_walking() -> None:
    block = Block(0)
    instrs: list[Instr] = [UndefInstr() for _ in range(5)]
    for instr in instrs:
        block.append(instr)
    for instr in block:
        instr.remove()
    assert block.is_empty


def impl_with_block() -> tuple[FunctionImpl, Block]:
    impl, block = FunctionImpl(Function("main")), Block(0)
    block.parent = impl
    impl.body.append(block)
    return impl, block


def test_the_builder_stays_ahead_of_a_jump() -> None:
    impl, block = impl_with_block()
    jump = JumpInstr("return")
    block.append(jump)
    builder = Builder(impl, block)
    first = builder.load_const([1], 32)
    second = builder.undef(4, 16)
    assert [instr.def_ for instr in block] == [first, second, None]
    assert (first.index, second.index) == (0, 1)


def test_the_builder_goes_behind_phis() -> None:
    impl, block = impl_with_block()
    phi, const = PhiInstr([]), LoadConstInstr([0])
    block.append(phi)
    block.append(const)
    builder = Builder(impl, block).at_start_of(block)
    added = builder.load_const([-1], 16)
    assert list(block) == [phi, added.instr, const]
    assert isinstance(added.instr, LoadConstInstr)
    assert added.instr.values == (0xFFFF,)


def test_lists_of_nodes_come_with_their_owners_outer_ones_first() -> None:
    impl = FunctionImpl(Function("main"))
    branch = If(Src())
    branch.then_body, branch.else_body = [Block(1)], [Loop()]
    impl.body = [Block(0), branch]
    lists = list(impl.node_lists())
    assert [owner for owner, _ in lists][:3] == [impl, branch, branch]
    assert [nodes for _, nodes in lists][:3] == [impl.body, branch.then_body, branch.else_body]
    assert {owner for owner, _ in lists[3:]} == {branch.else_body[0]}
