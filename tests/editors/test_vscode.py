"""The extension of editors/vscode in a real workbench: what a person sees and does."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.editors.conftest import EDITORS
from tests.editors.workbench import Workbench, running_workbench

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nirls"
INSTALLATION = Path(os.environ.get("NIRLS_WORKBENCH") or _CACHE / "code-server-4.100.3")
SCREENSHOTS = Path(os.environ.get("NIRLS_SCREENSHOTS") or PROJECT / "build" / "screenshots")


@pytest.fixture
def workbench(tmp_path: Path, pulsar: Path) -> Iterator[Workbench]:
    if not (INSTALLATION / "complete").exists():
        pytest.skip("there is no workbench here; .ci/workbench installs one")
    if shutil.which("chromium") is None:
        pytest.skip("there is no chromium on PATH")
    if not (EDITORS / "vscode" / "dist" / "extension.js").exists():
        pytest.skip("the extension is not built: npm ci && npm run build in editors/vscode")
    nirls = Path(sys.executable).parent / "nirls"
    with running_workbench(
        INSTALLATION, EDITORS / "vscode", nirls, pulsar, tmp_path / "home", SCREENSHOTS
    ) as running:
        yield running


def test_a_session_with_a_pipeline(workbench: Workbench, pulsar: Path) -> None:
    shader = pulsar / "pulsar.vert.nir"
    page = workbench.page
    workbench.open("pulsar.vert.nir")

    workbench.status("pulsar").or_(workbench.status("VS")).first.wait_for()
    workbench.go_to(67, 25)
    page.locator(
        ".squiggly-warning, .squiggly-hint, .squiggly-unnecessary, .squiggly-inline-unnecessary"
    ).first.wait_for()
    workbench.screenshot("diagnostics")

    page.keyboard.press("Control+k")
    page.keyboard.press("Control+i")
    hover = page.locator(".monaco-hover:visible")
    hover.get_by_text("VAR1.x is written here, but the FS never reads it").wait_for()
    hover.get_by_text("Writes components of an output slot").wait_for()
    workbench.screenshot("hover")
    page.keyboard.press("Escape")

    page.keyboard.press("Control+.")
    fix = page.locator(".action-widget").get_by_text("Remove the store of VAR1.x")
    fix.wait_for()
    workbench.screenshot("quick-fix")
    page.keyboard.press("Enter")  # the first is chosen
    workbench.tab("pulsar.vert.nir").locator("xpath=self::*[contains(@class, 'dirty')]").wait_for()
    page.keyboard.press("Control+s")
    workbench.tab("pulsar.vert.nir").locator("xpath=self::*[not(contains(@class, 'dirty'))]").wait_for()
    after = shader.read_text(encoding="utf-8")
    assert "@store_output (%137" not in after
    assert "@store_output (%138" in after
