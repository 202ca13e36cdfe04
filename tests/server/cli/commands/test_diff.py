from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tests.server.conftest import Run


def test_status_one_says_that_they_differ(run: Run, tinted: Path) -> None:
    assert run("diff", "tinted.vert.nir", "tinted.vert.nir").status == 0
    result = run("diff", "tinted.vert.nir", "tinted.frag.nir")
    assert result.status == 1
    assert result.text.startswith("--- tinted.vert.nir#1\n+++ tinted.frag.nir#1\n")
    assert not run("diff", "-y", "tinted.vert.nir", "tinted.frag.nir").text.startswith("---")


def test_two_dumps_are_wanted(run: Run, tinted: Path) -> None:
    assert run("diff", "tinted.vert.nir").status == 2


BEFORE = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"))
AFTER = shader_text("VERTEX", ZERO, ONE, use("%1"))
RENUMBERED = BEFORE.replace("%2", "%17")


@pytest.fixture
def files(workdir: Path) -> Path:
    (workdir / "a.nir").write_text(BEFORE)
    (workdir / "b.nir").write_text(AFTER)
    (workdir / "log.nir").write_text(f"{BEFORE}nir_opt_dce\n{AFTER}")
    return workdir


def test_a_unified_diff(run: Run, files: Path) -> None:
    result = run("diff", "a.nir", "b.nir")
    assert result.status == 1
    lines = result.text.splitlines()
    assert lines[:2] == ["--- a.nir#1", "+++ b.nir#1"]
    assert "-    32    %2 = mov %1 (0x3f800000)" in lines


def test_other_numbers_are_no_difference(run: Run, files: Path) -> None:
    (files / "c.nir").write_text(RENUMBERED)
    result = run("diff", "a.nir", "c.nir")
    assert (result.status, result.out) == (0, b"")


def test_dumps_of_one_log_by_number(run: Run, files: Path) -> None:
    assert run("diff", "log.nir#1", "a.nir").status == 0
    assert run("diff", "log.nir#1", "log.nir#2").status == 1


def test_side_by_side(run: Run, files: Path) -> None:
    lines = run("diff", "a.nir", "b.nir", "-y").text.splitlines()
    assert lines[0].split() == ["a.nir#1", "b.nir#1"]
    (changed,) = [line for line in lines if "mov %1" in line]
    assert changed.split()[-1] in "<|" or " | " in changed


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a.nir", "log.nir"), "which dumps? a.nir has 1, log.nir has 2; name one of each as FILE#N"),
        (("log.nir#3", "a.nir"), "log.nir has 2 dumps, not 3"),
        (("none.nir", "a.nir"), "no such file"),
    ],
)
def test_wrong_use(run: Run, files: Path, names: tuple[str, str], message: str) -> None:
    result = run("diff", *names)
    assert result.status == 2
    assert message in result.err


def test_control_characters_are_shown_and_not_sent(run: Run, files: Path) -> None:
    (files / "c.nir").write_text(
        AFTER.replace("shader: MESA_SHADER_VERTEX", "shader: MESA_SHADER_VERTEX\nname: \x1b[2J")
    )
    assert b"\x1b" not in run("diff", "a.nir", "c.nir", "-y").out
