"""Turn the registers of old dialects into the intrinsics that modern NIR has in their place.

`decl_reg vec4 32 r0` becomes `@decl_reg`, a source `r0` a `@load_reg` in front of its instruction, and a
destination `r0.xy` a `@store_reg` behind it (Mesa: nir_intrinsics.py, "register" intrinsics of 2023).
"""

from __future__ import annotations

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, ParallelCopyInstr, PhiInstr
from nirls.ir.model.values import AluSrc, Def, RegDest, Register, Src


class UnloweredRegisterError(ValueError):
    """A register stands where modern NIR has no place for a load or store of one."""


def lower_registers(impl: FunctionImpl) -> None:
    """Replace all registers of a function. Values keep their numbers; new ones come behind the highest.

    Raises UnloweredRegisterError for parallel copies and phis of registers, and undeclared ones.
    """
    if not impl.registers:
        return
    start = impl.body[0] if impl.body and isinstance(impl.body[0], Block) else None
    if start is None:
        raise UnloweredRegisterError("the function does not start with a block to declare its registers in")
    undeclared = next((reg for reg in impl.registers if not reg.num_components), None)
    if undeclared is not None:
        raise UnloweredRegisterError(f"register r{undeclared.index} is not declared")
    builder = Builder(impl, start, start.first)
    instrs = list(impl.instrs())
    handles = {reg: _declare(builder, reg) for reg in impl.registers}
    for instr in instrs:
        _lower_instr(builder, instr, handles)
    above: Block | None = None
    for node in impl.cf_nodes():
        if isinstance(node, If) and node.condition.reg is not None:
            if above is None:
                raise UnloweredRegisterError("an if on a register has no block in front of it")
            node.condition.set_def(_load(builder.at_end_of(above), node.condition, handles))
        above = node if isinstance(node, Block) else None
    impl.registers = []


def _declare(builder: Builder, reg: Register) -> Def:
    indices = {
        "num_components": reg.num_components,
        "bit_size": reg.bit_size,
        "num_array_elems": reg.num_array_elems,
        "divergent": 1,
    }
    return _made(builder.intrinsic("decl_reg", [], indices, 1, 32))


def _lower_instr(builder: Builder, instr: Instr, handles: dict[Register, Def]) -> None:
    touches = instr.reg_dest is not None or any(src.reg is not None for src in instr.all_srcs())
    if isinstance(instr, ParallelCopyInstr):
        touches = touches or any(isinstance(dest, RegDest) for dest in instr.dests)
    if not touches:
        return
    if isinstance(instr, PhiInstr | ParallelCopyInstr):
        raise UnloweredRegisterError(f"a {instr.kind.replace('_', ' ')} of registers has no modern form")
    builder.before_instr(instr)
    for src in instr.srcs():
        if src.reg is not None:
            src.set_def(_load(builder, src, handles))
    if instr.reg_dest is not None:
        _store(builder, instr, instr.reg_dest, handles)


def _load(builder: Builder, src: Src, handles: dict[Register, Def]) -> Def:
    reg = src.reg
    assert reg is not None
    indices = {"base": src.reg_offset, "legacy_fabs": 0, "legacy_fneg": 0}
    sources = [handles[reg]]
    name = "load_reg"
    if src.reg_indirect is not None:
        name = "load_reg_indirect"
        sources.append(_value(builder, src.reg_indirect, handles))
    return _made(builder.intrinsic(name, sources, indices, reg.num_components, reg.bit_size))


def _store(builder: Builder, instr: Instr, dest: RegDest, handles: dict[Register, Def]) -> None:
    reg = dest.reg
    block = instr.block
    assert block is not None
    indirect = None if dest.indirect is None else _value(builder, dest.indirect, handles)
    written = [i for i in range(reg.num_components) if dest.write_mask >> i & 1]
    is_alu = isinstance(instr, AluInstr)
    value = instr.make_def(builder.next_index, len(written) if is_alu else reg.num_components, reg.bit_size)
    builder.next_index += 1
    dest.clear()
    instr.reg_dest = None
    builder.block, builder.before = block, instr.next
    if is_alu and written and len(written) < reg.num_components:
        # A store takes component i of its value to component i of the register.
        places = tuple(written.index(i) if i in written else 0 for i in range(reg.num_components))
        value = builder.alu("mov", [AluSrc(value, places)], len(places), reg.bit_size)
    indices = {"base": dest.offset, "write_mask": dest.write_mask, "legacy_fsat": 0}
    sources = [value, handles[reg]]
    if indirect is None:
        builder.intrinsic("store_reg", sources, indices)
    else:
        builder.intrinsic("store_reg_indirect", [*sources, indirect], indices)


def _value(builder: Builder, src: Src, handles: dict[Register, Def]) -> Def:
    return src.ssa if src.reg is None else _load(builder, src, handles)


def _made(instr: IntrinsicInstr) -> Def:
    assert instr.def_ is not None
    return instr.def_
