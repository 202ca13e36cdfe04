"""Instructions that the corpus lacks, written as Mesa's printers of each era write them."""

from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    JumpInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Def, PhiSrc, RegDest, Register, Src, TexSrc
from nirls.ir.text.printing.style import FunctionStyle, PrintStyle
from nirls.ir.text.printing.variable_names import VariableNames
from nirls.ir.text.printing.writers import InstrWriter, cast_facts, comment_words, register_name, writer_for


def writer(dialect: Dialect, *, divergence: bool = False, width: int = 1) -> InstrWriter:
    shader = Shader(Stage.FRAGMENT, dialect)
    style = FunctionStyle(width, divergence)
    return writer_for(shader, PrintStyle.default(dialect), style, VariableNames(shader))


def value(index: int, num_components: int = 1, bit_size: int = 32) -> Def:
    instr = UndefInstr()
    return instr.make_def(index, num_components, bit_size)


def both(instr: Instr) -> tuple[str, str]:
    return writer(Dialect.MODERN).text(instr), writer(Dialect.CLASSIC).text(instr)


@pytest.mark.parametrize(
    ("num_components", "bit_size", "modern", "classic"),
    [
        (1, 1, "1     %3", "vec1  1 ssa_3"),
        (1, 8, "8     %3", "vec1  8 ssa_3"),
        (2, 16, "16x2  %3", "vec2 16 ssa_3"),
        (4, 64, "64x4  %3", "vec4 64 ssa_3"),
        (16, 32, "32x16 %3", "vec16 32 ssa_3"),
        (6, 32, "32x?? %3", "error 32 ssa_3"),
    ],
)
def test_values_where_they_are_defined(num_components: int, bit_size: int, modern: str, classic: str) -> None:
    defined = value(3, num_components, bit_size)
    assert writer(Dialect.MODERN).def_text(defined) == modern
    assert writer(Dialect.CLASSIC).def_text(defined) == classic


def test_divergence_is_printed_where_the_dump_prints_it() -> None:
    defined = value(3)
    defined.divergent = True
    assert writer(Dialect.MODERN, divergence=True).def_text(defined) == "div 32    %3"
    assert writer(Dialect.CLASSIC, divergence=True).def_text(defined) == "vec1 32 div ssa_3"
    assert writer(Dialect.MODERN).def_text(defined) == "32    %3"


def test_a_number_too_long_for_its_column_moves_the_rest() -> None:
    assert writer(Dialect.MODERN, width=2).def_text(value(7)) == "32     %7"
    assert writer(Dialect.MODERN, width=2).def_text(value(1234)) == "32    %1234"


def test_swizzles_are_left_out_only_where_they_say_nothing() -> None:
    vector = value(1, 4)
    for swizzle, text in (((0, 1, 2, 3), ""), ((0, 1), ".xy"), ((0,), ".x"), ((3, 1, 2, 0), ".wyzx")):
        instr = AluInstr("mov", [AluSrc(vector, swizzle)])
        instr.make_def(2, len(swizzle), 32)
        assert writer(Dialect.MODERN).text(instr).endswith(f"= mov %1{text}")
    wide = AluInstr("mov", [AluSrc(value(1, 8), (7,))])
    wide.make_def(2, 1, 32)
    assert writer(Dialect.MODERN).text(wide).endswith("= mov %1.h")


def test_flags_have_an_order() -> None:
    instr = AluInstr("iadd", [AluSrc(value(0)), AluSrc(value(1))], frozenset({"nuw", "exact", "nsw"}))
    instr.make_def(2, 1, 32)
    assert writer(Dialect.MODERN).text(instr) == "32    %2 = iadd!.nsw.nuw %0, %1"


def test_modifiers_and_registers_of_old_dumps() -> None:
    reg, array = Register(0, 4, 32), Register(1, 1, 32, 4)
    index = Src(value(5))
    source = AluSrc(None, (0, 1), negate=True, absolute=True)
    source.set_reg(array, 2, index)
    instr = AluInstr("fadd", [source, AluSrc(reg, (3,))], frozenset({"sat"}))
    instr.reg_dest = RegDest(reg, 0b0101, 0, None, instr)
    assert writer(Dialect.OLD).text(instr) == "r0.xz = fadd.sat -abs(r1[2 + ssa_5].xy), r0.w"
    assert register_name(Register(-2, 1, 32)) == "gr1"


