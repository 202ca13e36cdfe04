"""Delta debugging: cut at shaders as long as they still show what they are wanted for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nirls.ir.model.renumber import renumber
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.validation import validate
from nirls.passes.reduction.cuts import KINDS, Cut, cut, cuts_of

Holds = Callable[[Sequence[Shader]], bool]
"""Whether shaders show what they are wanted for. It must not change them."""

StepsOf = Callable[[Sequence[Shader], str], Sequence[Sequence[Cut]]]
"""The steps of a kind that can be taken with shaders."""


def single_cuts(shaders: Sequence[Shader], kind: str) -> list[tuple[Cut, ...]]:
    """Each cut by itself."""
    return [(one,) for one in cuts_of(shaders, kind)]


@dataclass(frozen=True, slots=True)
class Reduction:
    """The smallest shaders found, how often the property was asked for, and whether time ran out."""

    shaders: tuple[Shader, ...]
    tries: int
    is_complete: bool

    @property
    def instructions(self) -> int:
        """How many instructions are left."""
        return count_instructions(self.shaders)


def count_instructions(shaders: Sequence[Shader]) -> int:
    """The instructions of all functions."""
    return sum(1 for shader in shaders for impl in shader.impls() for _ in impl.instrs())


def reduce_shaders(
    shaders: Sequence[Shader],
    holds: Holds,
    *,
    seconds: float | None = None,
    steps_of: StepsOf = single_cuts,
) -> Reduction:
    """Shrink shaders that show a property, keeping it (ddmin of Zeller and Hildebrandt, kind by kind).

    Everything that is tried is what its printed text reads back as, without unreadable lines and without
    validation errors that the shaders did not have. `steps_of` gives the steps of a kind, each one or more
    cuts that are made together. Raises ValueError if the shaders do not show the property to begin with.
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
        self._accept_if_it_holds([_renumbered(shader) for shader in self.shaders])
        progress = True
        while progress and not self._is_late():
            progress = False
            for kind in KINDS:
                progress |= self._shrink(kind)
        self._accept_if_it_holds([_renumbered(shader) for shader in self.shaders])
        return Reduction(tuple(self.shaders), self.tries, not self._is_late())

    def _shrink(self, kind: str) -> bool:
        """Make as many cuts of a kind as the property bears, in ever smaller groups."""
        progress = False
        steps = self.steps_of(self.shaders, kind)
        size = len(steps)
        while size and not self._is_late():
            start = 0
            while start < len(steps) and not self._is_late():
                if self._try([one for step in steps[start : start + size] for one in step]):
                    progress = True
                    # Places have other numbers now. What was refused in front is not tried again.
                    steps = self.steps_of(self.shaders, kind)
                else:
                    start += size
            size //= 2
        return progress

    def _try(self, cuts: Sequence[Cut]) -> bool:
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
    """What the text of a shader reads back as."""
    return parse_dump(fresh(shader))


def _renumbered(shader: Shader) -> Shader:
    copy = parse_dump(fresh(shader))
    renumber(copy)
    return _printed(copy)


def _error_codes(shader: Shader) -> frozenset[str]:
    return frozenset(problem.code for problem in validate(shader) if problem.severity == "error")
