"""Scalar interface between a vertex shader and a control shader.

Both sides identify a scalar by slot, component and half (`IoPart`). They must access it with the same size,
so that every load returns a stored value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from nirls.ir.io.access import io_access
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr, IntrinsicInstr, scalar_constant
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.passes.tessellation.inline_vs.invocation_range import invocation_ranges, is_invocation_id
from nirls.passes.varyings.interface.accesses import intrinsics


class IoPart(NamedTuple):
    """A scalar of the interface; `high` is the upper half of a component that holds two 16-bit values."""

    slot: int
    component: int
    high: bool

    def further(self, slots: int) -> IoPart:
        """Return the same component, `slots` slots later."""
        return self._replace(slot=self.slot + slots)

    def halves(self, bit_size: int) -> tuple[int, ...]:
        """Return the 16-bit units that a value of a bit size occupies, numbered over all slots."""
        first = (self.slot * 4 + self.component) * 2
        if bit_size == 64:
            return tuple(range(first, first + 4))
        return (first, first + 1) if bit_size == 32 else (first + self.high,)


@dataclass(eq=False, slots=True)
class InterfaceAccess:
    """A store of the vertex shader or a load of the control shader.

    `parts` maps components of the value (only written ones for a store) to scalars at offset 0. `offset` is
    the offset in slots, None if variable; it is then less than `num_slots`. `own` is set for a load of the
    invocation's own vertex.
    """

    instr: IntrinsicInstr
    parts: dict[int, IoPart]
    bit_size: int
    offset: int | None
    num_slots: int
    own: bool = False

    @property
    def offset_value(self) -> Def:
        """The offset source, which is the last one."""
        return self.instr.sources[-1].ssa

    def elements(self) -> range:
        """Return the possible offsets."""
        return range(self.num_slots) if self.offset is None else range(self.offset, self.offset + 1)

    def all_parts(self) -> Iterable[IoPart]:
        """Yield every scalar that may be accessed."""
        return (part.further(element) for part in self.parts.values() for element in self.elements())


@dataclass(eq=False, slots=True)
class VsTcsInterface:
    """All accesses of the interface, and the bit size of each accessed scalar."""

    stores: list[InterfaceAccess] = field(default_factory=list)
    loads: list[InterfaceAccess] = field(default_factory=list)
    sizes: dict[IoPart, int] = field(default_factory=dict)

    def written(self) -> dict[IoPart, None]:
        """Return the scalars that the vertex shader may write, in order of the first store."""
        return dict.fromkeys(part for store in self.stores for part in store.all_parts())


def read_interface(vs: Shader, tcs: Shader, vertices_out: int) -> VsTcsInterface:
    """Collect the accesses of both shaders; a scalar has the bit size of its first access."""
    interface = VsTcsInterface()
    for instr in intrinsics(vs):
        if instr.name == "store_output":
            interface.stores.append(_access(instr))
    entry = tcs.entrypoint
    ranges = {} if entry is None else invocation_ranges(entry, vertices_out)
    for instr in intrinsics(tcs):
        if instr.name == "load_per_vertex_input":
            interface.loads.append(_load(instr, ranges))
    for access in (*interface.stores, *interface.loads):
        for part in access.all_parts():
            interface.sizes.setdefault(part, access.bit_size)
    return interface


def mixed_sizes(interface: VsTcsInterface) -> Instr | None:
    """Return the first access that overlaps another one with a different extent; None if there is none."""
    owner: dict[int, tuple[int, ...]] = {}
    for access in (*interface.stores, *interface.loads):
        for part in access.all_parts():
            halves = part.halves(access.bit_size)
            if any(owner.setdefault(half, halves) != halves for half in halves):
                return access.instr
    return None


def _load(instr: IntrinsicInstr, ranges: Mapping[Block, range]) -> InterfaceAccess:
    access = _access(instr)
    vertex = instr.sources[0].def_
    access.own = is_invocation_id(vertex) or _is_only_of_vertex(instr, scalar_constant(vertex), ranges)
    return access


def _is_only_of_vertex(instr: Instr, vertex: int | None, ranges: Mapping[Block, range]) -> bool:
    """Whether only the invocation with a given ID can execute an instruction."""
    possible = None if vertex is None or instr.block is None else ranges.get(instr.block)
    if vertex is None or possible is None:
        return False
    return len(possible) == 0 or possible == range(vertex, vertex + 1)


def _access(instr: IntrinsicInstr) -> InterfaceAccess:
    access = io_access(instr, None)
    assert access is not None, "accesses without a slot are obstacles"
    width = max(access.bits // 32, 1)
    parts = {}
    for lane in access.lanes:
        slot, component = divmod(access.component + lane * width, 4)
        parts[lane] = IoPart(access.location + slot, component, access.half == 1)
    return InterfaceAccess(instr, parts, access.bits, access.index, access.declared_slots)
