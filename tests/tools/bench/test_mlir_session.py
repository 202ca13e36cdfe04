"""The files for the server that is compared with, and where that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.bench.mlir_session import find_server, mlir_of_lines
from tools.bench.session import in_the_middle


@pytest.mark.parametrize("lines", [1_000, 10_000])
def test_files_for_the_other_server_have_as_many_lines(lines: int) -> None:
    text = mlir_of_lines(lines)
    assert abs(text.count("\n") - lines) < 10
    place = in_the_middle(text, "mulf")
    assert abs(place.line - lines // 2) < 10
    assert text.split("\n")[place.line][place.character :].startswith("mulf ")


def test_the_other_server_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_server(None) is None
    for name in ("mlir-lsp-server-9", "mlir-lsp-server-16", "mlir-opt"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert find_server(None) == str(tmp_path / "mlir-lsp-server-16")
    assert find_server("mlir-lsp-server-9") == str(tmp_path / "mlir-lsp-server-9")
    assert find_server("other") is None
