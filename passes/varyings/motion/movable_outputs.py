"""Producer outputs that forward motion may compute in the consumer, each considered alone (step 6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass

from nirls.ir.analysis.dominance import DominatorTree
from nirls.ir.io.interpolation import barycentric_of, interpolation_of, is_at_a_point
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.values import Def
from nirls.passes.varyings.interface.scalar_slots import Interface, PackingGroup, ScalarSlot
from nirls.passes.varyings.motion.movability import ReadAs, ReadMode
from nirls.passes.varyings.motion.movable_inputs import PRODUCERS
from nirls.passes.varyings.motion.output_graph import Scalar
from nirls.passes.varyings.motion.slot_accesses import stores_own_vertex

_PLACE_FLAGS = frozenset(("high_16bits", "no_varying", "no_sysval_output"))
"""Flags for the place or other readers of an access, which do not affect the precision of the varying."""


@dataclass(frozen=True, slots=True)
class LoadSite:
    """Block, intrinsic and leading sources (vertex index or barycentric coordinates) of input loads.

    All loads of a site can be served by one load in the block, or in a block that dominates it.
    """

    block: Block
    name: str
    sources: tuple[Def, ...]

    @property
    def how(self) -> Hashable:
        """Key that is equal for sites that load the same part of a slot."""
        return self.name, self.sources


@dataclass(frozen=True, slots=True, eq=False)
class MovableOutput:
    """An output that meets the conditions on a single output.

    `scalar` is the stored value. Outputs can replace each other only if their `kind` is equal (it includes
    the block of the store). `sites` groups the loads by site.
    """

    slot: ScalarSlot
    scalar: Scalar
    read_as: ReadAs
    kind: Hashable
    sites: dict[LoadSite, list[IntrinsicInstr]]


def movable_outputs(interface: Interface) -> list[MovableOutput]:
    """Return the outputs that meet the conditions on a single output, by slot.

    These have one store. A control shader may read them itself: it then keeps the store. A geometry shader
    emits several vertices and a mesh shader also stores to vertices of other invocations, so both are
    excluded.
    """
    if interface.producer_stage not in PRODUCERS:
        return []
    found = []
    for slot in interface.in_order():
        if slot.blocked or not slot.allowed.move_code:
            continue
        if len(slot.stores) != 1 or not slot.input_loads:
            continue
        if slot.stores[0].name != "store_output" and not stores_own_vertex(slot.stores[0]):
            continue
        read_as = _read_as(interface, slot)
        block = slot.stores[0].block
        if read_as is None or block is None or slot.category is None:
            continue
        kind = (
            block,
            slot.stores[0].name,
            slot.is_patch,
            slot.category.group,
            slot.category.interpolation,
            _flags(slot),
        )
        scalar = Scalar(slot.stores[0].sources[0].ssa)
        found.append(MovableOutput(slot, scalar, read_as, kind, sites_of(slot)))
    return found


def _read_as(interface: Interface, slot: ScalarSlot) -> ReadAs | None:
    """Return how all loads of a slot read it; None if no code may move across that."""
    if slot.category is None:
        return None
    if not interface.feeds_fragments:
        # Before the fragment shader, loads return the values as they were stored.
        return ReadMode.FLAT
    names = {load.name for load in slot.input_loads}
    if slot.category.group is PackingGroup.FLAT:
        return ReadMode.FLAT if names == {"load_input"} else None
    if names != {"load_interpolated_input"}:
        return None
    if slot.convergent:
        return None if interface.options.preserves_specials(slot.bit_size) else ReadMode.CONVERGENT
    if slot.category.group is not PackingGroup.INTERPOLATED:
        return None
    for load in slot.input_loads:
        barycentric = barycentric_of(load)
        if barycentric is None or is_at_a_point(barycentric):
            return None
        if interpolation_of(barycentric) is not slot.category.interpolation:
            return None
    return slot.category.interpolation


def _flags(slot: ScalarSlot) -> frozenset[str]:
    """Return the precision flags of all accesses of a slot."""
    return frozenset(
        flag
        for access in (*slot.stores, *slot.input_loads)
        if access.io_semantics is not None
        for flag in access.io_semantics.flags
        if flag not in _PLACE_FLAGS
    )


def sites_of(slot: ScalarSlot) -> dict[LoadSite, list[IntrinsicInstr]]:
    """Return the input loads of a slot by site."""
    found: dict[LoadSite, list[IntrinsicInstr]] = {}
    for load in slot.input_loads:
        if load.block is not None:
            sources = tuple(src.ssa for src in load.sources[:-1])
            found.setdefault(LoadSite(load.block, load.name, sources), []).append(load)
    return found


def heads_of(
    sites: Collection[LoadSite], dominators: Callable[[], DominatorTree]
) -> dict[LoadSite, LoadSite]:
    """Map each site to the one whose loads serve it: itself, or an equal one in a dominating block."""
    alike: dict[Hashable, dict[LoadSite, None]] = {}
    for site in sites:
        alike.setdefault(site.how, {})[site] = None
    heads = {site: site for site in sites}
    for group in alike.values():
        if len(group) == 1:
            continue
        tree = dominators()
        position = {block: number for number, block in enumerate(tree.preorder())}
        tops: list[LoadSite] = []
        for site in sorted(group, key=lambda site: position.get(site.block, len(position))):
            top = next((other for other in tops if tree.dominates(other.block, site.block)), None)
            if top is None:
                tops.append(site)
            else:
                heads[site] = top
    return heads
