"""The discard passes against what Mesa printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus_discards import Agreement, agreement


@pytest.fixture(scope="module")
def counts(corpus: Path) -> dict[str, Agreement]:
    return agreement(corpus)


@pytest.mark.parametrize("name", ["opt_discard_if", "opt_move_discards_to_top"])
def test_every_fragment_shader_comes_out_as_in_mesa(counts: dict[str, Agreement], name: str) -> None:
    count = counts[name]
    assert not count.differences
    assert count.changed
    assert count.unchanged
