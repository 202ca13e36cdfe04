"""The pass `lower_phis_to_scalar`: scalarization of phis (Mesa: nir_lower_phis_to_scalar)."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.io.access import DEREF_LOADS
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    is_undef,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def, PhiSrc
from nirls.ir.tables import opcode
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.passes.declaration import Pass, option

_SCALARIZABLE_LOADS = frozenset(
    (
        *(DEREF_LOADS - {"load_deref"}),
        "load_global",
        "load_global_constant",
        "load_input",
        "load_per_primitive_input",
        "load_ssbo",
        "load_ubo",
        "load_uniform",
    )
)
_TEMPORARY_MODES = frozenset(("function_temp", "shader_temp", "local"))


@dataclass(frozen=True)
class LowerPhisToScalar(Pass):
    """Split vector phis into scalar ones."""

    name = "lower_phis_to_scalar"

    lower_all: bool = option(False, "split every vector phi, even if no source can be split")

    def apply(self, shader: Shader) -> bool:
        return lower_phis_to_scalar(shader, lower_all=self.lower_all)


def lower_phis_to_scalar(shader: Shader, *, lower_all: bool = False) -> bool:
    """Split vector phis that have a scalarizable source; all vector phis with `lower_all`.

    The components are extracted in the predecessors, and a `vecN` after the phis keeps the SSA index.
    """
    changed = [impl for impl in shader.impls() if _LowerPhis(impl, lower_all).run()]
    return bool(changed)


class _LowerPhis:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl, lower_all: bool) -> None:
        self.impl = impl
        self.lower_all = lower_all
        self.builder: Builder | None = None

    def run(self) -> bool:
        progress = False
        for block in self.impl.blocks():
            for phi in list(block.phis()):
                value = phi.def_
                if value is not None and self._should_lower(phi, value):
                    self._lower(phi, value, block)
                    progress = True
        return progress

    def _should_lower(self, phi: PhiInstr, value: Def) -> bool:
        if value.num_components == 1 or any(src.def_ is None for src in phi.sources):
            return False
        return self.lower_all or any(_is_scalarizable(src) for src in phi.sources)

    def _lower(self, phi: PhiInstr, value: Def, block: Block) -> None:
        if self.builder is None:
            self.builder = Builder(self.impl, block)
        builder = self.builder
        scalars = []
        for component in range(value.num_components):
            sources = [PhiSrc(src.pred, self._component(src, component, builder)) for src in phi.sources]
            builder.block, builder.before = block, phi
            scalars.append(builder.define(PhiInstr(sources), 1, value.bit_size))
        vector = AluInstr(f"vec{len(scalars)}", [AluSrc(scalar) for scalar in scalars])
        twin = vector.make_def(value.index, value.num_components, value.bit_size, value.divergent)
        builder.at_start_of(block).insert(vector)
        value.replace_all_uses_with(twin)
        phi.remove()

    def _component(self, src: PhiSrc, component: int, builder: Builder) -> Def:
        builder.at_end_of(src.pred)
        if is_undef(src.ssa):
            return builder.undef(1, src.ssa.bit_size)
        return builder.mov(src.ssa, component)


def _is_scalarizable(src: PhiSrc) -> bool:
    """Whether other passes will scalarize the source (Mesa: `is_phi_src_scalarizable`)."""
    maker: Instr | None = src.ssa.instr
    if isinstance(maker, AluInstr):
        entry = opcode(maker.op)
        return maker.op in MOVES or maker.op in VECTORS or (entry is not None and entry.output_size == 0)
    if isinstance(maker, PhiInstr):
        return _goes_back_to_the_header(src.pred)
    if isinstance(maker, LoadConstInstr):
        return True
    if not isinstance(maker, IntrinsicInstr):
        return False
    if maker.name == "load_deref":
        deref = maker.sources[0].def_instr if maker.sources else None
        return isinstance(deref, DerefInstr) and not _TEMPORARY_MODES & deref.modes
    return maker.name in _SCALARIZABLE_LOADS


def _goes_back_to_the_header(block: Block) -> bool:
    if block.jump is not None:
        return block.jump.jump_kind == "continue"
    return isinstance(block.parent, Loop) and block.parent.body[-1] is block
