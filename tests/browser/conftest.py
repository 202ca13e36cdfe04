"""A real browser, headless, for one test at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


# Not for the session: while a browser is there, an event loop runs, and other tests want one of their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    """Chromium; skips where there is none."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name)) is not None), None)
    if program is None:
        pytest.skip(f"no browser is installed (looked for {', '.join(PROGRAMS)})")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield started
        started.close()
