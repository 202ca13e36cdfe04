"""Real shaders: every form of one program computes the same, and Mesa's own passes change nothing.

The raw, the cleaned-up and the I/O-lowered dump of a shader come from Mesa's lowering and know nothing of
this evaluator, so their agreement checks it as a whole.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.verification.compare.pipelines import compare_pipelines
from nirls.verification.compare.results import compare_results
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.pipeline import run_pipeline
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment

TRACKED = RunOptions(track_error=True)
PIPELINES = (
    "hand_fullscreen_loop",
    "hand_interp_quals",
    "hand_discard_nested",
    "hand_vs_xfb_particles",
    "hand_geom_shadow_layers",
    "hand_clip_cull",
    "three_lambert_skin_fog",
)


def machine(path: Path) -> Machine:
    return Machine(parse_dump(path.read_bytes()))


@pytest.mark.parametrize("dialect", ["modern", "classic"])
@pytest.mark.parametrize("name", PIPELINES)
def test_lowering_changes_nothing(corpus: Path, name: str, dialect: str) -> None:
    folder = corpus / "pipelines" / name / dialect
    compared = 0
    for lowered in sorted(folder.glob("*.io.nir")):
        for form in ("raw", "ssa"):
            before, after = (
                machine(path)
                for path in (lowered.with_name(lowered.name.replace(".io.", f".{form}.")), lowered)
            )
            environment = Environment(5)
            results = [item.run(environment, options=TRACKED) for item in (before, after)]
            assert compare_results(*results, float_tolerance=True) == [], (lowered.name, form)
            assert not all(results[0].fragile), lowered.name
            compared += 1
    assert compared


@pytest.mark.parametrize("name", PIPELINES)
def test_linking_changes_nothing(corpus: Path, name: str) -> None:
    folder = corpus / "pipelines" / name / "modern"
    compared = 0
    for producer_path in sorted(folder.glob("*-*.opt.*.nir")):
        first, second = producer_path.name.split(".")[0].split("-")
        if f".opt.{first}." not in producer_path.name:
            continue
        before = [machine(folder / f"{stage}.io.nir") for stage in (first, second)]
        after = [machine(folder / f"{first}-{second}.opt.{stage}.nir") for stage in (first, second)]
        environment = Environment(7)
        results = [run_pipeline(pair, environment, options=TRACKED) for pair in (before, after)]
        assert compare_pipelines(*results, float_tolerance=True) == [], producer_path.name
        compared += 1
    assert compared


def test_unit_tests_of_mesa_change_nothing(corpus: Path) -> None:
    wrong = []
    paths = sorted((corpus / "varyings").glob("*.txt"))[::25]
    assert paths
    for path in paths:
        parts = re.split(r"^=== (.*)\n", path.read_text(), flags=re.MULTILINE)
        sections = {
            re.sub(r" \d+$", "", title): body for title, body in zip(parts[1::2], parts[2::2], strict=True)
        }
        pairs = [
            [Machine(parse_dump(sections[f"{when} {role}"].encode())) for role in ("PRODUCER", "CONSUMER")]
            for when in ("BEFORE", "OPTIMIZED")
        ]
        environment = Environment(3)
        results = [run_pipeline(pair, environment, options=TRACKED) for pair in pairs]
        if compare_pipelines(*results, float_tolerance=True):
            wrong.append(path.name)
    assert wrong == []


def test_a_wrong_shader_is_told_apart(corpus: Path) -> None:
    """The comparison is no rubber stamp: one swapped operand shows."""
    path = corpus / "pipelines" / "hand_interp_quals" / "modern" / "frag.io.nir"
    text = path.read_bytes()
    at = text.index(b"fmul")
    broken = text[:at] + b"fadd" + text[at + 4 :]
    environment = Environment(1)
    results = [Machine(parse_dump(data)).run(environment, options=TRACKED) for data in (text, broken)]
    assert compare_results(*results, float_tolerance=True)
