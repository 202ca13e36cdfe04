"""Sites of `opt_varyings` on a pair of stages: the opportunities of its steps with their changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.finding import MOST_RELATED, Place, Related, counted
from nirls.ir.io.access import has_unlisted_captures
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.opt_dce import dead_instrs, opt_dce
from nirls.passes.declaration import Site, SiteFix
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.link_options import RUN_OPT_VARYINGS, LinkOptions
from nirls.passes.varyings.interface.reader import read_interface
from nirls.passes.varyings.interface.rules import short_name
from nirls.passes.varyings.interface.scalar_slots import HALVES, Interface, ScalarSlot
from nirls.passes.varyings.motion.deduplicate import deduplicate
from nirls.passes.varyings.motion.propagate import propagate
from nirls.passes.varyings.opportunities import (
    DERIVABLE_OUTPUT,
    DUPLICATE_OUTPUT,
    MOVABLE_EXPRESSION,
    PACKING,
    PROPAGATABLE_OUTPUT,
    Opportunities,
    Opportunity,
    derive_all,
    move_all,
    pack_live,
)

_EVERY: dict[str, tuple[str, Callable[[Interface], None]]] = {
    PROPAGATABLE_OUTPUT.code: ("Propagate all such outputs", propagate),
    DUPLICATE_OUTPUT.code: ("Remove all duplicate outputs", deduplicate),
    MOVABLE_EXPRESSION.code: ("Move all such expressions", move_all),
    DERIVABLE_OUTPUT.code: ("Compute all such outputs where they are read", derive_all),
}
"""The fixes of all findings of a kind between two stages."""


def sites_of_pair(shaders: Sequence[Shader], position: int, options: LinkOptions) -> Iterator[Site]:
    """Yield the sites on stages `position` and `position + 1` of a pipeline."""
    pair = _without_dead_code(shaders[position]), _without_dead_code(shaders[position + 1])
    # Like Mesa's pass, this one reads captures from the stores; nothing is offered that may change others.
    if isinstance(options.link(*pair), Unlinkable) or has_unlisted_captures(pair[0]):
        return
    interface = read_interface(*pair, options)
    if not isinstance(interface, Unlinkable):
        yield from _Sites(shaders, position, interface, options).all()


@cached_analysis
def _without_dead_code(shader: Shader) -> Shader:
    """Return a copy without dead code, which decides nothing; the shader itself if it has none."""
    if not any(dead_instrs(impl) for impl in shader.impls()):
        return shader
    copy = clone_shader(shader)
    opt_dce(copy)
    return copy


class _Sites:
    """The sites of one pair."""

    def __init__(
        self, shaders: Sequence[Shader], position: int, interface: Interface, options: LinkOptions
    ) -> None:
        self.shaders = shaders
        self.position = position
        self.interface = interface
        self.options = options
        self.opportunities = Opportunities(interface)
        self.stages = {
            "producer": self.opportunities.producer_word,
            "consumer": self.opportunities.consumer_word,
        }

    def all(self) -> Iterator[Site]:
        for opportunity in self.opportunities.of_steps():
            yield from self._site(opportunity)
        if self.interface.options.pack:
            yield from self._packing()

    def _site(self, opportunity: Opportunity) -> Iterator[Site]:
        """Yield one site, at the cause; the other stores and loads are related places."""
        stores = [Place.of(store.span, self.position) for store in opportunity.stores if store.span]
        loads = [Place.of(load.span, self._dump_of(load)) for load in opportunity.loads if load.span]
        slots = opportunity.slots
        if opportunity.at_load:
            places = [
                *((place, "the same expression") for place in loads),
                *((place, "a source of the expression is written here") for place in stores),
            ]
        else:
            places = [
                *((place, f"{slots} is written here") for place in stores),
                *((place, f"{slots} is read here") for place in loads),
            ]
        if not places:
            return
        (cause, _), *others = places
        finding = opportunity.code.at(
            cause,
            opportunity.message,
            related=[Related(*other, is_site=True) for other in others[:MOST_RELATED]],
            data={"slot": slots, **self.stages, **opportunity.data},
            severity=opportunity.severity,
            gain=opportunity.gain,
        )
        if opportunity.apply is None:
            yield Site(finding)
            return
        fix = SiteFix(opportunity.title, partial(self._carry_out, opportunity.apply), slots)
        every = self._every(opportunity.code.code)
        yield Site(finding, (fix,), every, RUN_OPT_VARYINGS, self.position)

    def _every(self, code: str) -> SiteFix | None:
        if code not in _EVERY:
            return None
        title, step = _EVERY[code]
        between = f"between {self.opportunities.producer_word} and {self.opportunities.consumer_word}"
        return SiteFix(f"{title} {between}", partial(self._carry_out, partial(step, self.interface)))

    def _carry_out(self, change: Callable[[], object]) -> list[Shader]:
        """Change the interface; return the shaders of the pipeline that this changed."""
        change()
        changed = []
        for shader, own in zip(
            self.shaders[self.position :], (self.interface.producer, self.interface.consumer), strict=False
        ):
            if id(own) in self.interface.progress.changed:
                shader.take_contents_of(own)
                changed.append(shader)
        return changed

    def _dump_of(self, load: Instr) -> int:
        name = getattr(load, "name", "")
        is_output = name.startswith("load_") and "output" in name
        return self.position if is_output else self.position + 1

    def _packing(self) -> Iterator[Site]:
        """Yield a site, on the first store that moves, if the live varyings need fewer vec4 slots."""
        plan = self.opportunities.plan
        before = {placement.slot.location for placement in plan}
        after = {placement.number // HALVES for placement in plan}
        if len(after) >= len(before):
            return
        names = map(short_name, sorted(after))
        sent = sent_slots(self.interface)
        size = counted(len(sent), "scalar")
        slots = counted(len({slot.location for slot in sent}), "vec4 slot")
        which = (
            "they"
            if len(plan) == len(sent)
            else f"the {len(plan)} live ones that may move use {len(before)}, and"
        )
        message = f"{size} in {slots}: {which} fit in {len(after)} ({', '.join(names)})"
        moved = [placement.slot for placement in plan if placement.number != placement.slot.number]
        store = _first_place(self.position, (store for slot in moved for store in slot.stores))
        load = _first_place(self.position + 1, (load for slot in moved for load in slot.input_loads))
        place = store or load
        if place is None:
            return
        related = []
        if load is not None and load != place:
            related.append(Related(load, "the other side of the interface", is_site=True))
        sizes = {"scalars": len(plan), "slots_before": len(before), "slots_after": len(after)}
        finding = PACKING.at(
            place,
            message,
            related=related,
            data={**sizes, **self.stages},
            gain=len(before) - len(after),
        )
        fix = SiteFix("Pack the varyings", partial(self._carry_out, partial(pack_live, self.interface)))
        every = SiteFix(
            "Pack the varyings between all stages", partial(_pack_all, self.shaders, self.options)
        )
        yield Site(finding, (fix,), every, RUN_OPT_VARYINGS)


def sent_slots(interface: Interface) -> list[ScalarSlot]:
    """Return the scalars that are sent, dead ones too, which are those of the packing view.

    An output that only fixed-function hardware reads is not sent to the next stage.
    """
    return [
        slot
        for slot in interface.in_order()
        if slot.input_loads or not any(interface.feeds_fixed_hardware(store) for store in slot.stores)
    ]


def _pack_all(shaders: Sequence[Shader], options: LinkOptions) -> Iterator[Shader]:
    for pair in pairwise(shaders):
        if isinstance(options.link(*pair), Unlinkable):
            continue
        for shader in pair:
            opt_dce(shader)
        interface = read_interface(*pair, options)
        if not isinstance(interface, Unlinkable):
            pack_live(interface)
            yield from (shader for shader in pair if id(shader) in interface.progress.changed)


def _first_place(dump: int, instrs: Iterable[Instr]) -> Place | None:
    spans = [instr.span for instr in instrs if instr.span is not None]
    return Place.of(min(spans), dump) if spans else None
