from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from nirls.passes import registry
from nirls.server.cli.commands.check import Format, write_report
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from tests.declared_pass import declare, failing
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use
from tests.server.conftest import Run
from tests.server.engine.files.test_located_findings import located

VERTEX_CODES = ["propagatable-output"] * 2 + ["dead-output"]
PAIR = shader_text("VERTEX", ZERO, ONE, store("VAR0")) + shader_text(
    "FRAGMENT", ZERO, load(1, "VAR1"), use("%1")
)


def codes(found: list[dict[str, object]]) -> list[object]:
    return [one["code"] for one in found]


def test_text_shows_the_place_with_a_caret(run: Run, tinted: Path) -> None:
    result = run("check", "tinted.vert.nir", "tinted.frag.nir")
    assert result.status == 0
    lines = result.text.splitlines()
    start = "tinted.vert.nir:70:18: information [dead-output] output VAR1.xy is never read"
    (heading,) = (number for number, line in enumerate(lines) if line.startswith(start))
    line, marks, other, related = lines[heading + 1 : heading + 5]
    assert "@store_output (%253" in line
    assert line[marks.index("^") :].startswith("@store_output")
    assert "tinted.vert.nir:71:18: VAR1.y is written here" in other
    assert "tinted.frag.nir:1:1: the FS reads only VAR0" in related
    assert "\x1b[" not in result.text
    assert result.err == "3 information in 2 files, 2 dumps.\n"


def test_partner_beside_the_file_is_found(run: Run, tinted: Path) -> None:
    result = run("check", "--format", "json", "--verbose", "tinted.vert.nir")
    assert codes(result.json) == VERTEX_CODES
    assert {one["file"] for one in result.json} == {"tinted.vert.nir"}
    assert result.err == (
        "linked tinted.vert.nir#1 -> tinted.frag.nir#1: file names tinted.*.nir;"
        " driver profile generic (nothing in the document names a driver)\n"
    )
    named = run("check", "--driver", "radv", "--verbose", "tinted.vert.nir")
    assert "; driver profile radv (set)\n" in named.err
    assert run("check", "--driver", "rad", "tinted.vert.nir").status == 2


def test_finding_whose_cause_is_in_another_file_stands_in_the_named_one(run: Run, tinted: Path) -> None:
    found = run("check", "--format", "json", "tinted.frag.nir").json
    assert codes(found) == ["propagatable-output"] * 2
    text = (tinted / "tinted.frag.nir").read_text().splitlines()
    for one in found:
        assert one["file"] == "tinted.frag.nir"
        assert "load_interpolated_input" in text[one["range"]["start"]["line"]]
        assert one["related"][0]["file"].endswith("tinted.vert.nir")
        assert one["related"][0]["message"] == "the cause is here"
    edits = run("check", "--format", "json", "--fixes", "tinted.frag.nir").json
    assert all(fix["edits"] for one in edits for fix in one["fixes"] if fix["request"]["scope"] == "one")


def test_json_has_ranges_and_edits(run: Run, tinted: Path) -> None:
    without = run("check", "--format", "json", tinted).json
    assert not any("edits" in fix for one in without for fix in one["fixes"])
    found = run("check", "--format", "json", "--fixes", tinted).json
    assert [one["message"] for one in found] == [one["message"] for one in without]
    first = next(one for one in found if one["code"] == "dead-output")
    assert set(first) >= {"file", "range", "severity", "code", "message", "fixes"}
    assert first["range"] == {"start": {"line": 69, "character": 17}, "end": {"line": 69, "character": 30}}
    assert first["severity"] == "information"
    assert [fix["request"]["scope"] for fix in first["fixes"]] == ["one", "pass"]
    (removal, *_) = reversed(first["fixes"][0]["edits"])
    assert removal["file"].endswith("tinted.vert.nir")
    assert removal["newText"] == ""
    assert removal["range"]["start"] == {"line": 69, "character": 0}


def test_json_says_what_was_tried_for_a_fix(run: Run, tinted: Path, data: Path) -> None:
    def verdicts(file: str) -> dict[str, Any]:
        found = run("check", "--format", "json", "--fixes", "--verify", file).json
        return {fix["title"]: fix["verdict"] for one in found for fix in one["fixes"] if fix.get("edits")}

    of_pair = verdicts("tinted.vert.nir")
    for title in ("Remove the stores of VAR1.xy", "Compute VAR0.z where it is read"):
        assert (of_pair[title]["verdict"], of_pair[title]["tried"]["runs"]) == ("equivalent", 0)
        assert of_pair[title]["reason"].startswith("equivalent without a run")
    lowered = verdicts(str(data / "ubo_array.frag.nir"))["Lower this load_ubo to constant block indices"]
    # A slow machine may not be done within the time budget of a fix.
    if lowered["verdict"] == "unchecked":
        assert "time budget" in lowered["reason"]
    else:
        assert lowered["verdict"] == "equivalent"
        assert lowered["tried"]["runs"] >= 2
    plain = run("check", "--format", "json", "--fixes", "tinted.vert.nir").json
    assert not any("verdict" in fix for one in plain for fix in one["fixes"])


