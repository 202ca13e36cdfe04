"""Step 6: stop sending outputs that the consumer can compute from fewer values.

This is the dual of backward motion: in the value graph of the producer, find the fewest scalars that all
outputs of a kind can be computed from (a minimum cut). They are sent in the slots of some of these outputs,
and the consumer computes the others. Where it would become slower, fewer outputs are computed.

Mesa has only a draft of this step ("forward inter-shader code motion" in the varying-linking design). The
rules for moving code across interpolation are those of backward motion. The operands of the values stay the
same, so backward motion, which has run before, finds nothing to move back.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from nirls.ir.analysis.divergence import DivergenceInfo
from nirls.ir.analysis.dominance import DominatorTree, dominance
from nirls.ir.finding import counted
from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.control_flow import is_in_loop
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, PhiInstr
from nirls.ir.model.values import Def
from nirls.passes.dead_code import remove_unread, remove_with_its_sources
from nirls.passes.varyings.interface.costs import (
    INTERPOLATED_LOAD_COST,
    LOAD_COST,
    Exchange,
    instruction_cost,
)
from nirls.passes.varyings.interface.decisions import Fate, Step, StepObstacle
from nirls.passes.varyings.interface.scalar_slots import Interface, ScalarSlot
from nirls.passes.varyings.motion.convergence import divergence_of_vertices
from nirls.passes.varyings.motion.movability import Movability, ReadAs, ReadMode, makes_float
from nirls.passes.varyings.motion.movable_outputs import (
    LoadSite,
    MovableOutput,
    heads_of,
    movable_outputs,
    sites_of,
)
from nirls.passes.varyings.motion.output_graph import OutputChoice, OutputGraph, Scalar, Weights, cone_between
from nirls.passes.varyings.motion.slot_accesses import move_access, retire_stores
from nirls.passes.varyings.values.expression_text import expression_text
from nirls.passes.varyings.values.minimum_cut import one_each
from nirls.passes.varyings.values.transfer import copy_value

_MUCH = 1 << 20
"""A price that no sum of others reaches."""


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """Outputs to compute in the consumer, and the scalars to send, each with the output whose slot it takes.

    A scalar may be the value that its output stores already, which is then sent as before.
    """

    outputs: tuple[MovableOutput, ...]
    sent: dict[Scalar, MovableOutput]
    exchange: Exchange

    @property
    def removed(self) -> list[MovableOutput]:
        """The outputs that are no longer sent in any form."""
        return [output for output in self.outputs if output not in self.sent.values()]

    @property
    def involved(self) -> list[MovableOutput]:
        """All outputs that the derivation changes or relies on."""
        return list(dict.fromkeys((*self.sent.values(), *self.outputs)))


@dataclass(frozen=True, slots=True)
class Solution:
    """A choice for some outputs, and its independent parts: the outputs, and their derivation if accepted."""

    choice: OutputChoice
    parts: list[tuple[list[MovableOutput], Derivation | None]]

    def price(self, weights: Weights) -> int:
        return self.choice.halves * weights.half + self.choice.units * weights.unit

    @property
    def derivations(self) -> list[Derivation]:
        return [found for _, found in self.parts if found is not None]

    @property
    def is_accepted(self) -> bool:
        """Whether the cost model accepts every part that changes something."""
        return all(found is not None or len(part) == 1 for part, found in self.parts)


def move_forward(interface: Interface) -> None:
    """Send fewer scalars until no derivation is left. Each round removes a varying, so this ends."""
    moving = True
    while moving:
        moving = False
        for derivation in derivations(interface):
            carry_out(interface, derivation)
            moving = True


def derivations(interface: Interface) -> list[Derivation]:
    """Return the possible derivations, which do not conflict with each other."""
    return list(ForwardSearch(interface).derivations())


class ForwardSearch:
    """Search for derivations in a pair of shaders."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.uniform = Movability({}, interface.variables)
        self.outputs = [
            output
            for output in movable_outputs(interface)
            if output.scalar.value.instr is not None and not self.is_uniform(output.scalar.value.instr)
        ]

    def is_uniform(self, instr: Instr) -> bool:
        """Whether an instruction is part of an expression of constants, uniforms and UBO loads."""
        return self.uniform.read_as(instr) is ReadMode.CONVERGENT

    def derivations(self) -> Iterator[Derivation]:
        by_kind: dict[Hashable, list[MovableOutput]] = {}
        for output in self.outputs:
            by_kind.setdefault(output.kind, []).append(output)
        for outputs in by_kind.values():
            if len(outputs) > 1:
                yield from self._for_kind(outputs)

    def _for_kind(self, outputs: list[MovableOutput]) -> Iterator[Derivation]:
        """Yield the derivations that send least; where the consumer would become slower, less of them."""
        load = INTERPOLATED_LOAD_COST if isinstance(outputs[0].read_as, Interpolation) else LOAD_COST
        for part, derivation in self._solve(outputs, Weights(_MUCH, 1, load)).parts:
            if derivation is not None:
                yield derivation
            elif len(part) > 1:
                yield from self._cheaper(part, load)

    def _cheaper(self, outputs: list[MovableOutput], load: int) -> list[Derivation]:
        """Return the derivations that send least among those that the cost model accepts.

        These are corners of the lower hull of all choices by halves sent and cost, found by bisection between
        the one that sends least and the one that costs least.
        """
        least = self._solve(outputs, Weights(_MUCH, 1, load))
        accepted = self._solve(outputs, Weights(1, _MUCH, load))
        while True:
            more = accepted.choice.halves - least.choice.halves
            saved = least.choice.units - accepted.choice.units
            if more <= 0 or saved <= 0:
                break
            weights = Weights(saved, more, load)
            between = self._solve(outputs, weights)
            if between.price(weights) >= least.price(weights):
                break
            if between.is_accepted:
                accepted = between
            else:
                least = between
        return accepted.derivations

    def _solve(self, outputs: list[MovableOutput], weights: Weights) -> Solution:
        """Return the cheapest choice where every sent scalar has a slot and no expression is too costly."""
        stored: dict[Scalar, MovableOutput] = {}
        places: dict[Scalar, set[LoadSite]] = {}
        heads = heads_of([site for output in outputs for site in output.sites], lambda: self._dominators)
        for output in outputs:
            stored.setdefault(output.scalar, output)
            places.setdefault(output.scalar, set()).update(heads[site] for site in output.sites)
        graph = OutputGraph(
            places,
            self.is_uniform,
            lambda instr: self._may_compute(instr, outputs[0].read_as),
            lambda scalar: self._may_be_sent(scalar, outputs[0]),
        )
        kept: set[Scalar] = set()
        unsent: set[Scalar] = set()
        while True:
            choice = graph.cheapest(weights, kept, unsent)
            beyond = {
                scalar
                for scalar in choice.computed & stored.keys()
                if self._cone(stored[scalar], choice.sent) is None
            }
            if beyond:
                kept |= beyond
                continue
            targets = self._targets(outputs, stored, graph, choice)
            if isinstance(targets, dict):
                break
            unsent |= targets
        parts = []
        for part in graph.parts(choice):
            members = [output for output in outputs if output.scalar in part]
            sent = {scalar: output for scalar, output in targets.items() if scalar in part}
            gone = [output for output in members if sent.get(output.scalar) is not output]
            parts.append((members, self._derivation(gone, sent) if gone else None))
        return Solution(choice, parts)

    def _targets(
        self,
        outputs: list[MovableOutput],
        stored: Mapping[Scalar, MovableOutput],
        graph: OutputGraph,
        choice: OutputChoice,
    ) -> dict[Scalar, MovableOutput] | set[Scalar]:
        """Return the output whose slot each scalar takes; else the scalars that have none.

        A scalar that an output stores stays there. Others take slots of outputs computed from them, where
        they are defined before the store.
        """
        targets = {scalar: stored[scalar] for scalar in stored if scalar in choice.sent}
        below: dict[Scalar, list[MovableOutput]] = {}
        for output in outputs:
            if targets.get(output.scalar) is not output:
                for scalar in graph.ends(output.scalar, choice):
                    below.setdefault(scalar, []).append(output)
        new = [scalar for scalar in below if scalar not in targets]
        slots = [[output for output in below[scalar] if self._may_hold(output, scalar)] for scalar in new]
        found = one_each(slots)
        if found is None:
            return {scalar for scalar, held in zip(new, slots, strict=True) if not held} or {new[-1]}
        return targets | dict(zip(new, found, strict=True))

    def _may_compute(self, instr: AluInstr, read_as: ReadAs) -> bool:
        """Whether computing from operands that are read in a way gives what would be read of the result."""
        inputs = {
            maker: ReadMode.CONVERGENT if self.is_uniform(maker) else read_as
            for src in instr.sources
            if (maker := src.def_instr) is not None
        }
        return Movability(inputs, self.interface.variables).read_as(instr) == read_as

    def _may_be_sent(self, scalar: Scalar, output: MovableOutput) -> bool:
        """Whether a scalar can be read in the same way as the outputs of a kind."""
        value = scalar.value
        maker = value.instr
        if maker is None or value.bit_size not in (16, 32):
            return False
        if value.bit_size == 16 and not self.interface.options.supports_16bit_io:
            return False
        if output.read_as is not ReadMode.CONVERGENT or not self.interface.feeds_fragments:
            return True
        # Packing may put it into an interpolated vec4, so it must be a float.
        store = output.slot.stores[0]
        if not isinstance(maker, AluInstr) or not makes_float(maker) or maker.block is None:
            return False
        steady = maker.block is store.block or not is_in_loop(maker.block)
        return steady and not self._divergence.is_divergent(value)

    @cached_property
    def _dominators(self) -> DominatorTree:
        return dominance(self.interface.consumer_impl)

    @cached_property
    def _divergence(self) -> DivergenceInfo:
        return divergence_of_vertices(self.interface.producer)

    def _may_hold(self, output: MovableOutput, scalar: Scalar) -> bool:
        """Whether a scalar may be sent in the slot of an output.

        An output that transform feedback captures, or that fixed hardware or the producer itself reads, must
        keep its value.
        """
        slot = output.slot
        if slot.bit_size != scalar.value.bit_size:
            return False
        if output.scalar == scalar:
            return True
        if slot.captured or slot.output_loads:
            return False
        return not any(map(self.interface.feeds_fixed_hardware, slot.stores))

    def _may_move(self, output: MovableOutput, sent: Iterable[Scalar]) -> bool:
        """Whether computing an output from the sent values gives the same before and after sending."""
        makers = [scalar.value.instr for scalar in sent]
        top = output.scalar.value.instr
        if top is None or None in makers:
            return False
        inputs = {maker: output.read_as for maker in makers if maker is not None}
        return Movability(inputs, self.interface.variables).read_as(top) == output.read_as

    def _derivation(
        self, outputs: list[MovableOutput], sent: dict[Scalar, MovableOutput]
    ) -> Derivation | None:
        """Return the derivation if it is allowed and profitable, else None."""
        cones: dict[LoadSite, dict[Instr, None]] = {}
        for output in outputs:
            cone = self._cone(output, sent)
            if cone is None:
                return None
            for site in output.sites:
                cones.setdefault(site, {}).update(dict.fromkeys(cone))
        changed = dict.fromkeys((*sent.values(), *outputs))
        heads = heads_of([site for output in changed for site in output.sites], lambda: self._dominators)
        loads = sum(len(output.sites) for output in changed)
        for target in sent.values():
            kept = () if target in outputs else target.sites
            loads -= len({heads[site] for site in (*cones, *kept)})
        bits = sum(output.slot.bit_size for output in changed)
        bits -= sum(scalar.value.bit_size for scalar in sent)
        exchange = Exchange(
            self.interface.producer_stage,
            self.interface.consumer_stage,
            isinstance(outputs[0].read_as, Interpolation),
            bits // 16,
            loads,
            sum(instruction_cost(instr) for cone in cones.values() for instr in cone),
        )
        if bits <= 0:
            return None
        if not self.interface.options.worth_sending_less(exchange):
            names = " and ".join(sent_values(self.interface, sent))
            message = (
                f"computing it from {names} costs {exchange.cost} in the"
                f" {self.interface.consumer_stage.abbreviation}, more than the"
                f" {counted(max(exchange.loads_saved, 0), 'load')} saved"
            )
            for output in outputs:
                self.interface.obstruct(output.slot, StepObstacle(Step.FORWARD, "no-gain", message))
            return None
        return Derivation(tuple(outputs), sent, exchange)

    def _cone(self, output: MovableOutput, sent: Collection[Scalar]) -> tuple[Instr, ...] | None:
        """Return the expression of an output from the sent values; None if the consumer may not run it."""
        cone = cone_between(output.scalar, sent, self.is_uniform)
        if cone is None or not (output.scalar in sent or self._may_move(output, sent)):
            return None
        limit = self.interface.options.cost_limit
        return None if limit is not None and sum(map(instruction_cost, cone)) > limit else cone


