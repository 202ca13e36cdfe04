"""Entries of a program: straight-line steps, and control flow that changes the mask of running lanes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from nirls.ir.model.control_flow import Block, Loop
from nirls.verification.evaluate.state.compiler import Reader
from nirls.verification.evaluate.state.frames import GotoFrame, LoopFrame
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.values.errors import TimeUsedUp, Unsupported

_NESTED = 4
"""Limit on all loop iterations of a run together, as a multiple of the limit of one loop."""
_NEXT_BLOCK = 1
"""Position of the entry that selects the next block, in a function with gotos."""


def _endless(limit: int) -> str:
    return f"a loop ran more than {limit} iterations"


@dataclass(slots=True)
class Straight:
    """Instructions of a block without an effect on control flow; several entries where it has calls."""

    block: Block
    steps: list[Step]
    is_start: bool = True

    def __call__(self, state: State, position: int) -> int:
        if not state.masks.running:
            return position + 1
        if state.masks.counts_as_run:
            state.record.executed[self.block] += 1
        if self.is_start and state.options.at_block is not None:
            state.options.at_block(state, self.block)
        deadline = state.options.deadline
        if deadline is not None and time.thread_time() > deadline:
            raise TimeUsedUp
        for step in self.steps:
            step(state)
        return position + 1


def note_origin(number: int) -> Step:
    """Record this block as the predecessor of the running lanes, for later phis."""
    return lambda state: np.copyto(state.masks.came_from, number, where=state.masks.active)


@dataclass(slots=True)
class Branch:
    """Start of an if: the lanes whose condition holds run its then branch, the others wait."""

    read: Reader
    rejoins: bool = False
    to_else: int = 0
    to_end: int = 0

    def __call__(self, state: State, position: int) -> int:
        if not state.masks.running:
            return self.to_end + 1
        state.enter_branches(self.read(state), rejoins=self.rejoins)
        return position + 1 if state.masks.running else self.to_else


@dataclass(slots=True)
class Otherwise:
    """Start of an else branch."""

    to_end: int = 0

    def __call__(self, state: State, position: int) -> int:
        frame = state.frame.branches[-1]
        frame.finished = state.masks.active
        state.masks.set_active(frame.waiting)
        return position + 1 if state.masks.running else self.to_end


def end_branch(state: State, position: int) -> int:
    """End an if: the lanes of both branches run on."""
    state.leave_branches()
    return position + 1


@dataclass(slots=True)
class EnterLoop:
    """Start of a loop; a loop that no lane runs is skipped."""

    past: int = 0

    def __call__(self, state: State, position: int) -> int:
        if not state.masks.running:
            return self.past
        nobody = np.zeros(state.lanes, np.bool_)
        state.frame.loops.append(LoopFrame(nobody, nobody))
        return position + 1


def rejoin_continued(state: State, position: int) -> int:
    """Start the continue block of a loop, with the lanes that executed `continue`."""
    frame = state.frame.loops[-1]
    state.masks.set_active(state.masks.active | frame.continued)
    frame.continued = np.zeros(state.lanes, np.bool_)
    return position + 1


@dataclass(slots=True)
class NextRound:
    """End of a loop: the lanes that still run it start another iteration, up to the limit."""

    first: int
    loop: Loop

    def __call__(self, state: State, position: int) -> int:
        frame = state.frame.loops[-1]
        if state.options.coverage is not None and frame.is_left:
            state.options.coverage.leave(self.loop, frame.rounds)
            frame.is_left = False
        if state.masks.running:
            frame.rounds += 1
            state.rounds += 1
            limit = state.options.iteration_limit
            if frame.rounds <= limit and state.rounds <= _NESTED * limit:
                return self.first
            state.masks.give_up(state.masks.active, _endless(limit))
        state.frame.loops.pop()
        state.masks.set_active(frame.broken)
        return position + 1


def enter_gotos(state: State, position: int) -> int:
    """Start a function with gotos: all lanes wait for its first block."""
    start = np.where(state.masks.active, 0, -1)
    state.calls[-1].goto = GotoFrame(start, np.zeros(state.lanes, np.bool_))
    return position + 1


@dataclass(slots=True)
class NextBlock:
    """Run the lanes that wait for the lowest-numbered block with waiting lanes."""

    starts: list[int]

    def __call__(self, state: State, position: int) -> int:
        frame = _goto_frame(state)
        waiting = frame.next_block[frame.next_block >= 0]
        if not waiting.size:
            return self.starts[-1]
        number = int(waiting.min())
        if number == len(self.starts) - 1:
            frame.finished = frame.finished | (frame.next_block == number)
            return self.starts[-1]
        frame.rounds[number] = frame.rounds.get(number, 0) + 1
        here = frame.next_block == number
        frame.next_block = np.where(here, -1, frame.next_block)
        if frame.rounds[number] > state.options.iteration_limit:
            state.masks.give_up(here, _endless(state.options.iteration_limit))
            return position
        state.masks.set_active(here)
        return self.starts[number]


@dataclass(slots=True)
class Goto:
    """Send the running lanes to a block, or to one of two by a condition."""

    targets: list[int]
    condition: Reader | None

    def __call__(self, state: State, position: int) -> int:
        frame = _goto_frame(state)
        if state.masks.running:
            target: Any = self.targets[0]
            if self.condition is not None:
                target = np.where(state.masks.decide(self.condition(state)), *self.targets)
            frame.next_block = np.where(state.masks.active, target, frame.next_block)
            state.masks.set_active(np.zeros(state.lanes, np.bool_))
        return _NEXT_BLOCK


def end_gotos(state: State, position: int) -> int:
    """End a function with gotos: the lanes that reached its end run on."""
    state.masks.set_active(_goto_frame(state).finished)
    return position + 1


def _goto_frame(state: State) -> GotoFrame:
    frame = state.calls[-1].goto
    assert frame is not None
    return frame


def return_from_function(state: State, position: int) -> int:
    """Return to the caller, or end the program."""
    frame = state.pop_call()
    return frame.return_to if state.calls else -1


def _innermost_loop(state: State) -> LoopFrame:
    if not state.frame.loops:
        raise Unsupported("a jump out of a loop where there is none")
    return state.frame.loops[-1]


def _break(state: State) -> None:
    frame = _innermost_loop(state)
    frame.broken = frame.broken | state.masks.active
    frame.is_left |= state.masks.counts_as_run
    state.masks.set_active(np.zeros(state.lanes, np.bool_))


def _continue(state: State) -> None:
    frame = _innermost_loop(state)
    frame.continued = frame.continued | state.masks.active
    state.masks.set_active(np.zeros(state.lanes, np.bool_))


def _return(state: State) -> None:
    frame = state.calls[-1]
    frame.returned = frame.returned | state.masks.active
    state.masks.set_active(np.zeros(state.lanes, np.bool_))


def _halt(state: State) -> None:
    state.masks.set_active(np.zeros(state.lanes, np.bool_))


JUMPS: dict[str, Step] = {"break": _break, "continue": _continue, "return": _return, "halt": _halt}
