"""Changes of memory accesses and fixed-function state that no run shows.

The evaluator detects a missing barrier by the invocations of a workgroup or patch that access the same
bytes. It does not model other workgroups and stages, accesses of less than a word, memory behind descriptors,
textures of images that the shader writes, and overlapping fragments. Nor does it model who else sees volatile
accesses, and what the header asks of fixed-function hardware.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from nirls.ir.analysis.correspondence import value_numbers
from nirls.ir.effects import BARRIER_CLASSES, Access, Effects, can_reorder, effects_of
from nirls.ir.effects.barriers import (
    ALL_CLASSES,
    MERGED_STAGES,
    NOBODY,
    STARTING_STAGES,
    WORKGROUP,
    barrier_effect,
)
from nirls.ir.io.interpolation import FragmentInputs
from nirls.ir.model.access import VOLATILE
from nirls.ir.model.control_flow import is_in_loop
from nirls.ir.model.instructions import Instr, IntrinsicInstr, TexInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import VARYING_SLOTS
from nirls.ir.model.stage import Stage

_SWITCHES = (
    *(
        "early_fragment_tests",
        "post_depth_coverage",
        "inner_coverage",
        "uses_sample_shading",
        "ccw",
        "point_mode",
    ),
    *(f"{unit}_interlock_{order}" for unit in ("pixel", "sample") for order in ("ordered", "unordered")),
)
_MOST_VERTICES = "vertices_out"
_OF_GEOMETRY = ("input_primitive", "output_primitive")
_FIXED_FUNCTION = (*_SWITCHES, "depth_layout", "primitive_mode", "spacing", _MOST_VERTICES, *_OF_GEOMETRY)
"""Fields of the header that fixed-function hardware acts on."""
_OF_ALL_GROUPS = frozenset(("buffer", "image"))


@dataclass(frozen=True, slots=True)
class _Event:
    """A barrier or a memory access: `what` is equal for the same instruction of both shaders.

    `classes` are the classes of memory that it orders or touches. `reason` is why race detection does not
    model it, "" if it does. An access with `may_go` is a load, which a pass may remove, one with `may_move`
    is ordered by no barrier; `constants` are its sources, None for one that is not
    constant. A barrier is `one_sided` if accesses on one side of it are enough to need it. `is_used` is set
    for a load whose value is used.
    """

    what: tuple[object, ...]
    is_barrier: bool
    classes: frozenset[str]
    reason: str = ""
    may_go: bool = False
    may_move: bool = False
    number: int = 0
    one_sided: bool = False
    is_used: bool = False


def unmodelled_change(before: Shader, after: Shader) -> str | None:
    """Return why a change that no run shows cannot be checked; None if there is none."""
    changed = next((field for field in _FIXED_FUNCTION if _differs(before, after, field)), None)
    if changed is not None:
        return f"the header has another {changed}, and what that does is not modelled"
    if _volatile_accesses(before) - _volatile_accesses(after):
        return "a volatile access is gone, which others may see"
    numbers: dict[Hashable, int] = {}
    old, new = (list(_events(shader, numbers)) for shader in (before, after))
    if not any(event.is_barrier for event in old):
        return None
    if (crossed := _crossed_barrier(old, new) or _barrier_of_reused_load(old, new)) is not None:
        return crossed.reason
    if _is_kept(old, new):
        return None
    gone = Counter(event.what for event in old if event.is_barrier)
    gone.subtract(event.what for event in new if event.is_barrier)
    for position, event in enumerate(old):
        is_changed = event.is_barrier and (gone[event.what] > 0 or not +gone)
        if is_changed and event.reason and _stands_between(position, old):
            return event.reason
    return next((event.reason for event in old if event.reason and not event.is_barrier), None)


def _differs(before: Shader, after: Shader, field: str) -> bool:
    """Whether headers ask for different things; a choice that one of them leaves open is none."""
    old, new = (shader.header_value(field) for shader in (before, after))
    if field in _SWITCHES:
        return (old == "true") is not (new == "true")
    is_chosen = {old, new}.isdisjoint((None, "0"))
    if field in _OF_GEOMETRY:
        is_chosen = {shader.header_value(_MOST_VERTICES) for shader in (before, after)}.isdisjoint(
            (None, "0")
        )
    return is_chosen and old != new


def mixed_qualifiers(before: Shader, after: Shader) -> str | None:
    """Return why the interpolation of `after` is not certain; None if it is, or if `before` mixed too.

    A run interpolates each load by itself, but hardware may have one qualifier for all components of a slot.
    """
    if FragmentInputs(before).mixed_slots:
        return None
    for slot in FragmentInputs(after).mixed_slots:
        return f"components of {VARYING_SLOTS[slot]} are interpolated differently now"
    return None


def mixed_coordinates(before: Shader, after: Shader) -> str | None:
    """Return why hardware may interpolate inputs otherwise: components that share a slot now differ.

    None if `before` has such a slot too, because its hardware interpolates each component by itself then.
    """
    slots = FragmentInputs(after).slots_of_several_qualifiers
    if not slots or FragmentInputs(before).slots_of_several_qualifiers:
        return None
    return f"components of {VARYING_SLOTS[min(slots)]} have different interpolation qualifiers now"


def _volatile_accesses(shader: Shader) -> Counter[tuple[bool, bool]]:
    """Return the numbers of volatile accesses that read, that write, and that do both."""
    return Counter(
        (access.reads, access.writes)
        for instr in shader.instrs()
        for access in effects_of(instr).accesses
        if access.flags & VOLATILE
    )


def _crossed_barrier(old: list[_Event], new: list[_Event]) -> _Event | None:
    """Return an unmodelled barrier that an access crosses; None if there is none, or these barriers change.

    An access crosses it if there are more of the kind on one side than before, and not more in all.
    """
    places, new_places = _unmodelled_barriers(old), _unmodelled_barriers(new)
    if [old[at].what for at in places] != [new[at].what for at in new_places]:
        return None
    more = _counted(new)
    more.subtract(_counted(old))
    more_ahead: Counter[_Kind] = Counter()
    start = new_start = 0
    for at, new_at in zip(places, new_places, strict=True):
        more_ahead.update(_counted(new[new_start:new_at]))
        more_ahead.subtract(_counted(old[start:at]))
        start, new_start = at, new_at
        barrier = old[at]
        crossing = (
            classes & barrier.classes
            and more[number, classes] <= 0
            and not more[number, classes] <= count <= 0
            for (number, classes), count in more_ahead.items()
        )
        if any(crossing) and _stands_between(at, old):
            return barrier
    return None


def _barrier_of_reused_load(old: list[_Event], new: list[_Event]) -> _Event | None:
    """Return an unmodelled barrier behind which a load went although its value is used.

    The same load stands in front of the barrier, so its value is used instead; others may have stored since.
    """
    places, new_places = _unmodelled_barriers(old), _unmodelled_barriers(new)
    if [old[at].what for at in places] != [new[at].what for at in new_places]:
        return None
    parts = pairwise([*places, len(old)])
    new_parts = pairwise([*new_places, len(new)])
    for (at, end), (new_at, new_end) in zip(parts, new_parts, strict=True):
        gone = _counted(event for event in old[at:end] if event.is_used)
        gone.subtract(_counted(new[new_at:new_end]))
        known = _counted(new[:new_at])
        for kind, count in gone.items():
            if count > 0 and known[kind] and kind[1] & old[at].classes:
                return old[at]
    return None


_Kind = tuple[int, frozenset[str]]
"""The value number of an access, and the classes of memory that it touches."""


def _unmodelled_barriers(events: list[_Event]) -> list[int]:
    return [at for at, event in enumerate(events) if event.is_barrier and event.reason]


def _counted(events: Iterable[_Event]) -> Counter[_Kind]:
    return Counter(
        (event.number, event.classes) for event in events if not event.is_barrier and not event.may_move
    )


def _is_kept(old: list[_Event], new: list[_Event]) -> bool:
    """Whether all barriers and unmodelled accesses are unchanged, except for removed loads."""
    rest = iter([event for event in new if event.is_barrier or event.reason])
    expected = next(rest, None)
    for event in old:
        if not event.is_barrier and not event.reason:
            continue
        if expected is not None and event.what == expected.what:
            expected = next(rest, None)
        elif not event.may_go:
            return False
    return expected is None


def _stands_between(position: int, events: list[_Event]) -> bool:
    """Whether a barrier orders any accesses: on both sides of it, or anywhere if it is one-sided."""
    barrier = events[position]

    def touched(part: list[_Event]) -> bool:
        return any(event.classes & barrier.classes for event in part if not event.is_barrier)

    if barrier.one_sided:
        return touched(events)
    return touched(events[:position]) and touched(events[position + 1 :])


def _events(shader: Shader, numbers: dict[Hashable, int]) -> Iterator[_Event]:
    instrs = list(shader.instrs())
    writes_images = any(effects_of(instr).writes(frozenset(("image",))) for instr in instrs)
    for instr, number in zip(instrs, value_numbers(instrs, numbers), strict=True):
        effects = effects_of(instr)
        if "barrier" in effects.words and isinstance(instr, IntrinsicInstr):
            yield _barrier(instr, effects, shader.stage)
            continue
        classes = frozenset(
            found
            for access in effects.accesses
            for memory in access.memories
            if (found := BARRIER_CLASSES.get(memory)) is not None
        )
        if classes:
            reason = _reason(instr, effects, writes_images)
            may_move = isinstance(instr, IntrinsicInstr) and can_reorder(instr)
            may_go = not effects.writes()
            is_used = may_go and instr.def_ is not None and bool(instr.def_.uses)
            yield _Event(_what(instr), False, classes, reason, may_go, may_move, number, is_used=is_used)


def _barrier(instr: IntrinsicInstr, effects: Effects, stage: Stage | None) -> _Event:
    if effects.is_everything:
        return _Event(
            _what(instr),
            True,
            ALL_CLASSES,
            f"{instr.name}: the order of overlapping invocations is not modelled",
            one_sided=True,
        )
    effect = barrier_effect(instr)
    classes = _OF_ALL_GROUPS if effect is None else effect.classes & _OF_ALL_GROUPS
    reaches_others = effect is None or effect.reaches > WORKGROUP
    reason = "accesses of other workgroups are not modelled" if reaches_others and classes else ""
    one_sided = is_in_loop(instr.block) or (bool(reason) and stage in STARTING_STAGES)
    if stage in MERGED_STAGES and (effect is None or effect.orders("shared") or effect.waits > NOBODY):
        classes |= {"shared"}
        reason = reason or "shared memory of merged shaders is not modelled"
        one_sided = True
    return _Event(_what(instr), True, classes, reason, one_sided=one_sided)


def _reason(instr: Instr, effects: Effects, writes_images: bool) -> str:
    if isinstance(instr, TexInstr):
        return "textures that may be images the shader writes are not modelled" if writes_images else ""
    if any(access.by_modes for access in effects.accesses):
        return "races behind descriptors are not modelled"
    value = instr.def_
    if value is None and isinstance(instr, IntrinsicInstr) and instr.sources:
        value = instr.sources[0].def_
    partial = value is not None and value.bit_size in (8, 16)
    if partial and any(_is_by_bytes(access) for access in effects.accesses):
        return "races of 8-bit and 16-bit accesses are not modelled"
    return ""


def _is_by_bytes(access: Access) -> bool:
    return access.deref is None and "output" not in access.memories and "image" not in access.memories


def _what(instr: Instr) -> tuple[object, ...]:
    if isinstance(instr, IntrinsicInstr):
        return (instr.name, *((name, repr(value)) for name, value in instr.indices.items()))
    return (type(instr).__name__, getattr(instr, "op", ""))
