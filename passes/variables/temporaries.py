"""Accessed parts of function temporaries that can be lowered to SSA values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nirls.ir.model.access import VOLATILE
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Variable
from nirls.ir.model.values import Def, Src
from nirls.ir.validation.glsl_types import vector_type

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
    container = instr.parent.def_.instr
    if instr.deref_kind != "array" or index is None or not isinstance(container, DerefInstr):
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
        shape = vector_type(deref.type_name)
        # Booleans have 1 or 32 bits depending on the stage of compilation; a copy does not show which.

        return None if shape is None or shape.is_boolean else (shape.num_components, shape.bit_size)
    return None
