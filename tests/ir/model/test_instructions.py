"""Instructions: what they read and write, and what goes with them when they go."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    IntrinsicInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    constant_of,
    operation_name,
    scalar_constant,
)
from nirls.ir.model.values import AluSrc, Def, RegDest, Register, Src, TexSrc
from tests.passes.expectation import parse_body


def test_a_removed_instruction_reads_nothing_any_more() -> None:
    value = Def(0, 1, 32)
    (impl,) = parse_body("block b0:\n32 %0 = load_const (0x1)\n32 %1 = fneg %0\nblock b1:").impls()
    value, _ = impl.defs()
    last = impl.start_block.last
    assert last is not None
    last.remove()
    assert not value.uses
    assert last.block is None
    assert [instr.kind for instr in impl.start_block] == ["load_const"]


def test_an_unlinked_instruction_still_reads() -> None:
    (impl,) = parse_body("block b0:\n32 %0 = load_const (0x1)\n32 %1 = fneg %0\nblock b1:").impls()
    value, _ = impl.defs()
    last = impl.start_block.last
    assert last is not None
    last.unlink()
    assert len(value.uses) == 1


@pytest.mark.parametrize("word", ["exact", "no-contract", "no-reassoc", "no-transform"])
def test_any_demand_on_the_result_makes_an_operation_exact(word: str) -> None:
    assert AluInstr("fadd", [], frozenset((word, "nsw"))).exact
    assert not AluInstr("fadd", [], frozenset(("nsw", "preserve:nan"))).exact


def test_indices_that_are_no_numbers_give_the_default() -> None:
    instr = IntrinsicInstr("store_output", [], {"base": 4, "component": "?"})
    assert instr.int_index("base") == 4
    assert instr.int_index("component", 9) == 9
    assert instr.int_index("range", 7) == 7
    assert instr.io_semantics is None
    assert instr.write_mask == 0xFFFF


def test_a_texture_source_is_found_by_its_kind() -> None:
    coord = TexSrc("coord")
    coord.def_ = Def(0, 2, 32)
    tex = TexInstr("tex", "float32", [coord])
    assert tex.src_of_kind("coord") is coord
    assert tex.src_of_kind("lod") is None
    assert coord.owner is tex


def test_an_indirect_call_passes_all_but_the_pointer() -> None:
    pointer, argument = Src(Def(0, 1, 64)), Src(Def(1, 1, 32))
    assert list(CallInstr("f", [pointer, argument], is_indirect=True).arguments) == [argument]
    assert list(CallInstr("f", [Src(Def(0, 1, 32))]).arguments) != []


def test_a_deref_reads_its_parent_and_its_index() -> None:
    parent, index = Src(Def(0, 1, 32)), Src(Def(1, 1, 32))
    assert list(DerefInstr("array", "ssbo", "float", parent=parent, index=index).srcs()) == [parent, index]
    assert list(DerefInstr("var", "ssbo", "float").srcs()) == []


def test_the_modes_and_the_root_of_a_deref() -> None:
    (impl,) = parse_body("""
    block b0:
    32x2 %0 = undefined
    32x2 %1 = deref_cast (uint *)%0 (ssbo|global uint) (ptr_stride=4, align_mul=0, align_offset=0)
    32   %2 = load_const (0x00000001)
    32x2 %3 = deref_ptr_as_array &(*%1)[%2] (ssbo|global uint)
                // succs: b1
    block b1:
    """).impls()
    derefs = [instr for instr in impl.instrs() if isinstance(instr, DerefInstr)]
    assert [deref.modes for deref in derefs] == [{"ssbo", "global"}] * 2
    assert {deref.root for deref in derefs} == {derefs[0]}


def test_a_parallel_copy_makes_its_values_and_not_its_registers() -> None:
    made = Def(3, 1, 32)
    copy = ParallelCopyInstr([made, RegDest(Register(0, 1, 32), 1)], [Src(Def(0, 1, 32)), Src(Def(1, 1, 32))])
    assert list(copy.defs()) == [made]
    assert made.instr is copy


def test_a_phi_loses_one_source_at_a_time() -> None:
    (impl,) = parse_body("""
    block b0:
    1  %0 = load_const (true)
    32 %1 = load_const (0x00000000)
    if %0 {
        block b1:
    } else {
        block b2:
    }
    block b3:
    32 %2 = phi b1: %1, b2: %1
    block b4:
    """).impls()
    phi = next(instr for instr in impl.instrs() if isinstance(instr, PhiInstr))
    first, second = phi.sources
    assert phi.src_for(first.pred) is first
    phi.remove_source(first)
    assert phi.src_for(first.pred) is None
    assert phi.sources == [second]
    assert first.def_ is None


def test_a_source_knows_its_instruction() -> None:
    value = Def(0, 1, 32)
    instr = AluInstr("fneg", [AluSrc(value, (0,))])
    assert instr.sources[0].owner is instr
    assert set(value.uses) == {instr.sources[0]}


def test_constants() -> None:
    (impl,) = parse_body(
        "block b0:\n32x2 %0 = load_const (0x7, 0x9)\n32 %1 = load_const (0x5)\n32 %2 = fneg %1\nblock b1:"
    ).impls()
    pair, scalar, computed = impl.defs()
    assert [constant_of(value) for value in (pair, scalar, computed, None)] == [(7, 9), (5,), None, None]
    assert [scalar_constant(value) for value in (pair, scalar, computed, None)] == [None, 5, None, None]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("32 %0 = load_const (0x1)", "load_const"),
        ("32 %0 = @load_vertex_id", "load_vertex_id"),
        ("32 %0 = undefined", "undef"),
        ("32 %0 = deref_var &a (shader_temp float)", "deref_var"),
        ("halt", "halt"),
    ],
)
def test_name_of_an_operation(line: str, name: str) -> None:
    declared = "decl_var shader_temp INTERP_MODE_NONE none float a"
    (impl,) = parse_body(f"block b0:\n{line}\nblock b1:", "VERTEX", declared).impls()
    [instr] = impl.start_block
    assert operation_name(instr) == name


def test_name_of_an_alu_operation() -> None:
    (impl,) = parse_body("block b0:\n32 %0 = load_const (0x1)\n32 %1 = fneg %0\nblock b1:").impls()
    assert [operation_name(instr) for instr in impl.instrs()] == ["load_const", "fneg"]
