"""Where units of work run: on this machine or on the cluster that `--cluster` names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from nirls.server.cli.errors import CommandError
from nirls.server.engine.batch.cluster import ClusterError, on_cluster
from nirls.server.engine.batch.run import Compute, on_this_machine
from nirls.server.engine.batch.workers import BUDGET
from nirls.server.engine.worker.job import Budget


@contextmanager
def computing(cluster: str | None, jobs: int, budget: Budget = BUDGET) -> Iterator[Compute[Any, Any]]:
    """Yield what runs units: the Dask scheduler of `--cluster` if one is named, else so many processes.

    `budget` limits each step of a unit. Raises CommandError if the cluster cannot be used.
    """
    try:
        if cluster is None:
            yield partial(on_this_machine, jobs=jobs, budget=budget)
        else:
            yield partial(on_cluster, scheduler=cluster, budget=budget)
    except ClusterError as error:
        raise CommandError(f"--cluster {error}") from None
