"""Checking units on a cluster, with Dask (the extra `cluster`)."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.server.command_line.batch.run import Results
from nirls.server.command_line.batch.unit import Unit, check_unit
from nirls.server.command_line.errors import CommandError


def on_cluster(units: Sequence[Unit], scheduler: str) -> Results:
    """Check units on the workers of a Dask scheduler (`tcp://HOST:PORT`), which must have this nirls.

    Units are sent with their bytes; no file system is shared. Raises CommandError where there is no Dask,
    or no scheduler.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise CommandError("--cluster needs Dask: pip install 'nirls[cluster]'") from None
    try:
        client = Client(scheduler, timeout="20s")
    except (OSError, ValueError) as error:
        raise CommandError(f"--cluster {scheduler}: {error}") from None
    with client:
        futures = {
            client.submit(check_unit, unit, key=f"nirls-{number}-{unit.key('')}", retries=2): number
            for number, unit in enumerate(units)
        }
        for future, found in as_completed(futures, with_results=True):
            yield futures[future], found
