"""opt_varyings against Mesa's own results: its unit tests, and pairs of real pipelines."""

from __future__ import annotations

from pathlib import Path

from nirls.ir.model.clone import clone_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.passes.translation_validation import Equivalent, validate_pass
from nirls.passes.varyings.opt_varyings import OptVaryings
from tools.corpus_varyings import agreement, effects, pipeline_pairs, unit_test_pairs


def test_no_unit_test_of_mesa_ends_worse(corpus: Path) -> None:
    found = agreement(unit_test_pairs(corpus / "varyings"))
    assert sum(sum(family.counts.values()) for family in found.values()) > 900
    bad = [note for family in found.values() for note in family.notes if not note.startswith("better")]
    assert bad == []
    equal = sum(family.counts["equal"] for family in found.values())
    better = sum(family.counts["better"] for family in found.values())
    assert equal > 10 * better


def test_no_real_pair_ends_worse(corpus: Path) -> None:
    found = agreement(pipeline_pairs(corpus / "pipelines"))
    assert {"vert-frag", "geom-frag", "tesc-tese"} <= set(found)
    bad = [note for family in found.values() for note in family.notes if not note.startswith("better")]
    assert bad == []


def test_comparison_tells_before_from_after(corpus: Path) -> None:
    """Were it blind, everything would be equal."""
    moved = [pair for _, pair in pipeline_pairs(corpus / "pipelines") if any(pair.progress)]
    assert moved
    assert all(
        any(effects(before) != effects(after) for before, after in zip(pair.before, pair.after, strict=True))
        for pair in moved
    )


def test_second_run_finds_nothing(corpus: Path) -> None:
    for _, pair in pipeline_pairs(corpus / "pipelines"):
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
        assert isinstance(validate_pass(before, after), Equivalent), folder
        assert OptVaryings().run(after) == [], folder
    assert seen >= 5
