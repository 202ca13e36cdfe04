"""The discard passes against what Mesa printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus.discards import Agreement, agreement


@pytest.fixture(scope="module")
def counts(corpus: Path) -> dict[str, Agreement]:
    return agreement(corpus)


@pytest.mark.parametrize("name", ["opt_discard_if", "opt_move_discards_to_top"])
def test_every_fragment_shader_comes_out_as_in_mesa(counts: dict[str, Agreement], name: str) -> None:
    count = counts[name]
    assert not count.differences
    assert count.changed
    assert count.unchanged


def test_a_corpus_without_shaders_has_nothing_to_agree_on(tmp_path: Path) -> None:
    assert all(count.is_complete and not count.changed for count in agreement(tmp_path).values())


def test_a_result_that_is_not_mesas_is_told(tmp_path: Path, corpus: Path) -> None:
    """The input printed as Mesa's result: the pass moves something, so they differ."""
    moved = next(iter(sorted(corpus.glob("pipelines/*/modern/frag.movediscard.nir"))))
    folder = tmp_path / "pipelines" / "one" / "modern"
    folder.mkdir(parents=True)
    for name in ("frag.io.nir", "frag.conddiscard.nir"):
        if (moved.parent / name).is_file():
            (folder / name).write_bytes((moved.parent / name).read_bytes())
    count = agreement(tmp_path)["opt_move_discards_to_top"]
    assert not count.is_complete
    assert count.differences
