"""Where shader inputs come from: made up by the environment, or from the stage before."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.environment import Environment
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
        instance = launch.primitive
        corner = None if vertex is None else vertex.tobytes()
        asked = (place, base, bit_size, slots.tobytes(), launch.stage, instance.tobytes(), corner)
        known = environment.inputs.get(asked)
        if known is not None:
            return Value(known, bit_size)
        if vertex is None:
            hashes = environment.hash_of(place, slots, instance)
        else:
            hashes = environment.hash_of(place, slots, instance, vertex)
        special = self._special_lanes(launch)
        bits = environment.numbers(hashes, base, bit_size, special)
        known = environment.inputs[asked] = np.broadcast_to(bits, (1, launch.lanes))
        known.flags.writeable = False
        return Value(known, bit_size)

    def _special_lanes(self, launch: Launch) -> Array:
        """Which lanes may see special numbers: all that read the inputs of one primitive, or none of them."""
        if launch.stage not in _SHARE_INPUTS or not launch.lanes:
            return self.environment.special_lanes(launch.lanes)
        primitives = self.environment.special_lanes(4 * (int(launch.primitive.max()) + 1))[::4]
        shared: Array = primitives[launch.primitive]
        return shared