def sent_values(interface: Interface, sent: Mapping[Scalar, MovableOutput]) -> list[str]:
    """Name the values that are sent: an output that stays as it is, or a value such as `%12.y`.

    A value that no output stores is sent in the slot of an output that goes.
    """
    return [
        interface.origin(output.slot)
        if output.scalar == scalar
        else f"%{scalar.value.index}"
        + (f".{'xyzwefghijklmnop'[scalar.component]}" if scalar.value.num_components > 1 else "")
        for scalar, output in sent.items()
    ]


def carry_out(interface: Interface, derivation: Derivation) -> None:
    """Store the sent scalars in the producer, and compute the outputs in the consumer at their loads."""
    models = {scalar: output.slot.input_loads[0] for scalar, output in derivation.sent.items()}
    loads_now: dict[Scalar, list[IntrinsicInstr]] = {scalar: [] for scalar in derivation.sent}
    gone: list[IntrinsicInstr] = []
    for site, served in _loads_by_head(interface, derivation).items():
        first = next(instr for instr in site.block if isinstance(instr, IntrinsicInstr) and instr in served)
        lanes: dict[tuple[Def, int], Def] = {}
        for scalar, output in derivation.sent.items():
            load = _load(interface, output.slot, models[scalar], first)
            loads_now[scalar].append(load)
            if load.def_ is not None:
                lanes[scalar.value, scalar.component] = load.def_
        for load, output in served.items():
            _compute_at(interface, output, load, lanes)
            gone.append(load)
    for load in gone:
        remove_with_its_sources(load)
    for scalar, output in derivation.sent.items():
        _send(interface, output.slot, scalar)
        kept = [load for load in output.slot.input_loads if load.block is not None]
        output.slot.input_loads = kept + loads_now[scalar]
    for output in derivation.removed:
        output.slot.input_loads = []
        sent = " and ".join(interface.origin(output.slot) for output in derivation.sent.values())
        message = f"the {interface.consumer_stage.abbreviation} computes it from {sent}"
        retire_stores(interface, output.slot, Step.FORWARD, Fate.MOVED_TO_CONSUMER, message)
    interface.progress.on_producer(interface)
    interface.progress.on_consumer(interface)


