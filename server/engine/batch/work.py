"""Kinds of work for a batch: units that can be done in any process, with results that can be kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from nirls.server.engine.worker.process import Worker


class Unit(Protocol):
    """Work that depends on nothing but what is in it."""

    @property
    def size(self) -> int:
        """Bytes to read, as a measure of the work."""
        ...

    def key(self, program: str) -> str:
        """A name for the result, which changes with everything that the result depends on.

        `program` stands for the version of nirls and its passes.
        """
        ...


UnitT = TypeVar("UnitT", bound=Unit)
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Work(Generic[UnitT, ResultT]):
    """One kind of units.

    `here` does a unit in this process, `in_worker` in another one, whose end it survives; both are functions
    of modules. `result_type` is what results are, for the cache; those that are not `is_kept` are computed
    again the next time.
    """

    here: Callable[[UnitT], ResultT]
    in_worker: Callable[[Worker, UnitT], ResultT]
    result_type: object
    is_kept: Callable[[ResultT], bool]
