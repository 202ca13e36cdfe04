"""Sinking of output stores to the end of a part of a function.

A sunk store is nested in new ifs with the conditions of the original ones. A store is not moved if it is in
a loop, if its place is loaded in the part, or if it would be reordered with another store of the same place,
in the text or across a barrier.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from nirls.ir.effects import effects_of
from nirls.ir.io.access import IoAccess
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import CloneMap
from nirls.ir.model.control_flow import (
    Block,
    CfNode,
    CfParent,
    FunctionImpl,
    If,
    Loop,
    instrs_of,
    nodes_around,
    nodes_of,
)
from nirls.ir.model.control_flow_edit import BlockSplitter
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr, PhiInstr, UndefInstr
from nirls.ir.model.values import Def, PhiSrc
from nirls.ir.tables.families import is_comparison
from nirls.passes.tessellation.culled_work.output_access import output_accesses

_DEEPEST = 64
Step = tuple[If, bool]
"""An if around a store, and whether the store is in its then branch."""


def stores_to_sink(impl: FunctionImpl, body: Sequence[CfNode], root: CfParent) -> list[IoAccess]:
    """Find the stores of a part that can sink and are not at its end yet, in printed order.

    `body` are the nodes of the part, directly in `root`.
    """
    inside = set(instrs_of(body))
    accesses = output_accesses(impl)
    stores = [store for store in accesses.stores if store.instr in inside]
    loaded = {place for load in accesses.loads if load.instr in inside for place in load.places}
    at_end = _stores_at_end(body)
    moving = {
        store
        for store in stores
        if store.instr not in at_end and not store.places & loaded and path_to(store.instr, root) is not None
    }
    by_place: dict[object, list[IoAccess]] = {}
    for store in stores:
        for place in store.places:
            by_place.setdefault(place, []).append(store)
    if any(effects_of(instr).is_barrier for instr in inside):
        # Barriers order two stores of a place by different invocations.
        moving = {store for store in moving if all(len(by_place[place]) == 1 for place in store.places)}
    staying: set[object] = set()
    work = [store for store in stores if store not in moving]
    while work:
        for place in work.pop().places - staying:
            staying.add(place)
            for store in by_place[place]:
                if store in moving:
                    moving.discard(store)
                    work.append(store)
    return [store for store in stores if store in moving]


def path_to(instr: Instr, root: CfParent) -> tuple[Step, ...] | None:
    """Return the ifs around an instruction within `root`, outermost first; None in a loop or if too deep."""
    steps: list[Step] = []
    child: CfNode | None = instr.block
    while child is not None and child.parent is not root:
        parent = child.parent
        if len(steps) >= _DEEPEST or not isinstance(parent, If) or parent.condition.def_ is None:
            return None
        steps.append((parent, child in parent.then_body))
        child = parent
    return None if child is None else tuple(reversed(steps))


class StoreSinker:
    """Sinking of stores to the end of one part of a function.

    `root` contains the part. Phis are added for values of branches that are used at the end.
    """

    __slots__ = ("_builder", "_following", "_impl", "_known", "_root", "_splitter")

    def __init__(self, impl: FunctionImpl, body: Sequence[CfNode], root: CfParent) -> None:
        impl.link_blocks()
        self._impl = impl
        self._root = root
        self._builder = Builder(impl, impl.start_block)
        self._splitter = BlockSplitter(impl)
        self._known: dict[Def, Def] = {}
        self._following: dict[CfNode, CfNode] = dict(pairwise(body))
        for node in nodes_of(body):
            for inner in () if isinstance(node, Block) else node.bodies():
                self._following.update(pairwise(inner))

    def carry(self, stores: Iterable[IoAccess], target: Block, known: Mapping[Def, Def]) -> None:
        """Move stores to the end of a block, which must be the last of its node list.

        `known` maps stored values to equal values that are available at the end.
        """
        self._known.update(known)
        carried = []
        for store in stores:
            path = path_to(store.instr, self._root)
            assert path is not None
            for src in store.instr.sources:
                src.set_def(self._at_end(src.ssa, target))
            steps = tuple((self._at_end(node.condition.ssa, target), taken) for node, taken in path)
            store.instr.unlink()
            carried.append((store.instr, steps))
        self._emit(carried, target)
        self._impl.link_blocks()

    def _emit(self, carried: Sequence[tuple[Instr, tuple[tuple[Def, bool], ...]]], block: Block) -> None:
        """Append stores to a block, in ifs; successive stores with the same conditions share them."""
        open_ifs: list[tuple[Def, bool, If, Block]] = []  # condition, branch, if, the block after it
        at = block
        for instr, steps in carried:
            same = 0
            while same < min(len(open_ifs), len(steps)) and open_ifs[same][:2] == steps[same]:
                same += 1
            while len(open_ifs) > same:
                condition, branch, node, behind = open_ifs.pop()
                is_other_branch = len(open_ifs) == same < len(steps) and steps[same] == (
                    condition,
                    not branch,
                )
                if is_other_branch and behind.is_empty:
                    open_ifs.append((condition, not branch, node, behind))
                    at = _end_of(node, not branch)
                    same += 1
                    break
                at = behind
            for condition, branch in steps[same:]:
                node, behind = self._splitter.nest_if(at, condition)
                open_ifs.append((condition, branch, node, behind))
                at = _end_of(node, branch)
            at.insert_before(at.jump, instr)

    def _at_end(self, value: Def, target: Block) -> Def:
        """Return an equal value that is available at the end of the part."""
        if value not in self._known:
            self._known[value] = self._made_at_end(value, target)
        return self._known[value]

    def _made_at_end(self, value: Def, target: Block) -> Def:
        home = None if value.instr is None else value.instr.block
        ifs = self._ifs_around(home)
        if not ifs or home is None:
            return value
        again = self._computed_again(value, target)
        if again is not None:
            return again
        for node in ifs:
            value = self._merged(value, home, node)
            home = value.instr.block if value.instr is not None and value.instr.block is not None else home
        return value

    def _ifs_around(self, block: Block | None) -> list[If]:
        """Return the ifs of the part around a block, innermost first; empty for a block outside the part."""
        ifs: list[If] = []
        for node in nodes_around(block):
            if node is self._root:
                return ifs
            if isinstance(node, If):
                ifs.append(node)
        return ifs if self._root is self._impl else []

    def _computed_again(self, value: Def, target: Block) -> Def | None:
        """Copy a constant or a comparison of available values to the target; None for other values."""
        maker = value.instr
        if not isinstance(maker, LoadConstInstr) and not _is_comparison(maker):
            return None
        assert maker is not None
        remap = CloneMap()
        for src in maker.srcs():
            operand = src.def_
            origin = None if operand is None else operand.instr
            if operand is None or origin is None:
                return None
            if not self._ifs_around(origin.block):
                continue
            if not isinstance(origin, LoadConstInstr):
                return None
            remap.defs[operand] = self._at_end(operand, target)
        self._builder.block, self._builder.before = target, _ahead_of_stores(target)
        return self._builder.copy(maker, remap).def_

    def _merged(self, value: Def, home: Block, node: If) -> Def:
        """Add a phi after an if for a value of one of its branches, undefined in the other."""
        behind = self._following[node]
        assert isinstance(behind, Block)
        child: CfNode = home
        while child.parent is not node:
            parent = child.parent
            assert isinstance(parent, If | Loop)
            child = parent
        taken = child in node.then_body
        own, other = _end_of(node, taken), _end_of(node, not taken)
        phi = PhiInstr([])
        self._builder.block, self._builder.before = behind, behind.first
        merged = self._builder.define(phi, value.num_components, value.bit_size)
        undefined = self._builder.at_end_of(other).undef(value.num_components, value.bit_size)
        phi.add_source(PhiSrc(own, value))
        phi.add_source(PhiSrc(other, undefined))
        return merged


def _is_comparison(instr: Instr | None) -> bool:
    return (
        isinstance(instr, AluInstr)
        and instr.def_ is not None
        and (instr.def_.bit_size == 1 or instr.op.endswith("32"))
        and (is_comparison(instr.op) or instr.op == "inot")
    )


def _ahead_of_stores(block: Block) -> Instr | None:
    """Return the insertion point before the stores at the end of a block; None for the end."""
    at = block.last
    following: Instr | None = None
    while at is not None and (at is block.jump or getattr(at, "name", "").startswith("store_")):
        following, at = at, at.prev
    return following


def _end_of(node: If, branch: bool) -> Block:
    last = (node.then_body if branch else node.else_body)[-1]
    assert isinstance(last, Block)
    return last


def _stores_at_end(body: Sequence[CfNode]) -> set[Instr]:
    """Find the stores followed only by stores and constants in the part."""
    only_stores = _holding_only_stores(body)
    instrs: set[Instr] = set()
    lists: list[Sequence[CfNode]] = [body]
    while lists:
        for node in reversed(lists.pop()):
            if isinstance(node, Block):
                if not _take_stores(node, instrs):
                    break
            elif isinstance(node, If):
                lists += node.bodies()
                if node not in only_stores:
                    break
            else:
                break
    return instrs


def _holding_only_stores(body: Sequence[CfNode]) -> set[CfNode]:
    """Find the blocks and ifs of a part that contain only stores and constants."""
    found: set[CfNode] = set()
    for node in reversed(list(nodes_of(body))):  # children before parents
        if isinstance(node, Block):
            if all(_is_store(instr) or isinstance(instr, LoadConstInstr | UndefInstr) for instr in node):
                found.add(node)
        elif isinstance(node, If) and all(inner in found for nested in node.bodies() for inner in nested):
            found.add(node)
    return found


def _take_stores(block: Block, found: set[Instr]) -> bool:
    """Add the stores at the end of a block to `found`; return whether it contains nothing else."""
    for instr in reversed(block):
        if _is_store(instr):
            found.add(instr)
        elif not isinstance(instr, LoadConstInstr | UndefInstr):
            return False
    return True


def _is_store(instr: Instr) -> bool:
    return isinstance(instr, IntrinsicInstr) and instr.def_ is None and effects_of(instr).writes()
