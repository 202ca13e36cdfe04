"""The pass `link_potential`: would a separate shader gain from being linked at draw time?

It looks only. Source: "analyzing the optimization potential of linking separate shaders" in the
varying-linking design of Mesa's nir_opt_varyings, which Mesa has not implemented.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.passes.finding import Finding, Place
from nirls.passes.link_potential.codes import LINK_POTENTIAL, NAME
from nirls.passes.link_potential.potential import Side, potential_of, sides_of
from nirls.passes.registry import Options
from nirls.passes.varyings.accesses import AccessKind
from nirls.passes.varyings.opt_varyings import link_options

_HEAD = "shader:"
_WORDS = {
    "propagatable": "always the same uniform expression",
    "duplicate": "the same as another one",
    "convergent": "the same for all vertices",
    "derivable": "made of what others hold",
}


def run(shaders: Sequence[Shader], options: Options) -> list[Shader]:
    """Change nothing."""
    return []


def find(shaders: Sequence[Shader], options: Options) -> Iterable[Finding]:
    """One finding for each shader that would gain on a side where it is linked with nothing.

    `shaders` are linked with each other, in pipeline order, or a single one.
    """
    settings = link_options(options)
    if not shaders:
        return
    if len(shaders) == 1:
        yield from _findings(shaders[0], potential_of(shaders[0], settings))
        return
    for shader, kind in ((shaders[0], AccessKind.INPUT_LOAD), (shaders[-1], AccessKind.STORE)):
        yield from _findings(shader, sides_of(shader, (kind,), settings))


def _findings(shader: Shader, sides: Sequence[Side]) -> Iterator[Finding]:
    gaining = [side for side in sides if _gains(side)]
    if not gaining:
        return
    yield Finding(
        LINK_POTENTIAL,
        Place(shader, Span(0, min(len(shader.source), len(_HEAD)), 0)),
        "; ".join(map(_message, gaining)),
        NAME,
        data={side.direction: _data(side) for side in sides},
    )


def _gains(side: Side) -> bool:
    """Whether fewer varyings or slots are left, or code has gone, with a partner that only passes on."""
    saved = side.saved
    return saved.scalars > 0 or saved.slots > 0 or (saved.instructions > 0 and saved.scalars >= 0)


def _message(side: Side) -> str:
    before, after = side.before, side.after
    parts = []
    if after.scalars < before.scalars:
        parts.append(f"{_count(before.scalars, 'scalar')} become {after.scalars}")
    if after.slots < before.slots:
        parts.append(f"{_count(before.slots, 'vec4 slot')} become {after.slots}")
    if after.instructions < before.instructions:
        gone = before.instructions - after.instructions
        parts.append(f"{gone} of {_count(before.instructions, 'instruction')} go")
    where = "before" if side.direction == "inputs" else "behind"
    reasons = [f"{side.steps[name]} {text}" for name, text in _WORDS.items() if side.steps.get(name)]
    why = f" ({', '.join(reasons)})" if reasons else ""
    return (
        f"{side.direction}: linked with {_a(side.partner)} {where} it that only passes everything on,"
        f" {_listed(parts)}{why}"
    )


def _data(side: Side) -> dict[str, object]:
    return {
        "partner": side.partner.abbreviation,
        "before": asdict(side.before),
        "after": asdict(side.after),
        "unmatched": asdict(side.unmatched),
        "steps": dict(side.steps),
    }


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _a(stage: Stage) -> str:
    """With the article: FS is read eff-ess."""
    word = stage.abbreviation
    return f"an {word}" if word[0] in "FM" else f"a {word}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
