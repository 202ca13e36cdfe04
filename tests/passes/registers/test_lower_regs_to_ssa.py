"""Registers become SSA values; generated programs go there and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.declaration import OptionError
from nirls.passes.registers.convert_from_ssa import convert_from_ssa
from nirls.passes.registers.lower_regs_to_ssa import LowerRegsToSsa, lower_regs_to_ssa
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid, parse_body

from .conversions import OPTIONS, changed, has_registers, phis
from .programs import EXAMPLES, Statement, old_shader, programs


def test_masks_modifiers_and_arrays_of_an_old_dump(data: Path) -> None:
    result = changed(lower_regs_to_ssa, parse_dump((data / "registers.old.nir").read_bytes()))
    (impl,) = result.impls()
    assert [reg.num_array_elems for reg in impl.registers] == [4]


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


@pytest.mark.parametrize(
    "read",
    ["@load_reg (%1) (base=1", "@load_reg_indirect (%1, %0) (base=0"],
)
def test_indexed_reads_keep_their_register(read: str) -> None:
    """Which element they read is not known to be the one that was written."""
    body = f"""
    block b0:
    32    %0 = load_const (0x00000001)
    32    %1 = @decl_reg () (num_components=1, num_array_elems=0, bit_size=32, divergent=1)
    @store_reg (%0, %1) (base=0, wrmask=x, legacy_fsat=0)
    32    %2 = {read}, legacy_fabs=0, legacy_fneg=0)
    @store_ssbo (%2, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
    block b1:
    """
    assert not lower_regs_to_ssa(parse_body(body))


def test_undeclared_registers_are_refused(data: Path) -> None:
    text = (data / "registers.old.nir").read_bytes().replace(b"\tdecl_reg vec4 32 r0\n", b"")
    shader = parse_dump(text)
    with pytest.raises(OptionError, match="r0 is not declared"):
        LowerRegsToSsa().check([shader])


def test_without_registers_there_is_nothing_to_do() -> None:
    assert not lower_regs_to_ssa(parse_body("block b0:\n32 %0 = load_const (0x00000000)\nblock b1:"))


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs)
@pytest.mark.sweep
def test_generated_programs_stay_the_same(program: list[Statement]) -> None:
    shader = old_shader(program)
    ssa = clone_shader(shader)
    assert lower_regs_to_ssa(ssa)
    assert_valid(ssa)
    assert not has_registers(ssa)
    verdict = verify_shaders(shader, ssa, OPTIONS)
    assert not isinstance(verdict, Different), verdict
    back = clone_shader(ssa)
    convert_from_ssa(back)
    assert_valid(back)
    assert not phis(back)
    verdict = verify_shaders(ssa, back, OPTIONS)
    assert not isinstance(verdict, Different), verdict


@pytest.mark.sweep
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
