"""What clients are told of `nirls.toml` files."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nirls.server.lsp.features import project_files
from tests.server.lsp.features.dumps import FRAGMENT

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


def told(session: Session, path: Path) -> list[list[tuple[int, str]]]:
    """Line and message of each problem, for each time that the client was told."""
    return [
        [(item["range"]["start"]["line"], item["message"]) for item in one["params"]["diagnostics"]]
        for one in session.told
        if one["method"] == "textDocument/publishDiagnostics" and one["params"]["uri"] == path.as_uri()
    ]


async def problems_are_told(session: Session) -> None:
    await asyncio.gather(*session.server._tasks)


def watch(session: Session, path: Path) -> None:
    session.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 2}]})


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("[severity\n", 0, "not valid TOML"),
        ('\n[severity]\ndead-output = "loud"\n', 2, "severity.dead-output: must be one of"),
        ('[severity]\n# 😀\n"no-such-thing" = "off"\n', 2, "there is no such finding"),
        ("[passes]\nopt_nothing = true\n", 1, "there is no such pass"),
        ('[options.opt_nothing]\nx = "y"\n', 0, "there is no such pass"),
        (
            '[[pipeline]]\nname = "x"\nvert = "../../etc/passwd"\nfrag = 3\n',
            2,
            "lies outside of the workspace",
        ),
        ("unknown = 1\n", 0, "unknown key"),
    ],
)
async def test_what_is_wrong(session: Session, tmp_path: Path, text: str, line: int, part: str) -> None:
    path = tmp_path / "nirls.toml"
    path.write_text(text)
    session.open(FRAGMENT, (tmp_path / "x.nir").as_uri())
    await problems_are_told(session)
    (problems,) = told(session, path)
    assert any(number == line and part in message for number, message in problems), problems
    items = [item for one in session.told for item in one["params"].get("diagnostics", ())]
    assert {item["severity"] for item in items if item["source"] == "nirls"} >= {1}
    # It is said once.
    session.open(FRAGMENT, (tmp_path / "y.nir").as_uri())
    watch(session, path)
    await problems_are_told(session)
    assert len(told(session, path)) == 1


async def test_it_is_taken_back(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "nirls.toml"
    path.write_text("x = 1\n")
    session.open(FRAGMENT, (tmp_path / "x.nir").as_uri())
    await problems_are_told(session)
    path.write_text("[severity]\n")
    watch(session, path)
    await problems_are_told(session)
    path.write_text("x = 2\ny = 3\n")
    watch(session, path)
    await problems_are_told(session)
    path.unlink()
    watch(session, path)
    assert [len(problems) for problems in told(session, path)] == [1, 0, 2, 0]


async def test_nothing_of_files_that_nobody_has(session: Session, tmp_path: Path) -> None:
    session.open(FRAGMENT, (tmp_path / "x.nir").as_uri())
    session.open(FRAGMENT)
    watch(session, tmp_path / "nirls.toml")
    assert told(session, tmp_path / "nirls.toml") == []


async def test_names_are_looked_up_beside_the_event_loop(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They need all passes, whose import takes half a second."""
    threads = []
    monkeypatch.setattr(
        project_files, "problems_of_settings", lambda _: threads.append(threading.current_thread()) or []
    )
    (tmp_path / "nirls.toml").write_text('[severity]\ndead-output = "off"\n')
    session.open(FRAGMENT, (tmp_path / "x.nir").as_uri())
    await problems_are_told(session)
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


async def test_problems_of_an_older_file_are_not_told(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "nirls.toml"
    path.write_text("x = 1\n")
    session.open(FRAGMENT, (tmp_path / "x.nir").as_uri())
    path.write_text("")
    session.server.files.invalidate()
    watch(session, path)
    await problems_are_told(session)
    assert told(session, path) in ([], [[]])
