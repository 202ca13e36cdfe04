"""Where a command computes its results."""

from __future__ import annotations

import pytest

from nirls.server.cli.computing import computing
from nirls.server.cli.errors import CommandError
from nirls.server.engine.batch.cluster import ClusterError
from nirls.server.engine.batch.workers import CHECK


def test_this_machine_computes_unless_there_is_a_cluster() -> None:
    with computing(None, 1) as compute:
        assert list(compute(CHECK, ())) == []


def test_an_error_of_the_cluster_ends_the_command() -> None:
    with pytest.raises(CommandError, match=r"^--cluster tcp://a:1: gone"), computing("tcp://a:1", 0):
        raise ClusterError("tcp://a:1: gone")
