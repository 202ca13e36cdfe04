"""Trial links of a separate shader with pass-through partners, to measure the potential gain.

The varying-linking design proposes this: if the number of varyings goes down although the partner only
passes everything on, then linking at draw time is worthwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from nirls.ir.io.access import AccessKind, IoAccess
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.validation import defect_of
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.cleanup.lower_io_to_scalar import lower_io_to_scalar
from nirls.passes.link_potential.partners import (
    pass_through_consumer,
    pass_through_producer,
    silent_partner,
)
from nirls.passes.varyings.interface.accesses import Unlinkable, feeds_fixed_hardware, link, semantics_of
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.reader import read_interface
from nirls.passes.varyings.interface.scalar_slots import HALVES, LinkProgress
from nirls.passes.varyings.link_pair import link_pair, remove_dead
from nirls.passes.varyings.motion.backward_motion import BackwardSearch
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.motion.deduplicate import deduplicate, duplicates
from nirls.passes.varyings.motion.forward_motion import derivations
from nirls.passes.varyings.motion.propagate import propagatable, propagate
from nirls.passes.varyings.opt_varyings import CLEAN_UP

_DEFAULT = LinkOptions()


@dataclass(frozen=True, slots=True)
class InterfaceCounts:
    """Size of a shader and one of its interfaces.

    `scalars` counts scalar varyings, `slots` the vec4 slots that they occupy, `instructions` those of the
    shader.
    """

    scalars: int
    slots: int
    instructions: int

    def __sub__(self, other: InterfaceCounts) -> InterfaceCounts:
        return InterfaceCounts(
            self.scalars - other.scalars,
            self.slots - other.slots,
            self.instructions - other.instructions,
        )


@dataclass(frozen=True, slots=True)
class Side:
    """Potential gain on one interface of a separate shader.

    `direction` is "inputs" or "outputs". `before` is the size of the shader after clean-up alone, `after`
    when linked with a `partner` that only passes everything on, and `unmatched` when linked with a partner
    that reads or writes nothing: no partner can save what remains then. `steps` counts the varyings that
    could be propagated, deduplicated, read flat (convergent), computed by the previous stage (movable) or
    by the next one (derivable).
    """

    direction: str
    partner: Stage
    before: InterfaceCounts
    after: InterfaceCounts
    unmatched: InterfaceCounts
    steps: Mapping[str, int]

    @property
    def saved(self) -> InterfaceCounts:
        """Gain with any partner."""
        return self.before - self.after

    @property
    def saved_if_unmatched(self) -> InterfaceCounts:
        """Upper bound of the gain."""
        return self.before - self.unmatched


def potential_of(shader: Shader, options: LinkOptions = _DEFAULT) -> tuple[Side, ...]:
    """Return the potential gain for the inputs and the outputs of a shader that is not linked.

    Empty if there are no varyings, or they cannot be analyzed (inputs or outputs that are still variables,
    unreadable lines, an error). The shader itself is not changed.
    """
    return sides_of(shader, (AccessKind.INPUT_LOAD, AccessKind.STORE), options)


def sides_of(
    shader: Shader, kinds: Iterable[AccessKind], options: LinkOptions = _DEFAULT
) -> tuple[Side, ...]:
    """Return the potential gain for the inputs (`INPUT_LOAD`), the outputs (`STORE`), or both."""
    if defect_of(shader):
        return ()
    partners = {kind: silent_partner(shader, kind) for kind in kinds}
    wanted = [
        (kind, silent)
        for kind, silent in partners.items()
        if silent is not None and _accesses(shader, silent, kind)
    ]
    if not wanted:
        return ()
    own = _prepared(shader)
    generator = (_potential(own, silent, kind, options) for kind, silent in wanted)
    return tuple(side for side in generator if side is not None)


def _potential(own: Shader, silent: Shader, kind: AccessKind, options: LinkOptions) -> Side | None:
    pass_through = pass_through_producer if kind is AccessKind.INPUT_LOAD else pass_through_consumer
    partner = pass_through(own)
    if partner is None or partner.stage is None:
        return None
    before = _counts(own, partner, kind)
    if not before.scalars:
        return None
    steps = _steps(clone_shader(own), clone_shader(partner), kind, options)
    after = _linked(own, partner, kind, partial(link_pair, options=options))
    unmatched = _linked(own, silent, kind, partial(remove_dead, progress=LinkProgress()))
    direction = "inputs" if kind is AccessKind.INPUT_LOAD else "outputs"
    return Side(direction, partner.stage, before, after, unmatched, steps)


def _prepared(shader: Shader) -> Shader:
    """Return a scalarized copy, cleaned up as after linking, so that only linking makes a difference."""
    own = clone_shader(shader)
    lower_io_to_scalar(own)
    clean_up(own, CLEAN_UP)
    return own


def _linked(
    shader: Shader, partner: Shader, kind: AccessKind, how: Callable[[Shader, Shader], object]
) -> InterfaceCounts:
    own, other = clone_shader(shader), clone_shader(partner)
    how(*_in_order(own, other, kind))
    clean_up(own, CLEAN_UP)
    return _counts(own, other, kind)


def _in_order(own: Shader, partner: Shader, kind: AccessKind) -> tuple[Shader, Shader]:
    return (partner, own) if kind is AccessKind.INPUT_LOAD else (own, partner)


def _accesses(own: Shader, partner: Shader, kind: AccessKind) -> list[IoAccess]:
    """Return the accesses of varyings on one side of a shader, except those only fixed hardware needs."""
    linkage = link(*_in_order(own, partner, kind))
    if isinstance(linkage, Unlinkable):
        return []
    accesses = linkage.input_loads if kind is AccessKind.INPUT_LOAD else linkage.stores
    return [
        access
        for access in accesses
        if linkage.may_change(access)
        and not semantics_of(access).has("no_varying")
        and not (access.is_store and feeds_fixed_hardware(access, linkage.consumer_stage))
    ]


def _counts(own: Shader, partner: Shader, kind: AccessKind) -> InterfaceCounts:
    halves: set[int] = set()
    scalars: set[int] = set()
    consumer = _in_order(own, partner, kind)[1]
    for access in _accesses(own, partner, kind):
        touched = access.storage(consumer.stage)
        halves |= touched
        # The two halves of a component are one scalar, unless there are two accesses of 16 bits.
        scalars |= {half & ~1 for half in touched} if access.half is None else touched
    instructions = sum(1 for _ in own.instrs())
    return InterfaceCounts(len(scalars), len({half // HALVES for half in halves}), instructions)


def _steps(own: Shader, partner: Shader, kind: AccessKind, options: LinkOptions) -> dict[str, int]:
    """Return how many varyings each step would remove. The shaders are changed."""
    pair = _in_order(own, partner, kind)
    found = {}
    interface = read_interface(*pair, options)
    if isinstance(interface, Unlinkable):
        return {}
    found["propagatable"] = sum(1 for _ in propagatable(interface))
    propagate(interface)
    found["duplicate"] = sum(1 for _ in duplicates(interface))
    deduplicate(interface)
    interface = read_interface(*pair, options)
    if isinstance(interface, Unlinkable):
        return found
    find_convergent(interface)
    found["convergent"] = sum(slot.convergent for slot in interface.in_order())
    found["movable"] = sum(1 for _ in BackwardSearch(interface).moves())
    found["derivable"] = sum(len(item.removed) for item in derivations(interface))
    return found
