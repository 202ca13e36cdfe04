"""Findings of `opt_varyings` on a pair of stages: one for each opportunity and step.

The searches of the steps find the opportunities; a fix carries out one step on one slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.finding import (
    MOST_RELATED,
    Finding,
    FindingCode,
    Fix,
    Place,
    Related,
    Severity,
    counted,
    listed,
    severity_of_gain,
)
from nirls.ir.io.access import AccessKind
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import Instr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.passes.cleanup.opt_dce import dead_instrs, opt_dce
from nirls.passes.varyings.dead_io_plan import plan as dead_varyings
from nirls.passes.varyings.interface.accesses import Unlinkable, link
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.reader import read_interface
from nirls.passes.varyings.interface.rules import short_name, stages_name
from nirls.passes.varyings.interface.scalar_slots import (
    HALVES,
    Interface,
    LinkProgress,
    PackingGroup,
    ScalarSlot,
)
from nirls.passes.varyings.link_pair import remove_dead
from nirls.passes.varyings.motion.backward_motion import Motion, carry_out, motions
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.motion.deduplicate import deduplicate, duplicates
from nirls.passes.varyings.motion.forward_motion import Derivation, derivations
from nirls.passes.varyings.motion.forward_motion import carry_out as derive
from nirls.passes.varyings.motion.gains import MotionGain, gain_of
from nirls.passes.varyings.motion.per_vertex_motion import VertexMove
from nirls.passes.varyings.motion.propagate import propagatable, propagate, too_costly, uniform_expression
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

_KEY = re.compile(r"(?P<code>[a-z-]+):(?:(?P<pair>\w+-\w+):)?(?:all|(?P<number>-?\d{1,9}):\d+)")
WHOLE_PASS = "opt_varyings"
"""The key of the fix that runs the whole pass."""

_EVERY = {
    PROPAGATABLE_OUTPUT.code: "Propagate all such outputs",
    DUPLICATE_OUTPUT.code: "Remove all duplicate outputs",
    CONVERGENT_OUTPUT.code: "Read all such inputs flat",
    MOVABLE_EXPRESSION.code: "Move all such expressions",
    DERIVABLE_OUTPUT.code: "Compute all such outputs where they are read",
}


def findings_of_pair(shaders: Sequence[Shader], position: int, options: LinkOptions) -> Iterator[Finding]:
    """Yield the findings on stages `position` and `position + 1` of a pipeline."""
    pair = _without_dead_code(shaders[position]), _without_dead_code(shaders[position + 1])
    if isinstance(options.link(*pair), Unlinkable):
        return
    interface = read_interface(*pair, options)
    if not isinstance(interface, Unlinkable):
        yield from _Opportunities(len(shaders), position, interface).findings()


@cached_analysis
def _without_dead_code(shader: Shader) -> Shader:
    """Return a copy without dead code, which decides nothing; the shader itself if it has none."""
    if not any(dead_instrs(impl) for impl in shader.impls()):
        return shader
    copy = clone_shader(shader)
    opt_dce(copy)
    return copy


def apply_fix(shaders: Sequence[Shader], key: str, options: LinkOptions) -> Iterator[Shader]:
    """Apply the fix of a finding in place; yield the changed shaders.

    Keys are CODE:PAIR:NUMBER:PLACE for one opportunity, CODE:PAIR:all for all of a kind between two stages,
    and CODE:all for all of a kind between all stages.
    """
    asked = _KEY.fullmatch(key)
    if asked is None or asked["code"] not in _STEPS:
        return
    for pair in pairwise(shaders):
        if isinstance(options.link(*pair), Unlinkable):
            continue
        for shader in pair:
            opt_dce(shader)
        interface = read_interface(*pair, options, LinkProgress())
        if isinstance(interface, Unlinkable) or asked["pair"] not in (None, _pair_of(interface)):
            continue
        number = None if asked["number"] is None else int(asked["number"])
        _STEPS[asked["code"]](interface, number)
        yield from (shader for shader in pair if id(shader) in interface.progress.changed)


def _pair_of(interface: Interface) -> str:
    return stages_name(interface.producer_stage, interface.consumer_stage)


@dataclass(frozen=True, slots=True)
class _Opportunity:
    """A possible optimization.

    `number` identifies it to its step. It is reported once: at the first of `stores`, or with `at_load` at
    the first of `loads`.
    """

    code: FindingCode
    number: int
    message: str
    title: str
    stores: tuple[Instr, ...]
    loads: tuple[Instr, ...]
    slot: str
    data: Mapping[str, object] = field(default_factory=dict)
    at_load: bool = False
    severity: Severity | None = None


class _Opportunities:
    """Opportunities in one pair. A slot is reported only for the first step that would remove it."""

    def __init__(self, stages: int, position: int, interface: Interface) -> None:
        self.stages = stages
        self.position = position
        self.interface = interface
        self.producer_word = interface.producer_stage.abbreviation
        self.consumer_word = interface.consumer_stage.abbreviation

    def findings(self) -> Iterator[Finding]:
        options = self.interface.options
        taken: set[int] = set()
        steps: list[tuple[bool, Callable[[set[int]], Iterable[_Opportunity]]]] = [
            (options.propagate, self._propagatable),
            (options.propagate, self._costly),
            (options.deduplicate, self._duplicates),
            (options.move_code, self._movable),
            (options.move_forward, self._derivable),
            (options.pack, self._convergent),
        ]
        for wanted, search in steps:
            found = list(search(taken)) if wanted else []
            for opportunity in found:
                # The fix of one convergent output packs, and so makes all of them flat.
                several = len(found) > 1 and opportunity.code is not CONVERGENT_OUTPUT
                yield from self._report(opportunity, several)
        if options.pack:
            yield from self._packing()

    def _propagatable(self, taken: set[int]) -> Iterator[_Opportunity]:
        for slot, value in propagatable(self.interface):
            taken.add(slot.number)
            name = _name(slot)
            yield _Opportunity(
                PROPAGATABLE_OUTPUT,
                slot.number,
                f"{name} {self._what_propagates(value)}{_fewer(slot)}",
                f"Compute {name} where it is read",
                tuple(slot.stores),
                (*slot.input_loads, *slot.output_loads),
                name,
                {"expression": self._text(value)},
            )

    def _what_propagates(self, value: Def) -> str:
        text = self._text(value)
        if isinstance(value.instr, LoadConstInstr):
            return f"is the constant {text}: the {self.consumer_word} can use it"
        cost, limit = uniform_expression(value, self.interface.variables), self.interface.options.cost_limit
        within = "" if limit is None else f" of {limit}"
        return (
            f"depends only on uniforms ({text}, cost {cost}{within}): the {self.consumer_word} can compute it"
        )

    def _text(self, value: Def) -> str:
        return expression_text(value, self.interface.producer_stage)

    def _costly(self, taken: set[int]) -> Iterator[_Opportunity]:
        """Yield the outputs that only the cost limit keeps; later steps may still remove them."""
        driver = self.interface.options.applied
        for slot, value, obstacle in too_costly(self.interface):
            name, cost, limit = _name(slot), obstacle.cost, obstacle.limit
            whose = (
                f" of {driver.profile.name}" if driver is not None and limit == self._profile_limit() else ""
            )
            yield _Opportunity(
                COSTLY_OUTPUT,
                slot.number,
                f"{name} depends only on uniforms ({self._text(value)}), but its cost {cost} is over the"
                f" limit{whose}, {limit}: the {self.consumer_word} does not compute it",
                "",
                tuple(slot.stores),
                tuple(slot.input_loads),
                name,
                {"cost": cost, "limit": limit},
            )

    def _profile_limit(self) -> int | None:
        """The cost limit of the driver profile for this pair."""
        driver = self.interface.options.applied
        return None if driver is None else driver.profile.cost_limits.value.into(self.interface.consumer)

    def _duplicates(self, taken: set[int]) -> Iterator[_Opportunity]:
        for kept, slot in duplicates(self.interface):
            if slot.number in taken:
                continue
            taken.add(slot.number)
            name = _name(slot)
            yield _Opportunity(
                DUPLICATE_OUTPUT,
                slot.number,
                f"{name} always stores the same value as {_name(kept)}{_fewer(slot)}",
                f"Read {_name(kept)} instead of {name}",
                tuple(slot.stores),
                (*slot.input_loads, *slot.output_loads),
                name,
            )

    def _movable(self, taken: set[int]) -> Iterator[_Opportunity]:
        find_convergent(self.interface)
        for number, motion in enumerate(motions(self.interface)):
            if any(slot.number in taken for slot in motion.slots):
                continue
            taken.update(slot.number for slot in motion.targets)
            gain = gain_of(self.interface, motion)
            yield _Opportunity(
                MOVABLE_EXPRESSION,
                number,
                self._what_moves(motion, gain),
                f"Move the expression to the {self.producer_word}",
                tuple(store for slot in motion.slots for store in slot.stores),
                motion.instrs,
                _names(motion.targets),
                {"expressions": self._expressions(motion), **asdict(gain)},
                at_load=True,
                severity=severity_of_gain(gain.saved),
            )

    def _what_moves(self, motion: Motion, gain: MotionGain) -> str:
        varyings = f"{counted(gain.varyings_before, 'varying')} become {gain.varyings_after}"
        if gain.varyings_before == gain.varyings_after:
            varyings = f"{counted(gain.varyings_before, 'varying')} as before"
        code = (
            f"{self.consumer_word} {gain.instructions_before} -> {gain.instructions_after} ALU instructions"
        )
        uses = f"only {listed([_name(slot) for slot in motion.slots])} ({varyings}, {code})"
        if isinstance(motion, VertexMove):
            return f"the {self.producer_word} can compute this once a vertex: it uses {uses}"
        if len(motion.sent) > 1:
            return f"the {self.producer_word} can compute these {len(motion.sent)} values: they use {uses}"
        return f"the {self.producer_word} can compute this: it uses {uses}"

    def _expressions(self, motion: Motion) -> list[str]:
        values = (instr.def_ for instr in motion.instrs)
        return [expression_text(one, self.interface.consumer_stage) for one in values if one is not None]

    def _derivable(self, taken: set[int]) -> Iterator[_Opportunity]:
        find_convergent(self.interface)
        for number, derivation in enumerate(derivations(self.interface)):
            slots = [output.slot for output in derivation.involved]
            if any(slot.number in taken for slot in slots):
                continue
            taken.update(slot.number for slot in slots)
            outputs = [output.slot for output in derivation.outputs]
            removed = _names(output.slot for output in derivation.removed)
            yield _Opportunity(
                DERIVABLE_OUTPUT,
                number,
                _how_derived(derivation, self.consumer_word),
                f"Do not send {removed}, and compute {_names(outputs)} in the {self.consumer_word}",
                tuple(store for slot in outputs for store in slot.stores),
                tuple(load for slot in outputs for load in slot.input_loads),
                _names(outputs),
            )

    def _convergent(self, taken: set[int]) -> Iterator[_Opportunity]:
        """Yield the convergent inputs that packing puts into a flat vec4."""
        flat = {one.slot.number for one in self._plan if one.slot.convergent and _is_flat(one)}
        for slot in self.interface.in_order():
            if slot.number not in flat or slot.number in taken:
                continue
            name = _name(slot)
            yield _Opportunity(
                CONVERGENT_OUTPUT,
                slot.number,
                f"{name} has the same value in all vertices of a primitive: no need to interpolate it",
                f"Read {name} flat, and pack the varyings",
                tuple(slot.stores),
                tuple(slot.input_loads),
                name,
            )

    def _report(self, opportunity: _Opportunity, several: bool) -> Iterator[Finding]:
        """Yield one finding, at the cause; the other stores and loads are related places."""
        stores = [Place.of(one.span, self.position) for one in opportunity.stores if one.span is not None]
        loads = [
            Place.of(load.span, self._dump_of(load)) for load in opportunity.loads if load.span is not None
        ]
        if opportunity.at_load:
            places = [
                *((place, "the same expression") for place in loads),
                *((place, "a source of the expression is written here") for place in stores),
            ]
        else:
            places = [
                *((place, f"{opportunity.slot} is written here") for place in stores),
                *((place, f"{opportunity.slot} is read here") for place in loads),
            ]
        if places:
            (cause, _), *others = places
            related = [Related(*other, is_site=True) for other in others[:MOST_RELATED]]
            yield self._finding(opportunity, cause, related, several)

    def _dump_of(self, load: Instr) -> int:
        name = getattr(load, "name", "")
        is_output = name.startswith("load_") and "output" in name
        return self.position if is_output else self.position + 1

    def _finding(
        self, opportunity: _Opportunity, place: Place, related: Iterable[Related], several: bool
    ) -> Finding:
        return opportunity.code.at(
            place,
            opportunity.message,
            related=related,
            fixes=self._fixes(opportunity, place, several),
            data={
                "slot": opportunity.slot,
                "producer": self.producer_word,
                "consumer": self.consumer_word,
                **opportunity.data,
            },
            severity=opportunity.severity,
        )

    def _fixes(self, opportunity: _Opportunity, place: Place, several: bool) -> Iterator[Fix]:
        code = opportunity.code.code
        if code not in _EVERY:
            return
        key = f"{code}:{_pair_of(self.interface)}"
        yield Fix(opportunity.title, f"{key}:{opportunity.number}:{place.start}", preferred=True)
        if several:
            title = f"{_EVERY[code]} between {self.producer_word} and {self.consumer_word}"
            yield Fix(title, f"{key}:all", "all")
        yield _RUN_WHOLE_PASS

    @cached_property
    def _plan(self) -> list[Placement]:
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

    def _packing(self) -> Iterator[Finding]:
        """Yield a finding, on the first store that moves, if the live varyings need fewer vec4 slots."""
        plan = self._plan
        before = {placement.slot.location for placement in plan}
        after = {placement.number // HALVES for placement in plan}
        if len(after) >= len(before):
            return
        names = map(short_name, sorted(after))
        message = (
            f"{counted(len(plan), 'scalar')} {'uses' if len(plan) == 1 else 'use'}"
            f" {counted(len(before), 'vec4 slot')}; they fit in {len(after)} ({', '.join(names)})"
        )
        moved = [placement.slot for placement in plan if placement.number != placement.slot.number]
        store = _first_place(self.position, (store for slot in moved for store in slot.stores))
        load = _first_place(self.position + 1, (load for slot in moved for load in slot.input_loads))
        place = store or load
        if place is not None:
            other = None if load == place else load
            yield PACKING.at(
                place,
                message,
                related=()
                if other is None
                else (Related(other, "the other side of the interface", is_site=True),),
                fixes=self._packing_fixes(place),
                data={
                    "scalars": len(plan),
                    "slots_before": len(before),
                    "slots_after": len(after),
                    "producer": self.producer_word,
                    "consumer": self.consumer_word,
                },
            )

    def _packing_fixes(self, place: Place) -> Iterator[Fix]:
        pair = _pair_of(self.interface)
        yield Fix("Pack the varyings", f"{PACKING.code}:{pair}:0:{place.start}", preferred=True)
        if self.stages > 2:
            yield Fix("Pack the varyings between all stages", f"{PACKING.code}:all", "all")
        yield _RUN_WHOLE_PASS


_RUN_WHOLE_PASS = Fix("Run opt_varyings on the pipeline", WHOLE_PASS, "pass")


def _fewer(slot: ScalarSlot) -> str:
    """Return the gain of not sending a slot; none if its store stays for transform feedback."""
    return "" if slot.captured else " (1 varying fewer)"


def _is_flat(placement: Placement) -> bool:
    return placement.category is not None and placement.category.group is PackingGroup.FLAT


def _name(slot: ScalarSlot) -> str:
    return short_name(slot.location, slot.component)


def _names(slots: Iterable[ScalarSlot]) -> str:
    return ", ".join(map(_name, slots))


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


def _first_place(dump: int, instrs: Iterable[Instr]) -> Place | None:
    spans = [instr.span for instr in instrs if instr.span is not None]
    return Place.of(min(spans), dump) if spans else None


def _move(interface: Interface, number: int | None) -> None:
    find_convergent(interface)
    for position, motion in enumerate(motions(interface)):
        if number is None or position == number:
            carry_out(interface, motion)


def _derive(interface: Interface, number: int | None) -> None:
    find_convergent(interface)
    for position, derivation in enumerate(derivations(interface)):
        if number is None or position == number:
            derive(interface, derivation)


def _pack(interface: Interface, number: int | None) -> None:
    producer, consumer, options = interface.producer, interface.consumer, interface.options
    remove_dead(producer, consumer, interface.progress)
    live = read_interface(producer, consumer, options, interface.progress)
    if not isinstance(live, Unlinkable):
        find_convergent(live)
        pack(live)


_STEPS: dict[str, Callable[[Interface, int | None], None]] = {
    PROPAGATABLE_OUTPUT.code: propagate,
    DUPLICATE_OUTPUT.code: deduplicate,
    MOVABLE_EXPRESSION.code: _move,
    DERIVABLE_OUTPUT.code: _derive,
    CONVERGENT_OUTPUT.code: _pack,
    PACKING.code: _pack,
}
