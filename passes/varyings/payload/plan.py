"""Decisions on the payload from a task shader to its mesh shaders.

As for varyings: components that are never read or written, constants and uniform expressions, and components
that always hold the same value. All invocations of a task workgroup write the same payload, so a value is
known only if every store of a byte stores it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from nirls.ir.analysis.dominance import DominatorTree, InstrOrder, dominance, instr_order, post_dominance
from nirls.ir.analysis.unsigned_bounds import UnsignedBounds
from nirls.ir.model.control_flow import Block, If
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, constant_of
from nirls.ir.model.values import Def
from nirls.ir.tables.families import VECTORS
from nirls.passes.barriers.accesses import asked_number
from nirls.passes.varyings.interface.decisions import Fate, Step, StepObstacle
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.payload_accesses import (
    PayloadAccess,
    PayloadComponent,
    PayloadLinkage,
    name_of_bytes,
    overlap,
)
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.motion.deduplicate import ordering_between
from nirls.passes.varyings.motion.propagate import NotUniform, over_limit, uniform_expression
from nirls.passes.varyings.values.expression_text import constant_text, expression_text

Channel = tuple[Def, int]
"""A component of a value."""


@dataclass(frozen=True, slots=True)
class LoadReplacement:
    """A component of a load that need not be loaded, and what the step did to its bytes.

    It is the `channel` of a value of the task shader, the raw bits `constant`, the payload from byte
    `instead` on, or undefined.
    """

    piece: PayloadComponent
    step: Step
    fate: Fate
    message: str
    channel: Channel | None = None
    constant: int | None = None
    instead: int | None = None

    @property
    def is_undefined(self) -> bool:
        """Whether nothing was written."""
        return self.fate is Fate.UNWRITTEN


@dataclass(frozen=True, slots=True)
class Removal:
    """Components of a store that are never read; None for the whole store."""

    access: PayloadAccess
    lanes: frozenset[int] | None
    where: range


@dataclass(slots=True)
class PayloadPlan:
    """The changes to the accesses of a payload, and the reasons for the bytes that stay.

    `vague_loads` have an offset that is not constant, and read nothing that is written. Components of
    `wide_loads` are not used and not written.
    """

    replacements: dict[PayloadComponent, LoadReplacement] = field(default_factory=dict)
    vague_loads: list[PayloadAccess] = field(default_factory=list)
    wide_loads: list[PayloadAccess] = field(default_factory=list)
    removals: list[Removal] = field(default_factory=list)
    obstacles: list[tuple[range, StepObstacle]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.replacements or self.vague_loads or self.wide_loads or self.removals)


def plan_payload(
    linkage: PayloadLinkage, options: LinkOptions, variables: UniformVariables, only: range | None = None
) -> PayloadPlan:
    """Decide on all components, or on those within the bytes `only`."""
    return _Planner(linkage, options, variables, only).plan


def channel_of(value: Def, lane: int) -> Channel:
    """Return a component of a value, through the vector operation that made it."""
    maker = value.instr
    if isinstance(maker, AluInstr) and maker.op in VECTORS and lane < len(maker.sources):
        src = maker.sources[lane]
        if src.def_ is not None and not src.negate and not src.abs and "sat" not in maker.flags:
            return src.def_, src.swizzle[0]
    return value, lane


def _constant(channel: Channel) -> int | None:
    value, lane = channel
    bits = constant_of(value)
    return bits[lane] if bits is not None and lane < len(bits) else None


def _is_within(where: range, only: range | None) -> bool:
    return only is None or (only.start <= where.start and where.stop <= only.stop)


class _Planner:
    def __init__(
        self, linkage: PayloadLinkage, options: LinkOptions, variables: UniformVariables, only: range | None
    ) -> None:
        self.linkage = linkage
        self.options = options
        self.variables = variables
        self.only = only
        self.plan = PayloadPlan()
        self.stores = [piece for access in linkage.stores() for piece in access.pieces()]
        self.vague_stores = [access for access in linkage.stores() if access.obstacle]
        reading = [access for access in linkage.accesses() if access.reads]
        self.loads = [piece for access in reading for piece in access.pieces() if piece.is_used]
        self.vague_loads = [access for access in reading if access.obstacle]
        self.coverage = _Coverage(linkage)
        self._replace()
        if options.deduplicate:
            self._deduplicate()
        self._remove()

    # Loads

    def _replace(self) -> None:
        for piece in self.loads:
            found = self._decide(piece)
            if isinstance(found, StepObstacle):
                self.plan.obstacles.append((piece.where, found))
            elif found is not None and _is_within(piece.where, self.only):
                self.plan.replacements[piece] = found
        for access in self.vague_loads:
            obstacle = StepObstacle(Step.ACCESS, "unknown-load", access.obstacle)
            self.plan.obstacles.append((access.reach, obstacle))
            if access.is_pinned or access.start is not None or not _is_within(access.reach, self.only):
                continue
            if not any(overlap(access.reach, where) for where in self._written()):
                self.plan.vague_loads.append(access)

        for access in self.linkage.accesses():
            unused = [piece for piece in access.pieces() if access.reads and not piece.is_used]
            if self.only is None and any(_is_free(piece.where, self._written()) for piece in unused):
                self.plan.wide_loads.append(access)

    def _written(self) -> list[range]:
        return [piece.where for piece in self.stores] + [access.reach for access in self.vague_stores]

    def _decide(self, piece: PayloadComponent) -> LoadReplacement | StepObstacle | None:
        vague = next(
            (vague_store for vague_store in self.vague_stores if overlap(vague_store.reach, piece.where)),
            None,
        )
        if vague is not None:
            return StepObstacle(Step.ACCESS, "unknown-store", vague.obstacle)
        writers = self._writers(piece.where)
        if not writers:
            return LoadReplacement(piece, Step.DEAD, Fate.UNWRITTEN, UNWRITTEN)
        if not self.options.propagate:
            return None
        constant = self._constant(piece, writers)
        if constant is None:
            return self._expression(piece, writers)
        if not self._is_always_stored(piece, writers):
            return _CONDITIONAL
        value = piece.access.value
        text = constant_text(constant, 32 if value is None else value.bit_size)
        message = f"the constant {text} is used in the {self._reader(piece)}"
        return LoadReplacement(piece, Step.PROPAGATION, Fate.PROPAGATED, message, constant=constant)

    def _reader(self, piece: PayloadComponent) -> str:
        return "TS" if piece.access in self.linkage.own else "MS"

    def _writers(self, where: range) -> list[PayloadComponent]:
        return [store for store in self.stores if overlap(store.where, where)]

    def _constant(self, piece: PayloadComponent, writers: Sequence[PayloadComponent]) -> int | None:
        """Return the constant of which all bytes are always stored; None if there is none."""
        found: dict[int, int] = {}
        for store in writers:
            bits = _constant(_stored(store))
            if bits is None:
                return None
            for number, byte in enumerate(store.where):
                if found.setdefault(byte, bits >> 8 * number & 0xFF) != bits >> 8 * number & 0xFF:
                    return None
        return sum(found.get(byte, 0) << 8 * number for number, byte in enumerate(piece.where))

    def _expression(
        self, piece: PayloadComponent, writers: Sequence[PayloadComponent]
    ) -> LoadReplacement | StepObstacle:
        if any(store.where != piece.where for store in writers):
            return StepObstacle(Step.PROPAGATION, "other-size", "it is stored in parts of another size")
        values = {_identity(store): _stored(store) for store in writers}
        if len(values) > 1:
            message = f"its {len(writers)} stores write different values"
            return StepObstacle(Step.PROPAGATION, "several-values", message)
        (channel,) = values.values()
        cost = uniform_expression(channel[0], self.variables)
        if isinstance(cost, NotUniform):
            return StepObstacle(Step.PROPAGATION, "not-uniform", cost.message)
        if not self._is_always_stored(piece, writers):
            return _CONDITIONAL
        too_costly = over_limit(cost, self.options.cost_limit)
        if too_costly is not None:
            return too_costly
        text = expression_text(channel[0], self.linkage.producer_stage, channel[1])
        message = f"the {self._reader(piece)} computes {text} (cost {cost})"
        return LoadReplacement(piece, Step.PROPAGATION, Fate.PROPAGATED, message, channel=channel)

    def _is_always_stored(self, piece: PayloadComponent, writers: Sequence[PayloadComponent]) -> bool:
        """Whether each byte that is stored at all is stored before every launch."""
        always = [store.where for store in writers if self.coverage.precedes_launches(store.access.instr)]
        return all(
            any(byte in where for where in always)
            for byte in piece.where
            if any(byte in store.where for store in writers)
        )

    # Equal values

    def _deduplicate(self) -> None:
        kept: dict[Hashable, list[PayloadComponent]] = {}
        for store in sorted(self.stores, key=lambda store: store.where.start):
            if not self._is_known(store):
                continue
            same = kept.setdefault((_identity(store), len(store.where)), [])
            other = next(
                (
                    payload_component
                    for payload_component in same
                    if self.coverage.are_stored_together(payload_component, store)
                ),
                None,
            )
            if other is None or not self._redirect(store, other):
                same.append(store)

    def _is_known(self, store: PayloadComponent) -> bool:
        """Whether a store is the only one of its bytes."""
        vague = any(overlap(vague_store.reach, store.where) for vague_store in self.vague_stores)
        return not vague and len(self._writers(store.where)) == 1

    def _redirect(self, store: PayloadComponent, other: PayloadComponent) -> bool:
        """Let all loads of the bytes of a store read those of another one, if they can."""
        loads = [load for load in self.loads if overlap(load.where, store.where)]
        left = [load for load in loads if load not in self.plan.replacements]
        if not left or any(overlap(vague_load.reach, store.where) for vague_load in self.vague_loads):
            return False
        if any(
            payload_component.where != store.where or payload_component.access in self.linkage.own
            for payload_component in left
        ):
            return False
        if not _is_within(store.where, self.only):
            return False
        message = f"{name_of_bytes(other.where)} has the same value"
        for load in left:
            self.plan.replacements[load] = LoadReplacement(
                load, Step.DEDUPLICATION, Fate.DEDUPLICATED, message, instead=other.where.start
            )
        return True

    # Stores

    def _remove(self) -> None:
        read = [access.reach for access in self.vague_loads if access not in self.plan.vague_loads]
        for piece in self.loads:
            load_replacement = self.plan.replacements.get(piece)
            if load_replacement is None:
                read.append(piece.where)
            elif load_replacement.instead is not None:
                read.append(range(load_replacement.instead, load_replacement.instead + len(piece.where)))
        for access in self.linkage.stores():
            if access.is_pinned:
                continue
            if access.obstacle:
                if (
                    access.start is None
                    and _is_within(access.reach, self.only)
                    and _is_free(access.reach, read)
                ):
                    self.plan.removals.append(Removal(access, None, access.reach))
                continue
            dead = [
                piece
                for piece in access.pieces()
                if _is_within(piece.where, self.only) and _is_free(piece.where, read)
            ]
            for run in _runs(dead):
                lanes = frozenset(piece.lane for piece in run)
                where = range(run[0].where.start, run[-1].where.stop)
                self.plan.removals.append(Removal(access, lanes, where))


UNWRITTEN = "never written by the TS, so it reads as undefined"
_CONDITIONAL = StepObstacle(
    Step.PROPAGATION, "conditional", "it is not stored on every path to the launch of the mesh shader"
)


def _stored(store: PayloadComponent) -> Channel:
    value = store.access.value
    assert value is not None
    return channel_of(value, store.lane)


def _identity(store: PayloadComponent) -> Hashable:
    channel = _stored(store)
    bits = _constant(channel)
    return channel if bits is None else (channel[0].bit_size, bits, "constant")


def _is_free(where: range, read: Iterable[range]) -> bool:
    return not any(overlap(where, piece) for piece in read)


def _runs(pieces: Sequence[PayloadComponent]) -> list[list[PayloadComponent]]:
    """Divide pieces of an access into runs without gaps."""
    runs: list[list[PayloadComponent]] = []
    for piece in pieces:
        if runs and runs[-1][-1].where.stop == piece.where.start:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


class _Coverage:
    """The stores that are executed ahead of every launch, and those that are executed together."""

    def __init__(self, linkage: PayloadLinkage) -> None:
        impl = linkage.task.entrypoint
        if impl is None:
            raise ValueError("a linked shader has an entry point")
        self.launches = linkage.launches
        self.task = linkage.task
        self.impl = impl
        self._known: dict[Instr, bool] = {}

    @cached_property
    def _dominators(self) -> DominatorTree:
        return dominance(self.impl)

    @cached_property
    def _post_dominators(self) -> DominatorTree:
        return post_dominance(self.impl)

    @cached_property
    def _order(self) -> InstrOrder:
        return instr_order(self.impl)

    @cached_property
    def _invocations(self) -> int:
        size = UnsignedBounds(self.task).workgroup_size
        return 1 if size is None else prod(size)

    def precedes_launches(self, store: IntrinsicInstr) -> bool:
        """Whether some invocation of a workgroup executes a store before each launch.

        The store may be under one condition that one invocation always fulfills.
        """
        if store not in self._known:
            block = store.block
            anchors = [] if block is None else [block, *self._ahead_of_guard(block)]
            self._known[store] = bool(self.launches) and any(
                all(self._runs_before(anchor, store, launch) for launch in self.launches)
                for anchor in anchors
            )
        return self._known[store]

    def _runs_before(self, anchor: Block, store: IntrinsicInstr, launch: IntrinsicInstr) -> bool:
        if launch.block is None or launch not in self._order or store not in self._order:
            return False
        return self._dominators.dominates(anchor, launch.block) and self._order.comes_before(store, launch)

    def _ahead_of_guard(self, block: Block) -> Iterator[Block]:
        """Yield the block ahead of an if of which one invocation executes the given block."""
        guard = block.parent
        if not isinstance(guard, If):
            return
        takes_then = block in guard.then_body
        maker = guard.condition.def_instr
        if isinstance(maker, IntrinsicInstr) and maker.name == "elect":
            is_taken = takes_then
        else:
            number = asked_number(guard.condition.def_)
            is_taken = number is not None and number[0] < self._invocations and number[1] is takes_then
        first = (guard.then_body if takes_then else guard.else_body)[0]
        ahead = self._order.block_before(guard)
        is_taken = is_taken and isinstance(first, Block) and self._post_dominators.dominates(block, first)
        if is_taken and ahead is not None:
            yield ahead

    def are_stored_together(self, one: PayloadComponent, other: PayloadComponent) -> bool:
        """Whether two stores are in one block with nothing between them that orders invocations."""
        first, second = one.access.instr, other.access.instr
        if first.block is None or first.block is not second.block:
            return False
        return first is second or not ordering_between(first, second)
