"""The views of editors/vscode in a real workbench: passes of a log, previews, pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editors.workbench import Workbench
from tests.passes.shader_text import ONE, ZERO, shader_text, use

pytestmark = pytest.mark.e2e

HOSTILE = "</script><img src=x onerror=alert(1)>"
HEADER = [f"name: {HOSTILE}"]
FIRST = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"), header=HEADER)
COPIED = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%1"), header=HEADER)
LOG = f"nir_lower_returns\n{FIRST}nir_opt_cse\nnir_copy_prop\n{COPIED}nir_opt_undef\n"
LINE_OF_STORE = LOG[: LOG.rindex("@store_ssbo")].count("\n") + 1
"""The line of the last store, counted from 1."""


@pytest.fixture
def workbench(open_workbench: Callable[..., Workbench], tmp_path: Path) -> Workbench:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "passes.nir").write_text(LOG)
    running = open_workbench(folder)
    running.page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    return running


def test_passes_previews_and_pictures(workbench: Workbench) -> None:
    page = workbench.page
    workbench.open("passes.nir")

    # The passes of the log, and what each changed, from the first line of code that changed.
    page.get_by_role("button", name="Show Timeline of Passes").click()
    timeline = workbench.webview()
    changed = timeline.get_by_role("option", name="nir_copy_prop")
    changed.wait_for()
    assert timeline.get_by_role("option", name="nir_opt_cse").count() == 0
    assert timeline.locator("h3", has_text=HOSTILE).count() == 1
    cursor = timeline.locator(".row.cursor")
    cursor.filter(has_text="@store_ssbo").wait_for()
    assert cursor.locator(".before .value.differs").inner_text() == "%2"
    assert cursor.locator(".after .value.differs").inner_text() == "%1"
    timeline.locator(".counts", has_text="registers").first.wait_for()
    workbench.screenshot("passes")
    timeline.get_by_label("Changed only").uncheck()
    timeline.get_by_role("option", name="nir_opt_cse").wait_for()
    timeline.get_by_label("Name").fill("copy")
    assert timeline.locator(".pass").count() == 1
    timeline.get_by_label("Name").fill("")
    unchanged = timeline.get_by_role("option", name="nir_opt_cse")
    unchanged.wait_for()
    timeline.get_by_label("Changes").fill("%2")
    unchanged.wait_for(state="hidden")
    changed.wait_for()
    timeline.get_by_label("Changes").fill("")
    timeline.get_by_label("Stage").select_option("VS")
    unchanged.wait_for()
    timeline.get_by_label("Result differs").check()
    changed.wait_for(state="hidden")
    timeline.get_by_label("Result differs").uncheck()
    changed.wait_for()

    # Arrow keys step through the passes.
    timeline.get_by_role("listbox").focus()
    page.keyboard.press("Home")
    timeline.get_by_text("This is the first snapshot.").wait_for()
    page.keyboard.press("End")
    timeline.get_by_text("The pass changed nothing").wait_for()

    # A value is followed, by its number or with a click.
    timeline.get_by_role("option", name="nir_copy_prop").click()
    cursor.filter(has_text="@store_ssbo").wait_for()
    cursor.locator(".before .value", has_text="%2").click()
    timeline.get_by_text("%2 through the passes").wait_for()
    timeline.get_by_role("button", name="1 nir_lower_returns in first dump: 32 %2 = mov %1").wait_for()
    timeline.get_by_role("button", name="Close").click()

    # Any two snapshots are compared.
    timeline.get_by_role("option", name="nir_copy_prop").click()
    timeline.get_by_role("button", name="Compare from Here").click()
    timeline.get_by_role("option", name="nir_lower_returns").click()
    timeline.locator("h2", has_text="nir_copy_prop (3) → nir_lower_returns (1)").wait_for()
    timeline.locator(".row.cursor .before .value.differs", has_text="%1").wait_for()
    page.keyboard.press("b")

    # The pass that changed each line last; its name leads to it, and a line to the log.
    timeline.get_by_role("option", name="nir_copy_prop").click()
    timeline.get_by_role("button", name="Blame").click()
    timeline.locator(".blame .who", has_text="nir_copy_prop").wait_for()
    timeline.locator(".blame .who", has_text="nir_lower_returns").first.click()
    timeline.get_by_text("This is the first snapshot.").wait_for()
    timeline.get_by_role("option", name="nir_copy_prop").click()
    cursor.filter(has_text="@store_ssbo").wait_for()
    timeline.get_by_role("button", name="Go to Log").click()
    page.locator(f"text=/Ln {LINE_OF_STORE}, Col /").wait_for()

    # The same in the diff editor, and from the text.
    timeline.get_by_role("button", name="Diff Editor").click()
    diff = page.locator(".monaco-diff-editor:visible")
    diff.locator(".view-line", has_text="@store_ssbo").first.wait_for()
    diff.locator(".line-insert, .char-insert").first.wait_for()
    page.keyboard.press("Control+w")
    workbench.tab("passes.nir").first.click()
    workbench.go_to(LINE_OF_STORE, LOG.splitlines()[LINE_OF_STORE - 1].index("@store_ssbo") + 3)
    workbench.hover("nir_copy_prop")
    page.keyboard.press("Escape")
    workbench.go_to(LINE_OF_STORE - 1, 12)
    workbench.command("NIR: Follow Value Through the Passes")
    timeline.get_by_text("%2 through the passes").wait_for()
    workbench.tab("passes.nir").first.click()
    workbench.command("NIR: Show Which Pass Changed Each Line")
    timeline.locator(".blame .who", has_text="nir_copy_prop").wait_for()
    assert timeline.locator("img").count() == 0
    workbench.tab("Passes of passes.nir").locator(".codicon-close").click()

    # A pass is looked at before it is applied.
    workbench.tab("passes.nir").first.click()
    workbench.go_to(18)
    workbench.command("NIR: Preview a Pass")
    box = page.locator(".quick-input-widget input")
    page.locator(".quick-input-list .monaco-list-row", has_text="opt_varyings_dead_io").first.wait_for()
    box.fill("opt_dce")
    page.locator(".quick-input-list .monaco-list-row", has_text="opt_dce").first.wait_for()
    page.keyboard.press("Enter")
    diff.locator(".line-delete, .char-delete").first.wait_for()
    assert page.locator(".tab", has_text="Preview opt_dce: VS").count() == 1
    workbench.screenshot("preview")
    page.locator(".notification-list-item", has_text="Apply opt_dce as shown?").get_by_text(
        "Apply", exact=True
    ).click()
    workbench.tab("passes.nir").locator("xpath=self::*[contains(@class, 'dirty')]").first.wait_for()

    # A picture beside the text; the node at the cursor is marked, a click leads to its text.
    workbench.tab("passes.nir").first.click()
    workbench.go_to(8)
    workbench.command("NIR: Show Graph of Control Flow, Values or Varyings", "All Values")
    picture = workbench.webview()
    picture.locator(".node.marked").wait_for()
    workbench.screenshot("picture")
    picture.locator(".node", has_text="load_const (0x3f800000").locator("text").first.click()
    page.locator("text=/Ln 9, Col /").wait_for()
    assert page.locator("img[src=x]").count() == 0
    assert picture.locator("img").count() == 0
