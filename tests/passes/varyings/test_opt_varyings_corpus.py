"""opt_varyings against Mesa's own results: its unit tests, and pairs of real pipelines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nirls.ir.model.clone import clone_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tools.corpus.tally import CaseTally
from tools.corpus.varyings import Pair, count_pipeline, count_unit_tests, effects, pipeline_pairs


def pairs(corpus: Path) -> Iterator[Pair]:
    for folder in sorted(corpus.glob("pipelines/*/modern")):
        yield from pipeline_pairs(folder)


def test_no_unit_test_of_mesa_ends_worse(corpus: Path) -> None:
    tally = count_unit_tests(sorted(corpus.glob("varyings/*.txt")))
    assert tally.is_right, tally.noted("wrong")
    equal, better, _ = (sum(column) for column in zip(*map(tally.of, tally.rows), strict=True))
    assert equal + better > 900
    assert equal > 10 * better


def test_no_real_pair_ends_worse(corpus: Path) -> None:
    tally = CaseTally()
    for folder in sorted(corpus.glob("pipelines/*/modern")):
        tally.merge(count_pipeline(folder))
    assert {"vert-frag", "geom-frag", "tesc-tese"} <= set(tally.rows)
    assert tally.is_right, tally.noted("wrong")


def test_comparison_tells_before_from_after(corpus: Path) -> None:
    """Were it blind, everything would be equal."""
    moved = [pair for pair in pairs(corpus) if any(pair.progress)]
    assert moved
    assert all(
        any(effects(before) != effects(after) for before, after in zip(pair.before, pair.after, strict=True))
        for pair in moved
    )


def test_second_run_finds_nothing(corpus: Path) -> None:
    for pair in pairs(corpus):
        options = {"spirv": pair.options.spirv}
        shaders = [clone_shader(shader) for shader in pair.before]
        OptVaryings.with_options(options).run(shaders)
        assert OptVaryings.with_options(options).run(shaders) == [], pair.name


def test_real_pipelines_of_three_and_more_stages_compute_the_same(corpus: Path) -> None:
    """Down through all pairs, up again from the highest stage that changed, and then nothing is left."""
    seen = 0
    for folder in sorted(corpus.glob("pipelines/*/*")):
        files = [folder / f"{stage}.io.nir" for stage in ("vert", "tesc", "tese", "geom", "frag")]
        before = [parse_dump(path.read_bytes()) for path in files if path.exists()]
        if len(before) < 3:
            continue
        seen += 1
        after = [clone_shader(shader) for shader in before]
        assert OptVaryings().run(after), folder
        for shader in after:
            assert [problem for problem in validate(shader) if problem.severity == "error"] == []
        assert isinstance(verify_shaders(before, after), Equivalent), folder
        assert OptVaryings().run(after) == [], folder
    assert seen >= 5
