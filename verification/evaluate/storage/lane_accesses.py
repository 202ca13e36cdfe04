"""The accesses that one instruction makes on all lanes, in the order of the places that they access."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.grouped_lanes import GroupedLanes


class LaneAccesses(GroupedLanes):
    """Accesses to numbered places: the lanes that access one place form a group.

    No lane may access a place twice.
    """

    __slots__ = ()

    @property
    def places(self) -> Array:
        """The number of the place that each lane accesses."""
        return self.groups

    def changes(self, bits: Array, old: Array, is_defined: Array, undefined: Array | None) -> Array:
        """Return which accesses change the content, if they store these bits, `undefined` where marked.

        A place holds `old`, where that is defined, and then what the lanes before have stored.
        A store to undefined content changes it.
        """
        changed = self.before(bits) != bits
        if undefined is not None:
            changed |= self.before(undefined)
        changes: Array = np.where(self.is_first, ~is_defined | (old != bits), changed)
        return changes