def _loads_by_head(
    interface: Interface, derivation: Derivation
) -> dict[LoadSite, dict[IntrinsicInstr, MovableOutput]]:
    """Return the loads to replace, by the site that serves them, where outputs are computed.

    Another derivation that relies on the same outputs may have given them new loads.
    """
    now = {output: sites_of(output.slot) for output in derivation.involved}
    heads = heads_of(
        [site for sites in now.values() for site in sites], lambda: dominance(interface.consumer_impl)
    )
    found: dict[LoadSite, dict[IntrinsicInstr, MovableOutput]] = {}
    for output in derivation.outputs:
        found.update((heads[site], {}) for site in now[output])
    for output, sites in now.items():
        for site, loads in sites.items():
            if heads[site] in found:
                found[heads[site]].update(dict.fromkeys(loads, output))
    return found


def _load(
    interface: Interface, slot: ScalarSlot, model: IntrinsicInstr, first: IntrinsicInstr
) -> IntrinsicInstr:
    """Insert a load of `slot` like `model`, before another load of the site."""
    builder = interface.consumer_builder.before_instr(first)
    load = builder.intrinsic(
        first.name, [src.ssa for src in first.sources], dict(model.indices), 1, slot.bit_size
    )
    move_access(load, slot.location, slot.number, builder)
    return load


