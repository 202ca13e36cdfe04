"""."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nirls.ir.evaluate.state import Step
from nirls.ir.instructions import IntrinsicInstr

if TYPE_CHECKING:
    from nirls.ir.evaluate.program import Compiler

STEPS: dict[str, Callable[["Compiler", IntrinsicInstr], Step | None]] = {}
