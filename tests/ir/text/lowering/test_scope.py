"""Names of a function while it is lowered: which value a number means where."""

from __future__ import annotations

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import DerefInstr, PhiInstr
from nirls.ir.model.shader import Function, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.lowering.records import (
    AluRecord,
    AluSrcRecord,
    DerefRecord,
    DestRecord,
    LoadConstRecord,
    ValueRecord,
)
from nirls.ir.text.lowering.scope import FunctionScope
from tests.passes.expectation import parse_body


def scope() -> FunctionScope:
    return FunctionScope(Shader(Stage.VERTEX), FunctionImpl(Function("main")), {})


def constant(number: int, bits: int, size: int = 32) -> LoadConstRecord:
    return LoadConstRecord(DestRecord(number, 1, size), (bits,))


def negation(number: int, of: int) -> AluRecord:
    return AluRecord(DestRecord(number, 1, 32), "fneg", frozenset(), (AluSrcRecord(ValueRecord(of), None),))


def element(number: int, index: int) -> DerefRecord:
    dest = DestRecord(number, 1, 32)
    return DerefRecord(dest, "array", "ubo", "float", "", ValueRecord(0), index, None, ())


def test_a_value_that_is_read_first_is_the_one_that_is_defined_later() -> None:
    names = scope()
    reader = names.instr(negation(1, of=7))
    (source,) = reader.srcs()
    made = names.instr(negation(7, of=1)).def_
    assert source.def_ is made
    assert made is not None
    assert (made.num_components, made.bit_size) == (1, 32)


def test_what_nobody_defines_is_listed() -> None:
    names = scope()
    names.instr(negation(1, of=7))
    names.finish()
    assert [value.index for value in names.impl.undefined_references] == [7]


def test_the_first_of_two_definitions_owns_the_reads_up_to_the_second() -> None:
    names = scope()
    first = names.instr(constant(1, 5)).def_
    one = names.instr(negation(2, of=1))
    second = names.instr(constant(1, 6)).def_
    other = names.instr(negation(3, of=1))
    assert [src.def_ for src in (*one.srcs(), *other.srcs())] == [first, second]


def test_constant_indices_are_the_nearest_constant_in_reach() -> None:
    names = scope()
    outer = names.instr(constant(1, 2))
    names.enter_body()
    inner = names.instr(constant(2, 2))
    nested = names.instr(element(3, 2))
    names.leave_body()
    behind = names.instr(element(4, 2))
    assert isinstance(nested, DerefInstr)
    assert isinstance(behind, DerefInstr)
    assert nested.index is not None
    assert behind.index is not None
    assert nested.index.def_ is inner.def_
    assert behind.index.def_ is outer.def_


def test_an_index_that_no_constant_holds_is_a_number_only() -> None:
    names = scope()
    names.instr(constant(1, 0xFFFFFFFF))
    negative, missing = names.instr(element(2, -1)), names.instr(element(3, 4))
    assert isinstance(negative, DerefInstr)
    assert isinstance(missing, DerefInstr)
    assert negative.index is not None
    assert (missing.index, missing.const_index) == (None, 4)


def test_phis_get_their_sources_when_all_blocks_are_known() -> None:
    (impl,) = parse_body(
        """
    block b0:
    32 %0 = load_const (0x00000000)
    1  %1 = load_const (true)
    loop {
        block b1:
        32 %2 = phi b0: %0, b4: %3
        32 %3 = fneg %2
        if %1 {
            block b2:
            break
        } else {
            block b3:
        }
        block b4:
    }
    block b5:
    block b6:
    """,
        valid=False,
    ).impls()
    phi = next(instr for instr in impl.instrs() if isinstance(instr, PhiInstr))
    assert [src.pred.index for src in phi.sources] == [0, 4]
    back = phi.sources[1].def_
    assert back is not None
    assert back.index == 3
    assert back.instr is not None
