from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.shader_text import uniform_varying
from tests.server.conftest import Run


def test_one_aligned_line_for_each_scalar(run: Run, tinted: Path) -> None:
    result = run("link", "tinted.vert.nir")
    assert result.status == 0
    title, empty, summary, *table = result.text.splitlines()
    assert (title, empty) == ("tinted: tinted.vert.nir#1 -> tinted.frag.nir#1", "")
    assert summary.startswith("VS to FS: 6 scalars in 2 vec4 slots, 2 in 1 after opt_varyings")
    head, *lines = table
    assert head.split() == ["varying", "value", "fate", "place", "why"]
    starts = [head.index(word) for word in head.split()]
    assert all(line[start - 2 : start] == "  " for line in lines for start in starts[1:])
    assert [line.split()[0] for line in lines] == [
        *(f"POS.{letter}" for letter in "xyzw"),
        *(f"VAR0.{letter}" for letter in "xyzw"),
        *("VAR1.x", "VAR1.y"),
    ]
    assert lines[6].endswith("the FS computes brightness * 0.5 (cost 3)")
    assert lines[8].split()[2] == "removed"


def test_json_has_effects_and_obstacles(run: Run, tinted: Path) -> None:
    (pipeline,) = run("link", "--format", "json", "tinted.vert.nir").json
    assert [stage["stage"] for stage in pipeline["stages"]] == ["VS", "FS"]
    (pair,) = pipeline["pairs"]
    lines = {line["varying"]: line for line in pair["lines"]}
    assert lines["VAR0.w"]["place"] is None
    assert lines["VAR0.w"]["effects"] == [
        {"step": "propagation", "fate": "propagated", "message": "the constant 1 is used in the FS"}
    ]
    assert lines["POS.x"]["obstacles"][0]["code"] == "fixed-function"


def test_options_of_the_project_count(run: Run, workdir: Path) -> None:
    Path("debug.log").write_text(uniform_varying())
    assert "propagated" in run("link", "debug.log").text
    Path("nirls.toml").write_text("[options.opt_varyings]\nmax_cost = 1\n")
    assert run("link", "debug.log").text.splitlines()[-1] == "1 could go if the cost limit was 2, not 1"


def test_pair_that_cannot_be_linked_says_why(run: Run, workdir: Path) -> None:
    text = uniform_varying().replace("MESA_SHADER_VERTEX\n", "MESA_SHADER_VERTEX\nseparate_shader: true\n")
    Path("debug.log").write_text(text)
    result = run("link", "debug.log")
    assert result.status == 0
    assert "separate shader" in result.text


def test_nothing_linked_is_an_error(run: Run, tinted: Path) -> None:
    (tinted / "tinted.frag.nir").unlink()
    result = run("link", ".")
    assert (result.status, result.out) == (2, b"")
    assert "no stages are linked" in result.err


@pytest.mark.parametrize("arguments", [(), ("nothing.nir",), ("--format", "xml", ".")])
def test_wrong_use(run: Run, workdir: Path, arguments: tuple[str, ...]) -> None:
    assert run("link", *arguments).status == 2
