"""Dumps of before 2018, whose variable paths hold values."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.clean_up import CleanUp
from nirls.verification.verdict import Unchecked
from nirls.verification.verify_shaders import verify_shaders

TEXT = """shader: MESA_SHADER_FRAGMENT
name: GLSL3
inputs: 0
outputs: 0
uniforms: 0
shared: 0
decl_var shader_in INTERP_MODE_FLAT int idx (VARYING_SLOT_VAR0, 31, 0)
decl_var shader_in INTERP_MODE_FLAT int idy (VARYING_SLOT_VAR1, 31, 0)
decl_var shader_out INTERP_MODE_NONE vec4 color (FRAG_RESULT_COLOR, 4, 0)
decl_var uniform INTERP_MODE_NONE sampler2D[4] samp (0, 0, 0)
decl_function main returning void

impl main {
\tdecl_var  INTERP_MODE_NONE vec4[2] tmp
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = intrinsic load_var () (idx) ()
\tvec1 32 ssa_5 = intrinsic load_var () (idy) ()
\tvec2 32 ssa_2 = load_const (0x00000000 /* 0.000000 */, 0x3f800000 /* 1.000000 */)
\tLINE
\tintrinsic store_var (ssa_1) (color) (15) /* wrmask=xyzw */
\t/* succs: block_1 */
\tblock block_1:
}
"""
LINES = (
    "vec4 32 ssa_1 = intrinsic load_var () (tmp[{}]) ()",
    "vec4 32 ssa_1 = (float)tex ssa_2 (coord), samp[{0}] (texture), samp[{0}] (sampler)",
)


def _shader(line: str, index: str) -> Shader:
    shader = parse_dump(TEXT.replace("LINE", line.format(index)).encode())
    assert not shader.unreadable, shader.unreadable
    return shader


@pytest.mark.parametrize("line", LINES)
def test_another_index_in_a_path_is_never_equivalent(line: str) -> None:
    assert isinstance(verify_shaders(_shader(line, "ssa_0"), _shader(line, "ssa_5")), Unchecked)


@pytest.mark.parametrize("line", LINES)
def test_a_value_in_a_path_is_a_use(line: str) -> None:
    shader = _shader(line, "ssa_0")
    CleanUp().run([shader])
    values = {value.index for impl in shader.impls() for value in impl.defs()}
    assert 0 in values
    assert 5 not in values
