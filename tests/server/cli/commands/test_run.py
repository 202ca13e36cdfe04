from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use
from tests.server.conftest import Run

VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1", "%0 (0x0)"))
RESULT = store("VAR0", "%2").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
FRAGMENT = shader_text("FRAGMENT", ZERO, load(1, "VAR0"), "32 %2 = fadd %1, %1", RESULT)
GIVEN = "// nirls: input VAR0.x = 1.5\n"


@pytest.fixture
def fragment(workdir: Path) -> Path:
    path = workdir / "a.frag.nir"
    path.write_text(GIVEN + FRAGMENT)
    return path


def test_outputs_of_an_invocation(run: Run, fragment: Path) -> None:
    result = run("run", "a.frag.nir")
    assert (result.status, result.err) == (0, "")
    assert result.text == "a.frag.nir#1: FS, invocation 0 of 64\n  FRAG_RESULT_DATA0.x = 3.0\n"


def test_trace_has_each_definition_with_its_line(run: Run, fragment: Path) -> None:
    lines = run("run", "--trace", "--invocation", "3", "a.frag.nir").text.splitlines()
    number = next(n for n, line in enumerate(fragment.read_text().splitlines(), 1) if "fadd" in line)
    assert lines[0] == "a.frag.nir#1: FS, invocation 3 of 64"
    assert f"  {number:5}  %2 = 3.0" in lines


def test_file_of_values_goes_over_comments(run: Run, fragment: Path) -> None:
    Path("values.toml").write_text("[input]\nVAR0.x = 4\n")
    assert "FRAG_RESULT_DATA0.x = 8.0" in run("run", "--values", "values.toml", "a.frag.nir").text


def test_seed_makes_other_inputs(run: Run, fragment: Path) -> None:
    fragment.write_text(FRAGMENT)
    texts = [run("run", "--seed", seed, "a.frag.nir").text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_json(run: Run, fragment: Path) -> None:
    (stage,) = run("run", "--format", "json", "--trace", "a.frag.nir").json["stages"]
    assert stage["outputs"] == [
        {"name": "FRAG_RESULT_DATA0.x", "type": "float", "bit_size": 32, "bits": "0x40400000", "text": "3.0"}
    ]
    values = {one["name"]: one for one in stage["values"]}
    assert values["%1"]["values"] == [{"bits": "0x3fc00000", "text": "1.5"}]
    assert "%1 =" in fragment.read_text().splitlines()[values["%1"]["line"]]


def test_linked_stages(run: Run, workdir: Path) -> None:
    (workdir / "a.log").write_text(f"{VERTEX}\n{FRAGMENT}")
    result = run("run", "a.log")
    assert result.status == 0
    assert "a.log#1: VS, invocation 0" in result.text
    assert "FRAG_RESULT_DATA0.x = 2.0" in result.text


def test_stage_that_no_primitive_reaches_is_named(run: Run, workdir: Path) -> None:
    geometry = shader_text("GEOMETRY", ZERO, ONE)
    (workdir / "a.log").write_text(f"{VERTEX}\n{geometry}\n{FRAGMENT}")
    result = run("run", "a.log")
    assert (result.status, result.err) == (0, "nirls: warning: no primitive reaches a.log#3\n")
    assert "a.log#3" not in result.text


def test_memory_tells_who_wrote_it(run: Run, workdir: Path) -> None:
    (workdir / "a.nir").write_text(shader_text("FRAGMENT", ZERO, load(1, "VAR0"), use("%1")))
    assert "ssbo0[0] = " in run("run", "--invocation", "63", "a.nir").text + run("run", "a.nir").text
    (cell,) = run("run", "-f", "json", "a.nir").json["stages"][0]["memory"]
    assert cell["invocations"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("a.frag.nir", "--invocation", "64"), "the FS has 64 invocations"),
        (("a.frag.nir", "--values", "no.toml"), "no.toml: no such file"),
        (("a.frag.nir", "--values", "bad.toml"), "bad.toml: "),
        (("a.frag.nir", "--values", "other.toml"), "other.toml: inputs: there are the tables"),
        (("a.frag.nir", "a.frag.nir"), "2 dumps that are no successive stages"),
        (("wrong.nir",), "wrong.nir#1: 'x' is no number"),
        (("slot.nir",), "there is no input slot or variable NO"),
        (("strange.nir",), "strange.nir#1: cannot be run: unheard_of"),
        (("broken.nir",), "broken.nir#1: 1 line cannot be read"),
    ],
)
def test_wrong_usage(run: Run, fragment: Path, arguments: tuple[str, ...], reason: str) -> None:
    Path("bad.toml").write_text("[")
    Path("other.toml").write_text("inputs = {}")
    Path("wrong.nir").write_text(f"// nirls: input VAR0.x = x\n{FRAGMENT}")
    Path("slot.nir").write_text(f"// nirls: input NO.x = 1\n{FRAGMENT}")
    Path("strange.nir").write_text(shader_text("FRAGMENT", ZERO, "32 %1 = @unheard_of"))
    Path("broken.nir").write_text(FRAGMENT.replace("32 %2 = fadd %1, %1", "32 %2 = ??? %1"))
    result = run("run", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert reason in result.err


def test_what_nothing_reads_is_a_warning(run: Run, fragment: Path) -> None:
    fragment.write_text("// nirls: uniform ubo0[4] = 1\n" + FRAGMENT)
    result = run("run", "a.frag.nir")
    assert (result.status, result.err) == (0, "nirls: warning: ubo0[4] is given, but nothing reads it\n")
