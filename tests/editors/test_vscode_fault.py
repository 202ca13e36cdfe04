"""From a log to a unit test for Mesa in a real workbench, on the log of docs/from-a-log-to-a-unit-test.md."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editors.logs import FAULT
from tests.editors.workbench import Workbench
from tests.server.lsp.features.test_shader_runs import BRANCHES

pytestmark = pytest.mark.e2e

LOG = FAULT.read_text(encoding="utf-8")
FAULTY = LOG.split("\n").index("nir_opt_constant_folding") + 2
"""The first line of the snapshot that the pass made, from 1."""
CODE = LOG.split("\n").index("impl main {", FAULTY) + 12
"""A line in its code."""


def test_from_a_verdict_to_a_unit_test(open_workbench: Callable[..., Workbench], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "debug.nir").write_text(LOG)
    workbench = open_workbench(folder)
    page = workbench.page
    workbench.open("debug.nir")
    page.keyboard.press("Control+b")

    page.get_by_role("button", name="Show Timeline of Passes").click()
    timeline = workbench.webview()
    timeline.get_by_label("Result differs").check()
    timeline.get_by_role("option", name="nir_opt_constant_folding").click()
    timeline.locator(".row.cursor").first.wait_for()
    timeline.get_by_text("✗ different").first.wait_for()
    workbench.screenshot("fault-timeline")

    # The values of the counterexample, with the first difference in view.
    timeline.get_by_role("button", name="Values").click()
    page.locator(".view-line", has_text=re.compile(r"^>.*fmul")).first.wait_for()
    page.set_viewport_size({"width": 1900, "height": 860})
    workbench.screenshot("fault-values")
    page.set_viewport_size({"width": 1400, "height": 860})

    workbench.tab("debug.nir").first.click()
    workbench.go_to(FAULTY, 1)
    page.locator(".squiggly-warning").first.wait_for()

    # The hover of the verdict links to the same values.
    different = page.locator(".view-line", has_text=re.compile(r"^>.*fmul"))
    different.first.wait_for(state="detached")
    hover = workbench.hover("Since the previous snapshot")
    link = hover.locator("a", has_text="Show both snapshots with the values of the counterexample")
    workbench.screenshot("fault-hover")
    link.click()
    different.first.wait_for()

    workbench.tab("debug.nir").first.click()
    workbench.go_to(FAULTY, 1)
    page.keyboard.press("Control+.")
    menu = page.locator(".action-widget")
    menu.get_by_text("Show both snapshots with the values of the counterexample").wait_for()
    workbench.screenshot("fault-fixes")
    page.keyboard.press("Escape")
    menu.wait_for(state="hidden")
    workbench.command("Source Action...")
    test = menu.get_by_text("Write a unit test for Mesa")
    test.wait_for()
    workbench.screenshot("fault-actions")
    # The menu takes no clicks of a script.
    titles = menu.locator(".monaco-list-row.action").all_inner_texts()
    for _ in range(next(place for place, title in enumerate(titles) if "unit test" in title)):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".view-line", has_text="nir_opt_constant_folding_vertex_shader_test").first.wait_for()

    # The palette runs the shader at the cursor; the same command hides its values.
    workbench.tab("debug.nir").first.click()
    workbench.go_to(CODE, 1)
    lens = page.locator(".codelens-decoration", has_text="Hide values")
    workbench.command("NIR: Run Shader and Show Its Values, or Hide Them")
    lens.first.wait_for()
    page.locator(".view-line", has_text="@load_deref").filter(has_text=" = (").first.wait_for()
    workbench.screenshot("run")
    workbench.command("NIR: Run Shader and Show Its Values, or Hide Them")
    lens.wait_for(state="detached")


def test_blocks_that_were_not_run_are_faint(open_workbench: Callable[..., Workbench], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "branches.nir").write_text(BRANCHES)
    workbench = open_workbench(folder)
    workbench.open("branches.nir")
    workbench.go_to(5, 1)
    workbench.status("VS").first.wait_for()
    faint = workbench.page.locator(".squiggly-inline-unnecessary")
    workbench.command("NIR: Run Shader and Show Its Values, or Hide Them")
    faint.first.wait_for()
    workbench.screenshot("faint")
    workbench.command("NIR: Run Shader and Show Its Values, or Hide Them")
    faint.first.wait_for(state="detached")
