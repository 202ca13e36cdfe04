"""Inputs of a stage that are the outputs of the previous one."""

from __future__ import annotations

import numpy as np

from nirls.ir.io.access import FRONT_COLOR_OF, io_accesses
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.alu.operation import decode, encode
from nirls.verification.evaluate.storage.output_bits import Places, read_bits
from nirls.verification.evaluate.surroundings.culling import LEVEL_SLOTS
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.result import OutputKey, OutputPlane
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.value import Value, constant, either, select, undefined_value

# A shader that has a store of such a slot, but does not execute it, leaves it undefined (GLSL 4.60, 7.1.4).
_ZERO_WHEN_UNWRITTEN = frozenset({varying_slot("LAYER"), varying_slot("VIEWPORT")})
_MADE_BY_HARDWARE = frozenset(varying_slot(name) for name in ("POS", "FACE", "PNTC", "VIEW_INDEX"))
_PRIMITIVE_ID = varying_slot("PRIMITIVE_ID")
MAKE_PRIMITIVES = frozenset({Stage.GEOMETRY, Stage.MESH})
"""Stages that write the number of each primitive themselves."""
_FIRST_TEX = varying_slot("TEX0")
_BACK_COLOR = {front: back for back, front in FRONT_COLOR_OF.items()}


class StageInputs:
    """Inputs taken from the outputs of the previous stage.

    `corner` maps each primitive and vertex to the producer's instance; None where producer
    instances are the patches themselves and the planes have a vertex axis (after a control shader).
    After a mesh shader, `own` does the same for per-primitive outputs.
    """

    __slots__ = (
        "bad",
        "corner",
        "environment",
        "made_up",
        "own",
        "planes",
        "producer",
        "shaky",
        "stored_slots",
    )

    def __init__(
        self,
        environment: Environment,
        producer: Shader,
        planes: dict[OutputKey, OutputPlane],
        corner: Array | None,
        bad: Array,
        shaky: Array,
        own: Array | None = None,
    ) -> None:
        self.own = own
        self.environment = environment
        self.producer = producer.stage
        self.stored_slots = frozenset(
            slot for access in io_accesses(producer) if access.is_store for slot in access.slots
        )
        self.planes = planes
        self.corner = corner
        self.bad = bad
        self.shaky = shaky
        self.made_up = EnvironmentInputs(environment)

    def read(
        self, launch: Launch, slots: Array, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        """See `InputSupply.read`. Inputs not written by the producer are undefined, with few exceptions."""
        if isinstance(key.slot, str):
            return self._read_slot(launch, key, base, bit_size, vertex)
        result: Value | None = None
        for slot in np.unique(slots):
            value = self._read_slot(launch, key._replace(slot=int(slot)), base, bit_size, vertex)
            result = value if result is None else select(slots == slot, value, result)
        assert result is not None
        return result

    def primitive_number(self, launch: Launch) -> Value:
        """Return the number that a geometry or mesh shader has written for the primitive of each fragment."""
        vertex = None
        if self.producer is Stage.GEOMETRY:
            last = launch.vertices_in - 1
            vertex = np.full(launch.lanes, last if self.environment.state.provoking_last else 0)
        return self._written(launch, OutputKey(_PRIMITIVE_ID, 0), "uint", 32, vertex)

    def _read_slot(
        self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        if launch.stage is Stage.FRAGMENT and isinstance(key.slot, int):
            special = self._special(launch, key, base, bit_size, vertex)
            if special is not None:
                return special
        return self._written(launch, key, base, bit_size, vertex)

    def _written(
        self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        value = self._take(launch, key, bit_size, vertex)
        return self._unwritten(launch, key, base, bit_size, vertex) if value is None else value

    def _special(
        self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value | None:
        state = self.environment.state
        slot = key.slot
        assert isinstance(slot, int)
        if slot in _MADE_BY_HARDWARE:
            return self.made_up.read(launch, np.full(launch.lanes, slot), key, base, bit_size, vertex)
        if 0 <= slot - _FIRST_TEX < 8 and state.sprite_coords >> (slot - _FIRST_TEX) & 1:
            if key.component >= 2:
                return self._sprite_constant(launch, key.component, bit_size)
            return self.made_up.read(launch, np.full(launch.lanes, slot), key, base, bit_size, vertex)
        if slot in _BACK_COLOR:
            color = self._color(launch, key, base, bit_size, vertex)
            return _clamped(color) if state.clamp_color else color
        return None

    def _color(self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None) -> Value:
        slot = key.slot
        assert isinstance(slot, int)
        if self.environment.state.two_side:
            facing = self.environment.hash_of("front face", launch.primitive) & np.uint64(1)
            sides = [
                self._take(launch, side, bit_size, vertex) or undefined_value(1, bit_size, launch.lanes)
                for side in (key, key._replace(slot=_BACK_COLOR[slot]))
            ]
            return select(facing != 0, sides[0], sides[1])
        return self._written(launch, key, base, bit_size, vertex)

    def _sprite_constant(self, launch: Launch, component: int, bit_size: int) -> Value:
        """Return TEXn.z or TEXn.w of a point sprite: coordinate replacement sets (s, t, 0, 1)."""
        one = 0x3C00 if bit_size == 16 else 0x3F800000
        return constant((one if component == 3 else 0,), bit_size, launch.lanes)

    def _unwritten(
        self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        is_stored = key.slot in self.stored_slots
        if launch.stage is Stage.FRAGMENT and key.slot in _ZERO_WHEN_UNWRITTEN and not is_stored:
            return constant((0,), bit_size, launch.lanes)
        if key.slot == _PRIMITIVE_ID and launch.stage is Stage.FRAGMENT:
            if self.producer not in MAKE_PRIMITIVES:
                return Value(launch.primitive.astype(container_type(bit_size))[None], bit_size)
        elif key.slot in LEVEL_SLOTS and self.producer is not Stage.TESS_CTRL:
            slot = key.slot
            assert isinstance(slot, int)
            return self.made_up.read(launch, np.full(launch.lanes, slot), key, base, bit_size, vertex)
        return undefined_value(1, bit_size, launch.lanes)

    def _take(self, launch: Launch, key: OutputKey, bit_size: int, vertex: Array | None) -> Value | None:
        """Read an output of the stage before; None if it has not stored it anywhere."""
        number = np.zeros(launch.lanes, np.int64) if vertex is None else vertex
        instance = np.zeros(launch.lanes, np.int64)

        def locate(plane: OutputPlane) -> Places:
            nonlocal instance
            if vertex is None and self.own is not None:
                inside = np.ones(launch.lanes, np.bool_)
                instance, place = np.divmod(self.own[launch.primitive], plane.vertices)
            elif self.corner is None:
                inside = (number >= 0) & (number < plane.vertices)
                instance, place = launch.primitive, np.where(inside, number, 0)
            else:
                inside = (number >= 0) & (number < self.corner.shape[1])
                corner = self.corner[launch.primitive, np.where(inside, number, 0)]
                instance, place = np.divmod(corner, plane.vertices)
            return instance, place, inside

        value = read_bits(self.planes, key, bit_size, locate)
        if value is None:
            return None
        bad, shaky = self.bad[instance], self.shaky[instance]
        if bad.any():
            value.poison = either(value.poison, bad[None])
        if shaky.any():
            value.fragile = either(value.fragile, shaky[None])
        return value


def _clamped(color: Value) -> Value:
    """Return a colour clamped to the range from 0 to 1; a bound behind a clamp that decides is 0."""
    numbers = decode(color.bits, "float", color.bit_size).astype(np.float64)
    error = np.zeros(numbers.shape) if color.error is None else color.error
    below, above = numbers + error <= 0, numbers - error >= 1
    with np.errstate(invalid="ignore"):
        bits = np.where(
            (numbers < 0) | (numbers > 1), encode(np.clip(numbers, 0, 1), "float", color.bit_size), color.bits
        )
    fragile = np.zeros(numbers.shape, np.bool_) if color.fragile is None else color.fragile
    poison = np.zeros(numbers.shape, np.bool_) if color.poison is None else color.poison
    return Value.of_arrays(bits, color.bit_size, poison, np.where(below | above, 0, error), fragile)
