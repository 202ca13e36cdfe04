from __future__ import annotations

from pathlib import Path

from tools.corpus.text import MUST_BE_WHOLE, ROWS, Counts, count_file


def test_real_dump_counts_as_right(data: Path) -> None:
    counts = count_file(data / "pipelines" / "pulsar.vert.nir")
    for row in ("kept", "fresh", "read", "valid", "known"):
        assert (row, counts.right[row], counts.total[row]) == (row, 1, 1)
    assert counts.total["subgroup"] == 0
    assert counts.wrong == {}


def test_broken_dump_counts_as_wrong(data: Path, tmp_path: Path) -> None:
    text = (data / "pipelines" / "pulsar.vert.nir").read_bytes()
    path = tmp_path / "broken.nir"
    path.write_bytes(
        text.replace(b"ffma %17.x, %142", b"ffma %17.x, %9999").replace(b"block b0", b"bl ock b0")
    )
    counts = count_file(path)
    assert counts.right["kept"] == 1
    assert counts.right["read"] == counts.right["valid"] == 0
    assert counts.wrong["valid"] == [f"{path}#1"]


def test_counts_add_up() -> None:
    one, other = Counts(), Counts()
    one.add("kept", True, "a")
    other.add("kept", False, "b")
    other.add_many("subgroup", 10, 9, "c")
    one.merge(other)
    assert (one.right["kept"], one.total["kept"]) == (1, 2)
    assert one.wrong == {"kept": ["b"], "subgroup": ["c"]}


def test_rows_that_must_be_whole_exist() -> None:
    assert set(MUST_BE_WHOLE) <= set(ROWS)
