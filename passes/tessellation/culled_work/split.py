"""Splitting of a control shader: first the levels, then `if (not culled) { all other outputs }`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from nirls.ir.analysis.divergence import patch_divergence
from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.effects import can_eliminate
from nirls.ir.io.access import IoAccess, constant_offset
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import CloneMap, clone_body
from nirls.ir.model.control_flow import Block, CfNode, CfParent, FunctionImpl, If, Loop, instrs_of, nodes_of
from nirls.ir.model.control_flow_edit import relink_blocks, replace_nodes
from nirls.ir.model.instructions import IndexValue, Instr, JumpInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, Src
from nirls.passes.tessellation.culled_work.backward_slice import Slice, Slicer
from nirls.passes.tessellation.culled_work.culling_guard import build_not_culled
from nirls.passes.tessellation.culled_work.known_levels import KnownLevel, build_known_levels, known_level
from nirls.passes.tessellation.culled_work.output_access import (
    OUTER,
    Place,
    build_output_barrier,
)
from nirls.passes.tessellation.culled_work.split_plan import SplitPlan, cost_of, costs_nothing
from nirls.passes.tessellation.culled_work.store_sinking import StoreSinker, stores_to_sink


@dataclass(frozen=True, slots=True)
class Restructured:
    """The result of splitting a control shader.

    Culled patches skip `skipped` of `total` instructions, `loads_skipped` of them loads. All patches execute
    the added instructions, among them `barriers_added` and `loads_added` (of outputs), which are 0 if every
    invocation computes the levels. Costs are in the units of `cost_of`.
    """

    skipped: int
    loads_skipped: int
    total: int
    instructions_added: int
    barriers_added: int
    loads_added: int
    cost_saved: int
    cost_added: int

    @property
    def pays(self) -> bool:
        """Whether a culled patch saves more than the split adds."""
        return self.cost_saved > self.cost_added


def split(shader: Shader, plan: SplitPlan, rule: CullingRule) -> Restructured:
    """Apply a plan in place."""
    return _Splitter(shader, plan, rule).run()


class _Splitter:
    """Splitting of one shader."""

    def __init__(self, shader: Shader, plan: SplitPlan, rule: CullingRule) -> None:
        self.shader = shader
        self.plan = plan
        self.rule = rule
        self.impl: FunctionImpl = plan.impl
        self.known = self._known_levels()

    def run(self) -> Restructured:
        plan = self.plan
        skippable, before = plan.skippable(), list(self.impl.instrs())
        loads_skipped = plan.loads_skipped()
        costs = [sum(map(cost_of, part)) for part in (skippable, before)]
        body, remap = clone_body(self.impl)
        rest = _in_copy(plan.rest, self.impl, body)
        self._share_values(remap)
        originals = {twin: instr for instr, twin in _twins(self.impl, body)}
        _prune(instrs_of(self.impl.body), plan.first.instrs)
        _prune(instrs_of(body), rest.instrs)
        self._drop_unneeded_nodes(plan.first)
        guard = self._guard(body)
        self._drop_unneeded_nodes(rest, guard)
        self._keep_numbers(originals, guard)
        if self._sink(guard, guard.then_body, {}):
            self._clean_up()
        self._number_blocks()
        relink_blocks(self.impl)
        after = list(self.impl.instrs())
        is_shared = self.known is None
        return Restructured(
            skipped=len(skippable),
            loads_skipped=loads_skipped,
            total=len(before),
            instructions_added=_count(after) - _count(before),
            barriers_added=int(is_shared),
            loads_added=len(plan.compared) if is_shared else 0,
            cost_saved=costs[0],
            cost_added=sum(map(cost_of, after)) - costs[1],
        )

    def _known_levels(self) -> list[KnownLevel] | None:
        """Return the levels in the condition, None unless every invocation can compute all of them."""
        divergence = patch_divergence(self.shader)
        known_levels: list[KnownLevel] = []
        for component in self.plan.compared:
            place: Place = (OUTER, component)
            stores = [store for store in self.plan.accesses.stores if place in store.places]
            level = known_level(self.impl, divergence, place, stores)
            if level is None:
                return None
            known_levels.append(level)
        return known_levels

    def _share_values(self, remap: CloneMap) -> None:
        """Replace values of the second part by those of the first that are available at its end."""
        for value in self.plan.shared:
            twin = remap.defs.get(value)
            if twin is not None:
                twin.replace_all_uses_with(value)

    def _guard(self, body: list[CfNode]) -> If:
        """Move the second part into an if at the end of the function; return the if."""
        known: dict[Def, Def] = {}
        levels: list[Def] = []
        if self.known is not None:
            values = build_known_levels(self.impl, self.known)
            levels = [values.levels[OUTER, component] for component in self.plan.compared]
            known = values.stand_ins
        is_sunk = self._sink(self.impl, self.impl.body, known)
        last = self.impl.body[-1]
        assert isinstance(last, Block)
        builder = Builder(self.impl, last).at_end_of(last)
        if self.known is None:
            build_output_barrier(builder, self.shader)
            levels = self._loaded_levels(builder)
        condition = build_not_culled(builder, self.shader, levels, self.rule)
        blocks = [node for node in nodes_of(body) if isinstance(node, Block)]
        number = 1 + max(block.index for block in (*self.impl.blocks(), *blocks, self.impl.end_block))
        guard = If(Src(condition))
        guard.parent = self.impl
        guard.then_body = body
        for node in body:
            node.parent = guard
        other, behind = Block(number), Block(number + 1)
        other.parent, behind.parent = guard, self.impl
        guard.else_body.append(other)
        self.impl.body += [guard, behind]
        self.impl.link_blocks()
        if is_sunk:
            self._clean_up()
        return guard

    def _loaded_levels(self, builder: Builder) -> list[Def]:
        stores = self.plan.accesses.stores
        offsets = [store.instr.sources[-1].ssa for store in stores if constant_offset(store.instr) == 0]
        on_top = [offset for offset in offsets if _is_at_top(offset, self.impl)]
        offset = on_top[0] if on_top else builder.load_const([0], 32)
        levels = []
        for component in self.plan.compared:
            place: Place = (OUTER, component)
            store = next(store for store in stores if place in store.places)
            indices = _indices_of_load(store, component)
            levels.append(builder.load("load_output", [offset], indices, 1, 32))
        return levels

    def _drop_unneeded_nodes(self, needed: Slice, guard: If | None = None) -> None:
        """Remove the ifs and loops of one part that contain none of its instructions."""
        inside = None if guard is None else set(nodes_of(guard.then_body))

        def decide(node: If | Loop, before: Block, after: Block) -> tuple[()] | None:
            if node is guard or node in needed.nodes or (inside is not None and node not in inside):
                return None
            return ()

        replace_nodes(self.impl, decide)

    def _sink(self, root: CfParent, body: list[CfNode], known: Mapping[Def, Def]) -> bool:
        """Sink the stores of a part to its end; return whether there are any.

        `known` maps stored values to equal values that are available at the end.
        """
        moving = stores_to_sink(self.impl, body, root)
        end = body[-1]
        assert isinstance(end, Block)
        if moving:
            StoreSinker(self.impl, body, root).carry(moving, end, known)
        return bool(moving)

    def _clean_up(self) -> None:
        """Remove code that is dead after moving stores."""
        effects = [instr for instr in self.impl.instrs() if not can_eliminate(instr)]
        needed = Slicer(self.impl).needed_for(instr for instr in effects if instr.kind != "jump")
        _prune(list(self.impl.instrs()), needed.instrs)
        replace_nodes(self.impl, lambda node, before, after: None if node in needed.nodes else ())

    def _number_blocks(self) -> None:
        """Make block numbers unique."""
        blocks = [*self.impl.blocks(), self.impl.end_block]
        fresh = 1 + max(block.index for block in blocks)
        # The end block keeps its number, then the blocks with a source span.
        blocks.sort(key=lambda block: (block is not self.impl.end_block, block.span is None))
        taken: set[int] = set()
        for block in blocks:
            if block.index in taken:
                block.index = fresh
                fresh += 1
            taken.add(block.index)

    def _keep_numbers(self, originals: dict[Instr, Instr], guard: If) -> None:
        """Keep SSA indices and source spans for code that is now in the second part only."""
        inside = instrs_of(guard.then_body)
        is_inside = set(inside)
        taken = {
            value.index
            for instr in self.impl.instrs()
            if instr not in is_inside and (value := instr.def_) is not None
        }
        number = 1 + max((self.impl.next_index(), *taken))
        for instr in inside:
            original = originals[instr]
            stays = original.block is not None
            if stays:
                instr.span = None
            if instr.def_ is None or original.def_ is None:
                continue
            if stays or original.def_.index in taken:
                instr.def_.index = number
                number += 1
            else:
                instr.def_.index = original.def_.index
        nodes = list(nodes_of(guard.then_body))
        moved = set(nodes)
        kept = {node.span for node in self.impl.cf_nodes() if node not in moved}
        for node in nodes:
            if node.span in kept:
                node.span = node.end_span = None
                if isinstance(node, If):
                    node.else_span = None


def _is_at_top(value: Def, impl: FunctionImpl) -> bool:
    """Whether a value is defined in a block at the top level of the function."""
    block = None if value.instr is None else value.instr.block
    return block is not None and block.parent is impl


def _indices_of_load(store: IoAccess, component: int) -> dict[str, IndexValue]:
    """Return the intrinsic indices of a load of one component of a stored output."""
    wanted: dict[str, IndexValue] = {}
    for name, value in store.instr.indices.items():
        if name in ("write_mask", "io_xfb", "io_xfb2"):
            continue
        if name == "src_type":
            wanted["dest_type"] = value
        else:
            wanted[name] = component if name == "component" else value
    return wanted


def _in_copy(needed: Slice, impl: FunctionImpl, body: list[CfNode]) -> Slice:
    """Map a slice to the cloned body."""
    instrs = {twin for instr, twin in _twins(impl, body) if instr in needed.instrs}
    nodes: set[If | Loop] = set()
    for node, twin in zip(impl.cf_nodes(), nodes_of(body), strict=True):
        if not isinstance(twin, Block) and not isinstance(node, Block) and node in needed.nodes:
            nodes.add(twin)
    return Slice(instrs, nodes)


def _twins(impl: FunctionImpl, body: list[CfNode]) -> list[tuple[Instr, Instr]]:
    return list(zip(impl.instrs(), instrs_of(body), strict=True))


def _count(instrs: list[Instr]) -> int:
    return sum(not costs_nothing(instr) for instr in instrs)


def _prune(instrs: list[Instr], needed: Collection[Instr]) -> None:
    """Remove the instructions not in `needed`, except jumps; unneeded loops are removed as a whole later."""
    for instr in instrs:
        if instr not in needed and not isinstance(instr, JumpInstr):
            instr.remove()
