from __future__ import annotations

from tests.server.conftest import Run


def test_one_page_or_the_index(run: Run) -> None:
    assert run("explain", "dead-output").text.startswith("# ")
    assert "dead-output.md" in run("explain").text
    assert run("explain", "dead-output", "undefined-value").status == 2
