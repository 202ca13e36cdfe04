"""Which texture, sampler or image an instruction means, as a hash on every lane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.hashing import lane_hash, name_hash
from nirls.ir.evaluate.pointer import Pointer, lanes_of, variable_name
from nirls.ir.evaluate.value import Value, either, on_any_component

Array = NDArray[Any]


def handle_of_pointer(pointer: Pointer, lanes: int) -> tuple[Array, Array | None, Array | None]:
    """Hash, poison and fragile marks of an opaque variable or array element."""
    variable = pointer.root.variable
    name = "descriptor" if variable is None else variable_name(variable)
    numbers = [lanes_of(index, lanes) for index in pointer.indices()]
    if pointer.root.descriptor is not None:
        numbers.append(pointer.root.descriptor)
    hashes = np.broadcast_to(lane_hash(name_hash("opaque", name, pointer.shape()), *numbers), (lanes,))
    poison = fragile = None
    for index in pointer.indices():
        poison, fragile = either(poison, index.poison), either(fragile, index.fragile)
    for mask, other in pointer.others:
        inner, inner_poison, inner_fragile = handle_of_pointer(other, lanes)
        hashes = np.where(mask, inner, hashes)
        poison, fragile = either(poison, inner_poison), either(fragile, inner_fragile)
    return hashes, poison, fragile


def handle_of_value(kind: str, value: Value, lanes: int) -> tuple[Array, Array | None, Array | None]:
    """Hash and marks of a bindless handle, or of an index into the bound textures or images."""
    if value.pointer is not None:
        return handle_of_pointer(value.pointer, lanes)
    hashes = np.broadcast_to(lane_hash(name_hash("handle", kind), *value.bits), (lanes,))
    return (
        hashes,
        None if value.poison is None else on_any_component(value.poison),
        None if value.fragile is None else on_any_component(value.fragile),
    )
