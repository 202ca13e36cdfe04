"""Units of work on a Dask cluster (the extra `cluster`)."""

from __future__ import annotations

import logging
import queue
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from nirls.server.engine.batch.program import code_version
from nirls.server.engine.batch.work import ResultT, UnitT, Work
from nirls.server.engine.batch.workers import BUDGET
from nirls.server.engine.worker.job import Budget
from nirls.server.engine.worker.process import WorkerProcess

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS: Final = 10
ALONE_SECONDS: Final = 4.0
"""Seconds without a reachable scheduler or any worker after which the run fails: a worker that Dask restarts
is back in two, and a user should not wait longer for the message."""

_LEAST_TASK: Final = 128_000
_LARGEST_TASK: Final = 8_000_000
"""Sizes of tasks, in bytes as in `WorkItem.size`: Dask spends some 10 ms on a task, as much as a small dump
takes, and results come when a whole task is done."""

_TASKS_A_WORKER: Final = 16
"""Tasks of a worker on a small job: few enough that it reads most dumps once, and enough to end together."""

_POLL_INTERVAL: Final = 0.5
_here = threading.local()


class ClusterError(Exception):
    """The cluster cannot be used; the message says why."""


def on_cluster(
    work: Work[UnitT, ResultT],
    units: Iterable[UnitT],
    scheduler: str,
    budget: Budget = BUDGET,
    alone_seconds: float = ALONE_SECONDS,
) -> Iterator[tuple[int, ResultT]]:
    """Run units on the workers of a Dask scheduler (`tcp://HOST:PORT`) and yield (number, result) pairs.

    Units carry their texts, so no shared file system is needed. Raises ClusterError if Dask is missing, the
    scheduler is unreachable, there are no workers, or a worker has another version of nirls.
    """
    try:
        import distributed  # noqa: F401 (an optional package)
    except ImportError:
        raise ClusterError("this needs Dask: pip install distributed") from None
    units = list(units)
    if not units:
        return
    # Errors are reported as a one-line ClusterError instead of Dask's log output.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    _refuse_unreachable(scheduler)

    client = _connected(scheduler)
    with client:
        _refuse_other_versions(client, scheduler)
        done: queue.SimpleQueue[Future[list[ResultT]]] = queue.SimpleQueue()
        numbers = {}
        for task in _tasks(units, len(client.nthreads())):
            key = f"nirls-{task[0]}-{units[task[0]].key('')}"
            future = client.submit(_do, work, units[task.start : task.stop], budget, key=key, retries=2)
            numbers[future.key] = task
            future.add_done_callback(done.put)
        for _ in range(len(numbers)):
            future = _next(done, client, scheduler, alone_seconds)
            yield from zip(numbers[future.key], _result(future, scheduler), strict=True)


def _tasks(units: Sequence[UnitT], workers: int) -> Iterator[range]:
    """Yield the numbers of the units of each task: successive ones, which may share dumps."""
    share = sum(unit.size for unit in units) // (_TASKS_A_WORKER * max(1, workers))
    limit = max(_LEAST_TASK, min(share, _LARGEST_TASK))
    start = size = 0
    for number, unit in enumerate(units):
        if size and size + unit.size > limit:
            yield range(start, number)
            start, size = number, 0
        size += unit.size
    yield range(start, len(units))


def _refuse_unreachable(scheduler: str) -> None:
    """Raise ClusterError if the address is malformed or refuses connections; Dask would retry for long."""
    place = urlsplit(scheduler)
    try:
        host, port = place.hostname, place.port
    except ValueError:
        host = port = None
    if not place.scheme or host is None or port is None:
        raise ClusterError(f"{scheduler}: this is not of the form tcp://HOST:PORT")
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterError(f"{scheduler}: {error}") from None


def _connected(scheduler: str) -> Client:
    from distributed import Client  # an optional package, which takes a second to import

    class Connection(Client):
        def __del__(self) -> None:
            """Do not close: for a client that failed to connect, Dask's `__del__` blocks for long."""

    kind: type[Client] = Connection
    made: queue.SimpleQueue[Client | Exception] = queue.SimpleQueue()

    def connect() -> None:
        try:
            made.put(kind(scheduler, timeout=f"{CONNECT_SECONDS}s", set_as_default=False))
        except Exception as error:  # if something other than Dask listens there, Dask raises many types
            made.put(error)

    # Dask waits for ever if the peer accepts the connection and sends nothing.
    threading.Thread(target=connect, daemon=True).start()
    try:
        client = made.get(timeout=2 * CONNECT_SECONDS)
    except queue.Empty:
        client = TimeoutError("it says nothing")
    if isinstance(client, Exception):
        raise ClusterError(f"{scheduler}: no Dask scheduler answers there: {client}")
    return client


def _do(work: Work[UnitT, ResultT], units: Sequence[UnitT], budget: Budget) -> list[ResultT]:
    """Run units on a cluster worker, in a child process so that time and memory limits apply."""
    if not hasattr(_here, "worker"):
        _here.worker = WorkerProcess()
    _here.worker.budget = budget
    return [work.in_worker(_here.worker, unit) for unit in units]


def _refuse_other_versions(client: Client, scheduler: str) -> None:
    try:
        versions = client.run(code_version)
    except Exception as error:  # whatever a worker without nirls raises
        raise ClusterError(f"{scheduler}: a worker cannot run nirls: {error}") from None
    others = sorted(worker for worker, version in versions.items() if version != code_version())
    if others:
        raise ClusterError(f"{scheduler}: another version of nirls on {', '.join(others)}")


def _next(
    done: queue.SimpleQueue[Future[list[ResultT]]], client: Client, scheduler: str, alone_seconds: float
) -> Future[list[ResultT]]:
    """Wait for the next finished future; raise ClusterError after `alone_seconds` without a worker."""
    last_seen = time.monotonic()
    while True:
        try:
            return done.get(timeout=_POLL_INTERVAL)
        except queue.Empty:
            if client.status == "running" and client.nthreads():
                last_seen = time.monotonic()
            if time.monotonic() - last_seen > alone_seconds:
                raise ClusterError(
                    f"{scheduler}: no worker is connected; start one with: dask worker {scheduler}"
                ) from None


def _result(future: Future[list[ResultT]], scheduler: str) -> list[ResultT]:
    try:
        found = future.result()
    except Exception as error:  # the scheduler is gone, or workers died repeatedly
        reason = str(error).partition("\n")[0]
        raise ClusterError(f"{scheduler}: {type(error).__name__}: {reason}") from None
    return found