def test_verify_needs_fixes(run: Run, workdir: Path) -> None:
    (workdir / "a.nir").write_text(PAIR)
    result = run("check", "--format", "json", "--verify", "a.nir")
    assert (result.status, result.err) == (2, "nirls: --verify is for --fixes\n")


def test_characters_are_utf16_units(run: Run, workdir: Path) -> None:
    text = PAIR.replace("           @store_output (%1 (1.0", "    /* 𝄞é */ @store_output (%1 (1.0")
    (workdir / "a.nir").write_text(text)
    found = run("check", "--format", "json", "a.nir").json
    dead = next(one for one in found if one["code"] == "dead-output")
    line = text.splitlines()[dead["range"]["start"]["line"]]
    before = line[: line.index("@store_output")]
    assert dead["range"]["start"]["character"] == len(before) + 1


def test_sarif_is_valid(run: Run, tinted: Path, data: Path) -> None:
    log = run("check", "--format", "sarif", "--fixes", "tinted.vert.nir").json
    schema = json.loads((data / "sarif-2.1.0-part.schema.json").read_text())
    jsonschema.validate(log, schema)
    (sarif_run,) = log["runs"]
    assert [rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]] == [
        "propagatable-output",
        "dead-output",
    ]
    first = next(one for one in sarif_run["results"] if one["ruleId"] == "dead-output")
    region = first["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (70, 18)
    assert first["ruleIndex"] == 1
    assert first["fixes"][0]["artifactChanges"][0]["replacements"]
    assert first["relatedLocations"]


def test_schema_refuses_what_is_not_sarif(run: Run, tinted: Path, data: Path) -> None:
    log = run("check", "--format", "sarif", "--fixes", "tinted.vert.nir").json
    schema = json.loads((data / "sarif-2.1.0-part.schema.json").read_text())
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, schema)


def test_github_commands_escape_what_they_must(run: Run, workdir: Path) -> None:
    (workdir / "a,b.nir").write_text(PAIR)
    lines = run("check", "--format", "github", "a,b.nir").text.splitlines()
    assert lines[0].startswith("::notice file=a%2Cb.nir,line=8,endLine=8,col=16,")
    assert lines[0].endswith("title=nirls dead-output::output VAR0.x is never read by the FS")


def test_standard_input(run: Run, workdir: Path) -> None:
    found = run("check", "--format", "json", "-", stdin=PAIR.encode()).json
    assert codes(found) == ["dead-output", "undefined-input"]
    assert {one["file"] for one in found} == {"<stdin>"}


@pytest.mark.parametrize(
    ("fail_on", "status"),
    [("error", 0), ("warning", 0), ("information", 1), ("hint", 1), ("never", 0)],
)
def test_exit_status_follows_fail_on(run: Run, tinted: Path, fail_on: str, status: int) -> None:
    assert run("check", "--fail-on", fail_on, "tinted.vert.nir").status == status


def test_default_fails_on_warnings_only(run: Run, workdir: Path) -> None:
    hint = shader_text("VERTEX", ZERO, ONE, store("CLIP_DIST0")) + shader_text("FRAGMENT", ZERO)
    (workdir / "hint.nir").write_text(hint)
    result = run("check", "hint.nir")
    assert "no-varying-output" in result.text
    assert result.status == 0


def test_clean_file(run: Run, workdir: Path) -> None:
    (workdir / "a.nir").write_text(shader_text("FRAGMENT", ZERO))
    result = run("check", "a.nir")
    assert (result.status, result.out, result.err) == (0, b"", "No findings in 1 file, 1 dump.\n")


def test_project_file_sets_severities_passes_and_pipelines(run: Run, workdir: Path) -> None:
    (workdir / "one.nir").write_text(shader_text("VERTEX", ZERO, ONE, store("VAR0")))
    (workdir / "other.nir").write_text(shader_text("FRAGMENT", ZERO, load(1, "VAR1"), use("%1")))
    pipeline = '[[pipeline]]\nname = "p"\nvert = "one.nir"\nfrag = "other.nir"\n'
    (workdir / "nirls.toml").write_text(
        pipeline + '[severity]\ndead-output = "error"\nundefined-input = "off"\n'
    )
    found = run("check", "--format", "json", "one.nir", "other.nir").json
    assert [(one["code"], one["severity"]) for one in found] == [("dead-output", "error")]
    (workdir / "nirls.toml").write_text(pipeline + "[passes]\nopt_varyings_dead_io = false\n")
    assert run("check", "--format", "json", "one.nir").json == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[severity\n", "not valid TOML"),
        ("[extra]\n", "extra: unknown key"),
        ('[severity]\nloud = "hint"\n', "severity.loud: there is no such finding"),
        ("[passes]\nopt_nothing = true\n", "passes.opt_nothing: there is no such pass"),
        ("[passes]\nopt_dce = 3\n", "passes.opt_dce: must be true, false or one of"),
        ("[options.nothing]\n", "options.nothing: there is no such pass"),
        ("[options.opt_varyings]\nno_option = 1\n", "has no option 'no_option'"),
    ],
)
def test_a_broken_project_file_is_no_clean_check(run: Run, tinted: Path, text: str, part: str) -> None:
    (tinted / "nirls.toml").write_text(text)
    result = run("check", "--format", "json", "tinted.vert.nir")
    assert (result.status, result.out) == (2, b"")
    assert part in result.err


