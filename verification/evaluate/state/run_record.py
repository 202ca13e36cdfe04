"""What a run has done, besides what outputs and memory hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from nirls.ir.model.control_flow import Block
from nirls.verification.evaluate.surroundings.result import EmittedVertex, OutputKey, XfbOutput
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.marks import Marks


@dataclass(slots=True)
class RunRecord:
    """Emitted vertices, captures, interpolations, flags of stores, executed blocks, and traces.

    `store_flags` are the flags that all stores to an output have in common. `traces` are hashes of the memory
    accesses by intrinsics of which only the effects are known, `trace_marks` the lanes on which they are
    undefined or depend on rounding.
    """

    lanes: int
    emitted: list[EmittedVertex] = field(default_factory=list)
    xfb: set[XfbOutput] = field(default_factory=set)
    interpolations: set[tuple[object, ...]] = field(default_factory=set)
    store_flags: dict[OutputKey, frozenset[str]] = field(default_factory=dict)
    executed: Counter[Block] = field(default_factory=Counter)
    traces: dict[str, Array] = field(default_factory=dict)
    trace_marks: dict[str, Marks] = field(default_factory=dict)

    def note_store(self, key: OutputKey, flags: frozenset[str]) -> None:
        """Note the flags of a store to an output."""
        known = self.store_flags.get(key)
        self.store_flags[key] = flags if known is None else known & flags

    def outputs_with(self, flag: str) -> set[OutputKey]:
        """Return the outputs of which every executed store has a flag."""
        return {key for key, flags in self.store_flags.items() if flag in flags}

    def trace(self, memory: str) -> Array:
        """Return the hash of each lane's accesses to a memory so far, see `steps.opaque_effects`."""
        return self.traces.setdefault(memory, np.zeros(self.lanes, np.uint64))
