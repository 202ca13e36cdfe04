from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.commands.preview import count_text
from nirls.server.engine.timeline.dump_digest import DumpCounts
from tests.passes.shader_text import ONE, ZERO, shader_text, uniform_varying, use
from tests.server.conftest import Run


def test_passes_and_their_options(run: Run, tinted: Path) -> None:
    def outputs(*arguments: str) -> list[int]:
        found = run("preview", ".", "--format", "json", *arguments).json
        (vert,) = (one for one in found if one["stage"] == "VERTEX")
        return [vert["before"]["instructions"], vert["after"]["instructions"]]

    before, after = outputs()
    assert after < before
    assert outputs("-p", "opt_dce") == [before, before]
    assert run("preview", ".", "-p", "opt_dce", "-o", "nothing=1").status == 2


def test_what_linking_would_bring(run: Run, tinted: Path) -> None:
    vert, frag = run("preview", "tinted.vert.nir", "tinted.frag.nir", "--format", "json").json
    assert (vert["stage"], frag["stage"], vert["pipeline"]) == ("VERTEX", "FRAGMENT", "tinted")
    assert vert["after"]["outputs"] < vert["before"]["outputs"]


def test_nothing_is_written(run: Run, tinted: Path) -> None:
    before = (tinted / "tinted.vert.nir").read_bytes()
    assert run("preview", ".").status == 0
    assert (tinted / "tinted.vert.nir").read_bytes() == before


def test_a_table_and_a_diff(run: Run, workdir: Path) -> None:
    (workdir / "a.nir").write_text(shader_text("VERTEX", ZERO, ONE, "32    %2 = fneg %1", use("%1")))
    lines = run("preview", "a.nir", "-p", "opt_dce", "--diff").text.splitlines()
    assert lines[1].split() == ["a.nir#1", "VERTEX", "4", "→", "3", "1", "0", "0", "0"]
    assert "-    32    %2 = fneg %1" in lines


def test_an_unknown_pass(run: Run, tinted: Path) -> None:
    assert run("preview", ".", "-p", "nothing").status == 2


@pytest.mark.parametrize(
    ("before", "after", "text"), [(3, 2, "3 → 2"), (2, 2, "2"), (None, 2, "2"), (None, None, "")]
)
def test_counts(before: int | None, after: int | None, text: str) -> None:
    counts = [None if number is None else DumpCounts(number, 0, 0, 0, 0) for number in (before, after)]
    assert count_text(*counts, "instructions").plain == text


def test_driver_of_the_project_and_of_the_log(run: Run, workdir: Path) -> None:
    def varyings() -> int:
        (vert, _) = run("preview", "a.log", "--format", "json").json
        count: int = vert["after"]["outputs"]
        return count

    (workdir / "a.log").write_text(uniform_varying())
    assert varyings() == 0
    (workdir / "nirls.toml").write_text('driver = "iris"\n')
    assert varyings() == 1
    (workdir / "nirls.toml").unlink()
    (workdir / "a.log").write_text(f"GL Mesa Intel(R) Iris(R) Xe Graphics\n{uniform_varying()}")
    assert varyings() == 1
