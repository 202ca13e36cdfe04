"""The pass `opt_varyings`: optimization of the varyings between the linked stages of a pipeline.

Source: the design of Mesa's nir_opt_varyings. The other modules of this package are its steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from nirls.ir.io.access import INPUT_LOADS
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.lower_io_to_scalar import lower_io_to_scalar
from nirls.passes.cleanup.opt_algebraic import drop_operands
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis
from nirls.passes.declaration import Pass, Site, option
from nirls.passes.varyings.interface.accesses import Linkage, Unlinkable
from nirls.passes.varyings.interface.decisions import Journal
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.payload_accesses import is_payload_pair
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.link_pair import link_pair
from nirls.passes.varyings.opportunities import CODES
from nirls.passes.varyings.opportunity_sites import sites_of_pair
from nirls.passes.varyings.payload.findings import PAYLOAD_CODES, payload_sites
from nirls.passes.varyings.payload.link import optimize_payload

CLEAN_UP = (
    copy_prop,
    opt_remove_phis,
    opt_dce,
    opt_dead_cf,
    opt_cse,
    opt_constant_folding,
    drop_operands,
)
"""The clean-up passes to run on the stages of a pair.

Of opt_algebraic only the rules are applied that can make an input dead; the others would rewrite code that
linking has not touched. opt_undef is left out because it removes undefined values that transform feedback
relies on.
"""

_MOST_ROUNDS = 32
"""Limit of repetitions. Each one removes a varying or moves code, so it is never reached."""


@dataclass(frozen=True)
class OptVaryings(LinkOptions, Pass):
    """Optimize varyings between linked stages: propagation, deduplication, code motion, packing."""

    name = "opt_varyings"
    scope = "pipeline"
    codes = (*CODES, *PAYLOAD_CODES)

    clean_up: bool = option(
        True, "run the clean-up passes on both stages of a pair, before and after they are linked"
    )

    @classmethod
    def with_options(cls, given: Mapping[str, object]) -> Self:
        return replace(super().with_options(given), given=frozenset(given))

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        """Link all pairs until none of them changes any more.

        The first sweep is downwards, so that constants propagate through the whole pipeline, and the next one
        upwards, so that stores that have become dead are removed. A pair is linked again if the pair before
        or after it has changed one of its stages.
        """
        return self.run_recorded(shaders, ())

    def run_recorded(self, shaders: Sequence[Shader], journals: Sequence[Journal]) -> list[Shader]:
        """Run the pass, and add the decisions on each pair to the journal of its position, if any."""
        changed: set[int] = set()
        pairs = range(len(shaders) - 1)
        kept = dict(zip(pairs, journals, strict=False))
        waiting = set(pairs)
        for sweep in (pairs, pairs[::-1]) * _MOST_ROUNDS:
            for position in sweep:
                if position not in waiting:
                    continue
                waiting.remove(position)
                pair = shaders[position], shaders[position + 1]
                found = _link(pair, self, kept.get(position))
                changed |= found
                for neighbour, shader in zip((position - 1, position + 1), pair, strict=True):
                    if neighbour in pairs and id(shader) in found:
                        waiting.add(neighbour)
        return [shader for shader in shaders if id(shader) in changed]

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        """Yield one site per opportunity other than the removal of dead varyings."""
        for position in range(len(shaders) - 1):
            yield from sites_of_pair(shaders, position, self)
            yield from payload_sites(shaders, position, self)


def _link(pair: tuple[Shader, Shader], options: OptVaryings, journal: Journal | None) -> set[int]:
    """Link one pair until nothing changes; return the ids of the changed shaders.

    With `clean_up`, redundant code is removed first: it must not decide what is linked.
    """
    if is_payload_pair(*pair):
        return _link_payload(pair, options, journal)
    linkage = options.link(*pair)
    if not isinstance(linkage, Linkage) or not any(linkage.accesses()):
        return set()
    if journal is not None:
        # Before clean-up, so that scalars with dead accesses are recorded too.
        journal.begin(linkage)
    changed = {id(shader) for shader in scalarize(linkage)}
    for _ in range(_MOST_ROUNDS):
        if options.clean_up:
            changed.update(id(shader) for shader in pair if clean_up(shader, CLEAN_UP))
        progress = link_pair(*pair, options, journal)
        if not isinstance(progress, LinkProgress) or not progress.changed:
            break
        changed |= progress.changed
    return changed


def _link_payload(pair: tuple[Shader, Shader], options: OptVaryings, journal: Journal | None) -> set[int]:
    """Do the same for the payload of a task shader."""
    linkage = options.payload(*pair)
    if isinstance(linkage, Unlinkable) or not any(linkage.accesses()):
        return set()
    changed: set[int] = set()
    for _ in range(_MOST_ROUNDS):
        if journal is not None:
            journal.begin(linkage)
        if options.clean_up:
            changed.update(id(shader) for shader in pair if clean_up(shader, CLEAN_UP))
        linkage = options.payload(*pair, linkage.partition)
        shaders = [] if isinstance(linkage, Unlinkable) else optimize_payload(linkage, options, journal)
        if not shaders or isinstance(linkage, Unlinkable):
            break
        changed.update(map(id, shaders))
    return changed


def scalarize(linkage: Linkage) -> list[Shader]:
    """Split vector accesses of the varyings of a pair in place; return the changed stages.

    Linking works on scalars.
    """
    found = []
    if any(len(access.lanes) > 1 for access in (*linkage.stores, *linkage.output_loads)):
        found.append(linkage.producer)
    if any(len(access.lanes) > 1 and access.instr.name in INPUT_LOADS for access in linkage.input_loads):
        found.append(linkage.consumer)
    for shader in found:
        lower_io_to_scalar(shader)
        clean_up(shader, (copy_prop, opt_dce))
    return found
