"""The extension of editors/vscode in a real workbench: what a person sees and does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.editors.workbench import Workbench


def test_a_session_with_a_pipeline(open_workbench: Callable[..., Workbench], pulsar: Path) -> None:
    shader = pulsar / "pulsar.vert.nir"
    workbench = open_workbench(pulsar)
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
    hover.get_by_text("output VAR1.x is never read by the FS").wait_for()
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


def test_a_server_is_installed_when_asked_for(open_workbench: Callable[..., Workbench], pulsar: Path) -> None:
    workbench = open_workbench(pulsar, has_server=False)
    page = workbench.page
    workbench.open("pulsar.vert.nir")
    message = page.locator(".notification-toast", has_text="The NIR language server was not found")
    message.wait_for()
    workbench.screenshot("install")
    message.get_by_role("button", name="Install", exact=True).click()
    # Packages are fetched and the grammar is compiled.
    workbench.status("VS").first.wait_for(timeout=600_000)
    workbench.go_to(67, 25)
    page.locator(".squiggly-warning").first.wait_for()
