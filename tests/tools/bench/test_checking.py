from __future__ import annotations

from pathlib import Path

import pytest

from tools.bench.checking import RATE, READING, checking_figures


def test_shares_add_up(corpus: Path) -> None:
    pipelines, figures = checking_figures(corpus, 12)
    assert 0 < pipelines <= 12
    assert figures.pop(RATE) > 0
    assert figures[READING] > 0
    assert sum(figures.values()) == pytest.approx(100)
