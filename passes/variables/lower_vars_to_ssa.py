"""The pass `lower_vars_to_ssa`: function temporaries to SSA values (Mesa: nir_lower_vars_to_ssa)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nirls.ir.effects.aliasing import variable_of
from nirls.ir.model.access import VOLATILE
from nirls.ir.model.builder import Builder, merged_channels
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.glsl_types import leaf_type
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.phi_builder import PhiBuilder, PhiValue
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.values import Def, Src
from nirls.passes.dead_code import remove_unread
from nirls.passes.declaration import Pass

MODE = "function_temp"
_LENGTH = re.compile(r"[^\[\]]+\[(\d+)\]")

Path = tuple[int | str, ...]
"""Constant indices and field names from a variable to one of its parts."""


@dataclass(eq=False, slots=True)
class Part:
    """A scalar or vector within a temporary: its size, and the derefs that point to it."""

    num_components: int
    bit_size: int
    derefs: list[Def] = field(default_factory=list)

    def stores(self) -> Iterator[IntrinsicInstr]:
        """Yield the instructions that write the part."""
        for deref in self.derefs:
            for src in deref.uses:
                if isinstance(src.owner, IntrinsicInstr) and src is written_by(src.owner):
                    yield src.owner


def written_by(instr: IntrinsicInstr) -> Src | None:
    """Return the deref source that a store or copy writes; None for other intrinsics."""
    return instr.sources[0] if instr.name in ("store_deref", "copy_deref") and instr.sources else None


def parts_of_temporaries(impl: FunctionImpl) -> dict[Def, Part]:
    """Map each deref of a part that can be lowered to the part.

    A temporary is lowered completely or not at all. It must have no initializer, its indices must be
    constant and within bounds, and its derefs may only be loaded, stored and copied as scalars and vectors
    of one size.
    """
    found: dict[Variable, dict[Path, Part] | None] = {}
    path_of: dict[Def, tuple[Variable, Path]] = {}
    for instr in impl.instrs():
        if not isinstance(instr, DerefInstr) or instr.def_ is None:
            continue
        named = _named(instr, path_of)
        if named is None:
            continue
        variable, path = path_of[instr.def_] = named
        parts = found.setdefault(variable, None if variable.initializer is not None else {})
        if parts is not None and not _add(instr, instr.def_, path, parts):
            found[variable] = None
    # A deref that cannot be analyzed excludes its variable.
    for value, (variable, _) in path_of.items():
        for src in value.uses:
            if isinstance(src.owner, DerefInstr) and src.owner.def_ not in path_of:
                found[variable] = None
    return {
        deref: part
        for parts in found.values()
        if parts is not None
        for part in parts.values()
        for deref in part.derefs
    }


def _named(instr: DerefInstr, path_of: dict[Def, tuple[Variable, Path]]) -> tuple[Variable, Path] | None:
    if instr.deref_kind == "var":
        is_temporary = instr.mode == MODE and instr.var is not None and instr.var.mode == MODE
        return (instr.var, ()) if is_temporary and instr.var is not None else None
    above = None if instr.parent is None or instr.parent.def_ is None else path_of.get(instr.parent.def_)
    if above is None or instr.parent is None or instr.parent.def_ is None:
        return None
    if instr.deref_kind == "struct" and instr.field is not None:
        return (above[0], (*above[1], instr.field))
    index = instr.constant_index
    container = instr.parent_deref
    if instr.deref_kind != "array" or index is None or container is None:
        return None
    length = _LENGTH.match(container.type_name)
    if length is None or not 0 <= index < int(length[1]):
        return None
    return (above[0], (*above[1], index))


def _add(instr: DerefInstr, deref: Def, path: Path, parts: dict[Path, Part]) -> bool:
    """Record the accesses through a deref; return False if one of them cannot be lowered."""
    for src in deref.uses:
        owner = src.owner
        if isinstance(owner, DerefInstr):
            continue
        size = _size_accessed(owner, src, instr) if isinstance(owner, Instr) else None
        if size is None:
            return False
        part = parts.setdefault(path, Part(*size))
        if (part.num_components, part.bit_size) != size:
            return False
        if deref not in part.derefs:
            part.derefs.append(deref)
    return True


def _size_accessed(owner: Instr, src: Src, deref: DerefInstr) -> tuple[int, int] | None:
    if not isinstance(owner, IntrinsicInstr) or not owner.sources:
        return None
    if any(owner.int_index(name) & VOLATILE for name in ("access", "dst_access", "src_access")):
        return None
    if owner.name == "load_deref" and owner.def_ is not None:
        return owner.def_.num_components, owner.def_.bit_size
    if owner.name == "store_deref" and src is owner.sources[0] and len(owner.sources) == 2:
        stored = owner.sources[1].def_
        return None if stored is None else (stored.num_components, stored.bit_size)
    if owner.name == "copy_deref":
        shape = leaf_type(deref.type_name)
        # Booleans have 1 or 32 bits depending on the stage of compilation; a copy does not show which.
        return None if shape is None or shape.base == "bool" else (shape.num_components, shape.bit_size)
    return None


@dataclass(frozen=True)
class LowerVarsToSsa(Pass):
    """Replace function temporaries by SSA values."""

    name = "lower_vars_to_ssa"

    def apply(self, shader: Shader) -> bool:
        return lower_vars_to_ssa(shader)


def lower_vars_to_ssa(shader: Shader) -> bool:
    """Replace loads and stores of function temporaries by SSA values, with phis where control flow joins.

    Temporaries with a variable index, and those with a deref in a call or another unsupported use, are
    unchanged. Reads before the first write are undefined.
    """
    changed = [impl for impl in shader.impls() if _VarsToSsa(impl).run()]
    return bool(changed)


class _VarsToSsa:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl) -> None:
        self.impl = impl
        self.values: dict[Def, PhiValue] = {}
        self.current: dict[PhiValue, Def] = {}

    def run(self) -> bool:
        parts = parts_of_temporaries(self.impl)
        if not parts or not self.impl.body or not isinstance(self.impl.body[0], Block):
            return False
        self.phis = PhiBuilder(self.impl)
        self.builder: Builder = self.phis.builder
        of_part: dict[Part, PhiValue] = {}
        for part in dict.fromkeys(parts.values()):
            blocks = [store.block for store in part.stores() if store.block is not None]
            of_part[part] = self.phis.add_value(part.num_components, part.bit_size, blocks)
        self.values = {deref: of_part[part] for deref, part in parts.items()}
        for block in self.phis.blocks_in_order():
            self.current = {}
            for instr in block:
                if isinstance(instr, IntrinsicInstr) and instr.name.endswith("_deref"):
                    self._rewrite(instr, block)
            for value, at_end in self.current.items():
                value.assign(block, at_end)
        self.phis.finish()
        lowered = {id(variable_of(deref.instr)) for deref in parts if isinstance(deref.instr, DerefInstr)}
        remove_unread(list(parts))
        used = {id(instr.var) for instr in self.impl.instrs() if isinstance(instr, DerefInstr)}
        self.impl.locals = [
            variable for variable in self.impl.locals if id(variable) in used or id(variable) not in lowered
        ]
        return True

    def _value(self, src: Src) -> PhiValue | None:
        return None if src.def_ is None else self.values.get(src.def_)

    def _now(self, value: PhiValue, block: Block) -> Def:
        return self.current.get(value) or value.at_start_of(block)

    def _rewrite(self, instr: IntrinsicInstr, block: Block) -> None:
        if instr.name == "load_deref":
            value = self._value(instr.sources[0])
            if value is not None and instr.def_ is not None:
                instr.def_.replace_all_uses_with(self._now(value, block))
                instr.remove()
        elif instr.name == "store_deref":
            value = self._value(instr.sources[0])
            if value is not None:
                self._store(instr, value, instr.sources[1].ssa, block)
        elif instr.name == "copy_deref":
            self._copy(instr, block)

    def _store(self, instr: IntrinsicInstr, value: PhiValue, stored: Def, block: Block) -> None:
        self.builder.before_instr(instr)
        width = value.num_components
        places = {channel: channel for channel in range(width) if instr.write_mask >> channel & 1}
        if places:
            self.current[value] = merged_channels(
                self.builder, stored, places, width, lambda: self._now(value, block)
            )
        instr.remove()

    def _copy(self, instr: IntrinsicInstr, block: Block) -> None:
        """Lower a copy_deref; one of its two derefs may be of a variable that is not lowered."""
        target, source = self._value(instr.sources[0]), self._value(instr.sources[1])
        if target is None and source is None:
            return
        self.builder.before_instr(instr)
        if source is not None:
            copied = self._now(source, block)
        else:
            assert target is not None
            access = {"access": instr.int_index("src_access")}
            copied = self.builder.load(
                "load_deref", [instr.sources[1].ssa], access, target.num_components, target.bit_size
            )
        if target is not None:
            self.current[target] = copied
        else:
            indices = {
                "write_mask": (1 << copied.num_components) - 1,
                "access": instr.int_index("dst_access"),
            }
            self.builder.intrinsic("store_deref", [instr.sources[0].ssa, copied], indices)
        instr.remove()
