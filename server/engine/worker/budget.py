"""How much a job may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds for each step of a job, and megabytes that the process may grow by."""

    seconds: float = 20.0
    megabytes: int = 1024
