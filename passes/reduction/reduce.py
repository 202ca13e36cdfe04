"""Delta debugging: reduction of shaders while a property holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.model.shader import Shader, renumber
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.validation import errors_of
from nirls.passes.reduction.cuts import KINDS, ReductionCut, cut, cuts_of
from nirls.passes.reduction.search import ReductionEnd, Search

Holds = Callable[[Sequence[Shader]], bool]
"""Test of the property; must not change the shaders."""

StepsOf = Callable[[Sequence[Shader], str], Sequence[Sequence[ReductionCut]]]
"""Find the steps of a kind for shaders; each step is one or more cuts applied together."""


def single_cuts(shaders: Sequence[Shader], kind: str) -> list[tuple[ReductionCut, ...]]:
    """Find the cuts of a kind, each as a step of its own."""
    return [(single,) for single in cuts_of(shaders, kind)]


@dataclass(frozen=True, slots=True)
class Reduction:
    """The smallest shaders found, the number of candidates tried, and why the search ended."""

    shaders: tuple[Shader, ...]
    tries: int
    end: ReductionEnd

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
    search: Search | None = None,
    *,
    steps_of: StepsOf = single_cuts,
    on_smaller: Callable[[Sequence[Shader]], None] | None = None,
) -> Reduction:
    """Reduce shaders while a property holds (ddmin of Zeller and Hildebrandt, one kind of cut at a time).

    Every candidate is printed and parsed again; candidates with unreadable lines or new validation errors
    are rejected. `search` has the limits, `steps_of` finds the steps of a kind, `on_smaller` is called with
    each smaller candidate that holds. A KeyboardInterrupt ends the search. Raises ValueError if the property
    does not hold for the given shaders.
    """
    if not holds(shaders):
        raise ValueError("the shaders do not show what they should be reduced for")
    return _Reducer(shaders, holds, search or Search(), steps_of, on_smaller).run()


class _Reducer:
    def __init__(
        self,
        shaders: Sequence[Shader],
        holds: Holds,
        search: Search,
        steps_of: StepsOf,
        on_smaller: Callable[[Sequence[Shader]], None] | None,
    ) -> None:
        self.steps_of = steps_of
        self.shaders = list(shaders)
        self.holds = holds
        self.search = search
        self.on_smaller = on_smaller
        self.errors = [_error_codes(shader) for shader in shaders]

    def run(self) -> Reduction:
        try:
            progress = True
            while progress and not self.search.is_over:
                progress = False
                for kind in KINDS:
                    progress |= self._shrink(kind)
            renumbered = [_renumbered(shader) for shader in self.shaders]
            if self._is_accepted(renumbered):
                self._accept(renumbered)
        except KeyboardInterrupt:
            self.search.is_interrupted = True
        return Reduction(tuple(self.shaders), self.search.tries, self.search.end)

    def _shrink(self, kind: str) -> bool:
        """Apply as many cuts of a kind as possible, in groups of decreasing size; return whether any held."""
        progress = False
        steps = self.steps_of(self.shaders, kind)
        size = len(steps)
        while size and not self.search.is_over:
            start = 0
            while start < len(steps):
                found = self.search.first(self._candidates(steps, start, size), self._is_accepted)
                if found is None:
                    break
                number, smaller = found
                self._accept(smaller)
                progress = True
                # The cut renumbered the places. Steps rejected before `start` are not tried again.
                start += number * size
                steps = self.steps_of(self.shaders, kind)
            size //= 2
        return progress

    def _candidates(
        self, steps: Sequence[Sequence[ReductionCut]], start: int, size: int
    ) -> Iterator[list[Shader]]:
        """Yield the shaders without each group of steps from `start` on."""
        for first in range(start, len(steps), size):
            cuts = [part for step in steps[first : first + size] for part in step]
            touched = {part.shader for part in cuts}
            smaller = cut(self.shaders, cuts)
            yield [_printed(shader) if number in touched else shader for number, shader in enumerate(smaller)]

    def _is_accepted(self, candidate: Sequence[Shader]) -> bool:
        for shader, known in zip(candidate, self.errors, strict=True):
            if shader.unreadable or not _error_codes(shader) <= known:
                return False
        return self.holds(candidate)

    def _accept(self, candidate: list[Shader]) -> None:
        self.shaders = candidate
        if self.on_smaller is not None:
            self.on_smaller(candidate)


def _printed(shader: Shader) -> Shader:
    """Print a shader and parse the text."""

    return parse_dump(fresh(shader))


def _renumbered(shader: Shader) -> Shader:
    copy = parse_dump(fresh(shader))
    renumber(copy)
    return _printed(copy)


def _error_codes(shader: Shader) -> frozenset[str]:
    return frozenset(problem.code for problem in errors_of(shader))
