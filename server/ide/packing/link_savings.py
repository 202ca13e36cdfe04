"""The savings from linking, as the text of a code lens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nirls.ir.finding import counted, listed

if TYPE_CHECKING:
    from nirls.passes.link_potential.potential import Side
    from nirls.passes.varyings.packing.table import PairPacking


def savings_text(pairs: Sequence[PairPacking], position: int) -> str:
    """Describe the savings in the input and output varyings of the stage at a position of a pipeline.

    >>> savings_text([], 0)
    'varyings not analyzed'
    """
    own = [pair for number, pair in enumerate(pairs) if number in (position - 1, position)]
    if not own:
        return "varyings not analyzed"
    seen = [pair for pair in own if not pair.obstacle]
    if not seen:
        return "; ".join(dict.fromkeys(pair.obstacle for pair in own))
    saved = _listed(
        (sum(pair.saved_scalars for pair in seen), "scalar"),
        (sum(pair.saved_slots for pair in seen), "vec4 slot"),
        (sum(pair.saved_bytes for pair in seen), "payload byte"),
    )
    moved = sum(pair.moved for pair in seen)
    parts = [f"saves {saved}"] if saved else []
    if moved:
        parts.append(f"moves {_counted(moved, 'instruction')}")
    if not parts:
        return "linking saves nothing more"
    return f"linking {', '.join(parts)}"


def potential_text(sides: Sequence[Side]) -> str:
    """Describe the possible savings for an unlinked stage."""
    if not sides:
        return "no varyings that linking could change"
    scalars = sum(side.saved.scalars for side in sides)
    at_most = sum(side.saved_if_unmatched.scalars for side in sides)
    saved = _listed(
        (scalars, "scalar"),
        (sum(side.saved.slots for side in sides), "vec4 slot"),
        (sum(side.saved.instructions for side in sides), "instruction"),
    )
    most = _counted(at_most, "scalar") if at_most > scalars else ""
    if saved:
        more = f", up to {most} with what the partner does not use" if most else ""
        return f"linking would save {saved}{more}"
    if most:
        return f"linking could save up to {most}, if the partner does not use them"
    return "linking saves nothing"


def _listed(*counts: tuple[int, str]) -> str:
    """Format counts as `2 scalars, 1 vec4 slot and 4 instructions`, without those that are not positive."""
    words = [text for number, noun in counts if (text := _counted(number, noun))]
    return listed(words) if words else ""


def _counted(number: int, noun: str) -> str:
    """Format a count; "" unless positive. Code motion may add a scalar to save instructions."""
    return counted(number, noun) if number > 0 else ""
