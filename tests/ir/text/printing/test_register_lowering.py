"""Registers become loads and stores."""

from __future__ import annotations

from pathlib import Path

from nirls.ir.model.control_flow import If
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.register_lowering import lower_registers


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
