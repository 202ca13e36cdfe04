from __future__ import annotations

from nirls.server.ide.history.snapshot_diff import SnapshotTexts
from nirls.server.ide.report.contents import MOST_ROWS, DiffRow, VaryingRow, pass_diff, varying_table
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use


def test_rows_of_a_diff() -> None:
    found = pass_diff(SnapshotTexts("a\nb\nc\n", "a\nx\ny\nc\n"))
    assert found.rows == (
        DiffRow("equal", 1, "a", 1, "a"),
        DiffRow("replace", 2, "b", 2, "x"),
        DiffRow("replace", None, "", 3, "y"),
        DiffRow("equal", 3, "c", 4, "c"),
    )


def test_what_is_far_from_changes_is_a_gap() -> None:
    before = "".join(f"{number}\n" for number in range(50))
    rows = pass_diff(SnapshotTexts(before, before.replace("40\n", ""))).rows
    assert rows[0] == DiffRow("gap")
    assert [row.kind for row in rows[1:]] == ["equal"] * 3 + ["delete"] + ["equal"] * 3
    assert rows[4] == DiffRow("delete", 41, "40", None, "")


def test_long_diffs_are_cut() -> None:
    texts = SnapshotTexts("", "".join(f"{number}\n" for number in range(2 * MOST_ROWS)))
    found = pass_diff(texts)
    assert len(found.rows) == MOST_ROWS
    assert found.left_out == MOST_ROWS


def test_varyings_of_two_stages() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))
    fragment = shader("FRAGMENT", ZERO, load(1, "VAR0"), load(2, "VAR2", 1), use("%1"), use("%2"))
    table = varying_table(vertex, fragment)
    assert (table.producer, table.consumer) == ("VS", "FS")
    assert table.rows == (
        VaryingRow("VAR0.x", "", ""),
        VaryingRow("VAR1.x", "", None),
        VaryingRow("VAR2.y", None, ""),
    )
