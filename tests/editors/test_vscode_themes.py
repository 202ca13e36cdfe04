"""The main views of editors/vscode in a light and a dark theme; `make screenshots` copies the pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator

from tests.editors.workbench import Workbench

pytestmark = pytest.mark.e2e

_OVERFLOWS = """nodes => nodes.map(node => {
    const room = node.querySelector('polygon, path, ellipse').getBBox().width;
    return Math.max(...[...node.querySelectorAll('text')].map(text => text.getComputedTextLength())) - room;
})"""
"""By how much the longest text of each node is wider than its shape."""

_CONTRAST = """node => {
    const channels = color => {
        const linear = color.match(/[0-9.]+/g).slice(0, 3).map(one => one / 255)
            .map(one => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    let behind = node;
    while (behind && /rgba\\(0, 0, 0, 0\\)/.test(getComputedStyle(behind).backgroundColor))
        behind = behind.parentElement;
    const editor = document.body.appendChild(document.createElement('i'));
    editor.style.backgroundColor = 'var(--vscode-editor-background)';
    const colors = [getComputedStyle(node).color, getComputedStyle(behind || editor).backgroundColor];
    editor.remove();
    const [light, dark] = colors.map(channels).sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
}"""
"""The contrast of a text with what is behind it, as WCAG 2 defines it."""

READABLE = 3.0


def _use_dark_theme(workbench: Workbench) -> None:
    workbench.command("Preferences: Toggle between Light/Dark Themes")
    workbench.page.locator(".monaco-workbench.vs-dark").wait_for()


def _texts_fit(graph: FrameLocator) -> None:
    overflows = graph.locator(".node").evaluate_all(_OVERFLOWS)
    assert overflows
    assert max(overflows) <= 0


def test_findings_graph_and_packing(open_workbench: Callable[..., Workbench], tinted: Path) -> None:
    workbench = open_workbench(tinted)
    page = workbench.page
    workbench.open("tinted.vert.nir")
    page.keyboard.press("Control+b")
    workbench.go_to(70, 25)
    page.locator(".squiggly-info").first.wait_for()
    page.locator(".view-line", has_text="not read by FS").first.wait_for()
    for theme in ("light", "dark"):
        if theme == "dark":
            _use_dark_theme(workbench)
        workbench.screenshot(f"findings-{theme}")
        workbench.go_to(61, 18)
        workbench.command(
            "NIR: Show Graph of Control Flow, Values or Varyings", "what the value at the cursor"
        )
        graph = workbench.webview()
        graph.locator(f"body.vscode-{theme} .node").first.wait_for()
        _texts_fit(graph)
        workbench.screenshot(f"graph-{theme}")
        page.keyboard.press("Escape")
        page.locator(".tab.active .codicon-close").last.click()
        workbench.tab("tinted.vert.nir").click()
        workbench.command("NIR: Show Packing of Varyings")
        packing = workbench.webview()
        packing.get_by_role("table").first.wait_for()
        assert packing.locator("td").first.evaluate(_CONTRAST) >= READABLE
        workbench.screenshot(f"packing-{theme}")
        workbench.tab("Packing").locator(".codicon-close").click()
        workbench.tab("tinted.vert.nir").click()


def test_the_timeline(open_workbench: Callable[..., Workbench], tmp_path: Path, corpus: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    log = (corpus / "logs" / "every_pass_small.log").read_text()
    (folder / "debug.nir").write_text(log[: log.index("shader: MESA_SHADER_FRAGMENT")])
    workbench = open_workbench(folder)
    page = workbench.page
    workbench.open("debug.nir")
    page.get_by_role("button", name="Show Timeline of Passes").click()
    page.keyboard.press("Control+b")
    timeline = workbench.webview()
    timeline.get_by_role("option", name="nir_lower_alu_to_scalar: changed the code").click()
    timeline.get_by_label("Follow", exact=True).fill("%96")
    timeline.get_by_label("Follow", exact=True).press("Enter")
    timeline.locator(".event", has_text="rewritten").first.wait_for()
    timeline.locator(".marks", has_text="✓").first.wait_for()
    value = timeline.locator(".row .value").first
    assert value.evaluate(_CONTRAST) >= READABLE
    workbench.screenshot("timeline-light")
    _use_dark_theme(workbench)
    timeline.locator("body.vscode-dark").wait_for()
    assert value.evaluate(_CONTRAST) >= READABLE
    workbench.screenshot("timeline-dark")
