from __future__ import annotations

from pathlib import Path

from tools.corpus.text import DEAD, FRESH, KEPT, KNOWN, READ, SAFE, SUBGROUP, VALID, VERTEX, count_file


def test_real_dump_counts_as_right(data: Path) -> None:
    tally = count_file(data / "pipelines" / "tinted.vert.nir")
    assert {row: tally.of(row) for row in tally.rows} == dict.fromkeys(
        (READ, KEPT, FRESH, VALID, KNOWN), (1, 0, 0)
    )


def test_broken_dump_counts_as_wrong(data: Path, tmp_path: Path) -> None:
    text = (data / "pipelines" / "tinted.vert.nir").read_bytes()
    path = tmp_path / "broken.nir"
    path.write_bytes(
        text.replace(b"ffma %11.x, %248", b"ffma %11.x, %9999").replace(b"block b0", b"bl ock b0")
    )
    tally = count_file(path)
    assert tally.of(KEPT) == (1, 0, 0)
    assert tally.of(READ) == tally.of(VALID) == (0, 0, 1)
    (note,) = tally.noted("wrong", VALID)
    assert "broken.nir#1: " in note


def test_divergence_and_unit_tests(corpus: Path) -> None:
    folder = corpus / "pipelines" / "hand_discard_nested" / "modern"
    for name, row in (("frag.div.nir", SUBGROUP), ("vert.vdiv.nir", VERTEX)):
        right, _, wrong = count_file(folder / name).of(row)
        assert right
        assert not wrong
    tally = count_file(min(corpus.glob("varyings/dead_*.txt")))
    assert tally.of(DEAD) == tally.of(SAFE) == (1, 0, 0)
