"""The generated pages of the documentation are complete, and their examples show something."""

from __future__ import annotations

import pytest

from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.server.engine.checks.finding_codes import finding_codes
from tests.conftest import PROJECT
from tools import docs_site

PASSES = registry.all_passes()


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return docs_site.pages()


def test_everything_has_a_page(pages: dict[str, str]) -> None:
    wanted = {f"passes/{declared.name}.md" for declared in PASSES}
    wanted |= {f"findings/{code}.md" for code in finding_codes(PASSES)}
    wanted |= {f"editors/{path.name}.md" for path in (PROJECT / "editors").iterdir() if path.is_dir()}
    assert wanted <= set(pages)


ONLY_REPORT = {"link_summary", "link_potential"}


@pytest.mark.parametrize("declared", PASSES, ids=lambda declared: declared.name)
def test_a_pass_that_changes_text_is_shown_doing_it(declared: type[Pass]) -> None:
    example = docs_site.example_text(declared)
    if declared.name in ONLY_REPORT:
        assert example is None
        return
    assert example is not None
    changed = [line for line in docs_site.diff(declared, example).splitlines() if line[:1] in "+-"]
    assert changed


def test_commands_and_settings_are_described(pages: dict[str, str]) -> None:
    for command in ("check", "opt", "print", "explain", "serve"):
        assert f"`nirls {command}`" in pages["commands.md"]
    assert "## `nirls.severity`" in pages["settings.md"]
    assert "`#nirls" not in pages["settings.md"]
