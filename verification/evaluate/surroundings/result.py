"""Results of a run: outputs, memory, discards, emitted vertices."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nirls.ir.model.control_flow import Block
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.values.arrays import Array, container_type

HARDWARE = "hardware: "
"""Prefix of the `OutputKey` slots for exports and messages to the hardware."""


class OutputKey(NamedTuple):
    """One scalar output: slot number (`gl_varying_slot` or `gl_frag_result`), component, upper half or not.

    `slot` is a string for an output without a slot in the dump (a member of a struct variable), and for the
    exports and messages of a lowered shader (`HARDWARE`).
    A 64-bit output is keyed by its first component.
    """

    slot: int | str
    component: int
    high_16bits: bool = False


class OutputPlane:
    """The contents of one output, arrays of shape (instances, vertices).

    An instance is a lane, or for tessellation control a patch and for mesh shaders a workgroup; vertices
    (or primitives) are counted only for arrayed outputs, else there is one. `bits` are uint64, of which
    `bit_size` are significant. `written` marks what was stored. `poison`, `error` and
    `fragile` as in `Value`.
    """

    __slots__ = ("bit_size", "bits", "error", "fragile", "poison", "written")

    def __init__(self, instances: int, vertices: int) -> None:
        shape = (instances, vertices)
        self.bits: Array = np.zeros(shape, np.uint64)
        self.bit_size: Array = np.zeros(shape, np.uint8)
        self.written: Array = np.zeros(shape, np.bool_)
        self.poison: Array = np.zeros(shape, np.bool_)
        self.fragile: Array = np.zeros(shape, np.bool_)
        self.error: Array = np.zeros(shape, np.float64)

    @property
    def vertices(self) -> int:
        return int(self.bits.shape[1])

    def grow(self, vertices: int) -> None:
        """Resize to at least that many vertices."""
        missing = vertices - self.vertices
        if missing <= 0:
            return
        for name in self.__slots__:
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros((len(old), missing), old.dtype)], axis=1))

    def bits_at(self, places: tuple[Array, Array], bit_size: int) -> Array:
        """Return the low bits at an instance and a vertex for each lane, as one row of a `Value`."""
        bits: Array = self.bits[places] & np.uint64((1 << bit_size) - 1)
        return bits.astype(container_type(bit_size))[None]

    def copy(self) -> OutputPlane:
        twin = OutputPlane(0, 0)
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name).copy())
        return twin


class MemoryCell(NamedTuple):
    """One written memory cell: a 32-bit word, or a component at a path of fields and indices.

    `holes` is a mask of the bytes that are undefined where others are not; with `poison` all are undefined.
    """

    bits: int
    bit_size: int
    poison: bool = False
    error: float = 0.0
    fragile: bool = False
    holes: int = 0


MemoryKey = tuple[object, ...]
"""(space, buffer, word or path ...): `("ssbo", 1, 12)`, `("ssbo", "Out", "r", 3, 0)`."""


class EmittedVertex(NamedTuple):
    """One `emit_vertex` or `end_primitive` of a geometry shader, for the lanes in `lanes`.

    `outputs` is a snapshot of all outputs, None for the end of a primitive.
    """

    stream: int
    lanes: Array
    outputs: dict[OutputKey, OutputPlane] | None


class XfbOutput(NamedTuple):
    """A component captured by transform feedback: `buffer`, byte `offset`, and its vertex stream."""

    buffer: int
    offset: int
    key: OutputKey
    stream: int = 0


@dataclass(slots=True)
class ShaderResult:
    """All externally visible effects of a run.

    `poisoned` are lanes whose control flow depended on an undefined value, so that none of their effects are
    defined. `given_up` are those of them that were stopped, by reason. `rejoined` are lanes that ran both
    branches of an if because its condition was undefined; what depends on it is undefined. `fragile` (only
    with error tracking) are lanes whose control flow a rounding difference could have changed.
    `varyings_only` are outputs in a system value slot that are only read by the next stage
    (`no_sysval_output`), `not_sent` those that it does not read (`no_varying`). `discarded` fragment lanes
    ended without effect (terminate, discard or demote). `memory` has the final content of every cell that
    was written; `executed` counts how often some lane ran a block with defined control flow. `writers` are
    the lanes that stored to a cell; `astray` are lanes that stored to an undefined place; `communicating`
    are the draws in which a lane loaded what another one had stored. `interpolations` identify the
    interpolated values, in all runs with the same environment. `flushed` are the sizes of floats of which a
    denormal and a zero are the same.
    """

    stage: Stage
    launch: Launch
    outputs: dict[OutputKey, OutputPlane] = field(default_factory=dict)
    memory: dict[MemoryKey, MemoryCell] = field(default_factory=dict)
    discarded: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    poisoned: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    given_up: dict[str, Array] = field(default_factory=dict)
    rejoined: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    fragile: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    emitted: list[EmittedVertex] = field(default_factory=list)
    xfb: set[XfbOutput] = field(default_factory=set)
    varyings_only: set[OutputKey] = field(default_factory=set)
    not_sent: set[OutputKey] = field(default_factory=set)
    executed: Counter[Block] = field(default_factory=Counter)
    writers: dict[MemoryKey, frozenset[int]] = field(default_factory=dict)
    communicating: set[int] = field(default_factory=set)
    astray: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    interpolations: set[tuple[object, ...]] = field(default_factory=set)
    flushed: frozenset[int] = frozenset()