def test_the_value_of_a_pass_may_be_a_severity(run: Run, tinted: Path) -> None:
    (tinted / "nirls.toml").write_text('[passes]\nopt_varyings_dead_io = "error"\n')
    found = run("check", "--format", "json", "tinted.vert.nir").json
    assert {one["severity"] for one in found if one["code"] == "dead-output"} == {"error"}


def test_named_project_file(run: Run, tinted: Path) -> None:
    (tinted / "quiet.toml").write_text('[severity]\ndead-output = "off"\n')
    assert run("check", "--config", "quiet.toml", "tinted.vert.nir").status == 0
    assert run("check", "--config", "none.toml", "tinted.vert.nir").status == 2


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "the file is empty"),
        (b"\x7fELF\0\0\0", "this is binary data"),
        (b"just text\n", "no shader dump in it"),
    ],
)
def test_file_without_dumps(run: Run, workdir: Path, contents: bytes, message: str) -> None:
    (workdir / "a.nir").write_bytes(contents)
    result = run("check", "a.nir")
    assert result.status == 2
    assert message in result.err


def test_missing_file_and_empty_folder(run: Run, workdir: Path) -> None:
    result = run("check", "nowhere.nir")
    assert (result.status, result.err) == (2, "nirls: nowhere.nir: no such file or folder\n")
    (workdir / "empty").mkdir()
    result = run("check", "empty")
    assert result.status == 2
    assert "no shader dumps in this folder" in result.err


def test_folder_takes_only_files_with_dumps(run: Run, tinted: Path) -> None:
    (tinted / "notes.txt").write_text("nothing here")
    (tinted / "image.png").write_bytes(b"\x89PNG")
    (tinted / ".hidden").mkdir()
    (tinted / ".hidden" / "x.nir").write_text(PAIR)
    result = run("check", ".")
    assert result.err.endswith("3 information in 2 files, 2 dumps.\n")


def test_file_named_twice_is_checked_once(run: Run, tinted: Path) -> None:
    found = run("check", "--format", "json", "tinted.vert.nir", tinted / "tinted.vert.nir", ".").json
    assert codes(found) == VERTEX_CODES


def test_broken_lines_are_findings(run: Run, workdir: Path) -> None:
    (workdir / "a.nir").write_text(shader_text("FRAGMENT", ZERO, "\t@@@ not é NIR \x01", ONE))
    result = run("check", "a.nir")
    assert result.status == 1
    assert "[syntax]" in result.text
    assert "^" in result.text


def test_very_long_line_is_cut(run: Run, workdir: Path) -> None:
    (workdir / "a.nir").write_text(shader_text("FRAGMENT", ZERO, "?" * 1_000_000))
    result = run("check", "a.nir")
    assert result.status == 1
    assert len(result.out) < 2000


@pytest.mark.parametrize(
    "arguments",
    [(), ("check",), ("check", "--format", "yaml", "x"), ("nonsense",), ("check", "--fail-on", "x", "y")],
)
def test_wrong_usage(run: Run, workdir: Path, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).status == 2