def test_texture_instructions() -> None:
    instr = TexInstr(
        "tg4",
        "float32",
        [TexSrc("coord", value(0, 2))],
        texture_index=1,
        sampler_index=2,
        component=3,
        offsets=((0, 1), (-1, 0), (0, 0), (2, 2)),
        flags=frozenset({"sampler non-uniform", "texture non-uniform", "implicit lod", "sparse"}),
    )
    instr.make_def(4, 4, 32)
    assert writer(Dialect.MODERN).text(instr) == (
        "32x4  %4 = (float32)tg4 %0 (coord), implicit lod, 3 (gather_component), "
        "{ (0, 1), (-1, 0), (0, 0), (2, 2) } (offsets), 1 (texture), 2 (sampler), "
        "texture non-uniform, sampler non-uniform, sparse"
    )


def test_jumps_and_phis() -> None:
    assert both(JumpInstr("break")) == ("break", "break")
    assert both(JumpInstr("goto", (), (3,))) == ("goto b3", "goto block_3")
    conditional = JumpInstr("goto_if", [Src(value(1))], (3, 4))
    assert both(conditional) == ("goto b3 if %1 else b4", "goto block_3 if ssa_1 else block_4")
    phi = PhiInstr([PhiSrc(Block(2), value(1)), PhiSrc(Block(1), value(0))])
    phi.make_def(3, 1, 32)
    assert both(phi)[0] == "32    %3 = phi b2: %1, b1: %0"


def test_parallel_copies() -> None:
    instr = ParallelCopyInstr([Def(7, 1, 32), Def(8, 2, 32)], [Src(value(1)), Src(value(2, 2))])
    assert both(instr) == (
        "32    %7 = %1; 32x2  %8 = %2",
        "vec1 32 ssa_7 = ssa_1; vec2 32 ssa_8 = ssa_2",
    )


def test_paths_of_derefs() -> None:
    root = DerefInstr("cast", "ssbo", "Block", parent=Src(value(0)), cast_info=(("ptr_stride", 16),))
    root.make_def(1, 1, 32)
    assert root.def_ is not None
    element = DerefInstr("ptr_as_array", "ssbo", "Block", parent=Src(root.def_), index=Src(value(9)))
    element.make_def(2, 1, 32)
    assert element.def_ is not None
    member = DerefInstr("struct", "ssbo", "vec4", parent=Src(element.def_), field="color")
    member.make_def(3, 1, 32)
    modern = writer(Dialect.MODERN)
    assert modern.text(root) == "32    %1 = deref_cast (Block *)%0 (ssbo Block)  (ptr_stride=16)"
    assert modern.text(element) == "32    %2 = deref_ptr_as_array &(*%1)[%9] (ssbo Block)"
    assert modern.comment(element) == "  // &(*(Block *)%0)[%9]"
    assert modern.comment(member) == "  // &(*(Block *)%0)[%9].color"


def test_a_deref_that_is_its_own_parent_ends() -> None:
    own = Def(1, 1, 32)
    instr = DerefInstr("struct", "ssbo", "vec4", parent=Src(own), field="a")
    own.instr = instr
    instr.def_ = own
    assert writer(Dialect.MODERN).comment(instr) == "  // &%1->a"


def test_facts_of_casts_in_comments() -> None:
    cast = DerefInstr("cast", "ubo", "T", parent=Src(value(0)))
    cast.comment = "/* ptr_stride=4, align_mul=16, align_offset=0 */"
    assert cast_facts(cast) == (("ptr_stride", 4), ("align_mul", 16), ("align_offset", 0))


@pytest.mark.parametrize("comment", ["// flatten", "/* flatten */", " flatten "])
def test_words_of_comments(comment: str) -> None:
    assert comment_words(comment) == "flatten"
