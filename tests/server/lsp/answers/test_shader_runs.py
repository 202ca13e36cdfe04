"""Which dumps are run, and when: the choices, the results by content, and the refreshes."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.ide.run_view import RunChoice, ShaderRun
from nirls.server.lsp.answers import shader_runs
from nirls.server.lsp.answers.shader_runs import ShaderRuns, runs_of
from tests.server.lsp.features.session import URI
from tests.server.lsp.features.test_shader_runs import BRANCHES, SUM

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


class Worker:
    """Counts the runs, and answers them when `may_answer` is set."""

    def __init__(self, session: Session, monkeypatch: pytest.MonkeyPatch, answer: ShaderRun) -> None:
        self.asked: list[tuple[tuple[bytes, ...], int, RunChoice]] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.answer = answer
        self.failure: Cause | None = None
        monkeypatch.setattr(session.server, "in_worker", self._run)
        monkeypatch.setattr(shader_runs, "PAUSE", 0.0)

    async def _run(
        self, seconds: float, job: object, texts: tuple[bytes, ...], position: int, choice: RunChoice
    ) -> ShaderRun:
        self.asked.append((texts, position, choice))
        await self.may_answer.wait()
        if self.failure is not None:
            raise JobFailedError(self.failure)
        return self.answer


@pytest.fixture
def runs(session: Session) -> ShaderRuns:
    session.place(SUM + SUM)
    return runs_of(session.server)


def placed(session: Session, number: int = 0) -> tuple[Any, Any]:
    document = session.document()
    return document, document.snapshot.dump(number)


async def test_only_chosen_dumps_are_run(
    session: Session, runs: ShaderRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(session, monkeypatch, ShaderRun(stage="FS"))
    first, second = placed(session), placed(session, 1)
    assert await runs.of(*first) is None
    runs.choose(*first, RunChoice())
    assert runs.choice(*first) == RunChoice()
    assert runs.choice(*second) is None
    assert await runs.of(*first) == worker.answer
    assert await runs.of(*second) is None
    runs.choose(*first, None)
    assert await runs.of(*first) is None
    assert len(worker.asked) == 1


async def test_equal_texts_are_run_once_and_another_choice_anew(
    session: Session, runs: ShaderRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(session, monkeypatch, ShaderRun(stage="FS"))
    for number in range(2):
        runs.choose(*placed(session, number), RunChoice())
        assert await runs.of(*placed(session, number)) == worker.answer
    runs.choose(*placed(session), RunChoice(invocation=3, seed=2))
    await runs.of(*placed(session))
    assert [(position, choice) for _, position, choice in worker.asked] == [
        (0, RunChoice()),
        (0, RunChoice(invocation=3, seed=2)),
    ]


async def test_a_late_result_asks_the_client_to_look_again(
    session: Session, runs: ShaderRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(session, monkeypatch, ShaderRun(stage="FS"))
    worker.may_answer.clear()
    client = replace(session.server.client, refreshes_hints=True, refreshes_lenses=True)
    session.server.client = client
    runs.choose(*placed(session), RunChoice())
    assert await runs.of(*placed(session), patience=0.01) is None
    session.told.clear()
    worker.may_answer.set()
    for _ in range(200):
        if "workspace/inlayHint/refresh" in session.methods_told():
            break
        await asyncio.sleep(0.01)
    assert {"workspace/inlayHint/refresh", "workspace/codeLens/refresh"} <= set(session.methods_told())
    assert await runs.of(*placed(session), patience=0.01) == worker.answer


async def test_a_text_that_is_gone_after_the_pause_is_not_run(
    session: Session, runs: ShaderRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(session, monkeypatch, ShaderRun())
    monkeypatch.setattr(shader_runs, "PAUSE", 0.05)
    session.place(SUM)
    runs.choose(*placed(session), RunChoice())
    asked = asyncio.create_task(runs.of(*placed(session), patience=1.0))
    await asyncio.sleep(0.01)
    session.change("fadd", "fmul")
    assert await asked is None
    assert worker.asked == []


@pytest.mark.parametrize("failure", list(Cause))
async def test_a_failed_job_is_the_problem_of_the_run(
    session: Session, runs: ShaderRuns, monkeypatch: pytest.MonkeyPatch, failure: Cause
) -> None:
    worker = Worker(session, monkeypatch, ShaderRun())
    worker.failure = failure
    runs.choose(*placed(session), RunChoice())
    found = await runs.of(*placed(session))
    assert found == ShaderRun(problem=f"the run {failure.value}")


async def test_the_blocks_of_a_run_that_are_idle(session: Session) -> None:
    session.place(BRANCHES)
    runs = runs_of(session.server)
    assert not runs.has_idle_blocks(session.document())
    await session.command("nirls.run", URI, 0)
    lines = BRANCHES.splitlines()
    ((first, last),) = runs.idle_blocks(*placed(session))
    assert "block b1:" in lines[first]
    assert "succs: b3" in lines[last]
    generation = session.document().generation
    await runs.of(*placed(session))
    assert session.document().generation == generation, "nothing new is to be told"
    session.change("fadd %0", "fsub %0")
    assert runs.idle_blocks(*placed(session)) == (), "they are those of another text"
    await runs.of(*placed(session))
    assert runs.idle_blocks(*placed(session)) == ((first, last),)
    await session.command("nirls.hideRun", URI, 0)
    assert not runs.has_idle_blocks(session.document())
