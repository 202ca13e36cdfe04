"""Opportunities of the steps of `opt_varyings` between two stages: one for each slot or expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial

from nirls.ir.finding import FindingCode, Severity, counted, listed, severity_of_gain
from nirls.ir.io.access import AccessKind
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import Instr, LoadConstInstr
from nirls.ir.model.values import Def
from nirls.passes.varyings.dead_io_plan import plan as dead_varyings
from nirls.passes.varyings.interface.accesses import Unlinkable, link
from nirls.passes.varyings.interface.driver_profiles import GENERIC, USUAL_COST_LIMITS
from nirls.passes.varyings.interface.reader import read_interface
from nirls.passes.varyings.interface.rules import short_name
from nirls.passes.varyings.interface.scalar_slots import Interface, LinkProgress, PackingGroup, ScalarSlot
from nirls.passes.varyings.link_pair import remove_dead
from nirls.passes.varyings.motion.backward_motion import (
    Motion,
    MotionGain,
    by_expression,
    carry_out,
    gain_of,
    motions,
)
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.motion.deduplicate import deduplicate, duplicates
from nirls.passes.varyings.motion.forward_motion import Derivation, derivations
from nirls.passes.varyings.motion.forward_motion import carry_out as derive
from nirls.passes.varyings.motion.per_vertex_motion import VertexMove
from nirls.passes.varyings.motion.propagate import propagatable, propagate, too_costly, uniform_cost
from nirls.passes.varyings.packing.assign import Placement, pack, placements
from nirls.passes.varyings.values.expression_text import expression_text

PROPAGATABLE_OUTPUT = FindingCode(
    "propagatable-output", "Output that the next stage could compute", Severity.INFORMATION
)
COSTLY_OUTPUT = FindingCode(
    "costly-output", "Output of uniforms that is too costly for the next stage", Severity.HINT
)
DUPLICATE_OUTPUT = FindingCode(
    "duplicate-output", "Output with the same value as another one", Severity.INFORMATION
)
CONVERGENT_OUTPUT = FindingCode(
    "convergent-output", "Interpolated output that is the same for all vertices", Severity.HINT
)
MOVABLE_EXPRESSION = FindingCode(
    "movable-expression", "Expression that the previous stage could compute", Severity.INFORMATION
)
DERIVABLE_OUTPUT = FindingCode(
    "derivable-output", "Outputs that the next stage could compute from fewer varyings", Severity.INFORMATION
)
PACKING = FindingCode("packing", "Varyings that fit in fewer vec4 slots", Severity.INFORMATION)
CODES = (
    PROPAGATABLE_OUTPUT,
    COSTLY_OUTPUT,
    DUPLICATE_OUTPUT,
    CONVERGENT_OUTPUT,
    MOVABLE_EXPRESSION,
    DERIVABLE_OUTPUT,
    PACKING,
)


@dataclass(frozen=True, slots=True)
class Opportunity:
    """A possible optimization of the scalars `slots`, which are named in the message.

    It is reported once: at the first of `stores`, or with `at_load` at the first of `loads`. `apply` carries
    it out; the interface cannot be used for others afterwards. None if there is nothing to do by itself.
    """

    code: FindingCode
    slots: str
    message: str
    title: str
    apply: Callable[[], object] | None
    stores: tuple[Instr, ...]
    loads: tuple[Instr, ...]
    data: Mapping[str, object] = field(default_factory=dict)
    at_load: bool = False
    severity: Severity | None = None
    gain: int = 0


class Opportunities:
    """Opportunities in one pair. A slot is reported only for the first step that would remove it."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.producer_word = interface.producer_stage.abbreviation
        self.consumer_word = interface.consumer_stage.abbreviation

    def of_steps(self) -> Iterator[Opportunity]:
        """Yield the opportunities of all steps but packing, in the order of the steps."""
        options = self.interface.options
        taken: set[int] = set()
        steps: list[tuple[bool, Callable[[set[int]], Iterable[Opportunity]]]] = [
            (options.propagate, self._propagatable),
            (options.propagate, self._costly),
            (options.deduplicate, self._duplicates),
            (options.move_code, self._movable),
            (options.move_forward, self._derivable),
            (options.pack, self._convergent),
        ]
        for wanted, search in steps:
            if wanted:
                yield from search(taken)

    def _propagatable(self, taken: set[int]) -> Iterator[Opportunity]:
        """Yield one opportunity for the constants of a vec4 slot, and one for its other uniform values."""
        groups: dict[tuple[int, bool, bool], list[tuple[ScalarSlot, Def]]] = {}
        usual = self._usual_limit()
        for slot, value in propagatable(self.interface):
            taken.add(slot.number)
            is_over = usual is not None and uniform_cost([value]) > usual
            key = slot.location, isinstance(value.instr, LoadConstInstr), is_over
            groups.setdefault(key, []).append((slot, value))
        for (_, is_constant, is_over), group in groups.items():
            slots = [slot for slot, _ in group]
            name = _names(slots)
            values = list(dict.fromkeys(value for _, value in group))
            over = f", over AMD's limit {usual}" if is_over else ""
            what = self._constants(values) if is_constant else self._uniform_values(values, over)
            yield Opportunity(
                PROPAGATABLE_OUTPUT,
                name,
                f"{name} {what}{_fewer(slots)}",
                f"Compute {name} where {'it is' if len(slots) == 1 else 'they are'} read",
                partial(propagate, self.interface, {slot.number for slot in slots}),
                tuple(store for slot in slots for store in slot.stores),
                tuple(load for slot in slots for load in (*slot.input_loads, *slot.output_loads)),
                {"expression": ", ".join(map(self._text, values))},
                severity=Severity.HINT if is_over else None,
                gain=_saved(slots),
            )

    def _usual_limit(self) -> int | None:
        """The cost above which a value is a hint only, if neither a driver nor an option limits costs."""
        options = self.interface.options
        driver = options.applied
        is_open = options.cost_limit is None and "max_cost" not in options.given
        if not is_open or driver is None or driver.profile.name != GENERIC:
            return None
        return USUAL_COST_LIMITS.into(self.interface.consumer)

    def _constants(self, values: Sequence[Def]) -> str:
        texts = ", ".join(dict.fromkeys(map(self._text, values)))
        if len(values) == 1:
            return f"is the constant {texts}: the {self.consumer_word} can use it"
        return f"are the constants {texts}: the {self.consumer_word} can use them"

    def _uniform_values(self, values: Sequence[Def], over: str) -> str:
        """Describe values that depend only on uniforms; `over` says that they cost more than is usual."""
        costs = [uniform_cost([value]) for value in values]
        limit = self.interface.options.cost_limit
        texts = ", ".join(map(self._text, values))
        if len(values) == 1:
            within = "" if limit is None else f" of {limit}"
            return (
                f"depends only on uniforms ({texts}, cost {costs[0]}{within}{over}):"
                f" the {self.consumer_word} can compute it"
            )
        shared = sum(costs) - uniform_cost(values)
        cost = f"{len(costs)} x cost {costs[0]}" if len(set(costs)) == 1 else f"cost {sum(costs)} in all"
        within = "" if limit is None else f", limit {limit} each"
        shares = f", shared part {shared}" if shared else ""
        return (
            f"depend only on uniforms ({texts}; {cost}{within}{over}{shares}):"
            f" the {self.consumer_word} can compute them"
        )

    def _text(self, value: Def) -> str:
        return expression_text(value, self.interface.producer_stage)

    def _costly(self, taken: set[int]) -> Iterator[Opportunity]:
        """Yield the outputs that only the cost limit keeps; later steps may still remove them."""
        driver = self.interface.options.applied
        groups: dict[tuple[int, int | None, int | None], list[tuple[ScalarSlot, Def]]] = {}
        for slot, value, obstacle in too_costly(self.interface):
            groups.setdefault((slot.location, obstacle.cost, obstacle.limit), []).append((slot, value))
        for (_, cost, limit), group in groups.items():
            slots = [slot for slot, _ in group]
            name, is_one = _names(slots), len(slots) == 1
            texts = ", ".join(dict.fromkeys(self._text(value) for _, value in group))
            whose = (
                f" of {driver.profile.name}" if driver is not None and limit == self._profile_limit() else ""
            )
            depend, it, its_cost = (
                ("depends", "it", f"its cost {cost}")
                if is_one
                else ("depend", "them", f"the cost of each, {cost},")
            )
            yield Opportunity(
                COSTLY_OUTPUT,
                name,
                f"{name} {depend} only on uniforms ({texts}), but {its_cost} is over"
                f" the limit{whose}, {limit}: the {self.consumer_word} does not compute {it}",
                "",
                None,
                tuple(store for slot in slots for store in slot.stores),
                tuple(load for slot in slots for load in slot.input_loads),
                {"cost": cost, "limit": limit},
            )

    def _profile_limit(self) -> int | None:
        """The cost limit of the driver profile for this pair."""
        driver = self.interface.options.applied
        return None if driver is None else driver.profile.cost_limits.value.into(self.interface.consumer)

    def _duplicates(self, taken: set[int]) -> Iterator[Opportunity]:
        """Yield one opportunity for all scalars of a vec4 slot that repeat scalars of one other slot."""
        groups: dict[tuple[int, int], list[tuple[ScalarSlot, ScalarSlot]]] = {}
        for kept, slot in duplicates(self.interface):
            if slot.number in taken:
                continue
            taken.add(slot.number)
            groups.setdefault((slot.location, kept.location), []).append((slot, kept))
        for group in groups.values():
            slots = [slot for slot, _ in group]
            name, other = _names(slots), _names(kept for _, kept in group)
            yield Opportunity(
                DUPLICATE_OUTPUT,
                name,
                f"{name} always {'stores the same value' if len(slots) == 1 else 'store the same values'}"
                f" as {other}{_fewer(slots)}",
                f"Read {other} instead of {name}",
                partial(deduplicate, self.interface, {slot.number for slot in slots}),
                tuple(store for slot in slots for store in slot.stores),
                tuple(load for slot in slots for load in (*slot.input_loads, *slot.output_loads)),
                gain=_saved(slots),
            )

    def _movable(self, taken: set[int]) -> Iterator[Opportunity]:
        find_convergent(self.interface)
        found = []
        for motion in motions(self.interface):
            if any(slot.number in taken for slot in motion.slots):
                continue
            taken.update(slot.number for slot in motion.targets)
            found.append(motion)
        for motion in by_expression(found):
            gain = gain_of(self.interface, motion)
            yield Opportunity(
                MOVABLE_EXPRESSION,
                _names(motion.targets),
                self._what_moves(motion, gain),
                f"Move the expression to the {self.producer_word}",
                partial(carry_out, self.interface, motion),
                tuple(store for slot in motion.slots for store in slot.stores),
                motion.instrs,
                {"expressions": self._texts(motion), **asdict(gain)},
                at_load=True,
                severity=severity_of_gain(gain.saved),
                gain=gain.saved,
            )

    def _what_moves(self, motion: Motion, gain: MotionGain) -> str:
        varyings = f"{counted(gain.varyings_before, 'varying')} become {gain.varyings_after}"
        if gain.varyings_before == gain.varyings_after:
            varyings = f"{counted(gain.varyings_before, 'varying')} as before"
        code = (
            f"{self.consumer_word} {gain.instructions_before} -> {gain.instructions_after} ALU instructions"
        )
        uses = f"only {listed(_slot_names(motion.slots))} ({varyings}, {code})"
        if isinstance(motion, VertexMove):
            return f"the {self.producer_word} can compute this once a vertex: it uses {uses}"
        if len(motion.sent) > 1:
            return f"the {self.producer_word} can compute these {len(motion.sent)} values: they use {uses}"
        return f"the {self.producer_word} can compute this: it uses {uses}"

    def _texts(self, motion: Motion) -> list[str]:
        values = (instr.def_ for instr in motion.instrs)
        return [
            expression_text(value, self.interface.consumer_stage) for value in values if value is not None
        ]

    def _derivable(self, taken: set[int]) -> Iterator[Opportunity]:
        find_convergent(self.interface)
        for derivation in derivations(self.interface):
            slots = [output.slot for output in derivation.involved]
            if any(slot.number in taken for slot in slots):
                continue
            taken.update(slot.number for slot in slots)
            outputs = [output.slot for output in derivation.outputs]
            removed = _names(output.slot for output in derivation.removed)
            yield Opportunity(
                DERIVABLE_OUTPUT,
                _names(outputs),
                _how_derived(derivation, self.consumer_word),
                f"Do not send {removed}, and compute {_names(outputs)} in the {self.consumer_word}",
                partial(derive, self.interface, derivation),
                tuple(store for slot in outputs for store in slot.stores),
                tuple(load for slot in outputs for load in slot.input_loads),
                gain=len(derivation.involved) - len(derivation.sent),
            )

    def _convergent(self, taken: set[int]) -> Iterator[Opportunity]:
        """Yield the convergent inputs that packing puts into a flat vec4."""
        flat = {
            placement.slot.number
            for placement in self.plan
            if placement.slot.convergent
            and placement.category is not None
            and placement.category.group is PackingGroup.FLAT
        }
        groups: dict[int, list[ScalarSlot]] = {}
        for slot in self.interface.in_order():
            if slot.number in flat and slot.number not in taken:
                groups.setdefault(slot.location, []).append(slot)
        for slots in groups.values():
            name, is_one = _names(slots), len(slots) == 1
            what = "has the same value" if is_one else "have the same values"
            yield Opportunity(
                CONVERGENT_OUTPUT,
                name,
                f"{name} {what} in all vertices of a primitive: no need to interpolate"
                f" {'it' if is_one else 'them'}",
                f"Read {name} flat, and pack the varyings",
                partial(pack_live, self.interface),
                tuple(store for slot in slots for store in slot.stores),
                tuple(load for slot in slots for load in slot.input_loads),
            )

    @cached_property
    def plan(self) -> list[Placement]:
        """The packing after removal of dead varyings, planned on copies of the shaders that have some."""
        interface = self._without_dead_varyings()
        if isinstance(interface, Unlinkable):
            return []
        find_convergent(interface)
        return placements(interface)

    def _without_dead_varyings(self) -> Interface | Unlinkable:
        producer, consumer = self.interface.producer, self.interface.consumer
        linkage = link(producer, consumer)
        if isinstance(linkage, Unlinkable):
            return linkage
        sides = {action.access.kind is AccessKind.INPUT_LOAD for action in dead_varyings(linkage)}
        if not sides:
            return self.interface
        if False in sides:
            producer = clone_shader(producer)
        if True in sides:
            consumer = clone_shader(consumer)
        remove_dead(producer, consumer, LinkProgress())
        return read_interface(producer, consumer, self.interface.options)


