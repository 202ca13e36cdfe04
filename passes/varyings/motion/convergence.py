"""Step 1: find outputs that have the same value in all vertices of a primitive.

Such an output may be read flat, whatever interpolation the fragment shader requests.
"""

from __future__ import annotations

from functools import cached_property

from nirls.ir.analysis.divergence import DivergenceInfo, vertex_divergence
from nirls.ir.analysis.divergence_options import DivergenceOptions
from nirls.ir.analysis.dominance import InstrOrder, instr_order
from nirls.ir.model.control_flow import Block, Loop, is_in_loop, nodes_around
from nirls.ir.model.instructions import IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.interface.scalar_slots import Category, Interface, PackingGroup, ScalarSlot


def divergence_of_vertices(producer: Shader) -> DivergenceInfo:
    """Return the vertex divergence of a producer, whose vertices may see other stores to memory."""
    return vertex_divergence(producer, DivergenceOptions(memory_may_change=True))


def find_convergent(interface: Interface) -> None:
    """Set `convergent` and the category of the slots that are convergent.

    Only interpolated inputs of a fragment shader qualify: a flat one may hold integers, which must not get
    into an interpolated vec4, and the other groups differ between vertices. An invocation of a geometry
    shader stores all vertices one after the other, so its slot must always store the same value, computed
    outside of loops. For a mesh shader only constants qualify.
    """
    if not interface.feeds_fragments:
        return
    candidates = [
        slot
        for slot in interface.in_order()
        if _may_be_convergent(slot)
        and not (_needs_infinities(slot) and interface.options.preserves_nans(slot.bit_size))
    ]
    if not candidates:
        return
    stores = _Stores(interface)
    for slot in candidates:
        if slot.category is None or (
            interface.producer_stage is Stage.GEOMETRY and not _is_stored_throughout(slot)
        ):
            continue
        if all(stores.is_convergent(store) for store in slot.stores):
            slot.convergent = True
            slot.category = Category(PackingGroup.CONVERGENT, slot.category.interpolation, slot.bit_size)


def _may_be_convergent(slot: ScalarSlot) -> bool:
    if slot.blocked or slot.category is None or not slot.stores or not slot.input_loads:
        return False
    return slot.category.group in (PackingGroup.INTERPOLATED, PackingGroup.SHADE_MODEL)


def _needs_infinities(slot: ScalarSlot) -> bool:
    """Whether a stored infinity may reach a reader as it is.

    Reading flat turns it into a NaN if NaNs are preserved, as interpolation does. Transform feedback
    captures it, and flat shading of colors does not interpolate.
    """
    return slot.captured or (slot.category is not None and slot.category.group is PackingGroup.SHADE_MODEL)


def _is_stored_throughout(slot: ScalarSlot) -> bool:
    """Whether an invocation stores a single value to the slot, computed outside of loops."""
    maker = None if slot.value is None else slot.value.instr
    return maker is not None and maker.block is not None and not is_in_loop(maker.block)


class _Stores:
    """Convergence of stores, from the vertex divergence of the producer (computed on first use)."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.entered: dict[Block, bool] = {}

    @cached_property
    def info(self) -> DivergenceInfo:
        return divergence_of_vertices(self.interface.producer)

    @cached_property
    def order(self) -> InstrOrder:
        return instr_order(self.interface.producer_impl)

    def is_convergent(self, store: IntrinsicInstr) -> bool:
        is_constant = isinstance(store.sources[0].ssa.instr, LoadConstInstr)
        if not is_constant and self.interface.producer_stage is Stage.MESH:
            return False
        if store.block is None:
            return False
        if self.info.is_use_divergent(store.sources[0]):
            return False
        if store.block not in self.entered:
            self.entered[store.block] = self._is_entered_together(store.block)
        return self.entered[store.block]

    def _is_entered_together(self, block: Block) -> bool:
        """Whether all vertices execute a block equally often.

        Neither the block nor an enclosing if or loop may be divergent.
        """
        if self.info.is_block_divergent(block):
            return False
        for node in nodes_around(block):
            if isinstance(node, Loop) and self.info.is_loop_divergent(node):
                return False
            before = self.order.block_before(node)
            if before is None or self.info.is_block_divergent(before):
                return False
        return True
