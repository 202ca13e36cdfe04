"""Why a run ended without a result."""

from __future__ import annotations


class Unsupported(Exception):  # noqa: N818 - it reads as what it says
    """Something in the shader that cannot be run here; `name` is the opcode, intrinsic or construct."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} cannot be evaluated")
        self.name = name


class LimitReached(Exception):  # noqa: N818
    """A loop went round more often than the options allow."""

    def __init__(self, iterations: int) -> None:
        super().__init__(f"a loop was still running after {iterations} iterations")
        self.iterations = iterations


class DivergentBarrier(Exception):  # noqa: N818
    """An execution barrier that only a part of a workgroup's invocations reached: undefined behaviour."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} in divergent control flow")
        self.name = name
