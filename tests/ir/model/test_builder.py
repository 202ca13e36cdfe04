"""New instructions at a cursor."""

from __future__ import annotations

import pytest

from nirls.ir.model.builder import Builder, merged_channels
from nirls.ir.model.clone import CloneMap
from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.ir.model.values import AluSrc, Def
from tests.passes.expectation import parse_body


def body(text: str = "block b0:\n32x2 %4 = load_const (0x1, 0x2)\n32 %7 = mov %4.x\nblock b1:") -> Builder:
    (impl,) = parse_body(text, valid=False).impls()
    return Builder(impl, impl.start_block)


def ops(builder: Builder) -> list[str]:
    return [instr.op if isinstance(instr, AluInstr) else instr.kind for instr in builder.block]


def test_numbers_go_on_above_the_highest() -> None:
    builder = body()
    assert [builder.undef(1, 32).index, builder.undef(1, 32).index] == [8, 9]


def test_constants_are_cut_to_their_size() -> None:
    value = body().load_const([-1, 0x1FF], 8)
    assert isinstance(value.instr, LoadConstInstr)
    assert value.instr.values == (0xFF, 0xFF)
    assert (value.num_components, value.bit_size) == (2, 8)


def test_a_bare_value_is_read_whole_and_a_source_as_it_is() -> None:
    builder = body()
    vector = next(iter(builder.impl.defs()))
    made = builder.alu("fadd", [vector, AluSrc(vector, (1, 0))], 2, 32, frozenset(("exact",)))
    assert isinstance(made.instr, AluInstr)
    assert [src.swizzle for src in made.instr.sources] == [(0, 1), (1, 0)]
    assert made.instr.exact
    assert len(vector.uses) == 3


def test_one_component_of_a_scalar_is_the_scalar() -> None:
    builder = body()
    vector, scalar = builder.impl.defs()
    assert builder.mov(scalar, 0) is scalar
    assert builder.mov(vector, 1) is not vector


def test_the_cursor_moves() -> None:
    builder = body()
    last = builder.block.last
    assert last is not None
    builder.before_instr(last).undef(1, 32)
    builder.at_start_of(builder.block).undef(1, 32)
    assert ops(builder) == ["undef", "load_const", "undef", "mov"]


def test_ahead_of_what_stands_nowhere_there_is_no_place() -> None:
    with pytest.raises(ValueError, match="no block"):
        body().before_instr(LoadConstInstr([0]))


def test_an_intrinsic_has_a_value_only_if_it_is_asked_for() -> None:
    builder = body()
    vector = next(iter(builder.impl.defs()))
    assert builder.intrinsic("store_output", [vector], {"base": 1}).def_ is None
    made = builder.intrinsic("load_output", [], {"base": 1}, 3, 16).def_
    assert made is not None
    assert (made.num_components, made.bit_size) == (3, 16)


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


def test_copies_have_a_number_of_their_own_and_read_the_copied_values() -> None:
    builder = body()
    vector, component = builder.impl.defs()
    remap = CloneMap()
    copies = [builder.copy(value.instr, remap) for value in (vector, component) if value.instr is not None]
    assert [copy.def_.index for copy in copies if copy.def_ is not None] == [8, 9]
    assert [src.def_ for src in copies[1].srcs()] == [copies[0].def_]
    assert all(copy.span is None for copy in copies)
    assert component.instr is not None
    assert [src.def_ for src in builder.copy(component.instr).srcs()] == [vector]
