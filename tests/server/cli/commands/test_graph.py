from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.commands.graph import GraphName
from nirls.server.ide.graphs.kinds import GraphKind
from tests.server.conftest import Run


def test_every_kind_has_a_name() -> None:
    assert {name.value for name in GraphName} == {kind.value for kind in GraphKind}


def test_it_goes_to_a_file_on_demand(run: Run, tinted: Path) -> None:
    printed = run("graph", "cfg", "tinted.frag.nir")
    assert run("graph", "cfg", "tinted.frag.nir", "-o", "out.dot").out == b""
    assert (tinted / "out.dot").read_bytes() == printed.out


@pytest.mark.parametrize("kind", ["", "picture"])
def test_other_kinds_are_refused(run: Run, tinted: Path, kind: str) -> None:
    assert run("graph", kind, "tinted.frag.nir").status == 2
