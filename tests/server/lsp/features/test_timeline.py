"""`nirls/timeline` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.server.lsp.features.dumps import FRAGMENT
from tests.server.lsp.features.session import URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

CHANGED = FRAGMENT.replace("%2 = fmul %1, %0 (1.000000)", "%2 = fneg %1")
LOG = f"nir_😀\n{FRAGMENT}nir_opt_dce\n{FRAGMENT}nir_opt_algebraic\n{CHANGED}"


async def passes(session: Session, **more: object) -> list[dict[str, Any]]:
    (shader,) = (await session.ask_about("nirls/timeline", **more))["shaders"]
    found: list[dict[str, Any]] = shader["passes"]
    return found


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
async def test_passes_of_a_log(session: Session, ends: str) -> None:
    session.place(LOG.replace("\n", ends))
    lines = session.texts[URI].splitlines()
    shown, every = await passes(session), await passes(session, hidden=True)
    assert len(shown) < len(every)
    assert {lines[one["line"]].strip() for one in shown} <= set(lines)
    assert shown[-1]["name"] == "nir_opt_algebraic"


@pytest.mark.parametrize("text", ["", "log\n"])
async def test_no_dumps(session: Session, text: str) -> None:
    session.place(text, version=7)
    assert await session.ask_about("nirls/timeline") == {"version": 7, "shaders": []}
    nobodys = await session.ask_about("nirls/timeline", "file:///nobody/opened.nir")
    assert nobodys == {"version": 0, "shaders": []}


async def test_the_version_is_that_of_the_text_asked_about(session: Session) -> None:
    session.open(LOG, version=5)
    assert (await session.ask_about("nirls/timeline"))["version"] == 5
    session.change("fmul", "fsub", version=6)
    assert (await session.ask_about("nirls/timeline"))["version"] == 6


async def test_progress_of_many_dumps(session: Session) -> None:
    session.place(LOG * 40)
    await session.ask_about("nirls/timeline", workDoneToken="t")
    told = [one["params"]["value"]["kind"] for one in session.told if one["method"] == "$/progress"]
    assert told[0] == "begin"
    assert told[-1] == "end"


async def test_findings_are_counted(session: Session) -> None:
    session.open(LOG.replace("fneg %1", "fneg %99"))
    await session.passes_have_run()
    found = (await passes(session))[-1]["findings"]
    assert found["count"] >= 1
    assert found["worst"] == "error"
