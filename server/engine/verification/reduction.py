"""Reduction of a transition with different results to a small one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.structure import OPERATION
from nirls.passes.reduction.pairs import paired_cuts
from nirls.passes.reduction.reduce import count_instructions, reduce_shaders
from nirls.passes.reduction.search import ReductionEnd, Search
from nirls.server.engine.verification.unit import TransitionUnit
from nirls.verification.first_difference import FirstDifference
from nirls.verification.snapshots import QUICK, RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different


@dataclass(frozen=True, slots=True)
class ReducedTransition:
    """Both reduced snapshots, the number of instructions before and after, and why the search ended."""

    before: bytes
    after: bytes
    instructions_before: int
    instructions: int
    end: ReductionEnd

    def log(self, pass_name: str) -> bytes:
        """Format both as a log for `nirls verify`."""
        return self.before.rstrip() + f"\n{pass_name}\n".encode() + self.after.rstrip() + b"\n"


def reduce_transition(unit: TransitionUnit, seconds: float | None = None) -> ReducedTransition | None:
    """Apply the same cuts to both snapshots while the first differing operation stays the same.

    None if the two snapshots alone do not differ.
    """
    shaders = [parse_dump(unit.before), parse_dump(unit.after)]
    wanted = _difference(shaders, unit.pass_name)
    if wanted is None:
        return None

    def holds(candidate: Sequence[Shader]) -> bool:
        return _difference(candidate, unit.pass_name) == wanted

    result = reduce_shaders(shaders, holds, Search.lasting(seconds), steps_of=paired_cuts)
    before, after = (shader.source for shader in result.shaders)
    return ReducedTransition(before, after, count_instructions(shaders), result.instructions, result.end)


def _difference(shaders: Sequence[Shader], pass_name: str) -> tuple[str, ...] | None:
    """First differing operations of both shaders; None if no difference is found."""
    before, after = (RunnableSnapshot(shader) for shader in shaders)
    snapshot_verdict = compare_snapshots(before, after, pass_name, QUICK)
    return (
        _operations(snapshot_verdict.instruction) if isinstance(snapshot_verdict.verdict, Different) else None
    )


def _operations(found: FirstDifference | None) -> tuple[str, ...]:
    if found is None:
        return ()
    return tuple(
        "" if match is None else match["word"].decode()
        for match in (OPERATION.match(text.encode()) for text in (found.before, found.after))
    )
