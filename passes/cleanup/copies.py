"""Copies: moves, and vectors made of components of other values."""

from __future__ import annotations

from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables.families import MOVES, VECTORS


def is_copy(instr: Instr) -> bool:
    """Whether an instruction only copies components of SSA values."""
    if not isinstance(instr, AluInstr) or instr.def_ is None or "sat" in instr.flags:
        return False
    if instr.op not in MOVES and instr.op not in VECTORS:
        return False
    width = instr.def_.num_components
    is_move = instr.op in MOVES
    if len(instr.sources) != (1 if is_move else width):
        return False
    return all(
        src.def_ is not None
        and not src.negate
        and not src.abs
        and len(src.swizzle) == (width if is_move else 1)
        for src in instr.sources
    )


def copied_component(copy: AluInstr, component: int) -> tuple[Def, int]:
    """Return the source value and component of a component of a copy's result."""
    if copy.op in MOVES:
        src, position = copy.sources[0], component
    else:
        src, position = copy.sources[component], 0
    return src.ssa, src.swizzle[position]


def whole_source(copy: AluInstr) -> Def | None:
    """Return the value of which a copy takes all components in order; None if there is none."""
    value = copy.def_
    if value is None:
        return None
    source: Def | None = None
    for component in range(value.num_components):
        origin, origin_component = copied_component(copy, component)
        if origin_component != component or source not in (None, origin):
            return None
        source = origin
    if source is None or source.num_components != value.num_components:
        return None
    return source


def composed(src: AluSrc, copy: AluInstr) -> tuple[Def, tuple[int, ...]] | None:
    """Compose the swizzle of an ALU source with the copy that it reads; return (value, swizzle).

    None if the components come from different values.
    """
    width = 0 if copy.def_ is None else copy.def_.num_components
    if any(component >= width for component in src.swizzle):
        return None
    origins = [copied_component(copy, component) for component in src.swizzle]
    values = {origin for origin, _ in origins}
    if len(values) != 1:
        return None
    return values.pop(), tuple(component for _, component in origins)
