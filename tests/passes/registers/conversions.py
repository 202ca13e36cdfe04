"""A result of a register pass, checked in every way; and a loop whose values change places."""

from __future__ import annotations

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import ShaderPass, assert_valid

OPTIONS = VerificationOptions(runs=3, most_runs=3, lanes=16, least_lanes=1)


def changed(shader_pass: ShaderPass, shader: Shader) -> Shader:
    """The shader after a pass: valid, the same program, and the same again through text."""
    result = clone_shader(shader)
    assert shader_pass(result)
    assert_valid(result)
    verdict = verify_shaders(shader, result, OPTIONS)
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
