from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nirls.passes.varyings.packing.table import CellGroup
from nirls.server.cli.commands.pack import COLORS
from tests.passes.shader_text import ZERO, load, shader_text, store, use
from tests.server.conftest import Run


def test_a_table_or_json(run: Run, tinted: Path) -> None:
    assert "VS to FS" in run("pack", "tinted.vert.nir").text
    (pipeline,) = run("pack", "--format", "json", "tinted.vert.nir").json
    assert [Path(one["file"]).name for one in pipeline["stages"]] == ["tinted.vert.nir", "tinted.frag.nir"]


def test_nothing_linked_is_an_error(run: Run, tinted: Path) -> None:
    (tinted / "tinted.frag.nir").unlink()
    result = run("pack", ".")
    assert (result.status, result.out) == (2, b"")
    assert "no stages are linked" in result.err


def test_plain_text_names_each_group(run: Run, tinted: Path) -> None:
    result = run("pack", ".")
    assert result.status == 0
    lines = result.text.splitlines()
    assert lines[0] == "tinted: tinted.vert.nir#1 -> tinted.frag.nir#1"
    assert "VS to FS: 6 scalars in 2 vec4 slots, 2 in 1 after opt_varyings" in result.text
    assert sum(line.startswith(("before ", "after ")) for line in lines) == 2
    assert " dead" in result.text
    assert "\x1b" not in result.text


def test_partner_beside_a_file_is_read_for_the_link(run: Run, tinted: Path) -> None:
    assert run("pack", "tinted.frag.nir").text == run("pack", "tinted.vert.nir", "tinted.frag.nir").text


def test_json_has_every_cell(run: Run, tinted: Path) -> None:
    (pipeline,) = run("pack", "--format", "json", "tinted.vert.nir").json
    assert [stage["stage"] for stage in pipeline["stages"]] == ["VS", "FS"]
    assert {stage["dump"] for stage in pipeline["stages"]} == {1}, "dumps count from 1 in all that is printed"
    (pair,) = pipeline["pairs"]
    for side in ("before", "after"):
        table = pair[side]
        assert table["scalars"] <= len(table["cells"])
        assert {cell["group"] for cell in table["cells"]} <= {group.value for group in CellGroup}
    assert pair["before"]["scalars"] > pair["after"]["scalars"]
    assert all(cell["group"] != "dead" for cell in pair["after"]["cells"])


def test_options_of_the_project_count(run: Run, workdir: Path) -> None:
    Path("debug.log").write_text(
        shader_text("VERTEX", ZERO, "32    %1 = @load_vertex_id", store("VAR4"))
        + shader_text("FRAGMENT", ZERO, load(1, "VAR4"), use("%1"))
    )
    assert "VAR0 " in run("pack", ".").text
    Path("nirls.toml").write_text("[options.opt_varyings]\npack = false\n")
    assert "VAR0 " not in run("pack", ".").text


def test_pipelines_of_a_log_and_of_standard_input(run: Run, workdir: Path) -> None:
    log = (
        shader_text("VERTEX", ZERO, store("VAR4", "%0"))
        + "noise\n"
        + shader_text("FRAGMENT", ZERO, load(1, "VAR4"))
    )
    Path("debug.log").write_text(log + log)
    assert run("pack", "debug.log").text.count("VS to FS") == 2
    assert run("pack", "-", stdin=log.encode()).text.count("VS to FS") == 1


def test_pair_that_cannot_be_shown_says_why(run: Run, workdir: Path) -> None:
    Path("a.vert.nir").write_text(
        shader_text(
            "VERTEX",
            "32    %0 = deref_var &o (shader_out float)",
            header=("decl_var shader_out INTERP_MODE_NONE none float o (VARYING_SLOT_VAR0.x, 0, 0)",),
        )
    )
    Path("a.frag.nir").write_text(
        shader_text(
            "FRAGMENT",
            "32    %0 = deref_var &i (shader_in float)",
            header=("decl_var shader_in INTERP_MODE_NONE none float i (VARYING_SLOT_VAR0.x, 0, 0)",),
        )
    )
    result = run("pack", ".")
    assert result.status == 0
    assert "still variables" in result.text
    assert "before" not in result.text


def test_nothing_linked(run: Run, workdir: Path) -> None:
    Path("a.vert.nir").write_text(shader_text("VERTEX", ZERO))
    result = run("pack", "a.vert.nir")
    assert (result.status, result.out) == (2, b"")
    assert "no stages are linked" in result.err
    assert run("pack", "a.vert.nir", "--format", "json").json == []


@pytest.mark.parametrize("text", [b"", b"hello\n", b"\0\1\2"])
def test_no_dumps(run: Run, workdir: Path, text: bytes) -> None:
    Path("a.nir").write_bytes(text)
    result = run("pack", "a.nir")
    assert result.status == 2
    assert "a.nir" in result.err


def test_wrong_use(run: Run, workdir: Path) -> None:
    assert run("pack", "nothing.nir").status == 2
    assert run("pack").status == 2
    assert run("pack", "--format", "xml", ".").status == 2


def test_help_says_what_the_marks_mean(run: Run) -> None:
    text = " ".join(run("pack", "--help").text.split())
    assert "`lo` and `hi` the halves" in text
    assert "Exit status 2" in text


def test_terminal_gets_colours(run: Run, tinted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    text = run("pack", ".").text
    assert "\x1b[" in text
    assert " dead " in text, "the legend"


def test_every_group_has_a_colour() -> None:
    assert set(COLORS) == set(CellGroup)


def test_slots_of_backend_io_have_one_table(run: Run, workdir: Path) -> None:
    def dump(stage: str, *lines: str) -> str:
        body = "".join(
            f"    {line}\n" for line in ("block b0:", "32    %0 = load_const (0x00000000)", *lines)
        )
        return f"shader: MESA_SHADER_{stage}\nimpl main {{\n{body}}}\n\n"

    store_of_var0 = "@ast_nv (%0, %0, %0) (base=128, range_base=128, range=4, flags=1)"
    Path("debug.log").write_text(
        dump("VERTEX", store_of_var0) + dump("FRAGMENT", "32    %1 = @ipa_nv (%0, %0) (base=128, flags=10)")
    )
    text = run("pack", "debug.log").text
    assert "VS to FS: 1 scalar in 1 vec4 slot; the outputs of the VS are lowered to backend I/O" in text
    assert "\nslots  x " in text
    assert "\nVAR0   0 flat" in text
    assert "\nafter" not in text
