"""Compilations that start again from an earlier snapshot of the same shader.

Drivers compile variants of a shader, such as one for binning, from a clone that they made on the way. A log
with the names of passes does not say so: the next snapshot is of the clone. Two signs are clear:

- inputs and outputs are variables after they were lowered, and the computations are more like those of an
  earlier snapshot with variables (Mesa has passes that make variables again, and change nothing else);
- the same pass ran behind an earlier snapshot, from which the new one differs by less than a third of what it
  differs from the last one, and the last one is most like one behind that. (A variant runs the same passes
  again: where the log leaves out some of them, it is like an earlier snapshot too, but goes forward. Nor is
  it one if the pass can make the new snapshot from the last one.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from nirls.ir.io.level import LoweringLevel
from nirls.server.engine.timeline.dump_digest import DumpDigest

_LEAST_CHANGE = 8
_MOST_CANDIDATES = 64


def start_of_restart(
    earlier: Sequence[int],
    position: int,
    pass_name: str,
    digests: Sequence[DumpDigest],
    passes_behind: Mapping[int, set[str]],
    *,
    can_make: bool,
) -> int | None:
    """Return the snapshot from which a compilation starts again at a position; None if it goes on.

    `earlier` are the positions of the earlier snapshots of the shader, `passes_behind` the names of the
    passes that ran behind each. `can_make` says that the pass is known to be able to make the snapshot from
    the last one. The latest of equally like snapshots is chosen.
    """
    last, now = digests[earlier[-1]], digests[position]
    if last.shape == now.shape:
        return None
    candidates = earlier[-_MOST_CANDIDATES - 1 : -1]
    if _has_variables(now) and not _has_variables(last) and last.io_level is not None:
        with_variables = [candidate for candidate in candidates if _has_variables(digests[candidate])]
        start = _most_like(now, with_variables, digests, lambda digest: digest.computations)
        if start is None:
            return None
        is_backend = last.io_level is LoweringLevel.BACKEND_IO
        distances = [
            _distance(dump_digest.computations, now.computations) for dump_digest in (digests[start], last)
        ]
        return start if distances[0] < distances[1] + is_backend else None
    change = _distance(last.instructions, now.instructions)
    if change < _LEAST_CHANGE or can_make:
        return None
    known = [candidate for candidate in candidates if pass_name in passes_behind.get(candidate, ())]
    start = _most_like(now, known, digests, lambda digest: digest.instructions)
    if start is None or 3 * _distance(digests[start].instructions, now.instructions) >= change:
        return None
    like_last = _most_like(last, candidates, digests, lambda digest: digest.instructions)
    return start if like_last is not None and like_last > start else None


def _has_variables(digest: DumpDigest) -> bool:
    # Most dumps are told by their declarations and accesses, which are read anyway. Of slots only those
    # of outputs, because vertex attributes may be lowered before the outputs are.
    has_lowered_outputs = bool(digest.interface[1])
    return bool(digest.io_names) and not has_lowered_outputs and digest.io_level is LoweringLevel.VARIABLES


def _most_like(
    now: DumpDigest,
    candidates: Sequence[int],
    digests: Sequence[DumpDigest],
    lines: Callable[[DumpDigest], Counter[bytes]],
) -> int | None:
    return min(
        reversed(candidates),
        key=lambda candidate: _distance(lines(digests[candidate]), lines(now)),
        default=None,
    )


def _distance(lines: Counter[bytes], others: Counter[bytes]) -> int:
    """Number of lines that only one of two shaders has."""
    return (lines - others).total() + (others - lines).total()
