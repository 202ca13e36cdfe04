"""The counts of what the evaluator can run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus.evaluator import outcome, table

RUNS = """shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x3f800000)
    32    %1 = fneg %0
               // succs: b1
    block b1:
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RUNS, "run"),
        (RUNS.replace("= fneg %0", "= @rq_proceed (%0)"), "unsupported"),
    ],
)
def test_outcome(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "a.frag.nir"
    path.write_text(text)
    assert outcome(path).startswith(expected)


def test_counts_without_a_corpus(tmp_path: Path) -> None:
    rows = table(tmp_path / "absent")
    assert rows.row_count == 3
    able, total = (int(str(next(iter(rows.columns[index].cells)))) for index in (1, 2))
    assert 500 < able <= total
