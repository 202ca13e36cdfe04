"""`--cluster` with a real Dask scheduler and two workers on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.command_line.conftest import Run

from .test_unit import FRAGMENT, VERTEX, WRONG


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def dumps(workdir: Path) -> Path:
    for number in range(20):
        (workdir / f"p{number}.vert.nir").write_text(VERTEX, encoding="utf-8")
        (workdir / f"p{number}.frag.nir").write_text(FRAGMENT if number % 3 else WRONG, encoding="utf-8")
    return workdir


def test_a_cluster_finds_what_one_machine_finds(scheduler: str, run: Run, dumps: Path) -> None:
    here = run("check", "--no-cache", "--format", "json", dumps)
    there = run("check", "--no-cache", "--format", "json", "--cluster", scheduler, dumps)
    assert there == here
    assert len(there.json) > 20


def test_results_of_a_cluster_are_kept(scheduler: str, run: Run, dumps: Path, cache_folder: Path) -> None:
    first = run("check", "--cluster", scheduler, dumps)
    assert len(list(cache_folder.glob("nirls/check/*/*"))) == 20
    assert run("check", dumps) == first


def test_no_scheduler_is_said(run: Run, dumps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        result = run("check", "--cluster", "tcp://127.0.0.1:9", dumps)
    assert result.status == 2
    assert "tcp://127.0.0.1:9" in result.err
