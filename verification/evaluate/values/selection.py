"""The component of a loaded vector that a pointer selects, and the marks of its indices."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.pointer import Pointer, lanes_of
from nirls.verification.evaluate.values.value import Value


def index_marks(pointer: Pointer) -> Marks:
    """Return the marks of all indices of a pointer, also that of a component."""
    return Marks.of(*pointer.indices(), *((pointer.component,) if pointer.component else ()))


def selected(pointer: Pointer, vector: Value) -> Value:
    """Return the vector at a pointer, or the component selected there, with the marks of the indices."""
    if pointer.component is not None:
        vector = pick_component(vector, lanes_of(pointer.component, vector.bits.shape[1]))
    return index_marks(pointer).marked(vector)


def pick_component(vector: Value, at: Array) -> Value:
    """Select one component on each lane; undefined out of bounds."""
    width, lanes = vector.bits.shape
    inside = (at >= 0) & (at < width)
    picked = vector.at((np.where(inside, at, 0)[None], np.arange(lanes)[None]))
    poison = ~inside[None] if picked.poison is None else picked.poison | ~inside
    picked.poison = poison if poison.any() else None
    return picked
