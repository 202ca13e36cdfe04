"""`--cluster` with a real Dask scheduler and two workers on this machine."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from nirls.server.engine.batch import cluster, program
from nirls.server.engine.batch.cluster import ClusterError, _tasks, on_cluster
from nirls.server.engine.batch.unit import Unit, check_unit
from nirls.server.engine.batch.workers import CHECK
from nirls.server.engine.checks.check_settings import CheckSettings
from tests.server.cli.commands.test_verify import FIRST as SUBTRACTED
from tests.server.cli.commands.test_verify import WRONG as EXCHANGED
from tests.server.conftest import Run

from .test_unit import FRAGMENT, VERTEX, WRONG

pytestmark = pytest.mark.sweep  # starts a scheduler and workers


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as started:
        yield started.scheduler_address


@pytest.fixture
def dumps(workdir: Path) -> Path:
    for number in range(20):
        text = VERTEX.replace("\n", f"\nname: {number}\n", 1)
        (workdir / f"p{number}.vert.nir").write_text(text, encoding="utf-8")
        (workdir / f"p{number}.frag.nir").write_text(FRAGMENT if number % 3 else WRONG, encoding="utf-8")
    return workdir


def test_a_cluster_finds_what_one_machine_finds(scheduler: str, run: Run, dumps: Path) -> None:
    here = run("check", "--no-cache", "--format", "json", dumps)
    there = run("check", "--no-cache", "--format", "json", "--cluster", scheduler, dumps)
    assert there == here
    assert {"dead-output", "undefined-value"} <= {one["code"] for one in there.json}


def test_results_of_a_cluster_are_kept(scheduler: str, run: Run, dumps: Path, cache_folder: Path) -> None:
    first = run("check", "--cluster", scheduler, dumps)
    assert len(list(cache_folder.glob("nirls/check/*/*"))) == 20
    assert run("check", dumps) == first


@pytest.fixture
def logs(workdir: Path) -> Path:
    for number in range(6):
        first, wrong = (text.replace("\n", f"\nlabel: {number}\n", 1) for text in (SUBTRACTED, EXCHANGED))
        text = f"nir_a\n{first}nir_b\n{wrong if number % 2 else first}"
        (workdir / f"{number}.log").write_text(text, encoding="utf-8")
    return workdir


def test_a_cluster_verifies_as_one_machine_does(scheduler: str, run: Run, logs: Path) -> None:
    here = run("verify", "--no-cache", "--format", "json", logs)
    there = run("verify", "--no-cache", "--format", "json", "--cluster", scheduler, logs)
    assert there == here
    assert [one["verdict"] for one in there.json] == ["unchanged", "different"] * 3


def test_verdicts_of_a_cluster_are_kept(
    scheduler: str, run: Run, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run("verify", "--cluster", scheduler, logs)
    monkeypatch.setattr("nirls.server.engine.batch.run.on_workers", None)
    assert run("verify", "--jobs", 2, logs) == first


def _units(count: int) -> list[Unit]:
    texts = (VERTEX.replace("\n", f"\nname: {number}\n", 1).encode() for number in range(count))
    return [Unit((text,), (True,), False, CheckSettings()) for text in texts]


def test_small_units_share_a_task() -> None:
    def tasks(*sizes: int) -> list[list[int]]:
        units = [Unit((b"x" * size,), (True,), False, CheckSettings()) for size in sizes]
        return [list(one) for one in _tasks(units, workers=1)]

    assert tasks(10, 10, 10) == [[0, 1, 2]]
    assert tasks(10, 100_000, 30_000, 10) == [[0, 1], [2, 3]]
    assert tasks(500_000, 10, 500_000, 500_000) == [[0], [1], [2], [3]]
    assert tasks(*[100_000] * 160) == [list(range(at, at + 10)) for at in range(0, 160, 10)]


def test_a_worker_that_is_killed_costs_only_time(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    monkeypatch.setattr(cluster, "_LEAST_TASK", 1)
    units = _units(60)
    results = on_cluster(CHECK, units, scheduler)
    found = dict([next(results)])
    with distributed.Client(scheduler, set_as_default=False) as client:
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGTERM)
    found.update(results)
    assert found == {number: check_unit(unit) for number, unit in enumerate(units)}


def test_workers_with_other_code_are_refused(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.py").write_text("")
    with monkeypatch.context() as patched:
        patched.setattr(program, "_own_folders", lambda: [tmp_path])
        program.code_version.cache_clear()
        with pytest.raises(ClusterError, match="another version of nirls on tcp://"):
            next(on_cluster(CHECK, _units(1), scheduler))
    program.code_version.cache_clear()


def test_a_cluster_without_workers_is_given_up_within_five_seconds() -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    assert cluster.ALONE_SECONDS <= 5
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", host="127.0.0.1") as empty,
        pytest.raises(ClusterError, match="no worker is connected; start one with: dask worker tcp://"),
    ):
        next(on_cluster(CHECK, _units(1), empty.scheduler_address, alone_seconds=1.0))


@pytest.mark.parametrize(
    "place", ["tcp://127.0.0.1:9", "127.0.0.1:8786", "cluster", "", "tcp://x:y", "tcp://127.0.0.1:99999"]
)
def test_no_scheduler_is_said(run: Run, dumps: Path, place: str) -> None:
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    result = run("check", "--cluster", place, dumps)
    assert result.status == 2
    assert result.err.startswith(f"nirls: --cluster {place}: ")
    assert result.err.count("\n") == 1


def test_something_else_that_listens_is_no_scheduler(
    run: Run, dumps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        result = run("check", "--cluster", f"tcp://127.0.0.1:{listener.getsockname()[1]}", dumps)
    assert result.status == 2
    assert "no Dask scheduler answers there" in result.err
    assert "Traceback" not in result.err
