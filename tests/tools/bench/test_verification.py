from __future__ import annotations

from pathlib import Path

from tests.server.cli.commands.test_verify import FIRST, MOVED, WRONG
from tools.bench.verification import CHANGED, EVERY, RATIO, verification_figures, verified_linking


def test_a_figure_for_each_log(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    text = f"nir_a\n{FIRST}nir_b\n{WRONG}"
    (tmp_path / "logs" / "a.log").write_text(f"{text}nir_c\n{MOVED}")
    (tmp_path / "logs" / "b.log").write_text(text)
    lines, figures = verification_figures(tmp_path, runs=1)
    assert lines == (text.count("\n"), text.count("\n") + MOVED.count("\n") + 1)
    assert all(one[CHANGED] > 0 and one[EVERY] > 0 for one in figures)


def test_cost_of_verified_linking(corpus: Path) -> None:
    number, figures = verified_linking(corpus, 2)
    assert number == 2
    assert figures[RATIO] > 1
