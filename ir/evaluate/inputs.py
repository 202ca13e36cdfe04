"""Where shader inputs come from: made up by the environment, or from the stage before."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.hashing import lane_hash, name_hash
from nirls.ir.evaluate.launch import Launch
from nirls.ir.evaluate.result import OutputKey
from nirls.ir.evaluate.value import Value
from nirls.ir.model.stage import Stage

Array = NDArray[Any]

_SHARE_INPUTS = frozenset((Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY))


class InputSupply(Protocol):
    """Answers for scalar inputs of whole launches."""

    def read(
        self, launch: Launch, slots: Array, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        """One component of an input on all lanes.

        `slots` has the slot number of every lane; `key` the component, and the slot without indirect
        offset (a text where the input has no slot number). `vertex` is the vertex within the lane's
        primitive, None for inputs that have no vertices (vertex attributes, patch inputs).
        """
        ...


class EnvironmentInputs:
    """Inputs that an environment makes up."""

    __slots__ = ("environment",)

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def read(
        self, launch: Launch, slots: Array, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        """See `InputSupply.read`; never undefined."""
        environment = self.environment
        base, size = environment.settle(("input", *key), base, bit_size)
        if size != bit_size:
            base = "uint"
        place = ("input", key.slot if isinstance(key.slot, str) else "", key.component, key.high_16bits)
        hashes = environment.input_hash(place, launch, slots, vertex)
        item = lane_hash(name_hash(place), slots)
        bits = environment.numbers(hashes, base, bit_size, draw=launch.draw, item=item, unit=_units(launch))
        return Value(np.broadcast_to(bits, (1, launch.lanes)), bit_size)


def _units(launch: Launch) -> Array:
    """Numbers of the lanes that see the same inputs: those of a primitive, a quad, or each for itself."""
    if launch.stage in _SHARE_INPUTS:
        return launch.primitive
    lane = np.arange(launch.lanes)
    return lane >> 2 if launch.stage is Stage.FRAGMENT else lane
