from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from nirls.ir.clone import clone_shader
from nirls.ir.compare import difference
from nirls.ir.edits import apply_edits, text_edits
from nirls.ir.instructions import IntrinsicInstr, PhiInstr
from nirls.ir.parse import parse_dump
from nirls.ir.printing.convert import convert
from nirls.ir.shader import Dialect, Shader
from nirls.passes.options import OptionError
from nirls.passes.registers.convert_from_ssa import convert_from_ssa
from nirls.passes.registers.lower_regs_to_ssa import check, lower_regs_to_ssa
from nirls.passes.translation_validation import Different, Equivalent, ValidationOptions, validate_pass
from tests.passes.expectation import ShaderPass, assert_valid, parse_body

from .programs import EXAMPLES, Statement, old_shader, programs

OPTIONS = ValidationOptions(runs=3, most_runs=3, lanes=16, least_lanes=1)


def changed(shader_pass: ShaderPass, shader: Shader) -> Shader:
    """The shader after a pass: valid, the same program, and the same again through text."""
    result = clone_shader(shader)
    assert shader_pass(result)
    assert_valid(result)
    verdict = validate_pass(shader, result, OPTIONS)
    assert isinstance(verdict, Equivalent), verdict
    edited = parse_dump(apply_edits(shader.source, text_edits(shader, result)))
    assert not edited.unreadable
    assert difference(edited, result) is None, difference(edited, result)
    assert not shader_pass(result), "the pass makes progress on its own result"
    return result


def has_registers(shader: Shader) -> bool:
    return any(
        impl.registers or any(isinstance(i, IntrinsicInstr) and i.name == "decl_reg" for i in impl.instrs())
        for impl in shader.impls()
    )


def phis(shader: Shader) -> list[PhiInstr]:
    return [instr for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, PhiInstr)]


def test_masks_modifiers_and_arrays_of_an_old_dump(data: Path) -> None:
    result = changed(lower_regs_to_ssa, parse_dump((data / "registers.old.nir").read_bytes()))
    (impl,) = result.impls()
    assert [reg.num_array_elems for reg in impl.registers] == [4]


SWAP = """
block b0:
32    %0 = load_const (0x00000000)
32    %1 = load_const (0x00000001)
32    %2 = load_const (0x00000003)
32    %3 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)
loop {
    block b1:
    32 %4 = phi b0: %3, b4: %5
    32 %5 = phi b0: %2, b4: %4
    32 %6 = phi b0: %0, b4: %8
    1 %7 = ige %6, %2
    if %7 {
        block b2:
        break
    } else {
        block b3:
    }
    block b4:
    32 %8 = iadd %6, %1
}
block b5:
@store_ssbo (%4, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
block b6:
"""


def test_values_that_change_places_in_a_loop() -> None:
    shader = parse_body(SWAP)
    result = changed(convert_from_ssa, shader)
    assert not phis(result)
    back = clone_shader(result)
    assert lower_regs_to_ssa(back)
    assert difference(back, shader) is None


def test_a_phi_that_a_phi_reads_at_the_end_of_a_block_of_phis() -> None:
    body = SWAP.replace("b4: %5\n", "b4: %9\n").replace(
        "    32 %8 = iadd %6, %1\n", "    32 %9 = phi b3: %5\n"
    )
    body = body.replace("1 %7 = ige %6, %2", "32 %8 = iadd %6, %1\n    1 %7 = ige %8, %2")
    changed(convert_from_ssa, parse_body(body))


def test_registers_are_those_of_the_dialect() -> None:
    classic = parse_dump(convert(parse_body(SWAP), Dialect.CLASSIC))
    assert not classic.unreadable
    result = changed(convert_from_ssa, classic)
    (impl,) = result.impls()
    assert len(impl.registers) == 3
    back = changed(lower_regs_to_ssa, parse_dump(apply_edits(classic.source, text_edits(classic, result))))
    assert len(phis(back)) == 3


