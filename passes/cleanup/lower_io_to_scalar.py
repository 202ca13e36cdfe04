"""The pass `lower_io_to_scalar`: scalarization of inputs and outputs (Mesa: nir_lower_io_to_scalar)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from nirls.ir.io.access import INPUT_LOADS, OUTPUT_LOADS, OUTPUT_STORES
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Src
from nirls.passes.cleanup.constants import replace_instr
from nirls.passes.declaration import Pass

_LOADS = INPUT_LOADS | OUTPUT_LOADS


@dataclass(frozen=True)
class LowerIoToScalar(Pass):
    """Split loads of inputs and stores of outputs into scalar ones."""

    name = "lower_io_to_scalar"

    def apply(self, shader: Shader) -> bool:
        return lower_io_to_scalar(shader)


def lower_io_to_scalar(shader: Shader) -> bool:
    """Split loads of inputs and outputs and stores of outputs; memory accesses are unchanged.

    A `vecN` after the loads keeps the SSA index. Transform feedback info and geometry streams are split as
    well. Components of outputs that are neither varying, system value output nor captured are not stored.
    """
    changed = [impl for impl in shader.impls() if _LowerIo(impl, shader.stage).run()]
    return bool(changed)


class _LowerIo:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl, stage: Stage | None) -> None:
        self.impl = impl
        self.stage = stage
        self.builder: Builder | None = None

    def run(self) -> bool:
        progress = False
        for instr in self.impl.instrs():
            if not isinstance(instr, IntrinsicInstr) or not instr.sources:
                continue
            if any(src.def_ is None for src in instr.sources):
                continue
            if instr.name in _LOADS and instr.def_ is not None and instr.def_.num_components > 1:
                self._lower_load(instr)
            elif instr.name in OUTPUT_STORES and instr.sources[0].num_components > 1:
                self._lower_store(instr)
            else:
                continue
            progress = True
        return progress

    def _builder(self, instr: IntrinsicInstr) -> Builder:
        if self.builder is None:
            self.builder = Builder(self.impl, self.impl.start_block)
        return self.builder.before_instr(instr)

    def _lower_load(self, instr: IntrinsicInstr) -> None:
        value = instr.def_
        if value is None:
            return
        builder = self._builder(instr)
        scalars = []
        for component in range(value.num_components):
            scalar = IntrinsicInstr(
                instr.name,
                self._sources(instr, _slots_up(instr, component), builder),
                _indices_of(instr, component),
            )
            scalar.comment = instr.comment
            scalars.append(builder.define(scalar, 1, value.bit_size))
        vector = AluInstr(f"vec{len(scalars)}", [AluSrc(scalar) for scalar in scalars])
        replace_instr(instr, vector, value.divergent)

    def _lower_store(self, instr: IntrinsicInstr) -> None:
        builder = self._builder(instr)
        value = instr.sources[0].ssa
        for component in range(value.num_components):
            if not instr.write_mask & (1 << component):
                continue
            indices = _indices_of(instr, component)
            if self._writes_nowhere(indices):
                continue
            channel = builder.mov(value, component)
            sources = self._sources(instr, _slots_up(instr, component), builder)
            sources[0].set_def(channel)
            scalar = IntrinsicInstr(instr.name, sources, indices)
            scalar.comment = instr.comment
            builder.insert(scalar)
        instr.remove()

    def _sources(self, instr: IntrinsicInstr, slots_up: int, builder: Builder) -> list[Src]:
        """Copy the sources; `slots_up` is added to the last one, the offset in slots."""
        sources = [Src(src.ssa) for src in instr.sources]
        if slots_up:
            offset = sources[-1].ssa
            step = builder.load_const([slots_up], offset.bit_size)
            sources[-1].set_def(builder.alu("iadd", [offset, step], 1, offset.bit_size))
        return sources

    def _writes_nowhere(self, indices: dict[str, IndexValue]) -> bool:
        semantics = indices.get("io_semantics")
        if self.stage is Stage.TESS_CTRL or not isinstance(semantics, IoSemantics):
            return False
        is_captured = any(
            isinstance(indices.get(name), XfbOutputs) and indices[name] != XfbOutputs()
            for name in ("io_xfb", "io_xfb2")
        )
        return semantics.has("no_varying") and semantics.has("no_sysval_output") and not is_captured


def _first_component(instr: IntrinsicInstr, component: int) -> int:
    """Return the position of a component of the value, in 32-bit components from the start of the slot."""
    kind = instr.indices.get("dest_type", instr.indices.get("src_type", ""))
    width = 2 if isinstance(kind, str) and kind.endswith("64") else 1
    return instr.int_index("component") + component * width


def _slots_up(instr: IntrinsicInstr, component: int) -> int:
    return _first_component(instr, component) // 4


def _indices_of(instr: IntrinsicInstr, component: int) -> dict[str, IndexValue]:
    """Return the intrinsic indices of the scalar access of one component."""
    place = _first_component(instr, component) % 4
    indices = dict(instr.indices)
    if "component" in indices:
        indices["component"] = place
    if "write_mask" in indices:
        indices["write_mask"] = 1
    if "range" in indices:
        # Mesa does not copy the range.
        indices["range"] = 0
    semantics = indices.get("io_semantics")
    if isinstance(semantics, IoSemantics):
        indices["io_semantics"] = _semantics_of(semantics, component)
    if "io_xfb" in indices:
        width = 2 if _first_component(instr, 1) - _first_component(instr, 0) == 2 else 1
        low, high = _captured(instr, place, width)
        indices["io_xfb"] = low
        if "io_xfb2" in indices:
            indices["io_xfb2"] = high
    return indices


def _semantics_of(semantics: IoSemantics, component: int) -> IoSemantics:
    """Return the io_semantics of one component: its geometry stream moves to `x`."""
    values = []
    for name, text in semantics.values:
        if name != "gs_streams":
            values.append((name, text))
            continue
        streams = re.findall(r"\d+", text)
        stream = streams[component] if component < len(streams) else "0"
        values.append((name, f"x={stream} y=0 z=0 w=0"))
    return replace(semantics, values=tuple(values))


def _captured(instr: IntrinsicInstr, place: int, width: int) -> tuple[XfbOutputs, XfbOutputs]:
    """Return io_xfb (for components 0 and 1) and io_xfb2 (for 2 and 3) of a scalar store."""
    for name in ("io_xfb", "io_xfb2"):
        outputs = instr.indices.get(name)
        for first, count, buffer, offset in outputs.outputs if isinstance(outputs, XfbOutputs) else ():
            if first <= place < first + count:
                part = XfbOutputs(((place, width, buffer, offset + 4 * (place - first)),))
                return (part, XfbOutputs()) if place < 2 else (XfbOutputs(), part)
    return XfbOutputs(), XfbOutputs()
