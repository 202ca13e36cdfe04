"""The counts of what the evaluator can run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus.evaluator import ALU, count_tables, outcome

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
    ("text", "expected", "reason"),
    [
        (RUNS, "right", ""),
        (RUNS.replace("= fneg %0", "= @not_in_the_tables (%0)"), "other", "unsupported: "),
    ],
)
def test_outcome(tmp_path: Path, text: str, expected: str, reason: str) -> None:
    path = tmp_path / "a.frag.nir"
    path.write_text(text)
    found, note = outcome(path)
    assert found == expected
    assert note.startswith(reason)


def test_tables() -> None:
    able, other, wrong = count_tables().of(ALU)
    assert able > 500
    assert wrong == 0
    assert other < able
