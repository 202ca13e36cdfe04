"""Shaders in another dialect than their dump's."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.control_flow import If
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.shader import Dialect
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing import ConversionError, convert, fresh
from nirls.ir.text.printing.convert import lower_registers, lower_source_modifiers

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


def test_every_access_becomes_an_instruction(data: Path) -> None:
    impl = parse_dump((data / "registers.old.nir").read_bytes()).entrypoint
    assert impl is not None
    lower_registers(impl)
    names = [instr.name for instr in impl.instrs() if isinstance(instr, IntrinsicInstr)]
    assert names.count("decl_reg") == 2
    assert names.count("store_reg") == 3
    assert names.count("store_reg_indirect") == 1
    assert names.count("load_reg") == 4
    assert names.count("load_reg_indirect") == 1
    assert impl.registers == []
    assert all(src.reg is None for instr in impl.instrs() for src in instr.all_srcs())


def test_written_components_stand_where_the_store_takes_them(data: Path) -> None:
    impl = parse_dump((data / "registers.old.nir").read_bytes()).entrypoint
    assert impl is not None
    lower_registers(impl)
    stores = [
        instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and instr.name == "store_reg"
    ]
    first = stores[0].sources[0].ssa.instr
    assert stores[0].write_mask == 0b101
    assert isinstance(first, AluInstr)
    assert first.sources[0].swizzle == (0, 0, 1, 0)


def test_a_condition_is_loaded_in_front_of_its_if() -> None:
    text = b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
	decl_reg vec1 1 r0
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
	/* succs: block_1 block_2 */
	if r0 {
		block block_1:
		/* preds: block_0 */
		/* succs: block_3 */
	} else {
		block block_2:
		/* preds: block_0 */
		/* succs: block_3 */
	}
	block block_3:
	/* preds: block_1 block_2 */
	/* succs: block_4 */
	block block_4:
}
"""
    impl = parse_dump(text).entrypoint
    assert impl is not None
    lower_registers(impl)
    branch = next(node for node in impl.cf_nodes() if isinstance(node, If))
    producer = branch.condition.ssa.instr
    assert isinstance(producer, IntrinsicInstr)
    assert (producer.name, producer.block) == ("load_reg", impl.start_block)


@pytest.mark.sweep
def test_classic_dumps_come_back_from_modern_as_they_were(corpus: Path) -> None:
    for path in sorted(corpus.glob("pipelines/*/classic/*.nir"))[::25]:
        for shader in parse_shaders(path.read_bytes()):
            modern = parse_dump(convert(shader, Dialect.MODERN))
            assert (modern.dialect, modern.unreadable) == (Dialect.MODERN, [])
            assert convert(modern, Dialect.CLASSIC) == shader.source


@pytest.mark.sweep
def test_converted_text_prints_the_same_again(corpus: Path) -> None:
    for path in sorted(corpus.glob("pipelines/*/modern/*.nir"))[::40]:
        for shader in parse_shaders(path.read_bytes()):
            text = convert(shader, Dialect.CLASSIC)
            classic = parse_dump(text)
            assert (classic.dialect, classic.unreadable) == (Dialect.CLASSIC, [])
            assert fresh(classic) == text


def test_names_become_numbers_and_back(data: Path) -> None:
    text = (data / "patch_output.tesc.nir").read_bytes()
    classic = convert(parse_dump(text), Dialect.CLASSIC)
    assert b"decl_var patch shader_out INTERP_MODE_NONE vec4 c (64.xyzw, 0, 0)\n" in classic
    assert b"decl_function main (0 params)\n" in classic
    assert b"vec4 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) (access=17, align_mul=16" in classic
    assert b"src_type=float32 /*160*/, io location=64 slots=1 /*192*/)" in classic
    modern = convert(parse_dump(classic), Dialect.MODERN)
    assert b"(VARYING_SLOT_PATCH0.xyzw, 0, 0)\n" in modern
    assert b"access=coherent|readonly" in modern
    assert b"io location=VARYING_SLOT_PATCH0 slots=1)" in modern


def test_registers_and_modifiers_of_old_dumps_become_instructions(data: Path) -> None:
    text = convert(parse_dump((data / "registers.old.nir").read_bytes()), Dialect.MODERN).decode()
    modern = parse_dump(text.encode())
    assert modern.unreadable == []
    assert not any(impl.registers or impl.undefined_references for impl in modern.impls())
    for line in ("= fabs %1", "= fsat ", "@store_reg (", "@load_reg_indirect (", "// gl_Position"):
        assert line in text


def test_the_old_dialect_is_not_written(data: Path) -> None:
    with pytest.raises(ConversionError, match="not in the old"):
        convert(parse_dump((data / "edited.frag.nir").read_bytes()), Dialect.OLD)


def test_what_has_no_modern_form_is_named() -> None:
    text = b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
	decl_reg vec1 32 r0
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
	vec1 32 ssa_1 = phi block_0: r0
	/* succs: block_1 */
	block block_1:
}
"""
    with pytest.raises(ConversionError, match="phi"):
        convert(parse_dump(text), Dialect.MODERN)


def test_parameters_have_the_sizes_of_what_is_passed_and_loaded() -> None:
    text = b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
	block block_0:
	/* preds: */
	vec3 32 ssa_0 = undefined
	vec1  1 ssa_1 = undefined
	call f ssa_0, ssa_1
	/* succs: block_1 */
	block block_1:
}

decl_function f (3 params)

impl f {
	block block_0:
	/* preds: */
	vec2 16 ssa_0 = intrinsic load_param () (param_idx=2)
	/* succs: block_1 */
	block block_1:
}
"""
    modern = convert(parse_dump(text), Dialect.MODERN)
    assert b"decl_function f (32x3, 1, 16x2)\n" in modern
    assert b"decl_function main () (entrypoint)\n" in modern
