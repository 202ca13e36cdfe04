"""A debug log in a real workbench: the prompt, symbols, links of a hover, a graph, a crash."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.editors.test_vscode_views import LOG
from tests.editors.workbench import Workbench

pytestmark = pytest.mark.e2e

TEXT = f"a log\n{LOG}"
LINES = TEXT.split("\n")
CONSTANT = next(number for number, line in enumerate(LINES, 1) if "%1 = load_const" in line)
COPY = next(number for number, line in enumerate(LINES, 1) if "mov %1" in line)


def running_servers() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        # Others end at any time, also between the two questions.
        with suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE and process.cmdline()[-1:] == ["serve"]:
                found.append(process)
    return found


@pytest.fixture
def workbench(open_workbench: Callable[..., Workbench], tmp_path: Path) -> Workbench:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "run.log").write_text(TEXT)
    return open_workbench(folder)


def test_a_log_from_the_prompt_to_a_restart(workbench: Workbench, tmp_path: Path) -> None:
    page = workbench.page
    workbench.open("run.log")
    prompt = page.locator(".notification-toast", has_text="This file contains NIR shader dumps")
    prompt.get_by_role("button", name="Always for *.log").click()
    page.locator(".statusbar-item[id^='nirls']").wait_for()
    settings = tmp_path / "folder" / ".vscode" / "settings.json"
    wanted = {"files.associations": {"*.log": "nir"}}
    end = time.monotonic() + 60
    while not settings.exists() or json.loads(settings.read_text() or "{}") != wanted:
        assert time.monotonic() < end, "the association is not written"
        time.sleep(0.1)
    assert page.locator(".statusbar-item[id^='nirls']").count() == 1

    workbench.tab("run.log").first.click()
    workbench.go_to(CONSTANT, LINES[CONSTANT - 1].index("%1") + 2)
    workbench.status("VS").first.wait_for()
    page.locator(".breadcrumbs-control", has_text="VS: nir_lower_returns").wait_for()
    page.keyboard.press("Control+Shift+o")
    page.locator(".quick-input-list .monaco-list-row", has_text="VS: nir_copy_prop").first.wait_for()
    page.keyboard.press("Escape")

    page.locator(".codelens-decoration", has_text="no varyings that linking could change").wait_for()
    workbench.hover("mov %1").locator("a", has_text="mov %1").first.click()
    page.locator(f"text=/Ln {COPY}, Col /").wait_for()

    workbench.command("NIR: Show Graph of Control Flow, Values or Varyings", "All Values")
    picture = page.frame_locator("iframe.webview.ready").frame_locator("iframe")
    picture.locator(".node.marked").wait_for()
    workbench.command("Preferences: Toggle between Light/Dark Themes")
    picture.locator("body.vscode-dark .node.marked").wait_for()

    # It is started again by itself three times; then the user is asked.
    for _ in range(4):
        workbench.status("VS").first.wait_for()
        (server,) = running_servers()
        server.kill()
        workbench.status("VS").first.wait_for(state="detached")
    message = page.locator(".notification-toast", has_text="The NIR language server ended unexpectedly")
    message.get_by_role("button", name="Restart").click()
    workbench.tab("run.log").first.click()
    workbench.status("VS").first.wait_for()
