from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from nirls.ir.model.shader import Shader
from nirls.passes import registry
from nirls.passes.declaration import Pass, option
from tests.declared_pass import declare
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, uniform_varying, use
from tests.server.conftest import Run

PASS = "opt_varyings_dead_io"
VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))
FRAGMENT = shader_text("FRAGMENT", ZERO, load(1, "VAR1"), use("%1"))


def without_line(text: str, part: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if part not in line)


def test_log_keeps_everything_between_the_dumps(run: Run, workdir: Path) -> None:
    log = f"first\n{VERTEX}\nnir_opt_x: é\r\n{FRAGMENT}last, without newline"
    (workdir / "a.log").write_bytes(log.encode())
    result = run("opt", "-p", PASS, "a.log")
    assert result.status == 0
    assert result.text == log.replace(VERTEX, without_line(VERTEX, "VAR0"))


def test_nothing_to_do_is_byte_for_byte(run: Run, workdir: Path) -> None:
    data = VERTEX.replace("\n", "\r\n").encode() + b"\xff\xfe junk"
    assert run("opt", "-p", PASS, "-", stdin=data).out == data


def test_files_are_linked_by_name(run: Run, tinted: Path) -> None:
    result = run("opt", "-p", PASS, "--diff", "tinted.vert.nir", "tinted.frag.nir")
    changed = [line for line in result.text.splitlines() if line[:1] in "+-"]
    assert changed[:2] == ["--- a/tinted.vert.nir", "+++ b/tinted.vert.nir"]
    assert "-outputs_written: 0,32-33" in changed
    assert "+outputs_written: 0,32" in changed
    removed = [line for line in changed if "@" in line]
    assert [("@store_output" in line, "VAR1" in line) for line in removed] == [(False, False)] * 2 + [
        (True, True)
    ] * 2
    assert not any("tinted.frag.nir" in line for line in changed)


def test_partner_that_was_not_named_is_not_linked(run: Run, tinted: Path) -> None:
    result = run("opt", "-p", PASS, "--diff", "tinted.vert.nir")
    assert (result.status, result.out) == (0, b"")


def test_in_place_writes_only_what_changed(run: Run, tinted: Path) -> None:
    fragment = tinted / "tinted.frag.nir"
    before, written = fragment.read_bytes(), fragment.stat().st_mtime_ns
    result = run("opt", "-p", PASS, "--in-place", "tinted.vert.nir", "tinted.frag.nir")
    assert (result.status, result.out) == (0, b"")
    assert "VARYING_SLOT_VAR1 slots" not in (tinted / "tinted.vert.nir").read_text()
    assert fragment.read_bytes() == before
    assert fragment.stat().st_mtime_ns == written
    assert run("check", ".").status == 0


def test_out_dir_keeps_the_folders_below_the_common_one(run: Run, workdir: Path) -> None:
    for folder in ("a", "b/c"):
        (workdir / folder).mkdir(parents=True)
        (workdir / folder / "x.vert.nir").write_text(VERTEX)
        (workdir / folder / "x.frag.nir").write_text(FRAGMENT)
    result = run("opt", "-p", PASS, "--out-dir", "new/out", "a", "b")
    assert (result.status, result.out) == (0, b"")
    for folder in ("a", "b/c"):
        assert (workdir / "new/out" / folder / "x.vert.nir").read_text() == without_line(VERTEX, "VAR0")
        assert (workdir / "new/out" / folder / "x.frag.nir").read_text() == FRAGMENT
        assert (workdir / folder / "x.vert.nir").read_text() == VERTEX


def test_result_has_no_findings_left(run: Run, workdir: Path) -> None:
    fragment = shader_text("FRAGMENT", ZERO, load(1, "VAR1"), load(2, "VAR5"), use("%1"), use("%2"))
    once = run("opt", "-p", PASS, "-", stdin=(VERTEX + fragment).encode())
    assert "32    %2 = undefined" in once.text
    found = run("check", "--format", "json", "-", stdin=once.out).json
    assert [finding for finding in found if finding["code"] in ("dead-output", "undefined-input")] == []
    assert run("opt", "-p", PASS, "-", stdin=once.out).out == once.out


