"""Where a command computes its results: on the cores of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from nirls.server.cli.errors import CommandError
from nirls.server.engine.batch.cluster import ClusterError, on_cluster
from nirls.server.engine.batch.run import Compute, on_this_machine


@contextmanager
def computing(cluster: str | None, jobs: int) -> Iterator[Compute[Any, Any]]:
    """Yield what runs units: the Dask scheduler of `--cluster` if one is named, else so many processes.

    Raises CommandError if the cluster cannot be used.
    """
    try:
        if cluster is None:
            yield partial(on_this_machine, jobs=jobs)
        else:
            yield partial(on_cluster, scheduler=cluster)
    except ClusterError as error:
        raise CommandError(f"--cluster {error}") from None
