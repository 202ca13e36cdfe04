"""Storage for shader outputs."""

from __future__ import annotations

import numpy as np

from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses
from nirls.verification.evaluate.storage.output_bits import Places, destroy_shared, read_bits
from nirls.verification.evaluate.storage.races import LastAccesses, RaceWatch
from nirls.verification.evaluate.surroundings.launch import WORKGROUP_STAGES, Launch
from nirls.verification.evaluate.surroundings.result import OutputKey, OutputPlane
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import NEGLIGIBLE, Value, either, undefined_value


class OutputStore:
    """Output planes by key. In control and mesh shaders all invocations of a group share them.

    Outputs that share bits destroy each other (see `output_bits`).

    While `races` is set, unordered conflicting accesses make a place undefined. `closed` are lanes whose
    outputs were already exported to the hardware: later stores are lost.
    """

    __slots__ = ("closed", "instance", "instances", "planes", "races")

    def __init__(self, launch: Launch) -> None:
        shared = launch.stage is Stage.TESS_CTRL or launch.stage in WORKGROUP_STAGES
        self.instance: Array = launch.group if shared else np.arange(launch.lanes)
        self.instances = launch.group_count if shared else launch.lanes
        self.planes: dict[OutputKey, OutputPlane] = {}
        self.races: RaceWatch | None = None
        self.closed: Array = np.zeros(launch.lanes, np.bool_)

    def store(self, key: OutputKey, value: Value, active: Array, vertex: Array | None = None) -> None:
        """Store a scalar of the active lanes; among lanes that share a place, the last one wins."""
        lanes = np.nonzero(active)[0]
        if not len(lanes):
            return
        plane = self.planes.get(key)
        if plane is None:
            plane = self.planes[key] = OutputPlane(self.instances, 1)
        instance = self.instance[lanes]
        place: Array | int = 0
        if vertex is not None:
            place = vertex[lanes]
            plane.grow(int(place.max()) + 1)
        racing, doubtful = self._stored(key, value, lanes, vertex)
        plane.bits[instance, place] = value.bits[0, lanes]
        plane.bit_size[instance, place] = value.bit_size
        plane.written[instance, place] = True
        plane.poison[instance, place] = False if value.poison is None else value.poison[0, lanes]
        plane.error[instance, place] = 0.0 if value.error is None else value.error[0, lanes]
        plane.fragile[instance, place] = False if value.fragile is None else value.fragile[0, lanes]
        for marks, marked in ((plane.poison, racing), (plane.fragile, doubtful)):
            marks[self.instance[marked], 0 if vertex is None else vertex[marked]] = True
        destroy_shared(self.planes, key, value.bit_size, instance, np.broadcast_to(place, instance.shape))

    def _stored(
        self, key: OutputKey, value: Value, lanes: Array, vertex: Array | None
    ) -> tuple[Array, Array]:
        """Return the lanes whose store makes the place undefined, and those where rounding may do so."""
        if self.races is None:
            return lanes[:0], lanes[:0]
        plane, last = self.planes[key], self._last_accesses(self.races, key)
        if vertex is not None:
            lanes = lanes[vertex[lanes] >= 0]
        stores = LaneAccesses(self._places(lanes, vertex), lanes)
        at = (self.instance[stores.lanes], 0 if vertex is None else vertex[stores.lanes])
        bits, old = value.bits[0, stores.lanes].astype(np.uint64), plane.bits[at]
        known = plane.written[at] & ~plane.poison[at]
        is_rounded = plane.error[at] > NEGLIGIBLE
        is_doubtful = self.races.doubtful(last, stores, value, known & (old == bits), is_rounded)
        undefined = None if value.poison is None else value.poison[0, stores.lanes]
        racing = self.races.store(last, stores, stores.changes(bits, old, known, undefined))
        return stores.lanes[racing], stores.lanes[is_doubtful]

    def _last_accesses(self, races: RaceWatch, key: OutputKey) -> LastAccesses:
        return races.last_accesses(key, "shader_out", self.instances * self.planes[key].vertices)

    def _places(self, lanes: Array, vertex: Array | None) -> Array:
        """Return the number of the place that each lane accesses, which remains when the output grows."""
        instance: Array = self.instance[lanes]
        return instance if vertex is None else instance + vertex[lanes] * self.instances

    def load(
        self,
        key: OutputKey,
        bit_size: int,
        lanes: int,
        vertex: Array | None = None,
        active: Array | None = None,
    ) -> Value:
        """Load one output on the lanes in `active`; undefined where nothing was stored."""
        place = np.zeros(lanes, np.int64) if vertex is None else vertex

        def locate(plane: OutputPlane) -> Places:
            inside = (place >= 0) & (place < plane.vertices)
            return self.instance, np.where(inside, place, 0), inside

        value = read_bits(self.planes, key, bit_size, locate)
        if value is None:
            return undefined_value(1, bit_size, lanes)
        if self.races is not None and key in self.planes:
            loading = np.arange(lanes) if active is None else np.nonzero(active)[0]
            last = self._last_accesses(self.races, key)
            _, vertices, _ = locate(self.planes[key])
            racing = np.zeros((1, lanes), np.bool_)
            racing[0, loading] = self.races.load(last, self._places(loading, vertices), loading)
            value.poison = either(value.poison, racing)
        return value

    def snapshot(self) -> dict[OutputKey, OutputPlane]:
        """Return a copy of all output planes."""
        return {key: plane.copy() for key, plane in self.planes.items()}

    def forget(self, active: Array) -> None:
        """Reset the outputs of these lanes to unwritten."""
        for plane in self.planes.values():
            plane.written[self.instance[active]] = False
            plane.poison[self.instance[active]] = False
