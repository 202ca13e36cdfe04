"""Planning of the split of a control shader: instructions for the levels, and for other outputs only.

If the shader cannot be split, the plan is the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.analysis.dominance import instr_order
from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.effects import can_eliminate, effects_of
from nirls.ir.io.access import IoAccess
from nirls.ir.io.level import LoweringLevel, level_of_outputs
from nirls.ir.model.access import VOLATILE
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    REGISTER_INTRINSICS,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.model.walks import reachable
from nirls.passes.tessellation.culled_work.backward_slice import Slice, Slicer
from nirls.passes.tessellation.culled_work.culling_guard import is_behind_guard
from nirls.passes.tessellation.culled_work.output_access import (
    OUTER,
    STORES,
    OutputAccesses,
    Place,
    is_level,
    output_accesses,
    place_name,
)

_HARMLESS = STORES | frozenset(("nop",))
_PRIVATE_STORES = frozenset(("store_deref", "copy_deref", "store_scratch", "store_var", "copy_var"))


@dataclass(frozen=True, slots=True, eq=False)
class GiveUp:
    """The reason why a control shader is not split: `reason` completes "because it ...".

    `because_of` is the instruction that prevents it, if there is one. `lower_first` is set if the I/O still
    consists of variables.
    """

    reason: str
    because_of: Instr | None = None
    lower_first: bool = False


def effect_in_the_way(shader: Shader, impl: FunctionImpl) -> GiveUp | None:
    """Find the first construct that must not be duplicated, skipped or delayed; None if there is none."""
    if shader.unreadable:
        return GiveUp("has lines that could not be read")
    if any(isinstance(node, Loop) and not _is_left(node) for node in impl.cf_nodes()):
        return GiveUp("has a loop that never ends")
    for instr in impl.instrs():
        reason = _reason(instr)
        if reason is not None:
            return GiveUp(reason, instr, lower_first=reason == _VARIABLES)
    return None


_VARIABLES = "still has its outputs as variables; lower I/O to intrinsics first"


def _reason(instr: Instr) -> str | None:
    if isinstance(instr, CallInstr):
        return f"calls {instr.callee_name}"
    if isinstance(instr, JumpInstr):
        ends = instr.jump_kind not in ("break", "continue")
        return f"ends early ({instr.jump_kind})" if ends else None
    if isinstance(instr, ParallelCopyInstr) or instr.reg_dest is not None:
        return "has registers; run lower_regs_to_ssa first"
    if any(src.def_ is None for src in instr.all_srcs()):
        return "has registers; run lower_regs_to_ssa first"
    if isinstance(instr, DerefInstr):
        return _VARIABLES if "shader_out" in instr.modes else None
    return _intrinsic_reason(instr) if isinstance(instr, IntrinsicInstr) else None


def _intrinsic_reason(instr: IntrinsicInstr) -> str | None:
    name = instr.name
    if name in REGISTER_INTRINSICS:
        return "has registers; run lower_regs_to_ssa first"
    if instr.int_index("access") & VOLATILE:
        return f"reads or writes volatile memory ({name})"
    effects = effects_of(instr)
    if name in _HARMLESS or can_eliminate(instr) or effects.is_barrier:
        return None
    if name in _PRIVATE_STORES:
        return _private_store_reason(instr)
    if effects.is_atomic and not effects.is_everything:
        return f"has an atomic ({name})"
    if effects.writes() and not effects.is_everything:
        return f"stores to memory ({name})"
    return f"has an effect beside its outputs ({name})"


def _private_store_reason(instr: IntrinsicInstr) -> str | None:
    """Return the reason why a private store prevents splitting: both parts would share the temporary."""
    deref = instr.sources[0].def_instr if instr.sources else None
    if isinstance(deref, DerefInstr):
        mode = deref.mode
        if mode in ("function_temp", "shader_temp"):
            return "has temporaries; run lower_vars_to_ssa first"
        return f"stores to memory ({instr.name} of {mode})"
    if isinstance(deref, UndefInstr):
        return f"stores to memory ({instr.name})"
    return "has temporaries in scratch memory" if instr.name == "store_scratch" else f"stores ({instr.name})"


def _is_left(loop: Loop) -> bool:
    """Whether a loop has a `break`."""
    stack = [node for body in loop.bodies() for node in body]
    while stack:
        node = stack.pop()
        if isinstance(node, Block):
            if node.jump is not None and node.jump.jump_kind == "break":
                return True
        elif isinstance(node, If):
            stack += [inner for body in node.bodies() for inner in body]
    return False


_BARRIER = "barrier"


@dataclass(frozen=True, slots=True, eq=False)
class SplitPlan:
    """The split of a control shader.

    `first` is the slice of the levels, with the stores of outputs that they depend on. `rest` is the slice of
    the other outputs, without `shared`, the values of the first part that are available at its end.
    `compared` are the stored components of the outer levels that can cull the patch.
    """

    impl: FunctionImpl
    accesses: OutputAccesses
    first: Slice
    rest: Slice
    shared: frozenset[Def]
    compared: tuple[int, ...]

    def skippable(self) -> list[Instr]:
        """Return the instructions needed only by the other outputs, in printed order."""
        return [
            instr
            for instr in self.impl.instrs()
            if instr in self.rest.instrs and instr not in self.first.instrs
        ]

    def loads_skipped(self) -> int:
        """Return the number of skippable loads of inputs, outputs and resources."""
        return sum(instr.def_ is not None and _is_load(instr) for instr in self.skippable())


@cached_analysis
def plan_split(shader: Shader, rule: CullingRule) -> SplitPlan | GiveUp | None:
    """Plan the split; return the reason if it is not possible, None if there is nothing to gain.

    Nothing is planned for outputs in a form of the hardware, where levels may stand in another order.
    """
    impl = shader.entrypoint
    if level_of_outputs(shader) is LoweringLevel.BACKEND_IO:
        return None
    if impl is None or not impl.body or not isinstance(impl.body[0], Block):
        return None
    impl.link_blocks()
    accesses = output_accesses(impl)
    levels = [store for store in accesses.stores if is_level(store)]
    others = [store for store in accesses.stores if not is_level(store)]
    in_the_way = effect_in_the_way(shader, impl)
    if in_the_way is not None:
        return in_the_way if (levels and others) or in_the_way.lower_first else None
    if accesses.unknown:
        return GiveUp("accesses an output whose slot the dump does not tell", accesses.unknown[0])
    if not others or not levels:
        return None
    stored = {place for store in levels for place in store.places}
    compared = tuple(number for number in range(rule.outer_levels) if (OUTER, number) in stored)
    if not compared:
        return GiveUp("stores none of the levels by which patches are culled")
    if all(is_behind_guard(store.instr, accesses) for store in others):
        return None
    return _divided(impl, accesses, levels, compared)


def _divided(
    impl: FunctionImpl, accesses: OutputAccesses, levels: list[IoAccess], compared: tuple[int, ...]
) -> SplitPlan | GiveUp | None:
    slicer = _slicer_of(impl, accesses)
    first = slicer.needed_for(store.instr for store in levels)
    first_stores = frozenset(store.instr for store in accesses.stores if store.instr in first.instrs)
    roots = [store.instr for store in accesses.stores if store.instr not in first_stores]
    if not roots:
        last = next(store for store in reversed(accesses.stores) if not is_level(store))
        return GiveUp("computes the levels from all of its other outputs", last.instr)
    if all(is_behind_guard(root, accesses) for root in roots):
        return None
    shared = frozenset(
        instr.def_
        for instr in first.instrs
        if instr.def_ is not None and instr.block is not None and instr.block.parent is impl
    )
    rest = slicer.needed_for(roots, shared, without=first_stores)
    give_up = _read_too_early(impl, accesses, first_stores, rest) or _works_together(impl, rest)
    if give_up is not None:
        return give_up
    return SplitPlan(impl, accesses, first, rest, shared, compared)


def _slicer_of(impl: FunctionImpl, accesses: OutputAccesses) -> Slicer:
    """Build the slicer with memory dependencies.

    Loads depend on the stores of the same place and on all barriers; stores depend on other stores of the
    same place, and on barriers, which order stores of different invocations.
    """
    asks: dict[Instr, Collection[Hashable]] = {}
    answers: dict[Hashable, list[Instr]] = {
        _BARRIER: [
            instr
            for instr in impl.instrs()
            if isinstance(instr, IntrinsicInstr) and effects_of(instr).is_barrier
        ]
    }
    for store in accesses.stores:
        for place in store.places:
            answers.setdefault(place, []).append(store.instr)
    for store in accesses.stores:
        is_only_one = all(len(answers[place]) == 1 for place in store.places)
        asks[store.instr] = store.places if is_only_one else (*store.places, _BARRIER)
    for load in accesses.loads:
        asks[load.instr] = (*load.places, _BARRIER)
    return Slicer(impl, asks, answers)


def _read_too_early(
    impl: FunctionImpl, accesses: OutputAccesses, first_stores: Collection[Instr], rest: Slice
) -> GiveUp | None:
    """Find a load of the second part that would read a store which originally follows it.

    The second part executes after the complete first part, so a load of the rest is valid only if no store
    of the first part to its place can follow it.
    """
    stores: dict[Place, list[Instr]] = {}
    for store in accesses.stores:
        if store.instr in first_stores:
            for place in store.places:
                stores.setdefault(place, []).append(store.instr)
    leading: dict[Place, set[Block]] = {}
    order = instr_order(impl)
    for load in accesses.loads:
        if load.instr not in rest.instrs or load.instr.block is None:
            continue
        for place in load.places:
            if place not in stores:
                continue
            if place not in leading:
                leading[place] = _blocks_ahead_of(stores[place])
            follows = any(
                store.block is load.instr.block and order.comes_before(load.instr, store)
                for store in stores[place]
            )
            if follows or load.instr.block in leading[place]:
                return GiveUp(
                    f"computes the levels from {place_name(place)}, which is stored again after the other"
                    " outputs have read it",
                    load.instr,
                )
    return None


def _blocks_ahead_of(instrs: Iterable[Instr]) -> set[Block]:
    """Return the blocks from whose end one of the instructions is reachable."""
    ahead = [pred for instr in instrs if instr.block is not None for pred in instr.block.predecessors]
    return reachable(ahead, backwards=True)


def _works_together(impl: FunctionImpl, rest: Slice) -> GiveUp | None:
    for instr in impl.instrs():
        if not isinstance(instr, IntrinsicInstr) or instr not in rest.instrs:
            continue
        if effects_of(instr).crosses_lanes:
            return GiveUp(
                f"computes other outputs with {instr.name}, which would miss culled patches of the subgroup",
                instr,
            )
    return None


def costs_nothing(instr: Instr) -> bool:
    """Whether an instruction is a constant or an undefined value."""
    return isinstance(instr, LoadConstInstr | UndefInstr)


def _is_load(instr: Instr) -> bool:
    return isinstance(instr, TexInstr) or effects_of(instr).reads()


_COST_OF_MEMORY_LOAD = 8
_COST_OF_IO_LOAD = 2
_COST_OF_BARRIER = 8


def cost_of(instr: Instr) -> int:
    """Return the rough cost of an instruction, in ALU operations."""
    if costs_nothing(instr):
        return 0
    effects = effects_of(instr)
    if effects.is_barrier:
        return _COST_OF_BARRIER
    if isinstance(instr, IntrinsicInstr) and instr.io_semantics is not None:
        return _COST_OF_IO_LOAD if instr.def_ is not None else 1
    return _COST_OF_MEMORY_LOAD if _is_load(instr) else 1
