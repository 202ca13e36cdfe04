"""The pass `convert_from_ssa`: phis to registers (Mesa: nir_convert_from_ssa with phi webs only)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, PhiInstr, is_undef
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.values import IDENTITY_SWIZZLE, AluSrc, Def, RegDest, Register
from nirls.passes.booleans import move_opcode
from nirls.passes.declaration import Pass

_Write = Callable[[Def], None]


@dataclass(frozen=True)
class ConvertFromSsa(Pass):
    """Replace phis by registers."""

    name = "convert_from_ssa"

    def apply(self, shader: Shader) -> bool:
        return convert_from_ssa(shader)


def convert_from_ssa(shader: Shader) -> bool:
    """Replace each phi by a register; return whether there were any phis.

    The register is written at the end of each predecessor and read at the position of the phi, so that
    swaps between several phis remain correct. All other values stay SSA. The registers have the form of the
    dump's dialect: `r0`, or in modern dumps `decl_reg` with `load_reg` and `store_reg`.
    """
    move = move_opcode(shader)
    changed = [impl for impl in shader.impls() if _FromSsa(impl, shader.dialect, move).run()]
    return bool(changed)


class _FromSsa:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl, dialect: Dialect, move: str) -> None:
        self.impl = impl
        self.modern = dialect is Dialect.MODERN
        self.move = move

    def run(self) -> bool:
        phis = [
            phi
            for block in self.impl.blocks()
            for phi in block.phis()
            if phi.def_ is not None and all(src.def_ is not None for src in phi.sources)
        ]
        if not phis or not self.impl.body or not isinstance(self.impl.body[0], Block):
            return False
        start = self.impl.start_block
        self.builder = Builder(self.impl, start)
        self.behind_declarations = next(
            (instr for instr in start if not isinstance(instr, PhiInstr) and not _declares(instr)), None
        )
        self.next_register = 1 + max((reg.index for reg in self.impl.registers), default=-1)
        self.behind_phis = {
            phi.block: next((instr for instr in phi.block if not isinstance(instr, PhiInstr)), None)
            for phi in phis
            if phi.block is not None
        }
        places = [self._intrinsics_for(phi) if self.modern else self._register_for(phi) for phi in phis]
        # Insert all reads before the first write, because a write can go to the end of the same block.
        for phi, (_, write) in zip(phis, places, strict=True):
            for src in phi.sources:
                if not is_undef(src.def_):
                    self.builder.at_end_of(src.pred)
                    write(src.ssa)
        for phi, (read, _) in zip(phis, places, strict=True):
            _take_place(phi, read)
        return True

    def _intrinsics_for(self, phi: PhiInstr) -> tuple[Instr, _Write]:
        """Declare a register and read it after the phis; return the read, and a writer at the cursor."""
        value = phi.def_
        assert value is not None
        self.builder.block, self.builder.before = self.impl.start_block, self.behind_declarations
        sizes = {
            "num_components": value.num_components,
            "bit_size": value.bit_size,
            "num_array_elems": 0,
            "divergent": 1,
        }
        handle = self.builder.load("decl_reg", [], sizes, 1, 32)
        self._behind_phis(phi)
        indices = {"base": 0, "legacy_fabs": 0, "legacy_fneg": 0}
        load = self.builder.intrinsic("load_reg", [handle], indices, value.num_components, value.bit_size)
        mask = (1 << value.num_components) - 1

        def write(stored: Def) -> None:
            self.builder.intrinsic(
                "store_reg", [stored, handle], {"base": 0, "write_mask": mask, "legacy_fsat": 0}
            )

        return load, write

    def _register_for(self, phi: PhiInstr) -> tuple[Instr, _Write]:
        """Like `_intrinsics_for`, with a register of older dialects."""
        value = phi.def_
        assert value is not None
        reg = Register(self.next_register, value.num_components, value.bit_size)
        self.next_register += 1
        self.impl.registers.append(reg)
        whole = IDENTITY_SWIZZLE[: value.num_components]
        self._behind_phis(phi)
        read = AluInstr(self.move, [AluSrc(reg, whole)])
        self.builder.define(read, value.num_components, value.bit_size)

        def write(stored: Def) -> None:
            move = AluInstr(self.move, [AluSrc(stored, whole)])
            move.reg_dest = RegDest(reg, (1 << value.num_components) - 1, instr=move)
            self.builder.insert(move)

        return read, write

    def _behind_phis(self, phi: PhiInstr) -> None:
        """Set the cursor directly after the phis of the block, so that all reads precede all writes."""
        block = phi.block
        assert block is not None
        self.builder.block = block
        self.builder.before = self.behind_phis[block]


def _take_place(phi: PhiInstr, instr: Instr) -> None:
    """Replace a phi by an instruction, keeping the SSA index and source line."""
    value, made = phi.def_, instr.def_
    assert value is not None
    assert made is not None
    made.index, made.divergent = value.index, value.divergent
    instr.span = phi.span
    value.replace_all_uses_with(made)
    phi.remove()


def _declares(instr: Instr) -> bool:
    return isinstance(instr, IntrinsicInstr) and instr.name == "decl_reg"
