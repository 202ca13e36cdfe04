"""Limits and instrumentation of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr
from nirls.ir.model.values import Def
from nirls.verification.evaluate.state.compiled import Overrides
from nirls.verification.evaluate.state.coverage import Coverage


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Limits and instrumentation of a run.

    `iteration_limit` is the maximum number of iterations of a loop; invocations that are still in it then are
    given up: their effects are undefined. `track_error` propagates float error bounds (see
    `nirls.verification.evaluate.alu.rounding`), at about twice the run time; the
    instructions in `uncounted` add none, and with `interpolation_is_exact` neither does interpolation. With
    `marks_inexact` every result of an inexact operation has a bound above 0. With `saturates`, conversions to
    integers are defined where they saturate; if it `is_coarse`, sines and cosines are those of a polynomial.
    `at_end` is called with the `State` at the end of the shader, with the values of its entry function.
    `at_block` is called with the `State` and each block that lanes start to run.
    `coverage` accumulates the
    coverage of the run. `overrides` replace what instructions of the entry function compute. The error bounds
    of the values in `certain` are 0; the operations of those in `unchanged` add nothing to bounds of 0.
    The run raises `TimeUsedUp` when the CPU time of the thread (`time.thread_time`) has passed `deadline`.
    """

    iteration_limit: int = 2000
    track_error: bool = False
    uncounted: Collection[Instr] = ()
    marks_inexact: bool = False
    saturates: bool = False
    is_coarse: bool = False
    interpolation_is_exact: bool = False
    at_end: Callable[[Any], None] | None = None
    at_block: Callable[[Any, Block], None] | None = None
    coverage: Coverage | None = None
    overrides: Overrides | None = None
    certain: Collection[Def] = ()
    unchanged: Collection[Def | None] = ()
    deadline: float | None = None
