"""Delta debugging: reduction of shaders while a property holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nirls.ir.model.shader import Shader, renumber
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.validation import errors_of
from nirls.passes.reduction.cuts import KINDS, ReductionCut, cut, cuts_of

Holds = Callable[[Sequence[Shader]], bool]
"""Test of the property; must not change the shaders."""

StepsOf = Callable[[Sequence[Shader], str], Sequence[Sequence[ReductionCut]]]
"""Find the steps of a kind for shaders; each step is one or more cuts applied together."""


def single_cuts(shaders: Sequence[Shader], kind: str) -> list[tuple[ReductionCut, ...]]:
    """Find the cuts of a kind, each as a step of its own."""
    return [(one,) for one in cuts_of(shaders, kind)]


@dataclass(frozen=True, slots=True)
class Reduction:
    """The smallest shaders found.

    `tries` counts the candidates tried; `is_complete` is False if the time limit was reached.
    """

    shaders: tuple[Shader, ...]
    tries: int
    is_complete: bool

    @property
    def instructions(self) -> int:
        """The number of remaining instructions."""
        return count_instructions(self.shaders)


def count_instructions(shaders: Sequence[Shader]) -> int:
    """Count the instructions of all functions."""
    return sum(1 for shader in shaders for _ in shader.instrs())


def reduce_shaders(
    shaders: Sequence[Shader],
    holds: Holds,
    *,
    seconds: float | None = None,
    steps_of: StepsOf = single_cuts,
) -> Reduction:
    """Reduce shaders while a property holds (ddmin of Zeller and Hildebrandt, one kind of cut at a time).

    Every candidate is printed and parsed again; candidates with unreadable lines or new validation errors
    are rejected. `seconds` limits the time, None for no limit. `steps_of` finds the steps of a kind. Raises
    ValueError if the property does not hold for the given shaders.
    """
    if not holds(shaders):
        raise ValueError("the shaders do not show what they should be reduced for")
    return _Reducer(shaders, holds, seconds, steps_of).run()


class _Reducer:
    def __init__(
        self, shaders: Sequence[Shader], holds: Holds, seconds: float | None, steps_of: StepsOf
    ) -> None:
        self.steps_of = steps_of
        self.shaders = list(shaders)
        self.holds = holds
        self.deadline = None if seconds is None else time.perf_counter() + seconds
        self.tries = 0
        self.errors = [_error_codes(shader) for shader in shaders]

    def run(self) -> Reduction:
        progress = True
        while progress and not self._is_late():
            progress = False
            for kind in KINDS:
                progress |= self._shrink(kind)
        self._accept_if_it_holds([_renumbered(shader) for shader in self.shaders])
        return Reduction(tuple(self.shaders), self.tries, not self._is_late())

    def _shrink(self, kind: str) -> bool:
        """Apply as many cuts of a kind as possible, in groups of decreasing size; return whether any held."""
        progress = False
        steps = self.steps_of(self.shaders, kind)
        size = len(steps)
        while size and not self._is_late():
            start = 0
            while start < len(steps) and not self._is_late():
                if self._try([one for step in steps[start : start + size] for one in step]):
                    progress = True
                    # The cut renumbered the places. Steps rejected before `start` are not tried again.
                    steps = self.steps_of(self.shaders, kind)
                else:
                    start += size
            size //= 2
        return progress

    def _try(self, cuts: Sequence[ReductionCut]) -> bool:
        if not cuts:
            return False
        touched = {one.shader for one in cuts}
        smaller = cut(self.shaders, cuts)
        return self._accept_if_it_holds(
            [_printed(shader) if number in touched else shader for number, shader in enumerate(smaller)]
        )

    def _accept_if_it_holds(self, candidate: list[Shader]) -> bool:
        self.tries += 1
        for shader, known in zip(candidate, self.errors, strict=True):
            if shader.unreadable or not _error_codes(shader) <= known:
                return False
        if not self.holds(candidate):
            return False
        self.shaders = candidate
        return True

    def _is_late(self) -> bool:
        return self.deadline is not None and time.perf_counter() > self.deadline


def _printed(shader: Shader) -> Shader:
    """Print a shader and parse the text."""

    return parse_dump(fresh(shader))


def _renumbered(shader: Shader) -> Shader:
    copy = parse_dump(fresh(shader))
    renumber(copy)
    return _printed(copy)


def _error_codes(shader: Shader) -> frozenset[str]:
    return frozenset(problem.code for problem in errors_of(shader))
