"""Register pressure of snapshots, for timelines."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.ir.analysis.liveness import register_pressure
from nirls.ir.text.parse import parse_dump


def pressures_of(texts: Sequence[bytes]) -> list[int]:
    """Return the peak register pressure of each dump in SSA form, in 32-bit registers."""
    return [max((register_pressure(impl) for impl in parse_dump(text).impls()), default=0) for text in texts]
