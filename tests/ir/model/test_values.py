"""Use lists stay right under mutation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Function
from nirls.ir.model.values import AluSrc, Def, Register, Src


def test_a_slot_is_listed_by_the_value_it_holds() -> None:
    first, second = Def(0, 1, 32), Def(1, 1, 32)
    src = Src(first)
    assert list(first.uses) == [src]
    src.set_def(second)
    assert not first.uses
    assert list(second.uses) == [src]
    src.clear()
    assert not second.uses


def test_replacing_all_uses_moves_them() -> None:
    old, new = Def(0, 4, 32), Def(1, 4, 32)
    add = AluInstr("fadd", [AluSrc(old, (0,)), AluSrc(old, (3,))])
    branch = If(Src(old))
    old.replace_all_uses_with(new)
    assert not old.uses
    assert [src.def_ for src in add.sources] == [new, new]
    assert list(new.users()) == [add, branch]


def test_register_sources_release_their_index() -> None:
    reg, index = Register(0, 4, 32, 8), Def(3, 1, 32)
    src = Src()
    src.set_reg(reg, 2, Src(index))
    assert list(reg.uses) == [src]
    assert len(index.uses) == 1
    src.clear()
    assert not reg.uses
    assert not index.uses


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 7)), max_size=40))
def test_uses_mirror_slots(moves: list[tuple[int, int]]) -> None:
    values = [Def(number, 1, 32) for number in range(5)]
    slots = [Src() for _ in range(8)]
    for value, slot in moves:
        slots[slot].set_def(values[value])
    for value in values:
        assert set(value.uses) == {slot for slot in slots if slot.def_ is value}


def test_function_numbers_continue_above_the_highest() -> None:
    impl = FunctionImpl(Function("main"))
    block = Block(0)
    impl.body.append(block)
    assert impl.next_index() == 0
    instr = AluInstr("mov", [])
    instr.make_def(41, 1, 32)
    block.append(instr)
    assert impl.next_index() == 42
    impl.undefined_references.append(Def(65, 1, 32))
    assert impl.next_index() == 66
