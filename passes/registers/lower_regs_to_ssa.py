"""The pass `lower_regs_to_ssa`: registers to SSA values (Mesa: nir_lower_reg_intrinsics_to_ssa)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nirls.ir.model.builder import Builder, merged_channels
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, ParallelCopyInstr, PhiInstr
from nirls.ir.model.phi_builder import PhiBuilder, PhiValue
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, RegDest, Register, Src
from nirls.ir.tables import opcode
from nirls.passes.declaration import OptionError, Pass

ACCESSES = frozenset(("load_reg", "store_reg"))


@dataclass(frozen=True)
class LowerRegsToSsa(Pass):
    """Replace registers by SSA values."""

    name = "lower_regs_to_ssa"

    def apply(self, shader: Shader) -> bool:
        return lower_regs_to_ssa(shader)

    def check(self, shaders: Sequence[Shader]) -> None:
        for shader in shaders:
            for impl in shader.impls():
                for reg in impl.registers:
                    if not reg.num_components:
                        raise OptionError(f"register r{reg.index} is not declared, so its size is unknown")


def lower_regs_to_ssa(shader: Shader) -> bool:
    """Replace registers by SSA values, with phis where control flow joins; return whether any was replaced.

    Applies to registers of old dumps (`r0.xy = fadd ...`) and to register intrinsics (`load_reg`,
    `store_reg`). Register arrays, undeclared registers and registers read by a phi are unchanged. Reads
    before the first write are undefined.
    """
    changed = [impl for impl in shader.impls() if _ToSsa(impl).run()]
    return bool(changed)


class _ToSsa:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl) -> None:
        self.impl = impl
        self.values: dict[Register | Def, PhiValue] = {}
        self.current: dict[PhiValue, Def] = {}

    def run(self) -> bool:
        registers = [reg for reg in self.impl.registers if _can_be_lowered(reg)]
        declared = [
            instr
            for instr in self.impl.instrs()
            if isinstance(instr, IntrinsicInstr) and instr.name == "decl_reg"
        ]
        lowered = [instr for instr in declared if _is_lowerable_declaration(instr)]
        if not (registers or lowered) or not self.impl.body or not isinstance(self.impl.body[0], Block):
            return False
        self.phis = PhiBuilder(self.impl)
        self.builder: Builder = self.phis.builder
        for reg in registers:
            written = [dest.instr.block for dest in reg.writes if dest.instr is not None]
            blocks = [block for block in written if block is not None]
            self.values[reg] = self.phis.add_value(reg.num_components, reg.bit_size, blocks)
        for instr in lowered:
            self._add_declaration(instr)
        conditions = self._conditions()
        for block in self.phis.blocks_in_order():
            self.current = {}
            for one in block:
                self._rewrite(one, block)
            condition = conditions.get(block)
            if condition is not None:
                self._read(condition, block)
            for value, at_end in self.current.items():
                value.assign(block, at_end)
        self.phis.finish()
        self.impl.registers = [reg for reg in self.impl.registers if reg not in self.values]
        for instr in lowered:
            instr.remove()
        return True

    def _add_declaration(self, instr: IntrinsicInstr) -> None:
        assert instr.def_ is not None
        stores = [src.owner for src in instr.def_.uses]
        blocks = [
            store.block
            for store in stores
            if isinstance(store, IntrinsicInstr) and store.name == "store_reg" and store.block is not None
        ]
        width, size = instr.int_index("num_components", 1), instr.int_index("bit_size", 32)
        self.values[instr.def_] = self.phis.add_value(width, size, blocks)

    def _conditions(self) -> dict[Block, Src]:
        """Map the block before each if to its condition, for conditions in a register."""
        found: dict[Block, Src] = {}
        above: Block | None = None
        for node in self.impl.cf_nodes():
            if isinstance(node, If) and above is not None and node.condition.reg is not None:
                found[above] = node.condition
            above = node if isinstance(node, Block) else None
        return found

    def _rewrite(self, instr: Instr, block: Block) -> None:
        if isinstance(instr, IntrinsicInstr) and instr.name in ACCESSES:
            handle = instr.sources[-1].def_
            value = None if handle is None else self.values.get(handle)
            if value is not None:
                if instr.name == "load_reg":
                    self._load(instr, value, block)
                else:
                    self._store(instr, value, block)
                return
        for src in instr.all_srcs():
            self._read(src, block)
        if isinstance(instr, ParallelCopyInstr):
            self._parallel_copy(instr)
        elif instr.reg_dest is not None and instr.reg_dest.reg in self.values:
            self._write(instr, instr.reg_dest, self.values[instr.reg_dest.reg], block)

    def _read(self, src: Src, block: Block) -> None:
        value = None if src.reg is None else self.values.get(src.reg)
        if value is not None:
            src.set_def(self._now(value, block))

    def _now(self, value: PhiValue, block: Block) -> Def:
        return self.current.get(value) or value.at_start_of(block)

    def _write(self, instr: Instr, dest: RegDest, value: PhiValue, block: Block) -> None:
        """Replace a register destination by a def, merged with the channels that are not written."""
        written = [channel for channel in range(value.num_components) if dest.write_mask >> channel & 1]
        by_channel = _makes_every_channel(instr, value.num_components)
        width = value.num_components if by_channel else len(written)
        dest.clear()
        instr.reg_dest = None
        made = instr.make_def(self.builder.next_index, width, value.bit_size)
        self.builder.next_index += 1
        places = {channel: channel if by_channel else number for number, channel in enumerate(written)}
        self.builder.block, self.builder.before = block, instr.next
        self.current[value] = self._merged(made, places, value, block)

    def _store(self, instr: IntrinsicInstr, value: PhiValue, block: Block) -> None:
        stored = instr.sources[0].def_
        mask = instr.write_mask
        self.builder.before_instr(instr)
        if stored is not None:
            if instr.int_index("legacy_fsat"):
                stored = self.builder.alu("fsat", [stored], stored.num_components, stored.bit_size)
            places = {
                channel: channel
                for channel in range(min(value.num_components, stored.num_components))
                if mask >> channel & 1
            }
            self.current[value] = self._merged(stored, places, value, block)
        instr.remove()

    def _load(self, instr: IntrinsicInstr, value: PhiValue, block: Block) -> None:
        now = self._now(value, block)
        self.builder.before_instr(instr)
        for index, op in (("legacy_fabs", "fabs"), ("legacy_fneg", "fneg")):
            if instr.int_index(index):
                now = self.builder.alu(op, [now], now.num_components, now.bit_size)
        if instr.def_ is not None:
            instr.def_.replace_all_uses_with(now)
        instr.remove()

    def _merged(self, made: Def, places: dict[int, int], value: PhiValue, block: Block) -> Def:
        """Build the register value with component `places[i]` of `made` in channel i, other channels kept."""
        width = value.num_components
        return merged_channels(self.builder, made, places, width, lambda: self._now(value, block))

    def _parallel_copy(self, instr: ParallelCopyInstr) -> None:
        kept: list[tuple[Def | RegDest, Src]] = []
        for dest, src in zip(instr.dests, instr.sources, strict=True):
            value = self.values.get(dest.reg) if isinstance(dest, RegDest) else None
            if value is None or src.def_ is None or not isinstance(dest, RegDest):
                kept.append((dest, src))
                continue
            self.current[value] = src.def_
            dest.clear()
            src.clear()
        instr.dests, instr.sources = [dest for dest, _ in kept], [src for _, src in kept]
        if not kept:
            instr.remove()


def _makes_every_channel(instr: Instr, width: int) -> bool:
    """Whether component i of the result belongs to channel i, whatever the write mask."""
    if not isinstance(instr, AluInstr):
        return True
    entry = opcode(instr.op)
    return entry is not None and entry.output_size == width


def _can_be_lowered(reg: Register) -> bool:
    if reg.num_array_elems or not reg.num_components:
        return False
    plain_reads = all(
        src.reg_indirect is None and not src.reg_offset and not isinstance(src.owner, PhiInstr)
        for src in reg.uses
    )
    return plain_reads and all(dest.indirect is None and not dest.offset for dest in reg.writes)


def _is_lowerable_declaration(instr: IntrinsicInstr) -> bool:
    if instr.def_ is None or instr.int_index("num_array_elems"):
        return False
    if not instr.int_index("num_components"):
        return False
    return all(
        isinstance(src.owner, IntrinsicInstr)
        and src.owner.name in ACCESSES
        and not src.owner.int_index("base")
        for src in instr.def_.uses
    )
