"""What linking would save, in a line above a dump."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nirls.passes.varyings.packing_table import PairPacking


def savings_text(pairs: Sequence[PairPacking], position: int) -> str:
    """What linking does to the varyings before and behind the stage at a position of a pipeline.

    >>> savings_text([], 0)
    'varyings could not be looked at'
    """
    own = [pair for number, pair in enumerate(pairs) if number in (position - 1, position)]
    if not own:
        return "varyings could not be looked at"
    seen = [pair for pair in own if not pair.obstacle]
    if not seen:
        return "; ".join(dict.fromkeys(pair.obstacle for pair in own))
    saved = [
        _counted(sum(pair.saved_scalars for pair in seen), "scalar"),
        _counted(sum(pair.saved_slots for pair in seen), "vec4 slot"),
    ]
    moved = sum(pair.moved for pair in seen)
    parts = []
    if any(saved):
        parts.append(f"saves {' and '.join(filter(None, saved))}")
    if moved:
        parts.append(f"moves {_counted(moved, 'instruction')}")
    if not parts:
        return "linking saves nothing more"
    return f"linking {', '.join(parts)}"


def _counted(number: int, noun: str) -> str:
    """The empty text for nothing; code motion may cost a scalar where it saves instructions."""
    if number <= 0:
        return ""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
