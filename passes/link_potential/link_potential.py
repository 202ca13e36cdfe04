"""The pass `link_potential`: potential gain of linking a separate shader at draw time.

It changes nothing. Source: "analyzing the optimization potential of linking separate shaders" in the
varying-linking design of Mesa's nir_opt_varyings, which Mesa has not implemented.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from typing import Self

from nirls.ir.finding import FindingCode, Place, Severity, counted, listed
from nirls.ir.io.access import AccessKind
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.passes.declaration import Pass, Site
from nirls.passes.link_potential.potential import Side, potential_of, sides_of
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.link_options import SEPARATE, DriverLimits, LinkOptions

LINK_POTENTIAL = FindingCode("link-potential", "Separate shader that linking could improve", Severity.HINT)

_HEAD = "shader:"
_WORDS = {
    "propagatable": "propagatable",
    "duplicate": "duplicate",
    "convergent": "convergent",
    "derivable": "derivable from others",
}


@dataclass(frozen=True)
class LinkPotential(DriverLimits, Pass):
    """Report what linking a separate shader at draw time could save."""

    name = "link_potential"
    scope = "pipeline"
    stages = frozenset(
        (Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY, Stage.MESH, Stage.FRAGMENT)
    )
    codes = (LINK_POTENTIAL,)
    # Off by default: it links each dump several times, which takes longer than all other passes together.
    default = False
    alone = True
    changes_shaders = False

    @classmethod
    def with_options(cls, given: Mapping[str, object]) -> Self:
        return replace(super().with_options(given), given=frozenset(given))

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        """Change nothing."""
        return []

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        """Yield one site for each shader that would gain on an interface that is not linked."""
        if not shaders:
            return
        options = LinkOptions(**{field.name: getattr(self, field.name) for field in fields(DriverLimits)})
        if len(shaders) == 1:
            yield from _sites(shaders[0], 0, potential_of(shaders[0], options))
            return
        open_sides = [(0, AccessKind.INPUT_LOAD)]
        for position, (producer, consumer) in enumerate(pairwise(shaders)):
            linkage = self.link(producer, consumer)
            if isinstance(linkage, Unlinkable) and linkage.code == SEPARATE:
                open_sides += [(position, AccessKind.STORE), (position + 1, AccessKind.INPUT_LOAD)]
        open_sides.append((len(shaders) - 1, AccessKind.STORE))
        for dump, kind in open_sides:
            yield from _sites(shaders[dump], dump, sides_of(shaders[dump], (kind,), options))


def _sites(shader: Shader, dump: int, sides: Sequence[Side]) -> Iterator[Site]:
    gaining = [side for side in sides if _gains(side)]
    if gaining:
        finding = LINK_POTENTIAL.at(
            Place(dump, 0, min(len(shader.source), len(_HEAD))),
            "; ".join(map(_message, gaining)),
            data={side.direction: _data(side) for side in sides},
        )
        yield Site(finding)


def _gains(side: Side) -> bool:
    """Whether linking with a pass-through partner saves varyings, slots or instructions."""
    saved = side.saved
    return saved.scalars > 0 or saved.slots > 0 or (saved.instructions > 0 and saved.scalars >= 0)


def _message(side: Side) -> str:
    before, after = side.before, side.after
    parts = []
    if after.scalars < before.scalars:
        parts.append(f"{counted(before.scalars, 'scalar')} to {after.scalars}")
    if after.slots < before.slots:
        parts.append(f"{counted(before.slots, 'vec4 slot')} to {after.slots}")
    if after.instructions < before.instructions:
        parts.append(f"{counted(before.instructions, 'instruction')} to {after.instructions}")
    reasons = [f"{side.steps[name]} {text}" for name, text in _WORDS.items() if side.steps.get(name)]
    why = f" ({', '.join(reasons)})" if reasons else ""
    partner = f"a pass-through {side.partner.abbreviation}"
    return f"{side.direction}: linking with {partner} reduces {listed(parts)}{why}"


def _data(side: Side) -> dict[str, object]:
    return {
        "partner": side.partner.abbreviation,
        "before": asdict(side.before),
        "after": asdict(side.after),
        "unmatched": asdict(side.unmatched),
        "steps": dict(side.steps),
    }
