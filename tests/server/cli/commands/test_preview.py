from __future__ import annotations

from pathlib import Path

from tests.server.conftest import Run


def test_passes_and_their_options(run: Run, tinted: Path) -> None:
    def outputs(*arguments: str) -> list[int]:
        found = run("preview", ".", "--format", "json", *arguments).json
        (vert,) = (one for one in found if one["stage"] == "VERTEX")
        return [vert["before"]["instructions"], vert["after"]["instructions"]]

    before, after = outputs()
    assert after < before
    assert outputs("-p", "opt_dce") == [before, before]
    assert run("preview", ".", "-p", "opt_dce", "-o", "nothing=1").status == 2
