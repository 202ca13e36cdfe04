"""Loads and stores through derefs, for every kind of variable."""

from __future__ import annotations

from collections.abc import Callable

from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.steps.variables.buffers import (
    BUFFER_MODES,
    READ_ONLY_MODES,
    load_buffer,
    load_read_only,
    store_buffer,
)
from nirls.verification.evaluate.steps.variables.cells import (
    LANE_MODES,
    SHARED_MODES,
    load_cells,
    store_cells,
)
from nirls.verification.evaluate.steps.variables.inputs_outputs import (
    load_input,
    load_output,
    load_system,
    store_output,
)
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.pointer import Pointer
from nirls.verification.evaluate.values.selection import index_marks
from nirls.verification.evaluate.values.value import Value, select

_LOADS: dict[str, Callable[[State, Pointer], Value]] = {
    **dict.fromkeys(LANE_MODES | SHARED_MODES, load_cells),
    **dict.fromkeys(READ_ONLY_MODES, load_read_only),
    **dict.fromkeys(BUFFER_MODES, load_buffer),
    "shader_in": load_input,
    "shader_out": load_output,
    "system": load_system,
}
_STORES: dict[str, Callable[[State, Pointer, Value, int, Array], None]] = {
    **dict.fromkeys(LANE_MODES | SHARED_MODES, store_cells),
    **dict.fromkeys(BUFFER_MODES, store_buffer),
    "shader_out": store_output,
}
"""Loads and stores by the mode of the variable."""


def load(state: State, pointer: Pointer) -> Value:
    """Load through a pointer on all lanes. Raises `Unsupported`."""
    value = _load_one(state, pointer)
    for mask, other in pointer.others:
        value = select(mask, load(state, other), value)
    return value


def store(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    """Store through a pointer. Raises `Unsupported`."""
    remaining = active
    for mask, other in reversed(pointer.others):
        store(state, other, value, write_mask, remaining & mask)
        remaining = remaining & ~mask
    _store_one(state, pointer, value, write_mask, remaining)


def _load_one(state: State, pointer: Pointer) -> Value:
    mode = pointer.root.mode
    if mode not in _LOADS:
        raise Unsupported(f"load_deref of {mode}")
    return _LOADS[mode](state, pointer)


def _store_one(state: State, pointer: Pointer, value: Value, write_mask: int, active: Array) -> None:
    mode = pointer.root.mode
    # An undefined index may overwrite any element.
    state.masks.note_lost_store(index_marks(pointer), active, is_private=mode in LANE_MODES)
    if mode not in _STORES:
        raise Unsupported(f"store_deref to {mode}")
    _STORES[mode](state, pointer, value, write_mask, active)
