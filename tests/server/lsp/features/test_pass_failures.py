"""What the client is told of passes that go wrong, and the bug report."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.pass_failures import PassFailure
from nirls.server.engine.worker.job import Cause
from nirls.server.lsp.features.pass_failures import MOST_LOGGED, listen
from tests.server.lsp.features.dumps import FRAGMENT

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


def failure(name: str = "opt_dce", number: int = 0) -> PassFailure:
    text = FRAGMENT.replace("name: x", f"name: x{number}").encode()
    return PassFailure(name, (text,), CheckSettings(), Cause.RAISED, "ValueError: no", "Traceback 😀")


async def told(session: Session, method: str) -> list[str]:
    await asyncio.sleep(0)
    return [one["params"]["message"] for one in session.told if one["method"] == method]


async def test_each_pass_is_told_of_once(session: Session) -> None:
    listen(session.server)
    for number in range(20):
        session.server.analyzer.failures.add(failure("opt_dce", number))
    session.server.analyzer.failures.add(failure("opt_cse"))
    shown = await told(session, "window/showMessage")
    assert [message.split()[0] for message in shown] == ["opt_dce", "opt_cse"]
    assert all("nirls.writeBugReport" in message for message in shown)
    logged = await told(session, "window/logMessage")
    assert len(logged) == MOST_LOGGED + 1
    assert sum("Traceback" in message for message in logged) == 2


async def test_a_report(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[PassFailure] = []

    def write(found: PassFailure, budget: object) -> Path:
        asked.append(found)
        return tmp_path / "report.md"

    monkeypatch.setattr("nirls.server.lsp.features.pass_failures.write_bug_report", write)
    await session.start()
    assert await session.command("nirls.writeBugReport") is None
    session.server.analyzer.failures.add(failure("opt_dce"))
    session.server.analyzer.failures.add(failure("opt_cse"))
    for arguments, name in (((), "opt_cse"), (("opt_dce",), "opt_dce"), ((None,), "opt_cse")):
        assert await session.command("nirls.writeBugReport", *arguments) == str(tmp_path / "report.md")
        assert asked[-1].pass_name == name
    assert await session.command("nirls.writeBugReport", "opt_nothing") is None
    shown = await told(session, "window/showMessage")
    assert shown[0] == "No pass has failed in this session."
    assert shown[-1] == "opt_nothing has not failed in this session."


async def test_a_folder_that_cannot_be_written(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(found: PassFailure, budget: object) -> Path:
        raise PermissionError("no")

    monkeypatch.setattr("nirls.server.lsp.features.pass_failures.write_bug_report", write)
    await session.start()
    session.server.analyzer.failures.add(failure())
    assert await session.command("nirls.writeBugReport") is None
    assert (await told(session, "window/showMessage"))[-1] == "The report could not be written: no"
