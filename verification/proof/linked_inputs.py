"""Numbers of the varyings that a fragment shader reads, by what the stage in front computes.

Linking moves operations from one stage to the other. A value that is the same at all vertices is the same
value in the fragment shader. An operation whose result is read flat may be applied to flat operands instead;
one whose result is interpolated, if it is linear, to interpolated operands. Such operations are numbered as
if the fragment shader computed them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from nirls.ir.analysis.buffer_blocks import DESCRIPTORS
from nirls.ir.effects import can_reorder, effects_of
from nirls.ir.model.float_bits import is_finite
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.values import Def, Src
from nirls.ir.model.walks import operands_first
from nirls.verification.proof.alu import AluNumbers, AluPlan
from nirls.verification.proof.context import StoredComponent, StoredVaryings
from nirls.verification.proof.slot_places import Kind
from nirls.verification.proof.values import Number, Values

_SHARED_MODES = frozenset(("uniform", "ubo", "push_const"))
"""Modes of variables that are the same in all stages of a pipeline, by name or binding."""

_SHARED_INTRINSICS = DESCRIPTORS | {"load_push_constant"}
"""Intrinsics with the same result in all stages."""

_CONVERGENT_OPERANDS: Mapping[str, tuple[frozenset[int], ...]] = {
    "fadd": (frozenset(),),
    "fsub": (frozenset(),),
    "fneg": (frozenset(),),
    "fmul": (frozenset((0,)), frozenset((1,))),
    "fmulz": (frozenset((0,)), frozenset((1,))),
    "ffma": (frozenset((0,)), frozenset((1,))),
    "ffma_weak": (frozenset((0,)), frozenset((1,))),
    "ffmaz": (frozenset((0,)), frozenset((1,))),
    "fdiv": (frozenset((1,)),),
    "flrp": (frozenset((2,)), frozenset((0, 1))),
}
"""Operations that are linear where these operands are the same at all vertices."""

_FLUSH = AluPlan.plain("ffma", (32, 32, 32), 32, frozenset(("exact",)))
"""`x * 0 + x`, exact: infinities become NaN, as by interpolation."""


class VaryingRead(NamedTuple):
    """How a varying is read: the load, the numbers of its barycentric sources, and what else it says.

    A flat load copies bits, whatever its type.
    """

    load: str
    others: tuple[tuple[Number, ...], ...]
    kind: Kind | None

    @classmethod
    def of(cls, load: str, others: tuple[tuple[Number, ...], ...], kind: Kind) -> VaryingRead:
        """Describe a load of a varying."""
        return cls(load, others, None if load == "load_input" else kind)

    @property
    def is_flat(self) -> bool:
        """Whether the value of one vertex is copied."""
        return self.load == "load_input"


Component = tuple[Def, int]


class LinkedInputs:
    """The numbers of varyings in a fragment shader, on one side of a proof.

    `visit` numbers an instruction of the stage in front, in the values of the fragment shader. `leaves` are
    the values of the varyings before: what is computed of them is numbered by its operations, they are not.
    `may_round` is set if the result of interpolation may be approximated.
    """

    def __init__(
        self,
        stored: StoredVaryings,
        leaves: Collection[Number],
        values: Values,
        alu: AluNumbers,
        side: int,
        visit: Callable[[Instr], None],
        *,
        may_round: bool,
    ) -> None:
        self.stored = stored
        self.leaves = leaves
        self.values = values
        self.alu = alu
        self.side = side
        self.visit = visit
        self.may_round = may_round
        self.kept: Collection[Number] = ()
        """The numbers of floats that are the same at all vertices, and are interpolated after too."""
        self._known: dict[VaryingRead, dict[Component, Number]] = {}
        self._component_of: dict[Number, Component] = {}
        for value, numbers in stored.numbers.items():
            for row, number in enumerate(numbers):
                self._component_of.setdefault(number, (value, row))

    def start_round(self) -> None:
        """Forget all numbers, and number what is the same at all vertices."""
        self._known.clear()
        now = self.values.now
        for value in self.stored.numbers:
            instr = value.instr
            if instr is None or not _is_shared(instr):
                continue
            if all(src.def_ is not None and src.def_ in now for src in instr.srcs()):
                self.visit(instr)

    def shared_numbers(self) -> frozenset[Number]:
        """Return the numbers of the varyings that are the same at all vertices."""
        stored = (self._component_of.get(varying.number) for varying in self.stored.varyings.values())
        shared = (leaf for leaf in stored if leaf is not None and self._is_shared(leaf))
        return frozenset(self.values.now[value][row] for value, row in shared)

    def number(self, varying: StoredComponent, reading: VaryingRead) -> Number:
        """Return the number of a load of a varying."""
        if varying.bits is not None and (reading.is_flat or is_finite(varying.bits, 32)):
            owner = ("constant", self.side, varying.number)
            return self.values.constant(owner, 0, varying.bits, 32)
        found = self._component_of.get(varying.number)
        return self._opaque(varying.number, reading) if found is None else self._read(found, reading)

    def _read(self, component: Component, reading: VaryingRead) -> Number:
        """Number a value as it is read, after the operands that are read in the same way."""
        known = self._known.setdefault(reading, {})

        def operands(current: Component) -> list[Component]:
            plan = self._plan_through(current, reading)
            row = () if plan is None else plan.rows[current[1]]
            return [leaf for leaf in row if not self._is_shared(leaf)]

        for current in operands_first(component, operands, known):
            known[current] = self._made(current, self._plan_through(current, reading), reading)
        return known[component]

    def _made(self, component: Component, plan: AluPlan | None, reading: VaryingRead) -> Number:
        value, row = component
        if self._is_shared(component):
            number = self.values.now[value][row]
            return number if reading.is_flat else self._interpolated(number)
        if plan is None:
            return self._opaque(self.stored.numbers[value][row], reading)
        reads = tuple(
            self.values.now[leaf][at] if self._is_shared((leaf, at)) else self._known[reading][leaf, at]
            for leaf, at in plan.rows[row]
        )
        if plan.is_copy:
            return reads[0]
        return self.alu.component(plan, ("linked", value, reading), row, self.side, reads)

    def _plan_through(self, component: Component, reading: VaryingRead) -> AluPlan | None:
        """Return the operation that may be applied to what is read instead; None if there is none."""
        value, row = component
        instr = value.instr
        if self._is_shared(component) or not isinstance(instr, AluInstr):
            return None
        if self.stored.numbers[value][row] in self.leaves:
            return None
        plan = self.stored.shader.plan(instr, value)
        if plan.crosses_lanes or not all(leaf in self.stored.numbers for leaf, _ in plan.rows[row]):
            return None
        return plan if plan.is_copy or reading.is_flat or self._is_linear(plan, row) else None

    def _is_linear(self, plan: AluPlan, row: int) -> bool:
        if not self.may_round or not plan.is_plain or plan.words or plan.bit_size != 32:
            return False
        shared = {at for at, operand in enumerate(plan.rows[row]) if self._is_shared(operand)}
        return any(shared >= needed for needed in _CONVERGENT_OPERANDS.get(plan.op, ()))

    def _is_shared(self, component: Component) -> bool:
        return component[0] in self.values.now

    def _interpolated(self, number: Number) -> Number:
        """Return the number of a float that is the same at all vertices after interpolation.

        That gives the float, but for its infinities and the bits of a NaN. A pass may read it without
        interpolation, not the other way around: its bits may be those of an integer.
        """
        constant = self.values.constants.get(number)
        if constant is not None and is_finite(*constant):
            return number
        if not self.may_round:
            zero = self.values.constant(("zero", self.side), 0, 0, 32)
            owner = ("flushed", self.side, number)
            return self.alu.component(_FLUSH, owner, 0, self.side, (number, zero, number))
        if constant is None and number not in self.kept:
            return number
        return self.values.number(("interpolated", self.side, number), 0, ("interpolated", number))

    def _opaque(self, number: Number, reading: VaryingRead) -> Number:
        key = ("varying", *reading, number)
        return self.values.number((self.side, key), 0, key)


def _is_shared(instr: Instr) -> bool:
    """Whether an instruction gives the same in all stages if its sources do."""
    match instr:
        case AluInstr():
            return not effects_of(instr).crosses_lanes
        case LoadConstInstr():
            return True
        case DerefInstr():
            return instr.mode in _SHARED_MODES
        case IntrinsicInstr(name="load_deref"):
            deref = instr.sources[0].def_instr
            return isinstance(deref, DerefInstr) and deref.mode in _SHARED_MODES and can_reorder(instr)
        case IntrinsicInstr(name="load_ubo"):
            return _is_descriptor(instr.sources[0]) and can_reorder(instr)
        case IntrinsicInstr():
            return instr.name in _SHARED_INTRINSICS and can_reorder(instr)
    return False


def _is_descriptor(block: Src) -> bool:
    """Whether a block is given by a Vulkan descriptor; GL numbers the blocks of each stage."""
    maker = block.def_instr
    while isinstance(maker, AluInstr) and maker.op == "mov":
        maker = maker.sources[0].def_instr
    return isinstance(maker, IntrinsicInstr) and maker.name in DESCRIPTORS