def _compute_at(
    interface: Interface,
    output: MovableOutput,
    load: IntrinsicInstr,
    lanes: dict[tuple[Def, int], Def],
) -> None:
    """Replace the uses of a load by a value computed from the new loads."""
    old, scalar = load.def_, output.scalar
    if old is None:
        return
    value = lanes.get((scalar.value, scalar.component))
    if value is None:
        builder = interface.consumer_builder.before_instr(load)
        value = copy_value(
            scalar.value, builder, interface.consumer, interface.variables, {}, old.index, lanes
        )
    else:
        value.index = old.index
    old.replace_all_uses_with(value)


def _send(interface: Interface, slot: ScalarSlot, scalar: Scalar) -> None:
    """Store a scalar of the producer to a slot."""
    source = slot.stores[0].sources[0]
    if scalar == Scalar(source.ssa):
        return
    if interface.progress.journal is not None:
        text = expression_text(scalar.value, interface.producer_stage, scalar.component)
        message = f"{text} is sent in its place, and the {interface.consumer_stage.abbreviation} computes it"
        interface.affect(slot, Step.FORWARD, Fate.RESULT, message, gone=False)
    value, maker = scalar.value, scalar.value.instr
    if value.num_components > 1 and maker is not None and maker.block is not None:
        builder = interface.producer_builder
        if isinstance(maker, PhiInstr):
            builder.at_start_of(maker.block)
        else:
            builder.after_instr(maker)
        value = builder.mov(value, scalar.component)
    freed = source.ssa
    source.set_def(value)
    remove_unread([freed])
    slot.value = value
