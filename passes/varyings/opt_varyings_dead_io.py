"""The pass `opt_varyings_dead_io`: removal of dead outputs and uninitialised inputs between two stages.

It is step 2 of Mesa's nir_opt_varyings alone, with removal of the code whose only readers were the removed
accesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from nirls.ir.finding import MOST_RELATED, FindingCode, Place, Related, Severity, listed
from nirls.ir.io.access import AccessKind, IoAccess
from nirls.ir.model.float_bits import float_bits
from nirls.ir.model.instructions import Instr, IntrinsicInstr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.declaration import Pass, Site, SiteFix
from nirls.passes.io.lower_io import has_variable_io, lower_io, obstacles
from nirls.passes.varyings.dead_io_plan import Action, DemoteAccess, RemoveStore, ReplaceLoad, plan
from nirls.passes.varyings.interface.accesses import Linkage, name_of, semantics_of
from nirls.passes.varyings.interface.link_options import RUN_OPT_VARYINGS, SEPARATE, DriverChoice

DEAD_OUTPUT = FindingCode("dead-output", "Output that is never read", Severity.INFORMATION, unnecessary=True)
UNDEFINED_INPUT = FindingCode(
    "undefined-input", "Input that the previous stage never writes", Severity.WARNING, unnecessary=True
)
UNDEFINED_OUTPUT_LOAD = FindingCode(
    "undefined-output-load",
    "Load of an output that the shader never writes",
    Severity.WARNING,
    unnecessary=True,
)
NO_VARYING_OUTPUT = FindingCode(
    "no-varying-output", "Output that the next stage does not read", Severity.HINT
)
IO_NOT_LOWERED = FindingCode(
    "io-not-lowered", "Varyings not analyzed because I/O is not lowered", Severity.INFORMATION
)
SEPARATE_SHADER = FindingCode(SEPARATE, "Varyings not linked, because a shader is separate", Severity.HINT)

_EVERY = {
    DEAD_OUTPUT.code: "Remove all dead outputs",
    NO_VARYING_OUTPUT.code: "Mark all outputs that are no varyings",
    UNDEFINED_INPUT.code: "Replace all loads of unwritten inputs",
    UNDEFINED_OUTPUT_LOAD.code: "Replace all loads of unwritten outputs",
}


@dataclass(frozen=True)
class OptVaryingsDeadIo(DriverChoice, Pass):
    """Remove outputs that the next stage does not read and inputs that the previous stage does not write."""

    name = "opt_varyings_dead_io"
    scope = "pipeline"
    codes = (
        *(DEAD_OUTPUT, UNDEFINED_INPUT, UNDEFINED_OUTPUT_LOAD, NO_VARYING_OUTPUT),
        *(IO_NOT_LOWERED, SEPARATE_SHADER),
    )
    part_of = "opt_varyings"

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        """Link the last pair first, so that outputs which only fed dead outputs of the next stage go too."""
        changed: dict[int, Shader] = {}
        for producer, consumer in reversed(list(pairwise(shaders))):
            linkage = self.link(producer, consumer)
            if isinstance(linkage, Linkage):
                for shader in apply(linkage, plan(linkage)):
                    changed[id(shader)] = shader
        return [shader for shader in shaders if id(shader) in changed]

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for position, (producer, consumer) in enumerate(pairwise(shaders)):
            linkage = self.link(producer, consumer)
            if isinstance(linkage, Linkage):
                yield from _Reporter(linkage, position).sites()
            elif linkage.shader is not None:
                dump = position if linkage.shader is producer else position + 1
                code = SEPARATE_SHADER if linkage.code == SEPARATE else IO_NOT_LOWERED
                is_mended = code is IO_NOT_LOWERED and _can_lower((producer, consumer))
                finding = code.at(
                    Place.of(linkage.shader.first_line, dump),
                    f"varyings not analyzed: {linkage.message}",
                    data={"reason": linkage.code},
                    severity=Severity.INFORMATION if is_mended else Severity.HINT,
                )
                fix = SiteFix("Run lower_io on all stages", partial(_lower, shaders))
                yield Site(finding, (fix,) if is_mended else ())


def _can_lower(shaders: Iterable[Shader]) -> bool:
    """Whether `lower_io` can lower the variable accesses that keep a pair from being linked."""
    return all(not obstacles(shader) for shader in shaders) and any(map(has_variable_io, shaders))


def _lower(shaders: Iterable[Shader]) -> list[Shader]:
    return [shader for shader in shaders if lower_io(shader)]


def apply(linkage: Linkage, actions: Iterable[Action]) -> list[Shader]:
    """Carry out actions of a plan in place; return the changed shaders."""
    changed: dict[int, Shader] = {}
    for action in actions:
        instr = action.access.instr
        shader = linkage.consumer if action.access.kind is AccessKind.INPUT_LOAD else linkage.producer
        changed[id(shader)] = shader
        if isinstance(action, RemoveStore):
            remove_with_its_sources(instr)
        elif isinstance(action, DemoteAccess):
            instr.indices["io_semantics"] = semantics_of(action.access).with_flag("no_varying")
        else:
            _replace_load(instr, action.values)
    return list(changed.values())


def _replace_load(load: IntrinsicInstr, values: tuple[float, ...] | None) -> None:
    """Replace a load by undefined or a constant with the same number, so that its readers keep their text."""
    value, block = load.def_, load.block
    if value is None or block is None:
        return
    replacement: Instr
    if values is None:
        replacement = UndefInstr()
    else:
        replacement = LoadConstInstr([float_bits(item, value.bit_size) for item in values])
    twin = replacement.make_def(value.index, value.num_components, value.bit_size, value.divergent)
    block.insert_before(load, replacement)
    value.replace_all_uses_with(twin)
    remove_with_its_sources(load)


class _Reporter:
    """Findings for the plan of one pair."""

    def __init__(self, linkage: Linkage, position: int) -> None:
        self.linkage = linkage
        self.position = position
        self.actions = plan(linkage)
        self.producer_word = linkage.producer_stage.abbreviation
        self.consumer_word = linkage.consumer_stage.abbreviation

    def sites(self) -> Iterable[Site]:
        """Yield one site for all accesses of one slot with one reason, at the first of them."""
        together: dict[tuple[object, ...], list[Action]] = {}
        for action in self.actions:
            if action.access.instr.span is not None:
                together.setdefault(_change(action), []).append(action)
        for actions in together.values():
            action = actions[0]
            if isinstance(action, RemoveStore):
                yield self._dead_output(action, actions)
            elif isinstance(action, DemoteAccess):
                yield self._no_varying_output(action, actions)
            else:
                yield self._unwritten(action, actions)

    def _dead_output(self, action: RemoveStore, actions: Sequence[Action]) -> Site:
        access, name = action.access, _name(actions)
        message = f"output {name} is never read by the {self.consumer_word}"
        if action.may_be_captured:
            message += "; transform feedback may capture it: the dump does not say which outputs it captures"
        return self._site(
            actions,
            message,
            self._others(self.linkage.input_loads, access, f"the {self.consumer_word} reads"),
            f"Remove the {'store' if len(actions) == 1 else 'stores'} of {name}",
        )

    def _no_varying_output(self, action: DemoteAccess, actions: Sequence[Action]) -> Site:
        access, name = action.access, _name(actions)
        readers = listed(action.readers)
        message = f"output {name} is read by {readers} only, not by the {self.consumer_word}"
        return self._site(
            actions,
            message,
            self._others(self.linkage.input_loads, access, f"the {self.consumer_word} reads"),
            f"Mark {name} as no_varying",
            readers=list(action.readers),
        )

    def _unwritten(self, action: ReplaceLoad, actions: Sequence[Action]) -> Site:
        access, name = action.access, _name(actions)
        values = action.values
        kind = "input" if access.kind is AccessKind.INPUT_LOAD else "output"
        text = "undefined" if values is None else ", ".join(f"{value:g}" for value in values)
        return self._site(
            actions,
            f"{kind} {name} is never written by the {self.producer_word}: it reads as {text}",
            self._others(self.linkage.stores, access, f"the {self.producer_word} writes"),
            f"Replace the {'load' if len(actions) == 1 else 'loads'} of {name} by {text}",
            reads_as=text,
        )

    def _site(
        self, actions: Sequence[Action], message: str, related: Related, title: str, **data: object
    ) -> Site:
        """Return the site of actions on one slot."""
        access, code = actions[0].access, code_of(actions[0])
        dump = self.position + (access.kind is AccessKind.INPUT_LOAD)
        verb = "written" if access.is_store else "read"
        place = Place.of(access.instr.span, dump)
        also = (
            Related(Place.of(action.access.instr.span, dump), f"{name_of(action.access)} is {verb} here")
            for action in actions[1 : 1 + MOST_RELATED]
        )
        finding = code.at(
            place,
            message,
            related=(*also, related),
            severity=Severity.HINT if _may_be_captured(actions[0]) else None,
            gain=_removed(actions),
            data={
                "slot": _name(actions),
                "location": access.slot,
                "component": access.components[0] if access.components else 0,
                "num_slots": semantics_of(access).num_slots,
                "producer": self.producer_word,
                "consumer": self.consumer_word,
                **data,
            },
        )
        if _may_be_captured(actions[0]):
            return Site(finding)
        alike = [
            action for action in self.actions if code_of(action) is code and not _may_be_captured(action)
        ]
        every = f"{_EVERY[code.code]} between {self.producer_word} and {self.consumer_word}"
        return Site(
            finding,
            (SiteFix(title, partial(apply, self.linkage, actions)),),
            SiteFix(every, partial(apply, self.linkage, alike)),
            RUN_OPT_VARYINGS,
            self.position,
        )

    def _others(self, accesses: list[IoAccess], about: IoAccess, intro: str) -> Related:
        """Return a related place in the other stage: an access of the same slot, else its first line."""
        # Stores are related to loads of the consumer, loads of either stage to stores of the producer.
        is_store = about.kind is AccessKind.STORE
        there = self.linkage.consumer if is_store else self.linkage.producer
        dump = self.position + is_store
        near = next(
            (other for other in accesses if other.slot == about.slot and other.instr.span is not None),
            None,
        )
        if near is not None and near.instr.span is not None:
            names = dict.fromkeys(name_of(other) for other in accesses if other.slot == about.slot)
            return Related(Place.of(near.instr.span, dump), f"{intro} only {', '.join(names)} of this slot")
        names = dict.fromkeys(name_of(other).partition(".")[0] for other in accesses)
        what = f"only {', '.join(names)}" if names else "no varying"
        return Related(Place.of(there.first_line, dump), f"{intro} {what}")


def _removed(actions: Sequence[Action]) -> int:
    """Return the number of varyings that are not sent any more after some actions of one kind."""
    if not isinstance(actions[0], RemoveStore) or _may_be_captured(actions[0]):
        return 0
    return len({component for action in actions for component in action.access.components})


def _name(actions: Sequence[Action]) -> str:
    """Name the components of one slot that some actions change: `VAR3.xyz`."""
    slot, _, _ = name_of(actions[0].access).partition(".")
    components = {component for action in actions for component in name_of(action.access).partition(".")[2]}
    return f"{slot}.{''.join(sorted(components, key='xyzw'.index))}"


def _change(action: Action) -> tuple[object, ...]:
    """Return what an action has in common with those that do the same to components of the same slot."""
    match action:
        case ReplaceLoad(values=values):
            reason: object = values
        case DemoteAccess(readers=readers):
            reason = readers
        case _:
            reason = None
    slot, _, _ = name_of(action.access).partition(".")
    return code_of(action).code, slot, reason, _may_be_captured(action)


def _may_be_captured(action: Action) -> bool:
    return isinstance(action, RemoveStore) and action.may_be_captured


def code_of(action: Action) -> FindingCode:
    """Return the kind of finding for an action."""
    if isinstance(action, RemoveStore):
        return DEAD_OUTPUT
    if isinstance(action, DemoteAccess):
        return NO_VARYING_OUTPUT
    return UNDEFINED_INPUT if action.access.kind is AccessKind.INPUT_LOAD else UNDEFINED_OUTPUT_LOAD
