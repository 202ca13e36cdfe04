"""The table of docs/performance.md is that of the figures that are kept."""

from __future__ import annotations

import json

import pytest

from tools.bench.__main__ import KEPT
from tools.bench.summary import PAGE, summary, with_summary

FIGURES = {
    "logs": {
        "keystroke, ms": {"figures": {"1000": 2.0, "100000": 3.0}, "target": "20"},
        "symbols, ms": {"figures": {"1000": 0.5, "100000": 1000.0}, "target": None},
    },
    "ratios": {"keystroke": {"figures": {"1000": 0.5, "100000": 0.012}}},
}


def test_ratios_stand_first_and_growth_behind() -> None:
    assert summary(FIGURES).splitlines() == [
        "| | 1,000 lines | 100,000 lines | 100,000 by 1,000 | target |",
        "| --- | --- | --- | --- | --- |",
        "| keystroke | **0.50** (2.0 ms) | **0.01** (3.0 ms) | 1.5 | 20 ms |",
        "| symbols | 0.5 ms | 1,000.0 ms | 2,000.0 | |",
    ]


def test_the_rest_of_a_text_stays() -> None:
    text = PAGE.read_text()
    changed = with_summary(text, FIGURES)
    assert summary(FIGURES) in changed
    assert with_summary(changed, json.loads(KEPT.read_text())) == text


def test_a_text_without_a_place_for_the_table() -> None:
    with pytest.raises(ValueError, match="not found"):
        with_summary("nothing", FIGURES)
