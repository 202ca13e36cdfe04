from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus.accepted import count_errors, tasks

GOOD = b"""shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = deref_var &pos (shader_in vec4)
    // succs: b1
    block b1:
}
"""
ROW = "v3d: dumps without an error"


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        (b"", b"", (1, 0, 0)),
        (b"    // succs", b"    32    %1 = fneg %9\n    // succs", (0, 0, 1)),
        (b"b0:", b"b0:\n    block", (0, 0, 1)),
        (b"    block b1:\n}\n", b"", (0, 1, 0)),
        # An error that Mesa printed is Mesa's.
        (b"    // succs", b"    error: ssa_index < 3 (nir_validate.c:1)\n    // succs", (1, 0, 0)),
    ],
)
def test_errors_of_a_dump(old: bytes, new: bytes, counts: tuple[int, int, int]) -> None:
    text = GOOD.replace(old, new, 1) if old else GOOD
    assert count_errors("v3d", "v3d42.log", b"pass\n" + text + b"pass\n" + text).of(ROW) == counts


def test_a_text_without_a_dump_is_noted() -> None:
    assert count_errors("pasted", "c.c", b"nothing\n").noted("other") == [
        "pasted: dumps without an error: c.c: no dump in it"
    ]


def test_logs_of_drivers_and_pasted_texts_are_counted(tmp_path: Path) -> None:
    for place in ("drivers/v3d42.a.log", "drivers2/v3d71.b.log", "pasted/x.txt", "pasted/README.md"):
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(GOOD)
    rows = [row for task in tasks(tmp_path) for row in task().rows]
    assert rows == [ROW, ROW, "pasted: dumps without an error"]
