"""Step 9: assign a vec4 slot, component and half to each scalar varying.

The plan is made first and carried out by `relocate`, so that it can be shown without changing anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.interface.decisions import Step, StepObstacle
from nirls.passes.varyings.interface.rules import AFTER_PATCHES, FIRST_PATCH
from nirls.passes.varyings.interface.scalar_slots import (
    COLORS,
    HALVES,
    VAR0,
    Category,
    Interface,
    PackingGroup,
    ScalarSlot,
)
from nirls.passes.varyings.packing.declarations import redeclare
from nirls.passes.varyings.packing.relocate import relocate

_COL0 = varying_slot("COL0")
_BFC0 = varying_slot("BFC0")
_POS = varying_slot("POS")
_AFTER_VARS = varying_slot("VAR31") + 1
_AFTER_COLORS = _COL0 + 2
_SIZES = (32, 16)


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """New storage number of a slot, and the category of the vec4 there (None if that does not matter)."""

    slot: ScalarSlot
    number: int
    category: Category | None


class NoRoomError(Exception):
    """The varyings do not fit into the available slots; they stay where they are."""


def pack(interface: Interface) -> None:
    """Move every varying that may be moved to its new place, and rewrite the declarations."""
    plan = placements(interface)
    moved = {placement.slot.number: placement.number for placement in plan}
    slots = interface.in_order()
    stored = {slot.number for slot in slots if slot.stores or slot.output_loads} | interface.occupied
    loaded = {slot.number for slot in slots if slot.input_loads} | interface.occupied
    for placement in plan:
        relocate(interface, placement.slot, placement.number, placement.category)
    if interface.progress.journal is not None:
        interface.progress.journal.move(moved)
    if all(old == new for old, new in moved.items()):
        return
    back = (_BFC0 - _COL0) * HALVES
    colors = [old for old in moved if old // HALVES in COLORS]
    outputs = moved | {old + back: moved[old] + back for old in colors}
    if redeclare(interface.producer, "shader_out", outputs, stored | {old + back for old in colors}):
        interface.progress.mark(interface.producer)
    if redeclare(interface.consumer, "shader_in", moved, loaded):
        interface.progress.mark(interface.consumer)


def placements(interface: Interface) -> list[Placement]:
    """Return the new place of every varying that may be moved; empty if they do not all fit."""
    moving = packable(interface)
    try:
        if interface.feeds_fragments:
            return _FragmentPacker(interface, moving).pack()
        return list(_pack_in_sequence(interface, moving))
    except NoRoomError:
        for slot in moving:
            interface.obstruct(slot, StepObstacle(Step.PACKING, "no-room", "the varyings do not all fit"))
        return []


def packable(interface: Interface) -> list[ScalarSlot]:
    """Return the slots that packing may move, by number."""
    found = []
    for slot in interface.in_order():
        if slot.blocked or slot.category is None or not slot.stores:
            continue
        if slot.category.group is PackingGroup.CAPTURED_ONLY:
            # No fixed-function state applies to an output that only transform feedback reads.
            if not any(interface.feeds_fixed_hardware(store) for store in slot.stores):
                found.append(slot)
        elif slot.allowed.pack:
            found.append(slot)
        else:
            interface.obstruct(slot, StepObstacle(Step.PACKING, "state", slot.allowed.reason))
    return found


def _kept_storage(interface: Interface, moving: Iterable[ScalarSlot]) -> set[int]:
    """Return the halves that no varying may move to, of blocked accesses and of slots that stay."""
    kept, free = set(interface.occupied), set(moving)
    for slot in interface.in_order():
        if slot not in free:
            kept.update(range(slot.number, slot.number + max(slot.bit_size // 16, 1)))
    return kept


def _pack_in_sequence(interface: Interface, moving: Sequence[ScalarSlot]) -> Iterator[Placement]:
    """Pack between stages before the fragment shader: in sequence, patches apart, 32-bit varyings first."""
    kept = _kept_storage(interface, moving)
    vertex = _Sequence(kept, [_POS] if interface.options.use_pos else [], VAR0, _AFTER_VARS)
    patch = _Sequence(kept, [], FIRST_PATCH, AFTER_PATCHES)
    for groups in (
        (PackingGroup.CROSS_INVOCATION,),
        (PackingGroup.FLAT,),
        (PackingGroup.NO_VARYING, PackingGroup.CAPTURED_ONLY),
    ):
        for bit_size in _SIZES:
            for slot in moving:
                if slot.category is None or slot.category.group not in groups or slot.bit_size != bit_size:
                    continue
                is_patch = interface.consumer_stage is Stage.TESS_EVAL and slot.is_patch
                sequence = patch if is_patch else vertex
                yield Placement(slot, sequence.take(bit_size // 16), None)


class _Sequence:
    """Allocator of scalar slots in ascending order that skips occupied ones."""

    def __init__(self, kept: Set[int], first: Iterable[int], begin: int, end: int) -> None:
        self.occupied = kept
        self.numbers = self._all([*first, *range(begin, end)])
        self.number = next(self.numbers, None)

    @staticmethod
    def _all(locations: list[int]) -> Iterator[int]:
        for location in locations:
            yield from range(location * HALVES, (location + 1) * HALVES)

    def take(self, halves: int) -> int:
        while self.number is not None:
            number = self.number
            whole = number % 2 == 0 or halves == 1
            if whole and number & ~1 not in self.occupied and number | 1 not in self.occupied:
                for _ in range(halves):
                    self.number = next(self.numbers, None)
                return number
            self.number = next(self.numbers, None)
        raise NoRoomError


class _FragmentPacker:
    """Packer of fragment shader inputs, where each vec4 holds one kind of input."""

    def __init__(self, interface: Interface, moving: Sequence[ScalarSlot]) -> None:
        self.interface = interface
        self.flexible = interface.options.flexible_interpolation
        self.taken = _kept_storage(interface, moving)
        self.kinds: dict[int, Category] = {
            location: self._kind(category) for location, category in interface.occupied_as.items()
        }
        self.found: list[Placement] = []
        self.waiting = dict.fromkeys(moving)
        for slot in [slot for slot in self.waiting if self._is_color_without_group(slot)]:
            del self.waiting[slot]
            self.taken.update(range(slot.number, slot.number + slot.bit_size // 16))
            if slot.category is not None and slot.bit_size == 16:
                self.kinds[slot.location] = self._kind(slot.category)

    def _is_color_without_group(self, slot: ScalarSlot) -> bool:
        """Whether a color keeps its place: a 16-bit one, or one read explicitly or per primitive."""
        if slot.category is None or not self.interface.is_color(slot):
            return False
        own = (PackingGroup.EXPLICIT, PackingGroup.EXPLICIT_STRICT, PackingGroup.PER_PRIMITIVE)
        is_small = slot.bit_size == 16 and slot.category.group is not PackingGroup.CAPTURED_ONLY
        return is_small or slot.category.group in own

    def pack(self) -> list[Placement]:
        for bit_size in _SIZES:
            self._pack_size(bit_size, colors=False)
        for group in (PackingGroup.EXPLICIT, PackingGroup.EXPLICIT_STRICT, PackingGroup.PER_PRIMITIVE):
            for bit_size in _SIZES:
                self._assign(Category(group), bit_size, self._waiting(group, bit_size, False), False)
        self._pack_captured(colors=False)
        if any(self.interface.is_color(slot) for slot in self.waiting):
            self._pack_size(32, colors=True)
            self._pack_captured(colors=True)
        return self.found

    def _pack_size(self, bit_size: int, *, colors: bool) -> None:
        """Place the interpolated, flat and convergent inputs of one size; convergent ones fill holes."""
        kinds = [Category(PackingGroup.INTERPOLATED, item, bit_size) for item in Interpolation]
        kinds += [Category(PackingGroup.SHADE_MODEL, item, bit_size) for item in Interpolation]
        interpolated = list(dict.fromkeys(self._kind(kind) for kind in kinds))
        flat = Category(PackingGroup.FLAT)
        for kind in (*interpolated, flat):
            slots = [
                slot
                for slot in self._waiting(kind.group, bit_size, colors)
                if slot.category is not None and self._kind(slot.category) == kind
            ]
            self._assign(kind, bit_size, slots, colors)
        self._fill(flat, bit_size, self._room(flat, colors) * 32 // bit_size, colors)
        # Those that the interpolated vec4s cannot hold fill whole flat vec4s: a second run would move others
        # to components that were left free there.
        elsewhere = sum(self._room(kind, colors) for kind in interpolated) * 32 // bit_size
        too_many = len(self._waiting(PackingGroup.CONVERGENT, bit_size, colors)) - elsewhere
        of_a_slot = 4 * 32 // bit_size
        self._fill(flat, bit_size, -(-too_many // of_a_slot) * of_a_slot, colors)
        for kind in interpolated:
            self._fill(kind, bit_size, self._room(kind, colors) * 32 // bit_size, colors)

    def _fill(self, kind: Category, bit_size: int, most: int, colors: bool) -> None:
        """Place up to `most` convergent inputs in vec4s of a kind."""
        if most > 0:
            self._assign(
                kind, bit_size, self._waiting(PackingGroup.CONVERGENT, bit_size, colors)[:most], colors
            )

    def _pack_captured(self, *, colors: bool) -> None:
        for bit_size in _SIZES:
            self._assign(None, bit_size, self._waiting(PackingGroup.CAPTURED_ONLY, bit_size, colors), colors)

    def _kind(self, category: Category) -> Category:
        """Return the key that varyings of a vec4 share: flat ones mix sizes, others do not."""
        if category.group not in (PackingGroup.INTERPOLATED, PackingGroup.SHADE_MODEL):
            return Category(category.group)
        if self.flexible:
            return Category(category.group, None, category.bit_size)
        return category

    def _waiting(self, group: PackingGroup, bit_size: int, colors: bool) -> list[ScalarSlot]:
        return [
            slot
            for slot in self.waiting
            if slot.category is not None
            and slot.category.group is group
            and slot.bit_size == bit_size
            and self.interface.is_color(slot) == colors
        ]

    def _assign(self, kind: Category | None, bit_size: int, slots: list[ScalarSlot], colors: bool) -> None:
        begin, end = (_COL0, _AFTER_COLORS) if colors else (VAR0, _AFTER_VARS)
        step = bit_size // 16
        number = begin * HALVES
        rotation = self._rotation() if colors else 0
        for slot in slots:
            number = self._free(number, kind, step, end, rotation)
            place = _rotated(number, rotation)
            self.found.append(Placement(slot, place, kind))
            self.taken.update(range(place, place + step))
            if kind is not None:
                self.kinds[number // HALVES] = kind
            del self.waiting[slot]
            number += step

    def _free(self, number: int, kind: Category | None, step: int, end: int, rotation: int) -> int:
        while number < end * HALVES:
            other = self.kinds.get(number // HALVES)
            if kind is not None and other is not None and other != kind:
                number = (number // HALVES + 1) * HALVES
            elif not self.taken.isdisjoint(range(place := _rotated(number, rotation), place + step)):
                number += step
            else:
                return number
        raise NoRoomError

    def _room(self, kind: Category, colors: bool) -> int:
        """Return the number of free 32-bit components in the vec4s of a kind."""
        free = 0
        for location, other in self.kinds.items():
            if other != kind or (location in (_COL0, _COL0 + 1)) != colors:
                continue
            for component in range(4):
                number = location * HALVES + component * 2
                free += number not in self.taken and number + 1 not in self.taken
        return free

    def _rotation(self) -> int:
        if not self.interface.options.rotate_colors:
            return 0
        held = [number for number in self.taken if number >= VAR0 * HALVES]
        return (max(held) // 2 + 1) % 4 if held else 0


def _rotated(number: int, rotation: int) -> int:
    """Return the scalar slot that is `rotation` components further in the same vec4."""
    return number // HALVES * HALVES + (number + rotation * 2) % HALVES