MODERN = """
block b0:
32    %0 = load_const (0x00000000)
32    %1 = @decl_reg () (num_components=2, num_array_elems=0, bit_size=32, divergent=1)
32    %2 = @decl_reg () (num_components=1, num_array_elems=4, bit_size=32, divergent=1)
32x2  %3 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=8, align_offset=0, range_base=0, range=8)
1     %4 = flt %3.x, %3.y
@store_reg (%3, %1) (base=0, wrmask=xy, legacy_fsat=0)
if %4 {
    block b1:
    32x2 %5 = @load_reg (%1) (base=0, legacy_fabs=1, legacy_fneg=1)
    32x2 %6 = fadd %5, %3
    @store_reg (%6, %1) (base=0, wrmask=y, legacy_fsat=1)
} else {
    block b2:
}
block b3:
32x2  %7 = @load_reg (%1) (base=0, legacy_fabs=0, legacy_fneg=0)
@store_reg (%7.x, %2) (base=1, wrmask=x, legacy_fsat=0)
@store_ssbo (%7, %0, %0) (wrmask=xy, access=none, align_mul=4, align_offset=0)
block b4:
"""


def test_intrinsics_with_masks_and_modifiers() -> None:
    result = changed(
        lower_regs_to_ssa, parse_body(MODERN.replace("@store_reg (%7.x, %2)", "@store_reg (%0, %2)"))
    )
    left = [i.int_index("num_array_elems") for impl in result.impls() for i in impl.instrs() if _declares(i)]
    assert left == [4]


def _declares(instr: object) -> bool:
    return isinstance(instr, IntrinsicInstr) and instr.name == "decl_reg"


def test_a_read_ahead_of_every_write_is_undefined() -> None:
    body = """
    block b0:
    32    %0 = load_const (0x00000000)
    32    %1 = @decl_reg () (num_components=1, num_array_elems=0, bit_size=32, divergent=1)
    32    %2 = @load_reg (%1) (base=0, legacy_fabs=0, legacy_fneg=0)
    @store_ssbo (%2, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
    block b1:
    """
    shader = parse_body(body)
    assert lower_regs_to_ssa(shader)
    assert_valid(shader)
    assert [instr.kind for impl in shader.impls() for instr in impl.instrs()] == [
        "undef",
        "load_const",
        "intrinsic",
    ]


def test_undeclared_registers_are_refused(data: Path) -> None:
    text = (data / "registers.old.nir").read_bytes().replace(b"\tdecl_reg vec4 32 r0\n", b"")
    shader = parse_dump(text)
    with pytest.raises(OptionError, match="r0 is not declared"):
        check([shader], {})


def test_nothing_to_do() -> None:
    shader = parse_body("block b0:\n32 %0 = load_const (0x00000000)\nblock b1:")
    assert not lower_regs_to_ssa(shader)
    assert not convert_from_ssa(shader)


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs)
def test_generated_programs_stay_the_same(program: list[Statement]) -> None:
    shader = old_shader(program)
    ssa = clone_shader(shader)
    assert lower_regs_to_ssa(ssa)
    assert_valid(ssa)
    assert not has_registers(ssa)
    verdict = validate_pass(shader, ssa, OPTIONS)
    assert not isinstance(verdict, Different), verdict
    back = clone_shader(ssa)
    convert_from_ssa(back)
    assert_valid(back)
    assert not phis(back)
    verdict = validate_pass(ssa, back, OPTIONS)
    assert not isinstance(verdict, Different), verdict


def test_a_thousand_nested_ifs() -> None:
    program: list[Statement] = [("alu", 1, 3, "mov", [(True, 0, 0, False)] * 2)]
    for _ in range(1000):
        program = [("if", program, [("alu", 1, 1, "mov", [(True, 2, 0, False)] * 2)])]
    lines = _flat(program)
    assert lower_regs_to_ssa(lines)
    assert convert_from_ssa(lines)


def _flat(program: list[Statement]) -> Shader:
    import sys

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20000)  # for the writer of the text, which is the test's own
    try:
        text = old_shader(program)
    finally:
        sys.setrecursionlimit(limit)
    return text
