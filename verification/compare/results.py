"""Comparison of two runs: whether one result may replace the other.

`after` may replace `before` if it agrees wherever `before` is defined: undefined results may become
anything, defined ones may not become undefined. With `float_tolerance` floats may differ by the sum of
their error bounds, and results that rounding could have changed arbitrarily (fragile ones) are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import dataclass

import numpy as np

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.model.float_bits import float_of
from nirls.ir.model.slots import FRAG_RESULTS, slot_name, varying_slot
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.storage.output_bits import Planes, at_common_widths
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.surroundings.captured import captured_planes
from nirls.verification.evaluate.surroundings.culling import culled_patches
from nirls.verification.evaluate.surroundings.emitted import EmittedStream, emitted_streams
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.result import (
    HARDWARE,
    MemoryCell,
    MemoryKey,
    OutputKey,
    OutputPlane,
    ShaderResult,
)
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array, container_type
from nirls.verification.evaluate.values.value import KEPT_ZERO
from nirls.verification.verdict import difference_text

_AT_MOST = 20
_FRAGMENT_SLOTS = frozenset(FRAG_RESULTS.index(name) for name in ("DEPTH", "STENCIL", "SAMPLE_MASK"))
OPTIONAL_SLOTS = frozenset(
    varying_slot(name)
    for name in (
        *("PSIZ", "EDGE", "CLIP_VERTEX", "CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0", "CULL_DIST1"),
        *("LAYER", "VIEWPORT", "VIEWPORT_MASK"),
    )
)
"""Slots that hardware reads only if the shader writes them, so an added write changes the image."""


UNDEFINED = "undefined"
"""Text of an undefined value."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: its subject, a lane that shows it, and both sides as text.

    What lanes share, a place in memory or the outputs of a workgroup, is shown by one of them. `before` is ""
    for an event that only the second side has.
    """

    what: str
    lane: int
    before: str
    after: str

    def __str__(self) -> str:
        return difference_text(f"{self.what} of invocation {self.lane}", self.before, self.after)


def compare_results(
    before: ShaderResult,
    after: ShaderResult,
    *,
    float_tolerance: bool = False,
    concerns: Callable[[OutputKey], bool] | None = None,
    culling: CullingRule | None = None,
    new_outputs_count: bool = True,
    narrows: bool = False,
    unsettled: Container[MemoryKey] | None = None,
) -> list[Difference]:
    """Find where `after` differs from `before`, at most about twenty differences.

    `concerns` limits the comparison to some outputs, those that fixed-function hardware reads; a side that
    writes one with `no_sysval_output` does not write it. For patches that are culled by the rule `culling`,
    only the fact that they are culled is compared; without a rule the worst case is assumed. Without
    `new_outputs_count`, an output that `before` does not write may hold anything, even if hardware reads it.
    With `narrows`, the rounding of `after` counts also where `before` is exact.
    `unsettled` are the memory cells to leave out, by default those of `unsettled_cells`.
    Both runs must be of the same launch and share their environment.
    """
    differences: list[Difference] = []
    excused = _excused_lanes(before, after, float_tolerance)
    undecided = excused
    if before.stage is Stage.TESS_CTRL and not before.writers and not after.writers:
        # A patch with undefined levels may be culled, so its control flow is not compared.
        undecided = excused | culled_patches(before, culling or CullingRule()).undefined[before.launch.group]
    _compare_control(before, after, undecided, differences)
    usable = ~excused & ~before.discarded & ~after.discarded
    if before.stage is Stage.TESS_CTRL:
        usable &= _has_effect(before, after, culling or CullingRule(), excused, float_tolerance, differences)
    comparison = PlaneComparison(
        before.launch, float_tolerance, differences, new_outputs_count, before.flushed, narrows=narrows
    )
    instances = _usable_instances(before, usable)
    old_planes, new_planes = at_common_widths(before.outputs, after.outputs)
    keys = [key for key in _union(old_planes, new_planes) if concerns is None or concerns(key)]
    for key in keys:
        if before.stage is not Stage.GEOMETRY or is_told_to_hardware(key):
            old = _plane(old_planes, key, before, concerns)
            new = _plane(new_planes, key, after, concerns)
            comparison.compare(key, old, new, instances)
    _compare_emitted(before, after, usable, comparison, concerns)
    _compare_captured(before, after, usable, comparison)
    left_out = unsettled_cells(before, after, float_tolerance) if unsettled is None else unsettled
    differences += _compare_memory(before, after, left_out, float_tolerance)
    return differences[:_AT_MOST]


def _excused_lanes(before: ShaderResult, after: ShaderResult, float_tolerance: bool) -> Array:
    """Return the lanes whose effects are not compared: undefined, or changed arbitrarily by rounding."""
    # After a pass the branches of an if with an undefined condition may not rejoin any more.
    excused = before.poisoned | (before.rejoined & after.poisoned)
    # Whether lost lanes run is compared where it is decided: levels, workgroups of a task shader.
    excused = excused | before.launch.is_lost | after.launch.is_lost
    return excused | before.fragile | after.fragile if float_tolerance else excused


def unsettled_cells(
    before: ShaderResult, after: ShaderResult, float_tolerance: bool = False
) -> frozenset[MemoryKey]:
    """Return the memory cells that excused lanes stored to, or lanes that may have loaded from them."""
    lost = excused = _excused_lanes(before, after, float_tolerance)
    if not excused.any():
        return frozenset()
    communicating = before.communicating | after.communicating
    if communicating:
        draw = before.launch.draw_of_lane
        lost = excused | np.isin(draw, list(communicating & set(draw[excused].tolist())))
    lanes = frozenset(np.nonzero(lost)[0].tolist())
    return frozenset(
        key
        for run in (before, after)
        for key, writers in run.writers.items()
        if not lanes.isdisjoint(writers)
    )


def _compare_control(
    before: ShaderResult, after: ShaderResult, excused: Array, differences: list[Difference]
) -> None:
    lost = np.nonzero(after.poisoned & ~excused)[0]
    if len(lost):
        reasons = [reason for reason, lanes in after.given_up.items() if lanes[lost[0]]]
        why = (reasons or ["control flow depends on an undefined value"])[0]
        differences.append(Difference("control flow", int(lost[0]), "", why))
    different = np.nonzero((before.discarded != after.discarded) & ~excused & ~after.poisoned)[0]
    if len(different):
        lane = int(different[0])
        sides = (str(bool(result.discarded[lane])) for result in (before, after))
        differences.append(Difference("discard", lane, *sides))


def _has_effect(
    before: ShaderResult,
    after: ShaderResult,
    rule: CullingRule,
    excused: Array,
    tolerant: bool,
    differences: list[Difference],
) -> Array:
    """Return the lanes of patches with visible outputs; report a patch that only one side culls."""
    old, new = culled_patches(before, rule), culled_patches(after, rule)
    unseen = old.undefined | (old.culled & new.culled)
    if tolerant:
        unseen = unseen | old.uncertain | new.uncertain
    lost = np.bincount(before.launch.group[excused], minlength=before.launch.group_count) > 0
    different = ((old.culled != new.culled) | new.undefined) & ~unseen & ~lost
    if different.any():
        patch = int(np.argmax(different))
        sides = (
            "undefined" if side.undefined[patch] else str(bool(side.culled[patch])) for side in (old, new)
        )
        lane = int(np.argmax(before.launch.group == patch))
        differences.append(Difference("culling", lane, *sides))
    lanes: Array = ~unseen[before.launch.group]
    return lanes


def _usable_instances(result: ShaderResult, usable: Array) -> Array:
    """Return the instances of the output store without an excused lane."""
    store = OutputStore(result.launch)
    if store.instances == result.launch.lanes:
        return usable
    instances = np.ones(store.instances, np.bool_)
    instances[store.instance[~usable]] = False
    return instances


def _union(first: Iterable[OutputKey], second: Iterable[OutputKey]) -> list[OutputKey]:
    return list(dict.fromkeys((*first, *second)))


class PlaneComparison:
    """Compares output planes and collects the differences."""

    __slots__ = ("counted_as_written", "differences", "flushed", "launch", "narrows", "tolerant")

    def __init__(
        self,
        launch: Launch,
        tolerant: bool,
        differences: list[Difference],
        new_outputs_count: bool = True,
        flushed: Collection[int] = (),
        *,
        narrows: bool = False,
    ) -> None:
        slots = _FRAGMENT_SLOTS if launch.stage is Stage.FRAGMENT else OPTIONAL_SLOTS
        self.counted_as_written = slots if new_outputs_count else frozenset()
        self.launch = launch
        self.tolerant = tolerant
        self.differences = differences
        self.flushed = flushed
        self.narrows = narrows

    def compare(
        self, key: OutputKey, before: OutputPlane | None, after: OutputPlane | None, usable: Array
    ) -> None:
        """Record the first position where `after` differs from a defined result of `before`."""
        if before is None:
            self._note_new(key, after, usable)
            return
        if self._counts_as_written(key) and after is not None and after.vertices == before.vertices:
            new = after.written & ~before.written & usable[:, None]
            if self.tolerant:
                new = new & ~after.fragile
            if new.any():
                self._note(key, before, after, np.argwhere(new)[0])
                return
        defined = before.written & ~before.poison & usable[:, None]
        if self.tolerant:
            defined = defined & ~before.fragile
        if not defined.any():
            return
        if after is None:
            self._note(key, before, None, np.argwhere(defined)[0])
            return
        vertices = max(before.vertices, after.vertices)
        before.grow(vertices)
        after.grow(vertices)
        if defined.shape[1] < vertices:
            defined = np.pad(defined, ((0, 0), (0, vertices - defined.shape[1])))
        if self.tolerant:
            defined = defined & ~after.fragile
        missing = defined & ~(after.written & ~after.poison)
        unequal = defined & ~missing & ~self._equal(before, after)
        wrong = missing | unequal
        if wrong.any():
            self._note(key, before, after, np.argwhere(wrong)[0])

    def _counts_as_written(self, key: OutputKey) -> bool:
        return key.slot in self.counted_as_written or is_told_to_hardware(key)

    def _note_new(self, key: OutputKey, after: OutputPlane | None, usable: Array) -> None:
        """Record an output that only `after` writes, if fixed-function hardware reads it when written."""
        if after is None or not self._counts_as_written(key):
            return
        new = after.written & usable[:, None]
        if new.any():
            nothing = OutputPlane(*after.bits.shape)
            self._note(key, nothing, after, np.argwhere(new)[0])

    def _equal(self, before: OutputPlane, after: OutputPlane) -> Array:
        equal: Array = before.bits == after.bits
        if not self.tolerant:
            return equal
        # An exact result stays exact, however it is computed after.
        is_free = (before.error > 0) | self.narrows
        allowed = np.where(is_free, before.error + after.error, 0.0)
        for bit_size, float_type in FLOAT_TYPES.items():
            may_differ = (before.error > 0) | (after.error > 0) | (bit_size in self.flushed)
            these = (before.bit_size == bit_size) & may_differ & ~equal
            if not these.any():
                continue
            bound, own = allowed[these], before.error[these]
            with np.errstate(all="ignore"):  # conversions of signaling NaN, differences of infinities
                first, second = (
                    np.ascontiguousarray(plane.bits[these].astype(container_type(bit_size)))
                    .view(float_type)
                    .astype(np.float64)
                    for plane in (before, after)
                )
                if bit_size in self.flushed:
                    tiny = np.finfo(float_type).tiny
                    first, second = (
                        np.where(np.abs(side) < tiny, np.copysign(0.0, side), side)
                        for side in (first, second)
                    )
                close = (bound > 0) & ((np.abs(first - second) <= bound) | np.isinf(bound))
            close &= ~((first == 0) & (second == 0) & (own == KEPT_ZERO))
            same = (first == second) & (np.signbit(first) == np.signbit(second))
            equal[these] = close | same | (np.isnan(first) & np.isnan(second))
        return equal

    def _note(self, key: OutputKey, before: OutputPlane, after: OutputPlane | None, at: Array) -> None:
        instance, vertex = int(at[0]), int(at[1])
        what = f"{key_text(key, self.launch.stage)}"
        if before.vertices > 1:
            what += f" of vertex {vertex}"
        lane = int(np.argmax(OutputStore(self.launch).instance == instance))
        sides = (plane_text(side, instance, vertex) for side in (before, after))
        self.differences.append(Difference(what, lane, *sides))


def is_told_to_hardware(key: OutputKey) -> bool:
    """Return whether the key is a hardware export or message rather than a NIR output."""
    return isinstance(key.slot, str) and key.slot.startswith(HARDWARE)


def key_text(key: OutputKey, stage: Stage) -> str:
    """Return the name of an output: `VARYING_SLOT_VAR0.y`."""
    slot = key.slot if isinstance(key.slot, str) else slot_name(key.slot, stage, is_output=True)
    half = ".high" if key.high_16bits else ""
    return f"{slot}.{'xyzw'[key.component] if key.component < 4 else key.component}{half}"


def plane_text(plane: OutputPlane | None, instance: int, vertex: int) -> str:
    """Return the content of a plane at one instance and vertex as text."""
    if plane is None or not plane.written[instance, vertex]:
        return "nothing"
    if plane.poison[instance, vertex]:
        return UNDEFINED
    return number_text(int(plane.bits[instance, vertex]), int(plane.bit_size[instance, vertex]))


def number_text(bits: int, bit_size: int) -> str:
    """Format bits as hexadecimal and as a float."""
    text = f"0x{bits:0{max(bit_size // 4, 1)}x}"
    if bit_size not in FLOAT_TYPES:
        return text
    number = np.array([bits & ((1 << bit_size) - 1)], container_type(bit_size)).view(FLOAT_TYPES[bit_size])[0]
    return f"{text} = {number!s}"


def place_text(key: MemoryKey) -> str:
    """Return the name of a cell: `ssbo0[48]` for a word at a byte, `ssbo Out.colors[3].x` by variable."""
    match key:
        case (str(space), int(buffer), int(word)):
            owner = "" if space in ("global", "push_const") else str(buffer)
            return f"{space}{owner}[{4 * word}]"
        case (str(space), str(name), tuple(shape), int(row), *indices):
            numbers = iter(indices)
            path = "".join(f"[{next(numbers, '?')}]" if step == "[]" else f".{step}" for step in shape)
            return f"{space} {name}{path}.{'xyzw'[row] if row < 4 else row}"
    return "/".join(map(str, key))


def _compare_emitted(
    before: ShaderResult,
    after: ShaderResult,
    usable: Array,
    comparison: PlaneComparison,
    concerns: Callable[[OutputKey], bool] | None,
) -> None:
    first, second = emitted_streams(before), emitted_streams(after)
    for stream in sorted(first.keys() | second.keys()):
        nothing = EmittedStream({}, [[] for _ in range(before.launch.lanes)])
        old, new = first.get(stream, nothing), second.get(stream, nothing)
        same = np.array([a == b for a, b in zip(old.strips, new.strips, strict=True)], np.bool_)
        for lane in np.nonzero(~same & usable)[0][:1]:
            comparison.differences.append(
                Difference(
                    f"primitives of stream {stream}",
                    int(lane),
                    f"strips of {old.strips[lane]} vertices",
                    f"strips of {new.strips[lane]} vertices",
                )
            )
        old_planes, new_planes = at_common_widths(old.planes, new.planes)
        for key in _union(old_planes, new_planes):
            if concerns is None or concerns(key):
                output_plane = _plane(old_planes, key, before, concerns)
                other = _plane(new_planes, key, after, concerns)
                comparison.compare(key, output_plane, other, usable & same)


def _compare_captured(
    before: ShaderResult, after: ShaderResult, usable: Array, comparison: PlaneComparison
) -> None:
    """Compare where transform feedback captures something, and what it captures there."""
    first, second = (
        {(item.buffer, item.offset): item.key for item in result.xfb} for result in (before, after)
    )
    if first.keys() != second.keys():
        text = Difference("transform feedback layout", 0, _xfb_text(before), _xfb_text(after))
        comparison.differences.append(text)
        return
    if not first:
        return
    old, new = captured_planes(before), captured_planes(after)
    for place, plane in old.items():
        key = OutputKey(f"transform feedback {place[0]}+{place[1]}", 0)
        lanes = usable if len(plane.bits) == len(usable) else np.ones(len(plane.bits), np.bool_)
        comparison.compare(key, plane, new.get(place), lanes)


def _plane(
    planes: Planes,
    key: OutputKey,
    result: ShaderResult,
    concerns: Callable[[OutputKey], bool] | None,
) -> OutputPlane | None:
    """Return an output, None if only the next stage reads it while those of the hardware are compared."""
    return None if concerns is not None and key in result.varyings_only else planes.get(key)


def _compare_memory(
    before: ShaderResult, after: ShaderResult, unsettled: Container[MemoryKey], float_tolerance: bool
) -> list[Difference]:
    """Compare the memory after two runs, except the cells in `unsettled`; at most twenty differences."""
    differences: list[Difference] = []
    for key in dict.fromkeys((*before.memory, *after.memory)):
        old, new = before.memory.get(key), after.memory.get(key)
        if old == new or key in unsettled or (old is not None and old.poison):
            continue
        if old is not None and new is not None and cells_agree(old, new, float_tolerance, before.flushed):
            continue
        place = place_text(key if before.launch.draw is None else key[:-1])
        lane = min(before.writers.get(key) or after.writers.get(key) or {0})
        differences.append(Difference(f"memory {place}", lane, _cell_text(old), _cell_text(new)))
        if len(differences) >= _AT_MOST:
            break
    return differences


def cells_agree(before: MemoryCell, after: MemoryCell, tolerant: bool, flushed: Collection[int] = ()) -> bool:
    """Return whether the content of cell `after` may replace that of `before`."""
    if before.poison:
        return True
    if after.poison or after.holes & ~before.holes:
        return tolerant and before.fragile
    if (before.bits ^ after.bits) & ~_bits_of(before.holes) == 0:
        return True
    if not tolerant:
        return False
    if before.fragile or after.fragile:
        return True
    is_flushed = before.bit_size in flushed
    if before.bit_size not in FLOAT_TYPES or not (before.error or after.error or is_flushed):
        return False
    first, second = (float_of(cell.bits, before.bit_size) for cell in (before, after))
    tiny = float(np.finfo(FLOAT_TYPES[before.bit_size]).tiny)
    if is_flushed and abs(first) < tiny and abs(second) < tiny:
        return bool(np.signbit(first) == np.signbit(second))
    if first != first and second != second:
        return True
    if not before.error or (first == 0 == second and before.error == KEPT_ZERO):
        return False
    allowed = before.error + after.error
    return bool(np.isinf(allowed) or abs(first - second) <= allowed)


def _bits_of(bytes_: int) -> int:
    """Return the bits of the bytes in a mask."""
    return sum(0xFF << 8 * number for number in range(8) if bytes_ >> number & 1)


def _cell_text(cell: MemoryCell | None) -> str:
    if cell is None:
        return "not written"
    if cell.poison:
        return UNDEFINED
    text = number_text(cell.bits, cell.bit_size)
    holes = [str(number) for number in range(8) if cell.holes >> number & 1]
    return f"{text} with the undefined bytes {', '.join(holes)}" if holes else text


def _xfb_text(result: ShaderResult) -> str:
    return ", ".join(sorted(f"{item.buffer}+{item.offset}" for item in result.xfb)) or "none"
