"""All values of two snapshots on the invocation that shows how they differ."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.first_difference import FirstDifference
from nirls.verification.snapshots import RunnableSnapshot, SnapshotVerdict
from nirls.verification.tracing.trace import Trace, traced_machine


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceValues:
    """The values before and after a pass, the invocation, and the first instruction that differs."""

    before: Trace
    after: Trace
    invocation: int
    instruction: FirstDifference | None


def difference_values(
    before: RunnableSnapshot, after: RunnableSnapshot, found: SnapshotVerdict
) -> DifferenceValues | None:
    """Run both snapshots again on the inputs that show a difference.

    None if the verdict is another one, or if the two snapshots alone do not show it.
    """
    witness = found.witness
    if witness is None:
        return None
    with suppress(Unsupported):
        old, new = (
            traced_machine(
                Machine(side.shader, keeps_values=True),
                witness.environment,
                lanes=witness.lanes,
                iterations=witness.iteration_limit,
            )
            for side in (before, after)
        )
        lane = witness.lane if found.instruction is None else found.instruction.lane
        return DifferenceValues(old, new, lane, found.instruction)
    return None
