from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.commands.reduce import When
from tests.server.conftest import Run


@pytest.mark.parametrize("when", When)
def test_status_one_says_that_nothing_goes_wrong(run: Run, tinted: Path, when: When) -> None:
    result = run("reduce", "-p", "opt_dce", "--when", when.value, "tinted.frag.nir")
    assert (result.status, result.out) == (1, b"")
    assert result.err == f"nirls: nothing to reduce: opt_dce: {when.none_found}\n"


def test_other_reasons_are_refused(run: Run, tinted: Path) -> None:
    assert run("reduce", "-p", "opt_dce", "--when", "odd", "tinted.frag.nir").status == 2
