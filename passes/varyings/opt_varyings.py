"""The pass `opt_varyings`: optimization of the varyings between the linked stages of a pipeline.

Source: the design of Mesa's nir_opt_varyings. The other modules of this package are its steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from nirls.ir.finding import Finding
from nirls.ir.io.access import IoAccess
from nirls.ir.model.instructions import LoadConstInstr
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
from nirls.passes.declaration import Change, Pass, changes, option
from nirls.passes.varyings.accesses import Linkage, link
from nirls.passes.varyings.decisions import Journal
from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.link_pair import link_pair
from nirls.passes.varyings.opportunities import CODES, WHOLE_PASS, apply_fix, findings_of_pair
from nirls.passes.varyings.scalar_slots import Progress

CLEAN_UP = (
    copy_prop,
    opt_remove_phis,
    opt_dce,
    opt_dead_cf,
    opt_cse,
    opt_constant_folding,
    drop_operands,
)
"""The clean-up passes to run on each changed stage.

Of opt_algebraic only the rules are applied that can make an input dead; the others would rewrite code that
linking has not touched. opt_undef is left out because it removes undefined values that transform feedback
relies on.
"""

_MOST_ROUNDS = 4


@dataclass(frozen=True)
class OptVaryings(LinkOptions, Pass):
    """Optimize varyings between linked stages: propagation, deduplication, code motion, packing."""

    name = "opt_varyings"
    scope = "pipeline"
    codes = CODES

    clean_up: bool = option(True, "run the clean-up passes on each changed stage")

    @classmethod
    def with_options(cls, given: Mapping[str, object]) -> Self:
        return replace(super().with_options(given), given=frozenset(given))

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        """Link all pairs downwards, so that constants propagate through the whole pipeline.

        Then link again upwards from the last pair whose producer changed, so that stores that have become
        dead are removed. A pair is linked again at once if the clean-up after it has removed a varying, or
        found a constant or an equal value.
        """
        return self.run_recorded(shaders, ())

    def run_recorded(self, shaders: Sequence[Shader], journals: Sequence[Journal]) -> list[Shader]:
        """Run the pass, and add the decisions on each pair to the journal of its position, if any."""
        changed: set[int] = set()
        highest = -1
        kept = dict(enumerate(journals))
        for position in range(len(shaders) - 1):
            if _link(shaders, position, self, changed, kept.get(position)):
                highest = position
        for position in range(highest - 1, -1, -1):
            _link(shaders, position, self, changed, kept.get(position))
        return [shader for shader in shaders if id(shader) in changed]

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        """Yield one finding per opportunity other than the removal of dead varyings."""
        for position in range(len(shaders) - 1):
            yield from findings_of_pair(shaders, position, self)

    def fix(self, shaders: Sequence[Shader], key: str) -> list[Change]:
        if key == WHOLE_PASS:
            return changes(shaders, self.run)
        return changes(shaders, lambda copies: apply_fix(copies, key, self))


def _link(
    shaders: Sequence[Shader], position: int, options: OptVaryings, changed: set[int], journal: Journal | None
) -> bool:
    """Link one pair; return whether the producer changed."""
    pair = shaders[position], shaders[position + 1]
    linkage = options.link(*pair)
    if not isinstance(linkage, Linkage):
        return False
    changed.update(id(shader) for shader in scalarize(linkage))
    producer_changed = False
    for _ in range(_MOST_ROUNDS):
        progress = link_pair(*pair, options, journal)
        if not isinstance(progress, Progress):
            break
        producer_changed |= progress.producer
        changed |= progress.changed
        if not options.clean_up or not _clean_up_uncovers(pair, progress):
            break
    return producer_changed


def _clean_up_uncovers(pair: tuple[Shader, Shader], progress: Progress) -> bool:
    """Clean up the changed shaders; return whether that removed varyings or changed their values."""
    before = _varyings(pair)
    for shader in pair:
        if id(shader) in progress.changed:
            clean_up(shader, CLEAN_UP)
    return _varyings(pair) != before


def _varyings(pair: tuple[Shader, Shader]) -> Counter[Hashable]:
    """Return the state that linking depends on: all accesses, stored constants, and the number of values."""
    linkage = link(*pair)
    if not isinstance(linkage, Linkage):
        return Counter()
    found: Counter[Hashable] = Counter(
        (access.kind, access.halves, _stored_constant(access)) for access in linkage.accesses()
    )
    found["values"] = len({store.instr.sources[0].def_ for store in linkage.stores})
    return found


def _stored_constant(access: IoAccess) -> tuple[int, ...] | None:
    value = access.instr.sources[0].def_ if access.is_store else None
    maker = None if value is None else value.instr
    return maker.values if isinstance(maker, LoadConstInstr) else None


def scalarize(linkage: Linkage) -> list[Shader]:
    """Split vector accesses of the varyings of a pair in place; return the changed stages."""
    found = _shaders_with_vectors(linkage)
    for shader in found:
        lower_io_to_scalar(shader)
        clean_up(shader, (copy_prop, opt_dce))
    return found


def _shaders_with_vectors(linkage: Linkage) -> list[Shader]:
    """Return the stages whose varyings are still vectors. Linking works on scalars."""
    found = []
    if any(len(access.lanes) > 1 for access in (*linkage.stores, *linkage.output_loads)):
        found.append(linkage.producer)
    if any(len(access.lanes) > 1 for access in linkage.input_loads):
        found.append(linkage.consumer)
    return found
