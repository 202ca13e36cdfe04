from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nirls.server.engine.files.baseline import Baseline
from nirls.server.engine.files.input_files import InputError
from tests.server.engine.files.test_located_findings import located


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a.nir", "b.nir"):
        (tmp_path / name).touch()
    return tmp_path


def read_again(baseline: Baseline, path: Path) -> Baseline:
    path.write_text(baseline.text())
    return Baseline.read(path)


def test_known_findings_are_left_out_wherever_they_stand(files: Path) -> None:
    known = [located("a.nir", 2, message="%3 is dead"), located("b.nir", 2)]
    baseline = read_again(Baseline.of(known, files), files / "base.json")
    moved = located("a.nir", 4, message="%5 is dead", lines_above=7)
    found = baseline.new_among([moved, located("b.nir", 3)], ["a.nir", "b.nir"])
    assert (found.findings, found.known, found.gone) == ((), 2, 0)


def test_another_file_code_or_statement_is_new(files: Path) -> None:
    baseline = Baseline.of([located("a.nir", 2)], files)
    other_code = located("a.nir", 2)
    other_code = replace(other_code, finding=replace(other_code.finding, code="other"))
    new = [located("b.nir", 2), located("a.nir", 2, message="other"), other_code]
    found = baseline.new_among(new, ["a.nir", "b.nir"])
    assert (list(found.findings), found.known, found.gone) == (new, 0, 1)


def test_one_more_of_the_same_is_new(files: Path) -> None:
    baseline = read_again(Baseline.of([located("a.nir", 2), located("a.nir", 3)], files), files / "base.json")
    findings = [located("a.nir", line) for line in (2, 3, 4)]
    assert baseline.new_among(findings, ["a.nir"]).findings == (findings[2],)


def test_a_failed_pass_is_never_known(files: Path) -> None:
    failed = located("a.nir", 2)
    failed = replace(failed, finding=replace(failed.finding, code="pass-failed"))
    assert not Baseline.of([failed], files).counts
    entry = {"file": "a.nir", "stage": "FS", "code": "pass-failed", "statement": failed.finding.message}
    (files / "base.json").write_text(json.dumps({"version": 1, "findings": [entry]}))
    assert Baseline.read(files / "base.json").new_among([failed], ["a.nir"]).findings == (failed,)


def test_files_that_were_not_checked_are_not_gone(files: Path) -> None:
    baseline = Baseline.of([located("a.nir", 2), located("b.nir", 2)], files)
    assert baseline.new_among([], ["a.nir"]).gone == 1


def test_names_are_relative_to_the_baseline(files: Path) -> None:
    (files / "ci").mkdir()
    text = Baseline.of([located("a.nir", 2)], files / "ci").text()
    assert json.loads(text)["findings"][0]["file"] == "../a.nir"
    (files / "ci" / "base.json").write_text(text)
    baseline = Baseline.read(files / "ci" / "base.json")
    assert baseline.new_among([located(str(files / "a.nir"), 2)], []).known == 1


def test_text_has_a_sorted_line_for_each_finding(files: Path) -> None:
    found = [located("b.nir", 2), located("a.nir", 2), located("b.nir", 3)]
    lines = Baseline.of(found, files).text().splitlines()
    assert [json.loads(line.strip().removesuffix(","))["count"] for line in lines[3:-2]] == [1, 2]
    assert Baseline.of(reversed(found), files).text().splitlines() == lines
    assert json.loads(Baseline.of([], files).text()) == {"version": 1, "findings": []}


ENTRY = {"file": "a", "stage": "FS", "code": "c", "statement": "s", "count": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is no JSON"),
        ("[" * 100_000, "it is no JSON"),
        ("\udcff", "it is no JSON"),
        ("[]", "this is no baseline"),
        ("{}", "this is no baseline"),
        ('{"version": true}', "this is no baseline"),
        ('{"version": 2}', "of version 2; this nirls reads version 1"),
        ('{"version": 1, "findings": 3}', "findings: must be"),
        ('{"version": 1, "findings": [3]}', "findings[0]: must be"),
        (json.dumps({"version": 1, "findings": [{}]}), "findings[0]: a code"),
        (json.dumps({"version": 1, "findings": [{**ENTRY, "count": -1}]}), "findings[0]: a code"),
        (json.dumps({"version": 1, "findings": [{**ENTRY, "count": "x"}]}), "count: "),
        (json.dumps({"version": 1, "findings": [{**ENTRY, "line": 3}]}), "line"),
    ],
)
def test_what_is_no_baseline_is_refused(files: Path, text: str, reason: str) -> None:
    path = files / "base.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as refused:
        Baseline.read(path)
    assert reason in str(refused.value)
    assert str(refused.value).startswith(f"{path}: ")
