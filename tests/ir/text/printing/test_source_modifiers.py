"""Modifiers become instructions."""

from __future__ import annotations

from nirls.ir.model.instructions import AluInstr
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.source_modifiers import lower_source_modifiers

TEXT = b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
	block block_0:
	/* preds: */
	vec2 32 ssa_0 = load_const (0x00000000 /* 0.000000 */, 0x00000000 /* 0.000000 */)
	vec1 32 ssa_1 = fadd.sat -abs(ssa_0.x), ssa_0.y
	vec1 32 ssa_2 = iadd -ssa_0.y, ssa_1
	/* succs: block_1 */
	block block_1:
}
"""


def test_modifiers_by_the_type_of_the_source() -> None:
    impl = parse_dump(TEXT).entrypoint
    assert impl is not None
    lower_source_modifiers(impl)
    instrs = [instr for instr in impl.instrs() if isinstance(instr, AluInstr)]
    assert [instr.op for instr in instrs] == ["fabs", "fneg", "fadd", "fsat", "ineg", "iadd"]
    by_op = {instr.op: instr for instr in instrs}
    assert by_op["fadd"].sources[0].ssa is by_op["fneg"].def_
    assert by_op["fadd"].sources[0].swizzle == (0,)
    assert by_op["iadd"].sources[1].ssa is by_op["fsat"].def_
    assert not by_op["fadd"].flags
    assert not any(src.negate or src.abs for instr in instrs for src in instr.sources)
