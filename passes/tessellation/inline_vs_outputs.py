"""Conversion of vertex shader outputs to SSA values."""

from __future__ import annotations

from collections.abc import Iterable

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.phi_builder import PhiBuilder, PhiValue
from nirls.ir.model.values import Def, Src
from nirls.passes.buffers.booleans import Booleans
from nirls.passes.tessellation.inline_vs_interface import InterfaceAccess, IoPart, VsTcsInterface


def outputs_at_end(impl: FunctionImpl, interface: VsTcsInterface, booleans: Booleans) -> dict[IoPart, Src]:
    """Remove the output stores of a vertex shader and return the final value of each scalar.

    The last block of the body must always be reached, so there must be no early return. A store at a
    variable offset becomes a selection for each possible element. The returned sources belong to no
    instruction and only keep the values in use; the caller clears them.
    """
    return _OutputsToSsa(impl, interface, booleans).run()


class _OutputsToSsa:
    def __init__(self, impl: FunctionImpl, interface: VsTcsInterface, booleans: Booleans) -> None:
        self.impl = impl
        self.booleans = booleans
        self.phis = PhiBuilder(impl)
        self.builder: Builder = self.phis.builder
        self.stores = {store.instr: store for store in interface.stores}
        self.current: dict[IoPart, Def] = {}
        blocks: dict[IoPart, list[Block]] = {part: [] for part in interface.written()}
        for store in interface.stores:
            for part in store.all_parts():
                assert store.instr.block is not None
                blocks[part].append(store.instr.block)
        self.values: dict[IoPart, PhiValue] = {
            part: self.phis.add_value(1, interface.sizes[part], stored) for part, stored in blocks.items()
        }

    def run(self) -> dict[IoPart, Src]:
        for block in self.phis.blocks_in_order():
            self.current = {}
            for instr in block:
                store = self.stores.get(instr)  # type: ignore[call-overload]
                if store is not None:
                    self._assign(store, block)
                    instr.remove()
            for part, value in self.current.items():
                self.values[part].assign(block, value)
        end = self.impl.blocks()[-1]
        held = {part: Src(value.at_end_of(end)) for part, value in self.values.items()}
        self.phis.finish()
        return held

    def _assign(self, store: InterfaceAccess, block: Block) -> None:
        self.builder.before_instr(store.instr)
        stored = store.instr.sources[0].ssa
        for lane, part in store.parts.items():
            scalar = self.builder.mov(stored, lane)
            if store.offset is not None:
                self.current[part.further(store.offset)] = scalar
                continue
            for element in store.elements():
                at = part.further(element)
                now = self.current.get(at) or self.values[at].at_start_of(block)
                self.current[at] = choose(
                    self.builder, self.booleans, store.offset_value, [(element, scalar)], now
                )


def choose(
    builder: Builder, booleans: Booleans, number: Def, by_number: Iterable[tuple[int, Def]], otherwise: Def
) -> Def:
    """Build selections of the value listed for a number, `otherwise` for numbers that are not listed."""
    chosen = otherwise
    for candidate, value in by_number:
        constant = builder.load_const([candidate], number.bit_size)
        equal = booleans.less_than.replace("ilt", "ieq")
        test = builder.alu(equal, [number, constant], 1, booleans.bit_size)
        chosen = builder.alu(booleans.select, [test, value, chosen], value.num_components, value.bit_size)
    return chosen
