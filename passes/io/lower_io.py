"""The pass `lower_io`: lowering of input and output variable accesses to slot intrinsics.

Mesa: nir_lower_io with `type_size_vec4` and interpolated input intrinsics, nir_io_add_const_offset_to_base,
and nir_recompute_io_bases.
"""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.io.variables import DerefPlace, colors_of_one_slot, deref_place
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import DerefInstr, IndexValue, Instr, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Dialect, HeaderField, Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.ir.tables import intrinsic
from nirls.passes.cleanup.lower_io_to_scalar import lower_io_to_scalar
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.declaration import Pass, option

_MODES = frozenset({"shader_in", "shader_out"})
_BARYCENTRIC_OF = {
    "interp_deref_at_centroid": "load_barycentric_centroid",
    "interp_deref_at_sample": "load_barycentric_at_sample",
    "interp_deref_at_offset": "load_barycentric_at_offset",
}
_ACCESSES = frozenset({"load_deref", "store_deref", "interp_deref_at_vertex", *_BARYCENTRIC_OF})
_BEFORE_IO_LOWERED = ("inputs_read", "outputs_", "system_values_read", "subgroup_size", "bit_sizes_")
_COLORS = frozenset({varying_slot("COL0"), varying_slot("COL1")})


@dataclass(frozen=True)
class LowerIo(Pass):
    """Replace accesses of input and output variables by slot intrinsics."""

    name = "lower_io"

    to_scalar: bool = option(True, "also split the accesses into scalar ones")

    def apply(self, shader: Shader) -> bool:
        return lower_io(shader, to_scalar=self.to_scalar)


def lower_io(shader: Shader, *, to_scalar: bool = True) -> bool:
    """Lower all accesses of inputs and outputs to slot intrinsics; with `to_scalar`, split them to scalars.

    A shader with an access that cannot be lowered (see `obstacles`) is not changed, because a partially
    lowered shader cannot be linked. Returns whether the shader changed.
    """
    if obstacles(shader):
        return False
    accesses = [access for impl in shader.impls() for access in _accesses(shader, impl)]
    if not accesses:
        return False
    builders: dict[FunctionImpl, Builder] = {}
    for access in accesses:
        builder = builders.setdefault(access.impl, Builder(access.impl, access.impl.start_block))
        _Lowering(shader, access, builder.before_instr(access.instr)).apply()
    _recompute_bases(shader)
    if not any(item.key == "io_lowered" for item in shader.header) and shader.dialect is Dialect.MODERN:
        _insert_io_lowered(shader)
    if to_scalar:
        lower_io_to_scalar(shader)
    return True


def has_variable_io(shader: Shader) -> bool:
    """Whether the shader has variable accesses that `lower_io` can lower."""
    return any(_accesses(shader, impl) for impl in shader.impls())


def obstacles(shader: Shader) -> list[tuple[Instr, str]]:
    """Find the accesses that cannot be lowered, each with the reason."""
    found: list[tuple[Instr, str]] = []
    ambiguous = colors_of_one_slot(shader)
    for instr in shader.instrs():
        if not isinstance(instr, IntrinsicInstr) or not instr.sources:
            continue
        for src in instr.sources:
            deref = src.def_instr
            if not isinstance(deref, DerefInstr) or _MODES.isdisjoint(deref.modes):
                continue
            if shader.dialect is Dialect.OLD:
                found.append((instr, "dumps of this age have no I/O semantics"))
            elif instr.name not in _ACCESSES:
                found.append((instr, f"{instr.name} of an input or output is lowered by other passes first"))
            elif deref.root.var in ambiguous:
                found.append(
                    (instr, "two outputs have this slot, and it is not printed which is DUAL_SRC_BLEND")
                )
            else:
                place = deref_place(shader.stage, deref)
                if isinstance(place, str):
                    found.append((instr, place))
    return found


@dataclass(frozen=True, slots=True)
class _Access:
    impl: FunctionImpl
    instr: IntrinsicInstr
    place: DerefPlace


def _accesses(shader: Shader, impl: FunctionImpl) -> list[_Access]:
    found = []
    for instr in impl.instrs():
        if not isinstance(instr, IntrinsicInstr) or instr.name not in _ACCESSES or not instr.sources:
            continue
        deref = instr.sources[0].def_instr
        if isinstance(deref, DerefInstr) and deref.mode in _MODES:
            place = deref_place(shader.stage, deref)
            if isinstance(place, DerefPlace):
                found.append(_Access(impl, instr, place))
    return found


