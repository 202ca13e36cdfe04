"""What runs at the moment: functions, and the loops and ifs in them, with the lanes that wait."""

from __future__ import annotations

from dataclasses import dataclass, field

from nirls.verification.evaluate.state.compiled import Program
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value


@dataclass(slots=True)
class LoopFrame:
    """A running loop: lanes that broke out (`is_left`: in this iteration) or executed `continue`."""

    broken: Array
    continued: Array
    rounds: int = 0
    is_left: bool = False


@dataclass(slots=True)
class BranchFrame:
    """A running if: lanes that wait for the else branch, and lanes that finished the then branch.

    `undecided` are lanes with an undefined condition that run both branches, `outer` are those of the
    enclosing ifs; None for nowhere.
    """

    waiting: Array
    finished: Array
    undecided: Array | None = None
    outer: Array | None = None


@dataclass(slots=True)
class GotoFrame:
    """A running function with gotos.

    `next_block` is the block that each lane waits for, -1 for a running or finished lane. `finished` are
    the lanes that reached the end, `rounds` how often each block ran.
    """

    next_block: Array
    finished: Array
    rounds: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class CallFrame:
    """A running function: its values, its variables, and the lanes that have returned from it."""

    program: Program
    values: list[Value]
    returned: Array
    locals: dict[object, object]
    parameters: list[Value]
    return_to: int = 0
    loops: list[LoopFrame] = field(default_factory=list)
    branches: list[BranchFrame] = field(default_factory=list)
    goto: GotoFrame | None = None
