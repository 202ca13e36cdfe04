"""The pass `opt_varyings_dead_io`: removal of dead outputs and uninitialised inputs between two stages.

It is step 2 of Mesa's nir_opt_varyings alone, with removal of the code whose only readers were the removed
accesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from nirls.ir.finding import MOST_RELATED, Finding, FindingCode, Fix, Place, Related, Severity
from nirls.ir.io.access import AccessKind, IoAccess
from nirls.ir.model.float_bits import float_bits
from nirls.ir.model.instructions import Instr, IntrinsicInstr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.declaration import Change, Pass, changes
from nirls.passes.io.lower_io import has_variable_io, lower_io, obstacles
from nirls.passes.varyings.dead_io_plan import Action, DemoteAccess, RemoveStore, ReplaceLoad, plan
from nirls.passes.varyings.interface.accesses import Linkage, name_of, semantics_of
from nirls.passes.varyings.interface.link_options import SEPARATE, DriverChoice
from nirls.passes.varyings.interface.rules import stages_name

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
_LOWER_IO = "lower-io"
_LOWERING = (Fix("Run lower_io on all stages", _LOWER_IO, "all", preferred=True),)


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

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        for position, (producer, consumer) in enumerate(pairwise(shaders)):
            linkage = self.link(producer, consumer)
            if isinstance(linkage, Linkage):
                yield from _Reporter(linkage, position).findings()
            elif linkage.shader is not None:
                dump = position if linkage.shader is producer else position + 1
                code = SEPARATE_SHADER if linkage.code == SEPARATE else IO_NOT_LOWERED
                fixes = _LOWERING if code is IO_NOT_LOWERED and _can_lower((producer, consumer)) else ()
                yield code.at(
                    Place.of(linkage.shader.first_line, dump),
                    f"varyings not analyzed: {linkage.message}",
                    data={"reason": linkage.code},
                    fixes=fixes,
                    severity=Severity.INFORMATION if fixes else Severity.HINT,
                )

    def fix(self, shaders: Sequence[Shader], key: str) -> list[Change]:
        if key == _LOWER_IO:
            return changes(shaders, lambda copies: [shader for shader in copies if lower_io(shader)])

        def apply_fix(copies: Sequence[Shader]) -> Iterable[Shader]:
            for pair in pairwise(copies):
                linkage = self.link(*pair)
                if isinstance(linkage, Linkage):
                    yield from apply(linkage, [one for one in plan(linkage) if key in _keys(linkage, one)])

        return changes(shaders, apply_fix)


def _can_lower(shaders: Iterable[Shader]) -> bool:
    """Whether `lower_io` can lower the variable accesses that keep a pair from being linked."""
    return all(not obstacles(shader) for shader in shaders) and any(map(has_variable_io, shaders))


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
        self.actions = plan(linkage, with_hints=True)
        self.producer_word = linkage.producer_stage.abbreviation
        self.consumer_word = linkage.consumer_stage.abbreviation

    def findings(self) -> Iterator[Finding]:
        """Yield one finding for all accesses of the same components, at the first of them."""
        together: dict[str, list[tuple[Action, Span]]] = {}
        for action in self.actions:
            span = action.access.instr.span
            if span is not None:
                together.setdefault(_key(self.linkage, action), []).append((action, span))
        for (action, span), *others in together.values():
            if isinstance(action, RemoveStore):
                finding = self._dead_output(action, span)
            elif isinstance(action, DemoteAccess):
                finding = self._no_varying_output(action, span)
            else:
                finding = self._unwritten(action, span)
            verb = "written" if action.access.is_store else "read"
            also = (
                Related(Place.of(other, finding.place.dump), f"{name_of(action.access)} is also {verb} here")
                for _, other in others[:MOST_RELATED]
            )
            yield replace(finding, related=(*also, *finding.related))

    def _dead_output(self, action: RemoveStore, span: Span) -> Finding:
        access = action.access
        message = f"output {name_of(access)} is never read by the {self.consumer_word}"
        if action.may_be_captured:
            message += "; transform feedback may capture it: the dump does not say which outputs it captures"
        return self._finding(
            action,
            span,
            message,
            self._others(self.linkage.input_loads, access, f"the {self.consumer_word} reads"),
            f"Remove the store of {name_of(access)}",
        )

    def _no_varying_output(self, action: DemoteAccess, span: Span) -> Finding:
        access = action.access
        readers = " and ".join(action.readers)
        message = f"output {name_of(access)} is read by {readers} only, not by the {self.consumer_word}"
        return self._finding(
            action,
            span,
            message,
            self._others(self.linkage.input_loads, access, f"the {self.consumer_word} reads"),
            f"Mark {name_of(access)} as no_varying",
            readers=list(action.readers),
        )

    def _unwritten(self, action: ReplaceLoad, span: Span) -> Finding:
        access = action.access
        values = action.values
        kind = "input" if access.kind is AccessKind.INPUT_LOAD else "output"
        text = "undefined" if values is None else ", ".join(f"{value:g}" for value in values)
        return self._finding(
            action,
            span,
            f"{kind} {name_of(access)} is never written by the {self.producer_word}: it reads as {text}",
            self._others(self.linkage.stores, access, f"the {self.producer_word} writes"),
            f"Replace the load of {name_of(access)} by {text}",
            reads_as=text,
        )

    def _finding(
        self,
        action: Action,
        span: Span,
        message: str,
        related: Related,
        fix_title: str,
        **data: object,
    ) -> Finding:
        access, code = action.access, code_of(action)
        may_be_captured = isinstance(action, RemoveStore) and action.may_be_captured
        return code.at(
            Place.of(span, self._dump_of(access)),
            message,
            related=(related,),
            fixes=() if may_be_captured else self._fixes(action, fix_title),
            severity=Severity.HINT if may_be_captured else None,
            data={
                "slot": name_of(access),
                "location": access.slot,
                "component": access.components[0] if access.components else 0,
                "num_slots": semantics_of(access).num_slots,
                "producer": self.producer_word,
                "consumer": self.consumer_word,
                **data,
            },
        )

    def _dump_of(self, access: IoAccess) -> int:
        return self.position + (access.kind is AccessKind.INPUT_LOAD)

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

    def _fixes(self, action: Action, title: str) -> Iterator[Fix]:
        """Yield fixes for this access, for all of its kind between the two stages, and for the whole pass."""
        one, every, whole = _keys(self.linkage, action)
        code = code_of(action)
        yield Fix(title, one, preferred=True)
        if len({_key(self.linkage, other) for other in self.actions if code_of(other) is code}) > 1:
            stages = f"between {self.producer_word} and {self.consumer_word}"
            yield Fix(f"{_EVERY[code.code]} {stages}", every, "all")
        yield Fix(f"Run {whole.replace(':', ' on ')}", whole, "pass")


def _key(linkage: Linkage, action: Action) -> str:
    """Return the key of the fix for all accesses of the same components, for the same reason."""
    match action:
        case ReplaceLoad(values=values):
            reason = str(values)
        case DemoteAccess(readers=readers):
            reason = str(readers)
        case _:
            reason = ""
    return f"{code_of(action).code}:{_pair_of(linkage)}:{name_of(action.access)}:{reason}"


def _keys(linkage: Linkage, action: Action) -> tuple[str, str, str]:
    """Return the keys of the fixes for an action, for its kind between two stages, and for the whole pass."""
    pair = _pair_of(linkage)
    every = f"{code_of(action).code}:{pair}:all"
    return _key(linkage, action), every, f"{OptVaryingsDeadIo.name}:{pair}"


def _pair_of(linkage: Linkage) -> str:
    return stages_name(linkage.producer_stage, linkage.consumer_stage)


def code_of(action: Action) -> FindingCode:
    """Return the kind of finding for an action."""
    if isinstance(action, RemoveStore):
        return DEAD_OUTPUT
    if isinstance(action, DemoteAccess):
        return NO_VARYING_OUTPUT
    return UNDEFINED_INPUT if action.access.kind is AccessKind.INPUT_LOAD else UNDEFINED_OUTPUT_LOAD
