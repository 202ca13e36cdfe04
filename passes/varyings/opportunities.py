"""What `opt_varyings` could do to a pair of stages, as findings: one for each opportunity and step.

The steps' own searches say what there is; a fix does to copies of the shaders what the step would do to that
one slot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.finding import Change, Finding, FindingCode, Fix, Place, Related
from nirls.passes.varyings.accesses import Unlinkable
from nirls.passes.varyings.backward_motion import Motion, carry_out, motions
from nirls.passes.varyings.codes import (
    CONVERGENT_OUTPUT,
    DERIVABLE_OUTPUT,
    DUPLICATE_OUTPUT,
    MOVABLE_EXPRESSION,
    OPT_VARYINGS,
    PACKING,
    PROPAGATABLE_OUTPUT,
)
from nirls.passes.varyings.convergence import find_convergent
from nirls.passes.varyings.deduplicate import deduplicate_slot, duplicates
from nirls.passes.varyings.forward_motion import Derivation, derivations
from nirls.passes.varyings.forward_motion import carry_out as derive
from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.link_pair import remove_dead
from nirls.passes.varyings.packing import pack, placements
from nirls.passes.varyings.per_vertex_motion import VertexMove
from nirls.passes.varyings.propagate import propagatable, propagate_slot
from nirls.passes.varyings.relocate import read_flat
from nirls.passes.varyings.rules import short_name
from nirls.passes.varyings.scalar_slots import (
    HALVES,
    Interface,
    Progress,
    ScalarSlot,
    read_interface,
)
from nirls.passes.varyings.uniform_variables import UniformVariables

RunAll = Callable[[Sequence[Shader]], list[Shader]]
_Step = Callable[[Interface, UniformVariables, "int | None"], None]

_EVERY = {
    PROPAGATABLE_OUTPUT.code: "Propagate all such outputs",
    DUPLICATE_OUTPUT.code: "Remove all duplicate outputs",
    CONVERGENT_OUTPUT.code: "Read all such inputs flat",
    MOVABLE_EXPRESSION.code: "Move all such expressions",
    DERIVABLE_OUTPUT.code: "Compute all such outputs where they are read",
}


def findings_of_pair(
    shaders: Sequence[Shader], position: int, options: LinkOptions, run_all: RunAll
) -> Iterator[Finding]:
    """The findings on stages `position` and `position + 1` of a pipeline.

    `run_all` runs the whole pass on copies of all stages.
    """
    interface = read_interface(shaders[position], shaders[position + 1], options)
    if isinstance(interface, Unlinkable):
        return
    yield from _Opportunities(list(shaders), interface, run_all).findings()


@dataclass(frozen=True, slots=True)
class _Opportunity:
    """One thing that could be done: `number` says which one to the step, `places` where it shows."""

    code: FindingCode
    number: int
    message: str
    title: str
    stores: tuple[Instr, ...]
    loads: tuple[Instr, ...]
    slot: str


class _Opportunities:
    """Searches one pair. Each slot is reported for the first step only that would take it away."""

    def __init__(self, shaders: list[Shader], interface: Interface, run_all: RunAll) -> None:
        self.shaders = shaders
        self.interface = interface
        self.run_all = run_all
        self.producer_word = interface.producer_stage.abbreviation
        self.consumer_word = interface.consumer_stage.abbreviation
        self.variables = UniformVariables(interface.producer, interface.consumer, interface.options)

    def findings(self) -> Iterator[Finding]:
        options = self.interface.options
        taken: set[int] = set()
        steps: list[tuple[bool, Callable[[set[int]], Iterable[_Opportunity]], _Step]] = [
            (options.propagate, self._propagatable, _propagate),
            (options.deduplicate, self._duplicates, _deduplicate),
            (options.move_code, self._movable, _move),
            (options.move_forward, self._derivable, _derive),
            (options.pack, self._convergent, _flatten),
        ]
        for wanted, search, step in steps:
            if not wanted:
                continue
            found = list(search(taken))
            for opportunity in found:
                yield from self._report(opportunity, step, len(found) > 1)
        if options.pack:
            yield from self._packing()

    def _propagatable(self, taken: set[int]) -> Iterator[_Opportunity]:
        for slot, _ in propagatable(self.interface, self.variables):
            taken.add(slot.number)
            name = _name(slot)
            yield _Opportunity(
                PROPAGATABLE_OUTPUT,
                slot.number,
                f"{name} is always the same uniform expression, which the {self.consumer_word}"
                " can compute itself",
                f"Compute {name} where it is read",
                tuple(slot.stores),
                (*slot.input_loads, *slot.output_loads),
                name,
            )

    def _duplicates(self, taken: set[int]) -> Iterator[_Opportunity]:
        for kept, slot in duplicates(self.interface):
            if slot.number in taken:
                continue
            taken.add(slot.number)
            name = _name(slot)
            yield _Opportunity(
                DUPLICATE_OUTPUT,
                slot.number,
                f"{name} always stores the same value as {_name(kept)}",
                f"Read {_name(kept)} instead of {name}",
                tuple(slot.stores),
                (*slot.input_loads, *slot.output_loads),
                name,
            )

    def _movable(self, taken: set[int]) -> Iterator[_Opportunity]:
        find_convergent(self.interface)
        for number, motion in enumerate(motions(self.interface, self.variables)):
            if any(slot.number in taken for slot in motion.slots):
                continue
            taken.update(slot.number for slot in motion.targets)
            yield _Opportunity(
                MOVABLE_EXPRESSION,
                number,
                self._what_moves(motion),
                f"Compute this in the {self.producer_word}",
                tuple(store for slot in motion.slots for store in slot.stores),
                motion.instrs,
                _names(motion.targets),
            )

    def _what_moves(self, motion: Motion) -> str:
        names, targets = _names(motion.slots), _names(motion.targets)
        others = f"and on nothing else of the {self.consumer_word}"
        if isinstance(motion, VertexMove):
            return (
                f"for each vertex this depends on {names} {others}: the {self.producer_word} can compute"
                f" it once a vertex and send the result as {targets}"
            )
        if len(motion.sent) > 1:
            return (
                f"{len(motion.sent)} values depend on {names} {others}: the {self.producer_word} can"
                f" compute them and send no more than these, as {targets}"
            )
        return (
            f"this depends on {names} {others}: the {self.producer_word} can compute it and send the"
            f" result as {targets}"
        )

    def _derivable(self, taken: set[int]) -> Iterator[_Opportunity]:
        find_convergent(self.interface)
        for number, derivation in enumerate(derivations(self.interface, self.variables)):
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
        find_convergent(self.interface)
        for slot in self.interface.in_order():
            if not slot.convergent or slot.number in taken:
                continue
            name = _name(slot)
            yield _Opportunity(
                CONVERGENT_OUTPUT,
                slot.number,
                f"{name} has the same value in all vertices of a primitive: no need to interpolate it",
                f"Read {name} flat",
                tuple(slot.stores),
                tuple(slot.input_loads),
                name,
            )

    def _report(self, opportunity: _Opportunity, step: _Step, several: bool) -> Iterator[Finding]:
        """The finding on the first store, and one on each load, related to each other."""
        store = next((instr for instr in opportunity.stores if instr.span is not None), None)
        loads = [instr for instr in opportunity.loads if instr.span is not None]
        fixes = self._fixes(opportunity, step, several)
        produced = self.interface.producer
        if store is not None and store.span is not None:
            related = tuple(
                Related(Place(self._shader_of(load), load.span), f"{opportunity.slot} is read here")
                for load in loads[:4]
                if load.span is not None
            )
            yield self._finding(opportunity, Place(produced, store.span), related, fixes)
        for load in loads:
            if load.span is None:
                continue
            origin: tuple[Related, ...] = ()
            if store is not None and store.span is not None:
                origin = (Related(Place(produced, store.span), f"{opportunity.slot} is written here"),)
            place = Place(self._shader_of(load), load.span)
            yield self._finding(opportunity, place, origin, fixes)

    def _shader_of(self, instr: Instr) -> Shader:
        name = getattr(instr, "name", "")
        is_output = name.startswith("load_") and "output" in name
        return self.interface.producer if is_output else self.interface.consumer

    def _finding(
        self, opportunity: _Opportunity, place: Place, related: tuple[Related, ...], fixes: tuple[Fix, ...]
    ) -> Finding:
        return Finding(
            opportunity.code,
            place,
            opportunity.message,
            OPT_VARYINGS,
            related=related,
            fixes=_at(place, fixes),
            data={
                "slot": opportunity.slot,
                "producer": self.producer_word,
                "consumer": self.consumer_word,
            },
        )

    def _fixes(self, opportunity: _Opportunity, step: _Step, several: bool) -> tuple[Fix, ...]:
        code = opportunity.code.code
        pair = f"{self.producer_word}-{self.consumer_word}"
        fixes = [
            Fix(
                opportunity.title,
                f"{code}:{pair}:{opportunity.number}",
                self._computing(step, opportunity.number),
                preferred=True,
            )
        ]
        if several:
            title = f"{_EVERY[code]} between {self.producer_word} and {self.consumer_word}"
            fixes.append(Fix(title, f"{code}:{pair}:all", self._computing(step, None), "all"))
        fixes.append(self._whole_pass())
        return tuple(fixes)

    def _whole_pass(self) -> Fix:
        return Fix(f"Run {OPT_VARYINGS} on the pipeline", OPT_VARYINGS, self._run_everything, "pass")

    def _run_everything(self) -> list[Change]:
        copies = [clone_shader(shader) for shader in self.shaders]
        changed = {id(shader) for shader in self.run_all(copies)}
        return [
            Change(before, after)
            for before, after in zip(self.shaders, copies, strict=True)
            if id(after) in changed
        ]

    def _computing(self, step: _Step, number: int | None) -> Callable[[], list[Change]]:
        producer, consumer, options = (
            self.interface.producer,
            self.interface.consumer,
            self.interface.options,
        )

        def compute() -> list[Change]:
            copies = clone_shader(producer), clone_shader(consumer)
            interface = read_interface(*copies, options, Progress())
            if isinstance(interface, Unlinkable):
                return []
            step(interface, UniformVariables(*copies, options), number)
            changed = interface.progress.changed
            return [
                Change(before, after)
                for before, after in zip((producer, consumer), copies, strict=True)
                if id(after) in changed
            ]

        return compute

    def _pack_everywhere(self) -> Iterator[Fix]:
        """Packing between all stages of a longer pipeline."""
        if len(self.shaders) > 2:
            title = "Pack the varyings between all stages"
            yield Fix(title, f"{PACKING.code}:all", self._pack_all_pairs, "all")

    def _pack_all_pairs(self) -> list[Change]:
        copies = [clone_shader(shader) for shader in self.shaders]
        changed: set[int] = set()
        for pair in pairwise(copies):
            interface = read_interface(*pair, self.interface.options, Progress())
            if not isinstance(interface, Unlinkable):
                _pack(interface, UniformVariables(*pair, self.interface.options), None)
                changed |= interface.progress.changed
        return [
            Change(before, after)
            for before, after in zip(self.shaders, copies, strict=True)
            if id(after) in changed
        ]

    def _packing(self) -> Iterator[Finding]:
        """Whether what is alive would fit into fewer vec4 slots; one finding on each side."""
        producer, consumer = self.interface.producer, self.interface.consumer
        copies = clone_shader(producer), clone_shader(consumer)
        remove_dead(*copies, Progress())
        interface = read_interface(*copies, self.interface.options)
        if isinstance(interface, Unlinkable):
            return
        find_convergent(interface)
        plan = placements(interface)
        before = {placement.slot.location for placement in plan}
        after = {placement.number // HALVES for placement in plan}
        if len(after) >= len(before):
            return
        message = (
            f"{_count(len(plan), 'varying')} in {_count(len(before), 'vec4 slot')}"
            f" fit in {len(after)} ({', '.join(short_name(location) for location in sorted(after))})"
        )
        fixes = (
            Fix(
                "Pack the varyings",
                f"{PACKING.code}:{self.producer_word}-{self.consumer_word}",
                self._computing(_pack, None),
                preferred=True,
            ),
            *self._pack_everywhere(),
            self._whole_pass(),
        )
        moved = [placement.slot for placement in plan if placement.number != placement.slot.number]
        places = [
            _first_place(producer, (store for slot in moved for store in slot.stores)),
            _first_place(consumer, (load for slot in moved for load in slot.input_loads)),
        ]
        for place, other in (places, reversed(places)):
            if place is None:
                continue
            related = () if other is None else (Related(other, "the other side of the interface"),)
            yield Finding(
                PACKING,
                place,
                message,
                OPT_VARYINGS,
                related=related,
                fixes=_at(place, fixes),
                data={
                    "scalars": len(plan),
                    "slots_before": len(before),
                    "slots_after": len(after),
                    "producer": self.producer_word,
                    "consumer": self.consumer_word,
                },
            )


def _at(place: Place, fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """The fixes of a finding at a place. Those for one finding are told apart by it; others are the same

    wherever they are offered.
    """
    return tuple(
        replace(fix, key=f"{fix.key}:{place.span.start}") if fix.kind == "one" else fix for fix in fixes
    )


def _name(slot: ScalarSlot) -> str:
    return short_name(slot.location, slot.component)


def _names(slots: Iterable[ScalarSlot]) -> str:
    return ", ".join(map(_name, slots))


def _how_derived(derivation: Derivation, consumer_word: str) -> str:
    """What is sent now and would be, and what the consumer would compute."""
    outputs = _names(output.slot for output in derivation.outputs)
    sent = _names(output.slot for output in derivation.sent.values())
    verb = "depends" if len(derivation.outputs) == 1 else "depend"
    if not set(derivation.sent.values()) & set(derivation.outputs):
        return (
            f"{outputs} {verb} on {sent} and uniforms only, which the {consumer_word} reads anyway:"
            " it can compute the rest itself"
        )
    value = ", ".join(f"%{scalar.value.index}" for scalar in derivation.sent)
    return (
        f"{outputs} {verb} on {value} and uniforms only: send that as {sent}, and the {consumer_word} can"
        " compute all of them itself"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _first_place(shader: Shader, instrs: Iterable[Instr]) -> Place | None:
    spans = [instr.span for instr in instrs if instr.span is not None]
    return Place(shader, min(spans)) if spans else None


def _propagate(interface: Interface, variables: UniformVariables, number: int | None) -> None:
    for slot, value in list(propagatable(interface, variables)):
        if number is None or slot.number == number:
            propagate_slot(interface, variables, slot, value)


def _deduplicate(interface: Interface, variables: UniformVariables, number: int | None) -> None:
    for kept, slot in list(duplicates(interface)):
        if number is None or slot.number == number:
            deduplicate_slot(interface, kept, slot)


def _move(interface: Interface, variables: UniformVariables, number: int | None) -> None:
    find_convergent(interface)
    for position, motion in enumerate(motions(interface, variables)):
        if number is None or position == number:
            carry_out(interface, variables, motion)


def _derive(interface: Interface, variables: UniformVariables, number: int | None) -> None:
    find_convergent(interface)
    for position, derivation in enumerate(derivations(interface, variables)):
        if number is None or position == number:
            derive(interface, variables, derivation)


def _flatten(interface: Interface, variables: UniformVariables, number: int | None) -> None:
    find_convergent(interface)
    for slot in interface.in_order():
        if slot.convergent and (number is None or slot.number == number):
            read_flat(interface, slot)


def _pack(interface: Interface, variables: UniformVariables, number: int | None) -> None:
    producer, consumer, options = interface.producer, interface.consumer, interface.options
    remove_dead(producer, consumer, interface.progress)
    live = read_interface(producer, consumer, options, interface.progress)
    if not isinstance(live, Unlinkable):
        find_convergent(live)
        pack(live)