class _Lowering:
    """Lowering of one access."""

    def __init__(self, shader: Shader, access: _Access, builder: Builder) -> None:
        self.shader, self.instr, self.place, self.builder = shader, access.instr, access.place, builder

    def apply(self) -> None:
        """Insert the slot intrinsic; remove the access and derefs that become dead."""
        offset = self._offset()
        if self.instr.name == "store_deref":
            self._store(offset)
        else:
            self._load(offset)
        remove_with_its_sources(self.instr)

    def _offset(self) -> Def:
        """Build the offset source in slots: the sum of the dynamic indices; the slot has constant ones."""
        total: Def | None = None
        for index, size in self.place.dynamic:
            step = index
            if size != 1:
                step = self.builder.alu("imul", [index, self._const(size)], 1, 32)
            total = step if total is None else self.builder.alu("iadd", [total, step], 1, 32)
        return self._const(0) if total is None else total

    def _const(self, value: int) -> Def:
        return self.builder.load_const([value], 32)

    def _vertex(self) -> Def:
        vertex = self.place.vertex
        return self._const(vertex) if isinstance(vertex, int) else vertex or self._const(0)

    def _load(self, offset: Def) -> None:
        variable, place = self.place.variable, self.place
        sources = [offset]
        if variable.mode == "shader_out":
            name = "load_output" if place.vertex is None else self._arrayed("load_{}_output")
        elif self.shader.stage is Stage.FRAGMENT:
            name = self._fragment_input(sources)
        else:
            name = "load_input" if place.vertex is None else "load_per_vertex_input"
        if place.vertex is not None and name != "load_input_vertex":
            sources.insert(0, self._vertex())
        self._replace(name, sources)

    def _fragment_input(self, sources: list[Def]) -> str:
        variable, instr = self.place.variable, self.instr
        if "per_primitive" in variable.qualifiers:
            return "load_per_primitive_input"
        if instr.name == "interp_deref_at_vertex":
            sources.insert(0, instr.sources[1].ssa)
            return "load_input_vertex"
        if self.place.vertex is not None:
            sources.insert(0, self._vertex())
            return "load_input_vertex"
        if variable.interpolation in ("INTERP_MODE_FLAT", "INTERP_MODE_EXPLICIT"):
            return "load_input"
        if not self.place.base_type.startswith("float"):
            return "load_input"
        barycentric = _BARYCENTRIC_OF.get(instr.name)
        if barycentric is None:
            qualifier = next(
                (word for word in ("centroid", "sample") if word in variable.qualifiers), "pixel"
            )
            barycentric = f"load_barycentric_{qualifier}"
        mode = variable.interpolation
        if mode == "INTERP_MODE_NONE" and self.place.slot not in _COLORS:
            mode = "INTERP_MODE_SMOOTH"
        arguments = [src.ssa for src in instr.sources[1:]]
        sources.insert(0, self.builder.load(barycentric, arguments, {"interp_mode": mode}, 2, 32))
        return "load_interpolated_input"

    def _arrayed(self, pattern: str) -> str:
        is_primitive = "per_primitive" in self.place.variable.qualifiers
        return pattern.format("per_primitive" if is_primitive else "per_vertex")

    def _store(self, offset: Def) -> None:
        value = self.instr.sources[1].ssa
        name, sources = "store_output", [value, offset]
        if self.place.vertex is not None:
            name = self._arrayed("store_{}_output")
            sources.insert(1, self._vertex())
        indices = self._indices(name)
        indices["write_mask"] = self.instr.write_mask
        stored = self.builder.intrinsic(name, sources, indices)
        stored.span = self.instr.span

    def _replace(self, name: str, sources: list[Def]) -> None:
        value = self.instr.def_
        if value is None:
            return
        load = IntrinsicInstr(name, [Src(source) for source in sources], self._indices(name))
        # Keep the SSA index, so that the printed uses stay the same.
        twin = load.make_def(value.index, value.num_components, value.bit_size, value.divergent)
        load.span = self.instr.span
        self.builder.insert(load)
        value.replace_all_uses_with(twin)

    def _indices(self, name: str) -> dict[str, IndexValue]:
        """Return the intrinsic indices of the dump's Mesa release, in printed order."""
        entry = intrinsic(name)
        forms = [] if entry is None else entry.forms()
        era = "22.3" if self.shader.dialect is Dialect.CLASSIC else "25.0"
        form = next((form for form in forms if era in form.releases), entry)
        kind = self.place.base_type
        values: dict[str, IndexValue] = {
            "base": 0,
            "range": 0,
            "write_mask": 1,
            "component": self.place.component,
            "dest_type": kind,
            "src_type": kind,
            "io_semantics": self._semantics(),
            "io_xfb": XfbOutputs(),
            "io_xfb2": XfbOutputs(),
        }
        return {
            index: values[index] for index in (form.indices if form is not None else ()) if index in values
        }

    def _semantics(self) -> IoSemantics:
        variable = self.place.variable
        flags = ["invariant"] if "invariant" in variable.qualifiers and variable.mode == "shader_out" else []
        if variable.precision in ("mediump", "lowp"):
            flags.insert(0, "mediump")
        return IoSemantics(self.place.slot, self.place.num_slots, tuple(flags))


def _recompute_bases(shader: Shader) -> None:
    """Assign consecutive bases to the used slots of inputs and outputs (Mesa: nir_recompute_io_bases)."""
    accesses: dict[str, list[tuple[IntrinsicInstr, IoSemantics]]] = {"input": [], "output": []}
    for instr in shader.instrs():
        if isinstance(instr, IntrinsicInstr) and instr.io_semantics is not None and "base" in instr.indices:
            side = "input" if "input" in instr.name else "output"
            accesses[side].append((instr, instr.io_semantics))
    for side, found in accesses.items():
        used = sorted({slot for _, semantics in found for slot in semantics.slots})
        position = {slot: number for number, slot in enumerate(used)}
        for instr, semantics in found:
            instr.indices["base"] = position[semantics.location]
        _set_count(shader, f"{side}s", len(used))


def _set_count(shader: Shader, key: str, count: int) -> None:
    for item in shader.header:
        if item.key == key:
            item.value = str(count)


def _insert_io_lowered(shader: Shader) -> None:
    """Add `io_lowered: true` to the header where Mesa prints it: after the bit sizes."""
    places = [number for number, item in enumerate(shader.header) if item.key.startswith(_BEFORE_IO_LOWERED)]
    if places:
        shader.header.insert(places[-1] + 1, HeaderField("io_lowered", "true"))
