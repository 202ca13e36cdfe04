"""The pass `copy_prop`: copy propagation (Mesa: nir_opt_copy_prop)."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Src
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.passes.cleanup.copies import composed, copied_component, is_copy, whole_source
from nirls.passes.declaration import Pass


@dataclass(frozen=True)
class CopyProp(Pass):
    """Replace uses of copies by their sources."""

    name = "copy_prop"
    needs_structure = False

    def apply(self, shader: Shader) -> bool:
        return copy_prop(shader)


def copy_prop(shader: Shader) -> bool:
    """Replace uses of `mov` and `vecN` results by the copied values; remove copies without uses.

    An ALU source composes its swizzle with that of the copy and keeps its own modifiers. A move of several
    components of a `vecN` becomes a `vecN` itself. Other sources have no swizzle, so only copies of a whole
    value are propagated to them. Copies of registers, and copies with a modifier or saturation, are kept.
    """
    changed = [impl for impl in shader.impls() if _copy_prop_impl(impl)]
    return bool(changed)


def _copy_prop_impl(impl: FunctionImpl) -> bool:
    progress = False
    for instr in impl.instrs():
        if not isinstance(instr, AluInstr) or instr.def_ is None or not is_copy(instr):
            continue
        value = instr.def_
        rewritten = [src for src in list(value.uses) if _read_through(src, instr)]
        if not rewritten:
            continue
        progress = True
        if not value.uses:
            instr.remove()
    return progress


def _read_through(src: Src, copy: AluInstr) -> bool:
    if isinstance(src, AluSrc):
        reads = composed(src, copy)
        if reads is None:
            return _become_vector(src.owner, copy)
        if reads[0] is copy.def_:
            return False
        src.swizzle = reads[1]
        src.set_def(reads[0])
        return True
    source = whole_source(copy)
    if source is None or source is copy.def_:
        return False
    src.set_def(source)
    return True


def _become_vector(user: object, copy: AluInstr) -> bool:
    """Turn a move that reads a `vecN` into a `vecN` of the original values."""
    if not isinstance(user, AluInstr) or user.op not in MOVES or not is_copy(user):
        return False
    src = user.sources[0]
    width = 0 if copy.def_ is None else copy.def_.num_components
    if any(component >= width for component in src.swizzle):
        return False
    name = f"vec{len(src.swizzle)}"
    if name not in VECTORS:
        return False
    origins = [copied_component(copy, component) for component in src.swizzle]
    if any(value is copy.def_ for value, _ in origins):
        return False
    user.become(name, [AluSrc(value, (component,)) for value, component in origins])
    return True