def _fewer(slots: Sequence[ScalarSlot]) -> str:
    saved = _saved(slots)
    return f" ({counted(saved, 'varying')} fewer)" if saved else ""


def _saved(slots: Sequence[ScalarSlot]) -> int:
    """Return the gain of not sending some slots; a store that stays for transform feedback is none."""
    return sum(not slot.captured for slot in slots)


def _name(slot: ScalarSlot) -> str:
    return short_name(slot.location, slot.component)


def _names(slots: Iterable[ScalarSlot]) -> str:
    """Name scalars, those of one vec4 slot together: `VAR0.xyz, VAR2.w`."""
    return ", ".join(_slot_names(slots))


def _slot_names(slots: Iterable[ScalarSlot]) -> list[str]:
    names: dict[str, dict[str, None]] = {}
    for slot in slots:
        location, _, component = _name(slot).partition(".")
        names.setdefault(location, {})[component] = None
    return [f"{location}.{''.join(components)}" for location, components in names.items()]


def _how_derived(derivation: Derivation, consumer_word: str) -> str:
    """Return the message: the values sent, and the outputs that the consumer can compute from them."""
    outputs = _names(output.slot for output in derivation.outputs)
    sent = _names(output.slot for output in derivation.sent.values())
    verb = "depends" if len(derivation.outputs) == 1 else "depend"
    if not set(derivation.sent.values()) & set(derivation.outputs):
        return (
            f"{outputs} {verb} only on {sent} and uniforms: the {consumer_word} can compute the rest itself"
            f" ({counted(len(derivation.removed), 'varying')} fewer, cost {derivation.exchange.cost})"
        )
    value = ", ".join(f"%{scalar.value.index}" for scalar in derivation.sent)
    before, after = len(derivation.involved), len(derivation.sent)
    return (
        f"{outputs} {verb} only on {value} and uniforms: send that as {sent}, and the {consumer_word} can"
        f" compute all of them ({counted(before, 'varying')} become {after}, cost {derivation.exchange.cost})"
    )


def move_all(interface: Interface) -> None:
    """Carry out all motions that are possible one after another."""
    find_convergent(interface)
    for motion in motions(interface):
        carry_out(interface, motion)


def derive_all(interface: Interface) -> None:
    """Carry out all derivations that are possible one after another."""
    find_convergent(interface)
    for derivation in derivations(interface):
        derive(interface, derivation)


def pack_live(interface: Interface) -> None:
    """Remove dead varyings, then pack the others."""
    producer, consumer, options = interface.producer, interface.consumer, interface.options
    remove_dead(producer, consumer, interface.progress)
    live = read_interface(producer, consumer, options, interface.progress)
    if not isinstance(live, Unlinkable):
        find_convergent(live)
        pack(live)