def test_driver_profile(run: Run, workdir: Path) -> None:
    text = uniform_varying()
    arguments = "opt", "-p", "opt_varyings", "-"
    assert "VARYING_SLOT" not in run(*arguments, stdin=text.encode()).text
    kept = run(*arguments, "--driver", "iris", stdin=text.encode())
    assert "VARYING_SLOT" in kept.text
    (workdir / "nirls.toml").write_text('driver = "iris"\n')
    assert run(*arguments, stdin=text.encode()).text == kept.text
    assert run(*arguments, "--driver", "generic", stdin=text.encode()).text != kept.text
    detected = b"GL Mesa Intel(R) Iris(R) Xe Graphics\n" + text.encode()
    (workdir / "nirls.toml").unlink()
    assert run(*arguments, stdin=detected).text.endswith(kept.text)
    assert (
        run(*arguments, "-o", "driver=generic", stdin=detected).text != run(*arguments, stdin=detected).text
    )
    wrong = run(*arguments, "--driver", "i915", stdin=text.encode())
    assert (wrong.status, "there is no driver profile 'i915'" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "opt_everything"], "there is no pass 'opt_everything'; there are opt_varyings_dead_io"),
        (["-p", ","], "no pass to run"),
        (["-p", PASS, "-o", "level"], "option 'level' is not of the form NAME=VALUE"),
        (["-p", PASS, "-o", "level=3"], "none of the passes has an option 'level'"),
        (["-p", PASS, "-o", f"{PASS}.level=3"], f"{PASS} has no option 'level' (it has: driver)"),
        (["-p", PASS, "-i", "--out-dir", "x"], "--in-place and --out-dir exclude each other"),
        (["-p", PASS, "-i"], "standard input has no place to write to"),
    ],
)
def test_wrong_usage(run: Run, workdir: Path, arguments: list[str], message: str) -> None:
    result = run("opt", *arguments, "-", stdin=VERTEX.encode())
    assert result.status == 2
    assert message in result.err
    assert result.out == b""


def test_file_without_dumps_goes_through_with_a_message(run: Run, workdir: Path) -> None:
    result = run("opt", "-p", PASS, "-", stdin=b"nothing here\n")
    assert (result.status, result.out) == (2, b"nothing here\n")
    assert "nirls: <stdin>: no shader dump in it" in result.err


def test_a_dump_with_an_error_is_left_alone_with_a_warning(run: Run, workdir: Path) -> None:
    wrong = FRAGMENT.replace('use("%1")', "").replace("    block b1:", "    32    %2 = mov %7\n    block b1:")
    log = VERTEX + wrong
    result = run("opt", "-p", PASS, "-", stdin=log.encode())
    assert (result.status, result.text) == (0, log)
    assert (
        "warning: no pass runs on <stdin>#2 or its pipeline, which has an error: %7 is not defined"
        in result.err
    )
    assert "#1" not in result.err


