"""The extension of editors/vscode in a real workbench: what a person sees and does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.editors.workbench import Workbench


def test_a_session_with_a_pipeline(open_workbench: Callable[..., Workbench], tinted: Path) -> None:
    shader = tinted / "tinted.vert.nir"
    workbench = open_workbench(tinted)
    page = workbench.page
    workbench.open("tinted.vert.nir")

    workbench.status("tinted").or_(workbench.status("VS")).first.wait_for()
    workbench.go_to(70, 25)
    page.locator(
        ".squiggly-info, .squiggly-hint, .squiggly-unnecessary, .squiggly-inline-unnecessary"
    ).first.wait_for()
    workbench.screenshot("diagnostics")

    hover = workbench.hover("output VAR1.xy is never read by the FS")
    hover.get_by_text("Writes components of an output slot").wait_for()
    workbench.screenshot("hover")
    page.keyboard.press("Escape")

    # The places that the findings name in the other file are marked, but are no findings.
    workbench.open("tinted.frag.nir")
    mark = page.locator(".view-overlays .cdr[class*='TextEditorDecorationType']")
    expect(mark).to_have_count(3)
    for place in range(3):
        # The editor draws lines anew now and then: one that is gone has no style.
        expect(mark.nth(place)).to_have_css("border-bottom-style", "dotted")
    workbench.screenshot("related-places")
    workbench.go_to(23, 20)
    workbench.hover("VAR0.z is read here: VAR0.z depends only on uniforms")
    page.keyboard.press("Escape")
    workbench.tab("tinted.vert.nir").click()
    workbench.go_to(70, 25)

    page.keyboard.press("Control+.")
    fix = page.locator(".action-widget").get_by_text("Remove the stores of VAR1.xy")
    fix.wait_for()
    workbench.screenshot("quick-fix")
    page.keyboard.press("Enter")  # the first is chosen
    workbench.tab("tinted.vert.nir").locator("xpath=self::*[contains(@class, 'dirty')]").wait_for()
    page.keyboard.press("Control+s")
    workbench.tab("tinted.vert.nir").locator("xpath=self::*[not(contains(@class, 'dirty'))]").wait_for()
    after = shader.read_text(encoding="utf-8")
    assert "@store_output (%253" not in after
    assert "@store_output (%254" not in after


def test_fixes_on_save_of_the_whole_pipeline_save_every_file(
    open_workbench: Callable[..., Workbench], tinted: Path
) -> None:
    settings = {
        "editor.codeActionsOnSave": {"source.fixAll.nirls": "explicit"},
        "nirls.fixAll.wholePipeline": True,
    }
    (tinted / ".vscode").mkdir()
    (tinted / ".vscode" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    vertex, fragment = (tinted / f"tinted.{stage}.nir" for stage in ("vert", "frag"))
    before = fragment.read_text(encoding="utf-8")
    workbench = open_workbench(tinted)
    page = workbench.page
    workbench.open("tinted.vert.nir")
    workbench.status("tinted").or_(workbench.status("VS")).first.wait_for()
    workbench.go_to(70, 18)
    page.locator(".squiggly-info, .squiggly-unnecessary, .squiggly-inline-unnecessary").first.wait_for()
    # A comment, saved as soon as it is typed.
    page.keyboard.type("/* */ ")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+s")
    page.locator(".notification-toast", has_text="nirls also fixed and saved").first.wait_for()
    workbench.screenshot("fixed-on-save")
    assert "tinted.frag.nir" in page.locator(".notification-toast").first.inner_text()
    after = fragment.read_text(encoding="utf-8")
    assert after != before
    workbench.tab("tinted.vert.nir").locator("xpath=self::*[not(contains(@class, 'dirty'))]").wait_for()
    assert "@store_output (%253" not in vertex.read_text(encoding="utf-8")


def test_a_server_is_installed_when_asked_for(open_workbench: Callable[..., Workbench], tinted: Path) -> None:
    workbench = open_workbench(tinted, has_server=False)
    page = workbench.page
    workbench.open("tinted.vert.nir")
    message = page.locator(".notification-toast", has_text="The NIR language server was not found")
    message.wait_for()
    workbench.screenshot("install")
    message.get_by_role("button", name="Install", exact=True).click()
    # Packages are fetched and the grammar is compiled.
    workbench.status("VS").first.wait_for(timeout=600_000)
    workbench.go_to(70, 25)
    page.locator(".squiggly-info, .squiggly-unnecessary, .squiggly-inline-unnecessary").first.wait_for()
