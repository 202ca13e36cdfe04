"""Plan for removing dead varyings between two stages, made before any shader changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.io.access import AccessKind, IoAccess, has_unlisted_captures
from nirls.passes.varyings.interface.accesses import Linkage, feeds_fixed_hardware, semantics_of
from nirls.passes.varyings.interface.rules import keeps_unwritten_value, unwritten_value


@dataclass(frozen=True, slots=True, eq=False)
class RemoveStore:
    """Remove a store that nothing reads.

    It is no more than a hint where transform feedback may capture the output.
    """

    access: IoAccess
    may_be_captured: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class DemoteAccess:
    """Mark an output with `no_varying`, because the next stage does not read it but something else does.

    `readers` lists them: `transform feedback`, `fixed hardware`, or `the shader itself`.
    """

    access: IoAccess
    readers: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ReplaceLoad:
    """Replace a load of an unwritten slot by one constant per component, or by undefined (`values` None)."""

    access: IoAccess
    values: tuple[float, ...] | None


Action = RemoveStore | DemoteAccess | ReplaceLoad


def plan(linkage: Linkage) -> list[Action]:
    """Return all possible actions, in the order producer stores, producer loads, consumer loads.

    The rules are step 2 of the varying-linking design. A vector access is removed or replaced as a whole,
    so only if all its components are dead.
    """
    actions: list[Action] = []
    if linkage.complete_consumer:
        actions += _unread(linkage)
    if linkage.complete_producer:
        written = linkage.storage(linkage.stores)
        actions += _unwritten(linkage, linkage.output_loads, written)
        actions += _unwritten(linkage, linkage.input_loads, written)
    return actions


def _unread(linkage: Linkage) -> Iterable[Action]:
    read_next = linkage.storage(linkage.input_loads)
    read_here = linkage.storage(linkage.output_loads)
    written = linkage.storage(linkage.stores)
    may_be_captured = has_unlisted_captures(linkage.producer)
    for store in linkage.stores:
        if not linkage.may_change(store) or linkage.touches(store, read_next):
            continue
        readers = _other_readers(linkage, [store], linkage.touches(store, read_here))
        # An unreadable line may be a load of the output by its own shader.
        if not readers and linkage.complete_producer:
            yield RemoveStore(store, may_be_captured)
        elif readers and not semantics_of(store).has("no_varying"):
            yield DemoteAccess(store, readers)
    for load in linkage.output_loads:
        if not linkage.may_change(load) or semantics_of(load).has("no_varying"):
            continue
        if linkage.touches(load, written) and not linkage.touches(load, read_next):
            own = linkage.storage([load])
            stores = [store for store in linkage.stores if linkage.touches(store, own)]
            yield DemoteAccess(load, _other_readers(linkage, stores, is_read_here=True))


def _other_readers(linkage: Linkage, stores: Sequence[IoAccess], is_read_here: bool) -> tuple[str, ...]:
    """Return who reads the storage of some stores besides the next stage."""
    readers = {
        "the shader itself": is_read_here,
        "transform feedback": any(store.is_captured for store in stores),
        "fixed hardware": any(feeds_fixed_hardware(store, linkage.consumer_stage) for store in stores),
    }
    return tuple(reader for reader, reads in readers.items() if reads)


def _unwritten(linkage: Linkage, loads: list[IoAccess], written: set[int]) -> Iterable[ReplaceLoad]:
    for load in loads:
        if not linkage.may_change(load) or linkage.touches(load, written):
            continue
        if load.kind is AccessKind.OUTPUT_LOAD:
            yield ReplaceLoad(load, None)
            continue
        stage, location = linkage.consumer_stage, load.slot
        if any(
            keeps_unwritten_value(linkage.producer_stage, stage, location, component)
            for component in load.components
        ):
            continue
        width = max(load.bits // 32, 1)
        values = [unwritten_value(stage, location, load.component + lane * width) for lane in load.lanes]
        known = tuple(value for value in values if value is not None)
        yield ReplaceLoad(load, known if known and len(known) == len(values) else None)
