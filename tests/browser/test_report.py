"""`nirls report` in a real browser: what it shows, and that nothing in a log can do anything there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")

from tests.passes.shader_text import ONE, ZERO, shader_text, use  # noqa: E402

pytestmark = pytest.mark.e2e

HOSTILE = "</script></style><img src=x onerror=\"document.title='broken'\"><svg onload=alert(1)>"


class Visit:
    """A page with all that went on in it."""

    def __init__(self, browser: playwright.Browser, path: Path) -> None:
        self.page = browser.new_page(viewport={"width": 1400, "height": 900})
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.problems.append("a dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.url = path.as_uri()
        self.page.goto(self.url)


@pytest.fixture
def visit(browser: playwright.Browser, tmp_path: Path) -> Iterator[Visit]:
    header = [f"name: {HOSTILE}", f"label: {HOSTILE}"]
    first = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"), header=header)
    second = shader_text("VERTEX", ZERO, ONE, f"32    %2 = mov %1  // {HOSTILE}", use("%1"), header=header)
    log, out = tmp_path / "a<b>.log", tmp_path / "out.html"
    log.write_text(f"nir_lower_returns\n{first}nir_opt_cse\nnir_copy_prop\n{second}NIR {HOSTILE}:\n{first}")
    command = [sys.executable, "-m", "nirls.server", "report", str(log), "-o", str(out)]
    subprocess.run(command, check=True, timeout=120)
    made = Visit(browser, out)
    yield made
    made.page.close()


def test_a_click_shows_what_a_pass_changed(visit: Visit) -> None:
    changed = visit.page.locator("details", has_text="nir_copy_prop")
    row = changed.locator("td.right.replace", has_text="@store_ssbo")
    assert not row.is_visible()
    changed.locator("summary").click()
    assert row.is_visible()
    assert "(%1" in row.inner_text()


def test_passes_that_changed_nothing_are_hidden_until_asked_for(visit: Visit) -> None:
    idle = visit.page.locator(".idle", has_text="nir_opt_cse")
    assert not idle.is_visible()
    visit.page.get_by_label("passes that changed nothing").first.check()
    assert idle.is_visible()


def test_the_summary_leads_to_the_shader(visit: Visit) -> None:
    visit.page.locator("#summary a").first.click()
    assert visit.page.url.endswith("#shader-1")
    assert visit.page.locator("#shader-1").is_visible()


def test_hostile_names_are_shown_and_do_nothing(visit: Visit) -> None:
    assert visit.page.locator("img, script, svg, iframe").count() == 0
    assert HOSTILE.split()[0] in visit.page.locator("#shader-1 h2").inner_text()
    assert visit.page.title() == f"{visit.page.locator('h1 .text').inner_text()} – passes"
    assert visit.problems == []


def test_nothing_is_loaded_and_no_script_would_run(visit: Visit) -> None:
    assert visit.requests == [visit.url]
    visit.page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')"
    )
    visit.page.wait_for_function("document.querySelector('img').complete")
    assert visit.page.evaluate("window.ran") is None
    assert any("Content Security Policy" in problem for problem in visit.problems)
