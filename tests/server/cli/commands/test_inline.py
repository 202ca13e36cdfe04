"""`nirls inline`."""

from __future__ import annotations

from pathlib import Path

from tests.passes.shader_text import ZERO, shader_text
from tests.server.conftest import Run

UBO = "(access=none, align_mul=4, align_offset=0, range_base=0, range=256)"
STORE = "@store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
LINES = (
    f"32 %1 = @load_ubo (%0, %0) {UBO}",
    "1 %2 = ieq %1, %0",
    "if %2 {",
    "block b11:",
    STORE,
    "} else {",
    "block b12:",
    "}",
    "block b13:",
)


def write(folder: Path) -> None:
    (folder / "a.frag.nir").write_text(shader_text("FRAGMENT", ZERO, *LINES))
    (folder / "draws.txt").write_text("0:0=0\n0:0=1\n0:0=1 # again\n")


def test_table(run: Run, workdir: Path) -> None:
    write(workdir)
    result = run("inline", "--values", "draws.txt", "a.frag.nir")
    assert result.status == 0
    lines = [line.split() for line in result.text.splitlines()]
    assert lines[0] == ["a.frag.nir#1:", "4", "instructions,", "3", "draws"]
    assert lines[1] == ["uniforms", "draws", "variants", "saved", "instructions", "values"]
    assert lines[2][:5] == ["0:0", "3", "2", "3.3", "0..2"]
    assert lines[2][5:] == ["0x1", "(2),", "0x0", "(1)"]


def test_json(run: Run, workdir: Path) -> None:
    write(workdir)
    (one,) = run("inline", "--values", "draws.txt", "--format", "json", "a.frag.nir").json
    assert (one["dump"], one["stage"], one["draws"], one["instructions"]) == (1, "FRAGMENT", 3, 4)
    (choice,) = one["choices"]
    assert choice["uniforms"] == ["0:0"]
    assert [variant["values"] for variant in choice["variants"]] == [{"0:0": 1}, {"0:0": 0}]


def test_shader_without_such_a_uniform(run: Run, workdir: Path) -> None:
    write(workdir)
    (workdir / "draws.txt").write_text("0:8=1\n")
    assert "no uniform of these draws" in run("inline", "--values", "draws.txt", "a.frag.nir").text


def test_wrong_values(run: Run, workdir: Path) -> None:
    write(workdir)
    (workdir / "draws.txt").write_text("0:0=0\nx\n")
    result = run("inline", "--values", "draws.txt", "a.frag.nir")
    assert (result.status, result.out) == (2, b"")
    assert "draws.txt, line 2: 'x' is not of the form" in result.err
    assert run("inline", "--values", "none.txt", "a.frag.nir").status == 2
