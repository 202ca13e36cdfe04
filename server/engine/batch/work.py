"""Kinds of batch work: self-contained units with cacheable results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from nirls.server.engine.worker.process import Worker


class WorkItem(Protocol):
    """Self-contained work item."""

    @property
    def size(self) -> int:
        """Bytes to read, as a measure of the work."""
        ...

    def key(self, program: str) -> str:
        """Cache key: a hash of all inputs of the result.

        `program` is the version of nirls and its passes.
        """
        ...


def content_key(given: object, texts: Iterable[bytes]) -> str:
    """Return a hash of what a unit is given besides texts, by its `repr`, and of the texts."""
    digest = hashlib.sha256(repr(given).encode())
    for text in texts:
        digest.update(hashlib.sha256(text).digest())
    return digest.hexdigest()


UnitT = TypeVar("UnitT", bound=WorkItem)
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Work(Generic[UnitT, ResultT]):
    """One kind of work.

    `here` runs a unit in this process; `in_worker` runs it in a worker process and handles its crash. Both
    are module-level functions, so that they can be pickled. `result_type` is the type for cache decoding;
    results for which `is_kept` is False are not cached.
    """

    here: Callable[[UnitT], ResultT]
    in_worker: Callable[[Worker, UnitT], ResultT]
    result_type: object
    is_kept: Callable[[ResultT], bool]