def test_options_reach_the_pass_and_its_failure_is_a_message(
    run: Run, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def apply(declared: Pass, shader: Shader) -> bool:
        raise RuntimeError(str(asdict(declared)))

    mine = declare("mine", options={"level": option(1, ""), "on": option(False, "")}, apply=apply)
    monkeypatch.setattr(registry, "find", lambda name: mine if name == "mine" else None)
    result = run("opt", "-p", "mine", "-o", "level=3", "-o", "mine.on=yes", "-", stdin=VERTEX.encode())
    assert result.status == 3
    assert result.err == ("nirls: mine failed on <stdin>, dump 1: RuntimeError: {'level': 3, 'on': True}\n")


UNIFORM_LOAD = "32 %2 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, range=4)"


def test_values_of_uniforms(run: Run, workdir: Path) -> None:
    (workdir / "a.frag.nir").write_text(shader_text("FRAGMENT", ZERO, UNIFORM_LOAD, use("%2")))
    result = run("opt", "-p", "inline_uniforms", "--set", "0:0=7", "--verify", "a.frag.nir")
    assert result.status == 0
    assert "load_ubo" not in result.text
    assert "0x00000007" in result.text


def test_verdicts_as_json(run: Run, workdir: Path) -> None:
    (workdir / "a.frag.nir").write_text(shader_text("FRAGMENT", ZERO, UNIFORM_LOAD, use("%2")))
    command = (
        "opt",
        "-p",
        "inline_uniforms",
        "--set",
        "0:0=7",
        "--verify",
        "--verdicts",
        "json",
        "a.frag.nir",
    )
    (verdict,) = json.loads(run(*command).err)
    assert verdict["pass"] == "inline_uniforms"
    assert (verdict["verdict"], verdict["left_out"]) == ("equivalent", False)
    assert verdict["tried"]["runs"] >= 2


def test_verdicts_need_verify(run: Run, workdir: Path) -> None:
    (workdir / "a.frag.nir").write_text(shader_text("FRAGMENT", ZERO, UNIFORM_LOAD, use("%2")))
    result = run("opt", "-p", "opt_dce", "--verdicts", "json", "a.frag.nir")
    assert (result.status, result.err) == (2, "nirls: --verdicts is for --verify\n")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0:4=1", "nothing loads uniform 0:4"),
        ("0:0=5000000000", "does not fit"),
        ("0:0", "BUFFER:BYTE=VALUE"),
    ],
)
def test_wrong_values_of_uniforms_change_nothing(run: Run, workdir: Path, value: str, message: str) -> None:
    text = shader_text("FRAGMENT", ZERO, UNIFORM_LOAD, use("%2"))
    (workdir / "a.frag.nir").write_text(text)
    result = run("opt", "-p", "inline_uniforms", "--set", value, "--in-place", "a.frag.nir")
    assert result.status == 2
    assert message in result.err
    assert (workdir / "a.frag.nir").read_text() == text


def test_set_without_the_pass(run: Run) -> None:
    result = run("opt", "-p", PASS, "--set", "0:0=1", "-", stdin=VERTEX.encode())
    assert result.status == 2
    assert "--set is for the pass inline_uniforms" in result.err


def test_an_index_without_a_possible_block_changes_nothing(run: Run, workdir: Path) -> None:
    load = UNIFORM_LOAD.replace("%2 =", "%3 =").replace("(%0 (0x0),", "(%2,")
    text = shader_text("FRAGMENT", ZERO, UNIFORM_LOAD, load, use("%3"), header=["num_ubos: 0"])
    (workdir / "a.frag.nir").write_text(text)
    result = run("opt", "-p", "lower_dynamic_bo_access", "--in-place", "a.frag.nir")
    assert result.status == 2
    assert "load_ubo (value 3) cannot be lowered: the shader has no UBO" in result.err
    assert (workdir / "a.frag.nir").read_text() == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_files_are_written_back_in_their_encoding(
    run: Run, workdir: Path, encoding: str, line_end: str
) -> None:
    text = VERTEX.replace("// preds:\n", "// preds:\n    32    %90 = undefined\n", 1)
    dead = text.replace("\n", line_end)
    file = workdir / "a.vert.nir"
    file.write_bytes(dead.encode(encoding))
    expected = run("opt", "-p", "opt_dce", "-", stdin=text.encode()).text
    assert expected != text
    assert run("print", file).out == dead.encode(encoding)
    assert run("opt", "-p", "opt_dce", "--in-place", file).status == 0
    assert file.read_bytes() == expected.replace("\n", line_end).encode(encoding)
