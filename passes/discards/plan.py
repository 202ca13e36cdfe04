"""Planning of discard motion: movable discards with their dependencies, and obstacles of the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.effects import can_eliminate, can_reorder, effects_of, variable_of
from nirls.ir.finding import counted, listed
from nirls.ir.model.access import CAN_SPECULATE, VOLATILE
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop, loops_around, nodes_around
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
    operation_name,
)
from nirls.ir.model.walks import closure, makers
from nirls.passes.booleans import is_conjunction
from nirls.passes.discards.kinds import is_conditional, is_demote, is_discard

_PRIVATE = frozenset(("output", "register", "scratch", "xfb", "framebuffer", "query", "ray"))
"""Memory private to the invocation, or visible outside only if the invocation is not discarded."""

_SPECULATABLE = frozenset(("input", "uniform", "push_const"))
"""Memory that can be read at any address without a fault."""

COSTS_NOTHING = (LoadConstInstr, UndefInstr, DerefInstr)
_MOST_EXAMPLES = 5
MOST_SPECULATED = 8
"""Instructions of an if that may be executed unconditionally, for a discard inside it to move out."""

Path = tuple[tuple[If, bool], ...]
"""The ifs around an instruction, outermost first, each with whether it is in the then branch."""


class Reach(Enum):
    """The kinds of discards that an instruction blocks."""

    EVERY_KIND = "every kind"
    ALL_BUT_DEMOTES = "all but demotes"


@dataclass(frozen=True, slots=True)
class DiscardObstacle:
    """An instruction that discards may not move above. `reason` completes "because it ..."."""

    instr: Instr
    reach: Reach
    reason: str


def obstacle(instr: Instr) -> DiscardObstacle | None:
    """Return the obstacle if discards must not move above an instruction, else None."""
    match instr:
        case AluInstr() if effects_of(instr).needs_helpers:
            return _needs_helpers(instr, f"{instr.op}, a derivative")
        case TexInstr() if effects_of(instr).needs_helpers:
            return _needs_helpers(instr, f"{instr.op}, which takes implicit derivatives")
        case CallInstr():
            return _blocks_all(instr, f"a call of {instr.callee_name}")
        case JumpInstr() if instr.jump_kind not in ("break", "continue"):
            return _blocks_all(instr, f"a {instr.jump_kind}, which may end the invocation first")
        case IntrinsicInstr():
            return _intrinsic_obstacle(instr)
    return None


def _intrinsic_obstacle(instr: IntrinsicInstr) -> DiscardObstacle | None:
    name = instr.name
    if is_discard(instr) or (can_reorder(instr) and not _is_volatile(instr)):
        return None
    effects = effects_of(instr)
    if "barrier" in effects.words and not effects.is_everything:
        return _blocks_all(instr, f"{name}, a barrier")
    if effects.is_everything or effects.exchange in ("subgroup", "workgroup"):
        return _blocks_all(instr, f"{name}, an intrinsic that cannot be reordered")
    if effects.needs_helpers:
        what = "a derivative" if name.startswith("dd") else "which reads the other invocations of the quad"
        return _needs_helpers(instr, f"{name}, {what}")
    if _is_volatile(instr):
        return _blocks_all(instr, f"{name}, a volatile access")
    if effects.is_atomic:
        return _blocks_all(instr, f"{name}, an atomic")
    if any(access.writes and not access.memories <= _PRIVATE for access in effects.accesses):
        return _blocks_all(instr, f"{name}, a write to external memory")
    if "asks-helpers" in effects.words:
        return _blocks_all(instr, f"{name}, whose result depends on discards")
    if (effects.accesses and "ordered" not in effects.words) or name == "decl_reg":
        return None
    if effects.words <= {"resource"} and can_eliminate(instr):
        return None
    return _blocks_all(instr, f"{name}, an intrinsic that cannot be reordered")


def _is_volatile(instr: IntrinsicInstr) -> bool:
    """Whether an access is volatile by its own qualifiers, or by those of the variable it accesses."""
    if instr.int_index("access") & VOLATILE:
        return True
    variables = (variable_of(access.deref) for access in effects_of(instr).accesses)
    return any(variable is not None and "volatile" in variable.access for variable in variables)


def _needs_helpers(instr: Instr, what: str) -> DiscardObstacle:
    return DiscardObstacle(instr, Reach.ALL_BUT_DEMOTES, f"it follows {_named(instr)}{what}")


def _blocks_all(instr: Instr, what: str) -> DiscardObstacle:
    return DiscardObstacle(instr, Reach.EVERY_KIND, f"it follows {_named(instr)}{what}")


def _named(instr: Instr) -> str:
    return "" if instr.def_ is None else f"%{instr.def_.index} = "


def path_to(block: Block | None) -> Path:
    """Return the ifs around a block, in loops too."""
    path: list[tuple[If, bool]] = []
    inner: CfNode | None = block
    for node in nodes_around(block):
        if isinstance(node, If):
            path.append((node, inner in node.then_body))
        inner = node
    return tuple(reversed(path))


def is_speculatable(instr: Instr) -> bool:
    """Whether an instruction may run although its branch is not taken, and is cheap enough for that."""
    if isinstance(instr, IntrinsicInstr):
        effects = effects_of(instr)
        if not can_reorder(instr) or effects.needs_helpers:
            return False
        if instr.int_index("access") & CAN_SPECULATE:
            return True
        return all(access.memories <= _SPECULATABLE for access in effects.accesses)
    return isinstance(instr, (AluInstr, *COSTS_NOTHING)) and not effects_of(instr).needs_helpers


def dependency_reason(instr: Instr) -> str | None:
    """Return the reason why an instruction that a discard depends on cannot move up; None if it can."""
    number = "a value" if instr.def_ is None else f"%{instr.def_.index}"
    if isinstance(instr, PhiInstr):
        return f"its condition depends on {number}, a phi"
    if isinstance(instr, ParallelCopyInstr):
        return f"its condition depends on {number}, a parallel copy"
    if isinstance(instr, IntrinsicInstr) and (not can_reorder(instr) or _is_volatile(instr)):
        if effects_of(instr).reads() and not effects_of(instr).writes():
            return f"its condition depends on {number}, a {instr.name} of memory that may be written"
        return f"its condition depends on {number}, a {instr.name} that cannot be reordered"
    if any(src.def_ is None for src in instr.srcs()):
        return f"its condition depends on {number}, which reads a register"
    return None


_KINDS = {
    "fetches": ("texture fetch", "texture fetches"),
    "loads": ("load", "loads"),
    "stores": ("store", "stores"),
    "alu": ("ALU instruction", "ALU instructions"),
}


class Skipped:
    """The instructions above a discard that stay there when it moves to the top, without free ones.

    `counts` are the numbers by kind; `fetches` and `others` are the first few instructions.
    """

    def __init__(self) -> None:
        self.counts = dict.fromkeys(_KINDS, 0)
        self.instructions = 0
        self.fetches: tuple[Instr, ...] = ()
        self.others: tuple[Instr, ...] = ()

    def add(self, instr: Instr) -> None:
        if isinstance(instr, COSTS_NOTHING) or getattr(instr, "name", "") == "decl_reg":
            return
        self.instructions += 1
        kind = _kind(instr)
        if kind in self.counts:
            self.counts[kind] += 1
        if kind == "fetches":
            self.fetches = (*self.fetches, instr)[:_MOST_EXAMPLES]
        else:
            self.others = (*self.others, instr)[:_MOST_EXAMPLES]

    def take(self, other: Skipped) -> None:
        self.counts, self.instructions = dict(other.counts), other.instructions
        self.fetches, self.others = other.fetches, other.others

    def __str__(self) -> str:
        known = [counted(self.counts[kind], *names) for kind, names in _KINDS.items() if self.counts[kind]]
        return listed(known or [counted(self.instructions, "instruction")])


def _kind(instr: Instr) -> str:
    if isinstance(instr, TexInstr):
        return "fetches"
    if isinstance(instr, AluInstr):
        return "alu"
    if isinstance(instr, IntrinsicInstr):
        effects = effects_of(instr)
        return "stores" if effects.writes() else "loads" if effects.reads() else ""
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class Movable:
    """A discard that can move to the top.

    `needed` are the instructions that move with it, including itself, without those that already move with a
    discard above it. `path` are the ifs around it, whose conditions it takes. `skipped` is the gain.
    """

    discard: IntrinsicInstr
    needed: frozenset[Instr]
    path: Path = ()
    skipped: Skipped = field(default_factory=Skipped)


@dataclass(frozen=True, slots=True, eq=False)
class Unmovable:
    """A discard that cannot move, with the first reason and, if there is one, the blocking instruction."""

    discard: IntrinsicInstr
    reason: str
    because_of: Instr | None = None


@dataclass(slots=True)
class MovePlan:
    """The movable and unmovable discards of a function."""

    movable: list[Movable] = field(default_factory=list)
    unmovable: list[Unmovable] = field(default_factory=list)


@cached_analysis
def plan_moves(impl: FunctionImpl, *, derivatives_safe_after_discard: bool = False) -> MovePlan:
    """Find the discards of a function that can move to its top, and those that cannot.

    A discard is movable if it is conditional or inside ifs, if there is no `obstacle` above it, and if its
    dependencies are movable. Inside ifs, at most `MOST_SPECULATED` dependencies may come from their branches,
    each of which must be cheap and safe to execute if the branch is not taken. In a loop, the discard must be
    executed in the first iteration, and its conditions must be the same in all iterations, so that the later
    ones discard nothing more.
    Linear in the size of the function, but for the number of discards.
    """
    instrs = list(impl.instrs())
    while instrs and not is_discard(instrs[-1]):
        instrs.pop()
    planner = _Planner(derivatives_safe_after_discard)
    for instr in instrs:
        planner.visit(instr)
    plan = planner.plan
    gains = {movable.discard: movable.skipped for movable in plan.movable}
    above = Skipped()
    for instr in instrs if gains else ():
        if isinstance(instr, IntrinsicInstr) and instr in gains:
            gains[instr].take(above)
        if instr not in planner.moving:
            above.add(instr)
    return plan


@dataclass(frozen=True, slots=True)
class _Tie:
    """The reason why an instruction, or an instruction that it depends on, cannot move up."""

    reason: str
    instr: Instr | None


class _Planner:
    """One walk over a function in printed order, in which defs precede uses."""

    def __init__(self, derivatives_safe: bool) -> None:
        self.derivatives_safe = derivatives_safe
        self.plan = MovePlan()
        self.for_all: DiscardObstacle | None = None
        self.for_terminates: DiscardObstacle | None = None
        self.ties: dict[Instr, _Tie | None] = {}
        self.moving: set[Instr] = set()
        self.left: dict[Loop, JumpInstr] = {}

    def visit(self, instr: Instr) -> None:
        if isinstance(instr, IntrinsicInstr) and is_discard(instr):
            self._judge(instr)
            return
        if isinstance(instr, JumpInstr) and instr.jump_kind in ("break", "continue"):
            for loop in islice(loops_around(instr.block), 1):
                self.left.setdefault(loop, instr)
        if self.for_all is None:
            self._note_obstacle(instr)
        self.ties[instr] = self._tie_of(instr)

    def _note_obstacle(self, instr: Instr) -> None:
        discard_obstacle = obstacle(instr)
        if discard_obstacle is None:
            return
        if discard_obstacle.reach is Reach.EVERY_KIND:
            self.for_all = discard_obstacle
        elif self.for_terminates is None:
            self.for_terminates = discard_obstacle

    def _tie_of(self, instr: Instr) -> _Tie | None:
        reason = dependency_reason(instr)
        if reason is None and _is_nested(instr) and not is_speculatable(instr):
            what = operation_name(instr)
            reason = f"its condition depends on {_named(instr)}{what} in a branch, which must not run for all"
        return self._tie_of_sources(instr) if reason is None else _Tie(reason, instr)

    def _tie_of_sources(self, instr: Instr, path: Path = ()) -> _Tie | None:
        for src in (*instr.all_srcs(), *(node.condition for node, _ in path)):
            if src.def_ is None:
                return _Tie("its condition depends on a register", instr)
            maker = src.def_instr
            if maker is None or maker not in self.ties:
                return _Tie(f"its condition depends on %{src.def_.index}, which is not defined above", None)
            tie = self.ties[maker]
            if tie is not None:
                return tie
        return None

    def _judge(self, discard: IntrinsicInstr) -> None:
        path = path_to(discard.block)
        why_not = self._why_not(discard, path)
        needed = set() if why_not is not None else needed_for(discard, path, without=self.moving)
        why_not = why_not or _too_costly(needed - {discard})
        if why_not is not None:
            self.plan.unmovable.append(Unmovable(discard, why_not.reason, why_not.instr))
            return
        self.moving |= needed
        self.plan.movable.append(Movable(discard, frozenset(needed), path))

    def _why_not(self, discard: IntrinsicInstr, path: Path) -> _Tie | None:
        if not path and not is_conditional(discard):
            return _Tie("it is unconditional", None)
        for loop in loops_around(discard.block):
            if loop in self.left:
                jump = self.left[loop]
                return _Tie(f"it is inside a loop, after a {jump.jump_kind}", jump)
        conditions = [(node.condition.def_, in_then) for node, in_then in path]
        conditions += [(src.def_, True) for src in discard.sources]
        known = [(value, truth) for value, truth in conditions if value is not None]
        if not is_conjunction(known):
            return _Tie("its conditions are numbers, which iand and inot do not join", None)
        in_the_way = self.for_all
        if in_the_way is None and not is_demote(discard) and not self.derivatives_safe:
            in_the_way = self.for_terminates
        if in_the_way is not None:
            return _Tie(in_the_way.reason, in_the_way.instr)
        return self._tie_of_sources(discard, path)


def needed_for(discard: IntrinsicInstr, path: Path = (), without: Collection[Instr] = ()) -> set[Instr]:
    """Return the transitive dependencies of a discard and of the conditions on its path.

    Includes the discard itself, but not the instructions in `without`.
    """
    conditions = makers(node.condition for node, _ in path)
    starts = (discard, *(maker for maker in conditions if maker not in without))
    return set(
        closure(starts, lambda instr: (maker for maker in makers(instr.all_srcs()) if maker not in without))
    )


def _too_costly(needed: Collection[Instr]) -> _Tie | None:
    speculated = [instr for instr in needed if _is_nested(instr) and not isinstance(instr, COSTS_NOTHING)]
    if len(speculated) <= MOST_SPECULATED:
        return None
    return _Tie(
        f"its condition needs {len(speculated)} instructions of its branch, "
        f"more than the {MOST_SPECULATED} that may run for all invocations",
        None,
    )


def _is_nested(instr: Instr) -> bool:
    return instr.block is None or not isinstance(instr.block.parent, FunctionImpl)
