"""Bounds of the indices of arrays, input and output slots, and ranges of buffers."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.glsl_types import array_parts
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.values import Src

_MOST_NUMBERS = 8


@dataclass(frozen=True, slots=True)
class IndexBounds:
    """A computed index or offset, and the least and greatest number that is in bounds.

    `step` is the distance of the numbers that are in use.
    """

    src: Src
    first: int
    last: int
    step: int = 1

    @property
    def to_meet(self) -> tuple[int, ...]:
        """The numbers that the index should have at least once: all if there are few, else the bounds."""
        every = range(self.first, self.last + 1, self.step)
        return tuple(every) if len(every) <= _MOST_NUMBERS else (self.first, self.last)


def index_bounds(instr: Instr) -> IndexBounds | None:
    """Return the bounds of the index of an instruction; None if it has none, or a constant one."""
    found = None
    if isinstance(instr, DerefInstr):
        found = _of_array(instr)
    elif isinstance(instr, IntrinsicInstr) and instr.sources:
        found = _of_slots(instr) or _of_range(instr)
    if found is None or found.src.def_ is None or isinstance(found.src.def_instr, LoadConstInstr):
        return None
    return found if found.last > found.first else None


def _of_array(instr: DerefInstr) -> IndexBounds | None:
    parent = instr.parent_deref
    if instr.deref_kind != "array" or instr.index is None or parent is None:
        return None
    type_name = parent.type_name if parent.var is None else parent.var.type_name
    parts = array_parts(type_name)
    return None if parts is None else IndexBounds(instr.index, 0, parts[1] - 1)


def _of_slots(instr: IntrinsicInstr) -> IndexBounds | None:
    """Return the bounds of the offset in slots, which is the last source."""
    semantics = instr.io_semantics
    return None if semantics is None else IndexBounds(instr.sources[-1], 0, semantics.num_slots - 1)


def _of_range(instr: IntrinsicInstr) -> IndexBounds | None:
    """Return the bounds of the byte offset, which is the last source, of a load from a range of a buffer."""
    base, size = instr.indices.get("range_base"), instr.indices.get("range")
    if not isinstance(base, int) or not isinstance(size, int) or instr.def_ is None:
        return None
    width = instr.def_.num_components * instr.def_.bit_size // 8
    return IndexBounds(instr.sources[-1], base, base + size - width, max(width, 1))
