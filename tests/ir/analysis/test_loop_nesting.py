from __future__ import annotations

import pytest

from nirls.ir.analysis.loop_nesting import LoopNesting, can_reorder
from nirls.ir.model.access import CAN_REORDER, VOLATILE
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, If, Loop
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr, ParallelCopyInstr
from nirls.ir.model.values import Def, Src
from tests.ir.analysis.function_bodies import build_body, new_shader


def deref(mode: str) -> Def:
    return DerefInstr("var", mode, "float", var_name="v").make_def(0, 1, 32)


@pytest.mark.parametrize(
    ("name", "sources", "access", "expected"),
    [
        ("load_front_face", [], 0, True),
        ("load_ssbo", [], 0, False),
        ("load_ssbo", [], CAN_REORDER, True),
        ("load_ssbo", [], CAN_REORDER | VOLATILE, False),
        ("load_deref", [deref("uniform")], 0, True),
        ("load_deref", [deref("ssbo")], 0, False),
        ("load_deref", [deref("ssbo")], CAN_REORDER, True),
        ("store_ssbo", [], 0, False),
        ("no_such_intrinsic", [], 0, False),
    ],
)
def test_can_reorder(name: str, sources: list[Def], access: int, expected: bool) -> None:
    instr = IntrinsicInstr(name, [Src(source) for source in sources], {"access": access})
    assert can_reorder(instr) == expected


def test_loops_hold_ranges_of_blocks() -> None:
    _, impl = new_shader()
    build_body(impl, [("loop", [("loop", ["break"]), "break"]), ("if", [], [])])
    nesting = LoopNesting(impl)
    start, header, inner, between, after, branch, *_ = impl.blocks()
    outer_loop, inner_loop = (node for node in impl.cf_nodes() if isinstance(node, Loop))
    assert [nesting.position[block] for block in impl.blocks()] == list(range(8))
    assert nesting.loop_of[start] is None
    assert nesting.loop_of[inner] is inner_loop
    assert nesting.outer[inner_loop] is outer_loop
    assert nesting.contains(outer_loop, inner)
    assert not nesting.contains(inner_loop, between)
    assert nesting.follows[between] is inner_loop
    assert isinstance(nesting.follows[impl.blocks()[-1]], If)
    assert nesting.loops_left(inner, after) == [inner_loop, outer_loop]
    assert nesting.loops_left(inner, header) == [inner_loop]
    assert nesting.loops_left(branch, start) == []
    assert not nesting.contains(outer_loop, Block(99))


def test_values_that_a_loop_does_not_change() -> None:
    _, impl = new_shader()
    build_body(impl, [("loop", [("if", ["break"], []), ("loop", ["break"])])])
    start, header, *rest = impl.blocks()
    loop, inner_loop = (node for node in impl.cf_nodes() if isinstance(node, Loop))
    inner = next(block for block in rest if block.parent is inner_loop)
    before = Builder(impl, start).load_const([3], 32)
    build = Builder(impl, header)
    again = build.alu("iadd", [before, before], 1, 32)
    memory = build.intrinsic("load_ssbo", [before, before], {"access": 0}, 1, 32).def_
    assert memory is not None
    from_memory = build.alu("iadd", [again, memory], 1, 32)
    deeper = Builder(impl, inner).alu("iadd", [before, before], 1, 32)
    read_once = Builder(impl, inner).intrinsic("load_ssbo", [before, before], {"access": 0}, 1, 32).def_
    assert read_once is not None
    nesting = LoopNesting(impl)
    assert nesting.is_invariant(before, loop)
    assert nesting.is_invariant(again, loop)
    assert not nesting.is_invariant(memory, loop)
    assert not nesting.is_invariant(from_memory, loop)
    # Told apart by the innermost loop only.
    assert nesting.is_invariant(deeper, inner_loop)
    assert not nesting.is_invariant(deeper, loop)
    # Nothing jumps back to the inner loop, so that it runs once.
    assert len(inner.predecessors) == 1
    assert nesting.is_invariant(read_once, inner_loop)


def test_parallel_copy_makes_several_values() -> None:
    first, second = Def(1, 1, 32), Def(2, 1, 32)
    copy = ParallelCopyInstr([first, second], [Src(Def(3, 1, 32)), Src(Def(4, 1, 32))])
    assert list(copy.defs()) == [first, second]
