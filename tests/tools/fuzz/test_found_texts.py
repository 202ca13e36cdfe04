"""Texts on which the fuzzer has found faults, through everything again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.fuzz.trial import try_text

FOUND = sorted((Path(__file__).parents[2] / "data" / "fuzzed").glob("*.nir"))


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.name.partition(".")[0])
def test_a_found_fault_is_mended(file: Path) -> None:
    """The seed of the requests is a part of the file's name."""
    seed = int(file.suffixes[0].removeprefix("."))
    assert [f"{wrong.step}: {wrong.detail}" for wrong in try_text(file.read_bytes(), seed)] == []
