"""Tessellation levels that every invocation of a patch can compute, so that no barrier is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from nirls.ir.analysis.divergence import DivergenceInfo
from nirls.ir.effects import can_reorder
from nirls.ir.io.access import IoAccess
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import CloneMap
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop, nodes_around
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.phi_builder import PhiBuilder
from nirls.ir.model.values import Def
from nirls.passes.tessellation.culled_work.output_access import Place

_MOST_COMPUTED_AGAIN = 64


@dataclass(frozen=True, slots=True, eq=False)
class KnownLevel:
    """A level whose value each invocation can compute at the end of the first part.

    `by_all` is set if all invocations store it on every path through the function. Else it has one store,
    executed by some invocations only, of a value that the others can compute as well.
    """

    place: Place
    stores: tuple[IoAccess, ...]
    by_all: bool


def known_level(
    impl: FunctionImpl, info: DivergenceInfo, place: Place, stores: Sequence[IoAccess]
) -> KnownLevel | None:
    """Return a level as known to all invocations, else None; `stores` are its stores in printed order."""
    if not stores or any(store.index != 0 for store in stores):
        return None
    if any(_stored_value(store).bit_size != 32 for store in stores):
        return None
    if any(info.is_use_divergent(store.instr.sources[0]) for store in stores):
        return None
    blocks = [store.instr.block for store in stores if store.instr.block is not None]
    if all(all_run_together(info, block) for block in blocks) and _reaches_one_of(impl, blocks):
        return KnownLevel(place, tuple(stores), by_all=True)
    if len(stores) == 1 and _slice_to_compute(impl, _stored_value(stores[0])) is not None:
        return KnownLevel(place, tuple(stores), by_all=False)
    return None


@dataclass(frozen=True, slots=True, eq=False)
class KnownValues:
    """Scalar levels at the end of a function body, and replacements of stored values available there."""

    levels: dict[Place, Def]
    stand_ins: dict[Def, Def]


def build_known_levels(impl: FunctionImpl, levels: Sequence[KnownLevel]) -> KnownValues:
    """Build the values of levels at the end of a function body."""
    last = impl.body[-1]
    assert isinstance(last, Block)
    merged = [level for level in levels if level.by_all and not _last_store_is_on_top(impl, level)]
    values = _merged(PhiBuilder(impl), last, merged) if merged else {}
    stand_ins: dict[Def, Def] = {}
    builder = Builder(impl, impl.start_block)
    remap = CloneMap()
    for level in levels:
        if level.place in values:
            continue
        store = level.stores[-1]
        stored = value = _stored_value(store)
        builder.at_end_of(last)
        if not level.by_all:
            value = stand_ins[stored] = _compute_again(impl, builder, stored, remap)
        values[level.place] = builder.mov(value, _lane(store, level.place))
    return KnownValues(values, stand_ins)


def _merged(phis: PhiBuilder, last: Block, levels: Sequence[KnownLevel]) -> dict[Place, Def]:
    builder = phis.builder
    readers: dict[Place, Def] = {}
    for level in levels:
        store_of = {store.instr: store for store in level.stores}
        value = phis.add_value(1, 32, [store.instr.block for store in level.stores if store.instr.block])
        for block in phis.blocks_in_order():
            for instr in block:
                store = store_of.get(instr) if isinstance(instr, IntrinsicInstr) else None
                if store is not None:
                    builder.before_instr(instr)
                    value.assign(block, builder.mov(_stored_value(store), _lane(store, level.place)))
        # A temporary use keeps PhiBuilder from removing the phis.
        builder.at_end_of(last)
        readers[level.place] = builder.alu("mov", [value.at_end_of(last)], 1, 32)
    phis.finish()
    results: dict[Place, Def] = {}
    for place, reader in readers.items():
        assert reader.instr is not None
        results[place] = reader.instr.srcs()[0].ssa
        reader.instr.remove()
    return results


def _compute_again(impl: FunctionImpl, builder: Builder, value: Def, remap: CloneMap) -> Def:
    """Build a copy of a value from nested blocks at the cursor, which only moves forward.

    What `remap` has already is not copied again. Raises ValueError if the value cannot be computed there.
    """
    needed = _slice_to_compute(impl, value)
    if needed is None:
        raise ValueError(f"%{value.index} cannot be computed anywhere else")
    for instr in needed:
        if instr.def_ is not None and instr.def_ not in remap.defs:
            builder.copy(instr, remap)
    return remap.def_of(value)


def _slice_to_compute(impl: FunctionImpl, value: Def) -> list[Instr] | None:
    """Return the nested instructions that compute a value, in def order; None if one cannot be moved."""
    order: list[Instr] = []
    done: set[Instr] = set()
    work: list[tuple[Def, bool]] = [(value, False)]
    while work:
        wanted, is_ready = work.pop()
        maker = wanted.instr
        if maker is None or maker.block is None:
            return None
        if maker in done or maker.block.parent is impl:
            continue
        if is_ready:
            done.add(maker)
            order.append(maker)
            continue
        if not _may_run_anywhere(maker) or len(done) > _MOST_COMPUTED_AGAIN:
            return None
        work.append((wanted, True))
        for src in maker.all_srcs():
            if src.def_ is None:
                return None
            work.append((src.def_, False))
    return order


def _may_run_anywhere(instr: Instr) -> bool:
    if isinstance(instr, AluInstr | LoadConstInstr | DerefInstr):
        return True
    return isinstance(instr, IntrinsicInstr) and can_reorder(instr)


def _stored_value(store: IoAccess) -> Def:
    return store.instr.sources[0].ssa


def _lane(store: IoAccess, place: Place) -> int:
    """Return the component of the stored value that is written to a place."""
    return place[1] - store.instr.int_index("component")


def _last_store_is_on_top(impl: FunctionImpl, level: KnownLevel) -> bool:
    block = level.stores[-1].instr.block
    return block is not None and block.parent is impl


def _reaches_one_of(impl: FunctionImpl, blocks: Iterable[Block]) -> bool:
    """Whether every path through the function contains one of the blocks, not counting those in loops."""
    passed: set[CfNode] = set(blocks)
    for node in reversed(list(impl.cf_nodes())):
        if isinstance(node, If) and all(any(child in passed for child in body) for body in node.bodies()):
            passed.add(node)
    return any(node in passed for node in impl.body if not isinstance(node, Loop))


_DEEPEST = 64


def all_run_together(info: DivergenceInfo, block: Block) -> bool:
    """Whether no enclosing if or loop is divergent.

    Early returns are not considered. False for blocks nested deeper than 64 levels.
    """
    around = list(islice(nodes_around(block), _DEEPEST))
    return len(around) < _DEEPEST and not any(_parts_invocations(info, node) for node in around)


def _parts_invocations(info: DivergenceInfo, node: If | Loop) -> bool:
    if isinstance(node, If):
        return node.condition.def_ is None or info.is_use_divergent(node.condition)
    return info.is_loop_divergent(node)
