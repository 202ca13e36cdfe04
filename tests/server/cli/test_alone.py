"""Passes on pipelines that make do with a dump that is linked with nothing."""

from __future__ import annotations

from pathlib import Path

from tests.passes.shader_text import shader_text
from tests.passes.tessellation.patches import ID, ZERO, load, out, store
from tests.server.conftest import Run

PASS = "restructure_tcs_flow"
CONTROL = shader_text(
    "TESS_CTRL",
    ZERO,
    ID,
    load(2, "VAR0", "%0"),
    *(store("%2", "TESS_LEVEL_OUTER", lane) for lane in range(4)),
    out("%2", "VAR0"),
    header=("tcs_vertices_out: 3",),
)
EVALUATION = shader_text("TESS_EVAL", ZERO, load(2, "VAR0", "%0"), header=("primitive_mode: 2", "spacing: 1"))


def test_a_dump_in_no_pipeline_gets_the_worst_case(run: Run, workdir: Path) -> None:
    (workdir / "a.tesc.nir").write_text(CONTROL)
    result = run("check", "--format", "json", "a.tesc.nir")
    (finding,) = [found for found in result.json if found["code"] == "culled-patch-work"]
    assert finding["data"]["mode"] == "unspecified"
    changed = run("opt", "--verify", "-p", PASS, "--diff", "a.tesc.nir")
    assert changed.text.count("= flt! ") == 1, "both levels that every mode uses are one value"
    assert "1 equivalent" in changed.err


def test_options_say_what_the_evaluation_shader_would(run: Run, workdir: Path) -> None:
    (workdir / "a.tesc.nir").write_text(CONTROL)
    options = ("-o", "primitive_mode=quads", "-o", "spacing=equal")
    changed = run("opt", "--verify", "-p", PASS, *options, "--diff", "a.tesc.nir")
    assert "1 equivalent" in changed.err
    assert "fge! " not in changed.text
    below_half = run("opt", "-p", PASS, *options, "-o", "cull_below_half=true", "--diff", "a.tesc.nir")
    assert "fge! " in below_half.text
    wrong = run("opt", "-p", PASS, "-o", "spacing=even", "a.tesc.nir")
    assert wrong.status == 2
    assert "spacing takes equal, fractional_odd, fractional_even" in wrong.err


def test_a_linked_dump_is_judged_with_its_pipeline_only(run: Run, workdir: Path) -> None:
    (workdir / "a.tesc.nir").write_text(CONTROL)
    (workdir / "a.tese.nir").write_text(EVALUATION)
    result = run("check", "--format", "json", ".")
    (finding,) = [found for found in result.json if found["code"] == "culled-patch-work"]
    assert (finding["data"]["mode"], finding["data"]["spacing"]) == ("quads", "equal")


def test_other_stages_alone_are_left_alone(run: Run, workdir: Path) -> None:
    (workdir / "a.tese.nir").write_text(EVALUATION)
    result = run("opt", "-p", PASS, "a.tese.nir")
    assert (result.status, result.text) == (0, EVALUATION)
