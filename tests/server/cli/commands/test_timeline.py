from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.commands.timeline import timelines_of
from nirls.server.engine.documents.document import Snapshot
from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tests.server.conftest import Run


def test_a_table_json_or_a_diff(run: Run, tinted: Path) -> None:
    text = (tinted / "tinted.vert.nir").read_text()
    (tinted / "a.log").write_text(f"nir_a_b\n{text}nir_c_d\n{text.replace(' ffma ', ' flrp ', 1)}")
    assert "nir_c_d" in run("timeline", "a.log").text
    assert [one["stage"] for one in run("timeline", "a.log", "--format", "json").json["shaders"]] == ["VS"]
    assert run("timeline", "a.log", "--diff", 2).text.startswith("--- before nir_c_d\n+++ after nir_c_d\n")
    assert run("timeline", "a.log", "--diff", "x").status == 2


FIRST = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"))
COPIED = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%1"))
FRAGMENT = shader_text("FRAGMENT", ZERO, header=["name: \x1b]2;red[/bold]"])
LOG = f"nir_lower_returns\n{FIRST}nir_opt_cse\nnir_copy_prop\n{COPIED}nir_opt_dce\n{FRAGMENT}"


@pytest.fixture
def log(workdir: Path) -> Path:
    path = workdir / "debug.log"
    path.write_text(LOG)
    return path


def test_a_table_for_each_shader(run: Run, log: Path) -> None:
    result = run("timeline", log)
    assert result.status == 0
    lines = [line.split() for line in result.text.splitlines()]
    assert ["1.", "VS"] in lines
    assert ["3", "nir_copy_prop", "code", "4", "1", "0", "0", "0", "16"] in lines
    assert not any("nir_opt_cse" in line for line in lines)


def test_all_passes_on_demand(run: Run, log: Path) -> None:
    assert "nir_opt_cse" in run("timeline", log, "--all").text


def test_names_cannot_steer_the_terminal(run: Run, log: Path) -> None:
    out = run("timeline", log).out
    assert b"\x1b" not in out
    assert b"2. FS \\x1b]2;red[/bold]" in out


def test_json(run: Run, log: Path) -> None:
    vert, frag = run("timeline", log, "--format", "json").json["shaders"]
    assert [one["name"] for one in vert["passes"]] == ["nir_lower_returns", "nir_copy_prop"]
    assert [one["change"] for one in frag["passes"]] == ["first"]


def test_the_release_is_estimated(run: Run, log: Path) -> None:
    assert "printed by Mesa 25.0, or a release near it" in run("timeline", log).text
    log.write_text(LOG.replace("MESA_SHADER_VERTEX\n", "MESA_SHADER_VERTEX\nmax_subgroup_size: 64\n"))
    assert run("timeline", log, "--format", "json").json["releases"] == [
        "Mesa 26.2, or a release near it",
        "Mesa 25.0, or a release near it",
    ]


def test_what_a_pass_changed(run: Run, log: Path) -> None:
    lines = run("timeline", log, "--shader", "VS", "--diff", 3).text.splitlines()
    assert lines[:2] == ["--- before nir_copy_prop", "+++ after nir_copy_prop"]
    assert len([line for line in lines[2:] if line[:1] in "+-"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--diff", 3), "which shader? choose with --shader one of 1 (VS), 2 (FS"),
        (("--shader", "1", "--diff", 1), "is the first snapshot"),
        (("--shader", "VS", "--diff", 2), "printed no snapshot"),
        (("--shader", "VS", "--diff", 9), "VS has 3 passes, not 9"),
        (("--shader", "GS"), "no shader 'GS'"),
    ],
)
def test_wrong_use(run: Run, log: Path, arguments: tuple[object, ...], message: str) -> None:
    result = run("timeline", log, *arguments)
    assert result.status == 2
    assert message in result.err


def test_a_file_without_dumps(run: Run, workdir: Path) -> None:
    (workdir / "empty.log").write_text("nir_opt_dce\n")
    assert run("timeline", "empty.log").status == 2


def test_standard_input(run: Run) -> None:
    assert "nir_copy_prop" in run("timeline", "-", stdin=LOG.encode()).text


def test_equal_dumps_are_read_once(log: Path) -> None:
    snapshot = Snapshot.of((FIRST + COPIED + FIRST).encode())
    shaders = timelines_of(snapshot)
    assert len(snapshot.dumps()) == 3
    assert [shader.compile_number for shader in shaders] == [1, 2]


SHRUNK = shader_text("VERTEX", ZERO, ONE, use("%1"))
CHAIN = f"nir_lower_returns\n{FIRST}nir_copy_prop\n{COPIED}nir_opt_dce\n{SHRUNK}"


@pytest.fixture
def chain(workdir: Path) -> Path:
    path = workdir / "chain.log"
    path.write_text(CHAIN)
    return path


def passes(run: Run, *arguments: object) -> list[str]:
    (shader,) = run("timeline", *arguments, "--format", "json").json["shaders"]
    return [one["name"] for one in shader["passes"]]


def test_filters(run: Run, chain: Path) -> None:
    assert passes(run, chain, "--name", "opt_") == ["nir_opt_dce"]
    assert passes(run, chain, "--touches", "store_ssbo") == ["nir_copy_prop"]
    assert passes(run, chain, "--touches", "%2", "--at", 1) == ["nir_copy_prop", "nir_opt_dce"]
    assert passes(run, chain, "--touches", "nothing") == []
    assert "nir_copy_prop" not in run("timeline", chain, "--name", "dce").text


def test_verdicts_and_register_pressure(run: Run, chain: Path) -> None:
    wrong = chain.parent / "wrong.log"
    wrong.write_text(CHAIN + "nir_opt_wrong\n" + SHRUNK.replace("0x3f800000 = 1.0", "0x40000000 = 2.0"))
    assert passes(run, wrong, "--different") == ["nir_opt_wrong"]
    lines = run("timeline", wrong, "--verify", "--pressure").text.splitlines()
    row = next(line.split() for line in lines if "nir_opt_dce" in line)
    assert row[-3:-1] == ["2", "equivalent"]
    (shader,) = run("timeline", wrong, "--pressure", "--format", "json").json["shaders"]
    assert shader["passes"][0]["pressure"] == [None, 2]


def test_any_two_snapshots(run: Run, chain: Path) -> None:
    lines = run("timeline", chain, "--diff", "1..3").text.splitlines()
    assert lines[:2] == ["--- after nir_lower_returns (1)", "+++ after nir_opt_dce (3)"]
    assert any(line.startswith("-") and "= mov %1" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--diff", "1..9"), "VS has 3 passes, not 9"),
        (("--diff", "x"), "--diff takes the number of a pass, or A..B, not 'x'"),
    ],
)
def test_snapshots_that_cannot_be_compared(
    run: Run, chain: Path, arguments: tuple[object, ...], message: str
) -> None:
    result = run("timeline", chain, *arguments)
    assert result.status == 2
    assert message in result.err
