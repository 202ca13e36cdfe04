"""A VS Code workbench in a headless browser, with the extension of this checkout."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import FrameLocator, Locator, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

WAIT = 120_000
"""Milliseconds within which everything must have appeared, on a slow machine."""

_BROWSER_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


class Workbench:
    """The page of a workbench, by what a person does with it."""

    def __init__(self, page: Page, screenshots: Path) -> None:
        self.page = page
        self._screenshots = screenshots

    def open(self, name: str) -> None:
        """Open a file of the folder by its name in the explorer."""
        self.page.locator(".explorer-folders-view").get_by_text(name, exact=True).first.dblclick()
        self.tab(name).wait_for()

    def tab(self, name: str) -> Locator:
        return self.page.locator(".tab", has_text=name)

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor of the editor at a place, both from 1."""
        self.page.locator(".monaco-editor .view-lines").first.wait_for()
        self._pick("Control+g", f":{line}:{column}", f"{line}")
        self.page.locator(".quick-input-widget").wait_for(state="hidden")
        self.page.locator(f"text=/Ln {line}, Col {column}/").wait_for()

    def command(self, title: str, *choices: str) -> None:
        """Run a command of the palette by its whole title, and choose what it asks for."""
        self._pick("F1", f">{title}", title, *choices)

    def _pick(self, key: str, text: str, *rows: str) -> None:
        """Open the quick input, type `text` and click the rows that it offers, one after the other.

        A view that takes the focus late closes the quick input, so it is opened again.
        """
        quick_input = self.page.locator(".quick-input-widget")
        for _ in range(10):
            self.page.keyboard.press(key)
            try:
                quick_input.locator("input").first.fill(text, timeout=5000)
                for row in rows:
                    quick_input.locator(".monaco-list-row", has_text=row).first.click(timeout=5000)
            except PlaywrightTimeoutError:
                continue
            return
        raise AssertionError(f"the quick input does not offer {', '.join(rows)}")

    def hover(self, text: str) -> Locator:
        """Show the hover at the cursor; it holds `text`. A code lens that comes late closes a hover."""
        shown = self.page.locator(".monaco-hover:visible", has_text=text)
        for _ in range(10):
            self.page.keyboard.press("Control+k")
            self.page.keyboard.press("Control+i")
            try:
                shown.wait_for(timeout=3000)
            except PlaywrightTimeoutError:
                continue
            self.page.wait_for_timeout(300)
            if shown.is_visible():
                return shown
        raise AssertionError(f"no hover with {text!r}")

    def webview(self) -> FrameLocator:
        """The page of the panel that is open."""
        return self.page.frame_locator("iframe.webview.ready").frame_locator("iframe")

    def status(self, text: str) -> Locator:
        """The item of the status bar that holds `text`."""
        return self.page.locator(".statusbar-item", has_text=text)

    def screenshot(self, name: str) -> None:
        self._screenshots.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self._screenshots / f"{name}.png")


@contextmanager
def running_workbench(
    installation: Path, extension: Path, nirls: Path | None, folder: Path, home: Path, screenshots: Path
) -> Iterator[Workbench]:
    """Serve `folder` in a workbench with only this extension, and open it in a browser.

    Without `nirls`, the extension finds no server that it does not install itself.
    """
    settings = {
        "files.autoSave": "off",
        "telemetry.telemetryLevel": "off",
        "workbench.startupEditor": "none",
        "workbench.colorTheme": "Default Light Modern",
        "window.menuBarVisibility": "hidden",
        "editor.minimap.enabled": False,
    }
    # User settings of the browser's side do not say which programs run on the machine.
    on_machine = {} if nirls is None else {"nirls.path": str(nirls)}
    for name, content in (("User", settings), ("Machine", on_machine)):
        (home / "data" / name).mkdir(parents=True)
        (home / "data" / name / "settings.json").write_text(json.dumps(content), encoding="utf-8")
    (home / "extensions").mkdir()
    (home / "extensions" / "nirls").symlink_to(extension)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    address = f"127.0.0.1:{port}"
    command = [
        *("node", str(installation / "node_modules" / "code-server" / "out" / "node" / "entry.js")),
        *("--bind-addr", address, "--auth", "none"),
        *("--user-data-dir", str(home / "data"), "--extensions-dir", str(home / "extensions")),
        *("--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", str(folder)),
    ]
    log = (home / "server.log").open("wb")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VSCODE_")}
    if nirls is None:
        places = os.environ["PATH"].split(os.pathsep)
        environment["PATH"] = os.pathsep.join(place for place in places if not Path(place, "nirls").exists())
    server = subprocess.Popen(
        command, env=environment | {"HOME": str(home)}, stdout=log, stderr=subprocess.STDOUT
    )
    try:
        _wait_until_healthy(address)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=_BROWSER_ARGUMENTS
            )
            page = browser.new_page(viewport={"width": 1400, "height": 860})
            page.set_default_timeout(WAIT)
            expect.set_options(timeout=WAIT)
            page.goto(f"http://{address}/?folder={folder}")
            page.locator(".monaco-workbench").wait_for()
            workbench = Workbench(page, screenshots)
            try:
                yield workbench
            except BaseException:
                workbench.screenshot("failure")
                raise
            finally:
                browser.close()
    finally:
        server.terminate()
        server.wait(timeout=60)
        log.close()


def _wait_until_healthy(address: str) -> None:
    end = time.monotonic() + 300
    while True:
        try:
            with urllib.request.urlopen(f"http://{address}/healthz", timeout=10):
                return
        except OSError:
            assert time.monotonic() < end, "the workbench does not start"
            time.sleep(0.3)