def test_pass_that_fails_is_a_finding_without_a_traceback(
    run: Run, tinted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = declare("mine", find=failing, scope="pipeline")
    monkeypatch.setattr(registry, "all_passes", lambda: (mine,))
    result = run("check", "tinted.vert.nir")
    assert "[pass-failed] mine could not be run: RuntimeError" in result.text
    assert "Traceback" not in result.text + result.err
    assert result.status == 1


@pytest.mark.parametrize("seed", range(20))
def test_damaged_files_never_end_in_a_traceback(run: Run, workdir: Path, data: Path, seed: int) -> None:
    chance = random.Random(seed)
    whole = bytearray((data / "pipelines" / "tinted.vert.nir").read_bytes())
    for _ in range(chance.randrange(1, 40)):
        place = chance.randrange(len(whole))
        whole[place : place + chance.randrange(4)] = chance.randbytes(chance.randrange(4))
    damaged = bytes(whole[: chance.randrange(len(whole))]) + bytes(whole)
    for command in (
        ["check"],
        ["check", "--format", "sarif"],
        ["opt", "-p", "opt_varyings_dead_io"],
        ["print"],
    ):
        result = run(*command, "-", stdin=damaged)
        assert result.status in (0, 1)
        assert "Traceback" not in result.err
    assert result.out == damaged


def test_edits_are_for_formats_that_have_them(run: Run, tinted: Path) -> None:
    result = run("check", "--fixes", tinted)
    assert (result.status, result.err) == (2, "nirls: --fixes is for --format json and sarif\n")


def test_uniform_index_of_the_zink_article_is_found_without_options(run: Run, shared: Path) -> None:
    """The shader of piglit's fs-array-nonconst as ANV got it, whose uniforms are in UBO 1."""
    shader = shared / "corpus" / "old" / "ubo_array_before_inlining.frag.nir"
    result = run("check", "--format", "json", shader)
    found = [one for one in result.json if one["code"] == "inlinable-uniform"]
    assert "1:0" in [one["data"]["uniform"] for one in found]
    assert all(one["fixes"] for one in found)


EMPTY = LinkedFiles([InputFile("a.nir", None, b"shader: MESA_SHADER_VERTEX\n")])


@pytest.mark.parametrize("format_", [Format.JSON, Format.SARIF])
def test_what_programs_read_is_alone_on_standard_output(
    capfdbinary: pytest.CaptureFixture[bytes], format_: Format
) -> None:
    write_report([located("a.nir")], format_, EMPTY)
    out, err = capfdbinary.readouterr()
    assert json.loads(out)
    assert err == b""


def test_text_counts_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    write_report([located("a.nir")], Format.TEXT, EMPTY)
    out, err = capfd.readouterr()
    assert out.startswith("a.nir:1:1: warning [odd] m\n")
    assert err == "1 warning in 1 file, 1 dump.\n"


def test_names_that_are_no_text_are_written_all_the_same(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for format_ in Format:
        write_report([located("a\udcff.nir")], format_, EMPTY)
    assert capfdbinary.readouterr().out.count(b"odd") >= 4


def test_a_report_is_whole_if_a_write_takes_a_part_only(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bytes] = []

    def write(data: memoryview) -> int:
        taken.append(bytes(data[:7]))
        return len(taken[-1])

    buffer = SimpleNamespace(write=write, flush=lambda: None)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=buffer, isatty=lambda: False))
    write_report([located("a.nir")], Format.JSON, EMPTY)
    assert len(json.loads(b"".join(taken))) == 1


def test_baseline_leaves_only_what_is_new(run: Run, tinted: Path) -> None:
    written = run("check", "--fail-on", "hint", "--write-baseline", "base.json", "tinted.vert.nir")
    assert (written.status, written.out) == (0, b"")
    assert written.err == "nirls: base.json: 3 findings written\n"
    again = run("check", "--fail-on", "hint", "--baseline", "base.json", "tinted.vert.nir")
    assert (again.status, again.out) == (0, b"")
    assert again.err.splitlines()[0] == "nirls: base.json: 3 known findings left out"
    content = json.loads((tinted / "base.json").read_text())
    removed = content["findings"].pop()
    (tinted / "base.json").write_text(json.dumps(content))
    new = run("check", "--fail-on", "hint", "--baseline", "base.json", "--format", "json", "tinted.vert.nir")
    assert new.status == 1
    assert codes(new.json) == [removed["code"]] * removed["count"]


def test_baseline_tells_what_is_gone(run: Run, tinted: Path) -> None:
    run("check", "--write-baseline", "base.json", "tinted.vert.nir")
    content = json.loads((tinted / "base.json").read_text())
    content["findings"].append({**content["findings"][0], "statement": "no more", "count": 2})
    (tinted / "base.json").write_text(json.dumps(content))
    said = run("check", "--baseline", "base.json", "tinted.vert.nir").err.splitlines()[0]
    assert said == (
        "nirls: base.json: 3 known findings left out, 2 of the baseline gone; --write-baseline drops them"
    )


@pytest.mark.parametrize("text", [None, "", "[]"])
def test_bad_baseline_is_wrong_usage(run: Run, tinted: Path, text: str | None) -> None:
    if text is not None:
        (tinted / "base.json").write_text(text)
    result = run("check", "--baseline", "base.json", "tinted.vert.nir")
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith("nirls: base.json: ")


def test_baseline_is_read_or_written(run: Run, tinted: Path) -> None:
    both = run("check", "--baseline", "a.json", "--write-baseline", "a.json", "tinted.vert.nir")
    assert both.status == 2
    assert run("check", "--write-baseline", "missing/a.json", "tinted.vert.nir").status == 2
