from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from nirls.server.cli.commands.verify import plain_counterexample
from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.unit import TransitionVerdict, verify_unit
from nirls.verification.first_difference import FirstDifference, SideBySide
from nirls.verification.verdict import Counterexample, InputValue
from tests.passes.shader_text import store
from tests.server.conftest import Run
from tests.server.engine.verification.test_transitions import vertex

FIRST = vertex("32 %3 = fsub %2, %1", store("POS", "%3"))
MOVED = vertex("32 %4 = mov %0", "32 %3 = fsub %2, %1", store("POS", "%3"))
WRONG = vertex("32 %4 = mov %0", "32 %3 = fsub %1, %2", store("POS", "%3"))
KEYS = ["file", "shader", "pass", "from_line", "line", "verdict", "reason", "tried", "counterexample"]


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.log").write_text(f"nir_a\n{FIRST}nir_b\n{MOVED}nir_c\n{WRONG}nir_d\n{MOVED}")
    (tmp_path / "good.log").write_text(f"nir_a\n{FIRST}nir_b\n{MOVED}")
    (tmp_path / "one.log").write_text(FIRST)
    (tmp_path / "other.log").write_text(WRONG)
    return tmp_path


def test_text_names_the_pass_and_the_instruction(run: Run, logs: Path) -> None:
    result = run("verify", "bad.log", "--stop-at-first")
    assert result.status == 1
    lines = result.text.splitlines()
    assert lines[0].startswith("bad.log:33: VS v: nir_c: different: VARYING_SLOT_POS.x: ")
    assert "        bad.log:27: 32 %3 = fsub %2, %1" in lines
    assert "        bad.log:43: 32 %3 = fsub %1, %2" in lines
    assert lines[-1] == "2 transitions: 1 different, 1 equivalent"


def test_values_show_both_snapshots(run: Run, logs: Path) -> None:
    result = run("verify", "bad.log", "--stop-at-first", "--values")
    assert result.status == 1
    assert "nir_c: both snapshots on invocation " in result.text
    (row,) = [line for line in result.text.splitlines() if line.startswith("> ")]
    assert row.count("fsub") == 2
    assert run("verify", "bad.log", "--values", "--format", "json").status == 2
    assert "both snapshots" not in run("verify", "good.log", "--values").text


def test_json_has_an_object_for_each_transition(run: Run, logs: Path) -> None:
    result = run("verify", "bad.log", "--format", "json", "--jobs", 1)
    assert result.status == 1
    assert [list(one) for one in result.json] == [KEYS] * 3
    assert [(one["pass"], one["from_line"], one["line"], one["verdict"]) for one in result.json] == [
        ("nir_b", 1, 16, "equivalent"),
        ("nir_c", 16, 32, "different"),
        ("nir_d", 32, 48, "different"),
    ]
    assert result.json[1]["counterexample"]["output"] == "VARYING_SLOT_POS.x"
    assert result.json == run("verify", "bad.log", "--format", "json", "--no-cache").json


def test_verdicts_are_kept_by_content(run: Run, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("verify", "bad.log")
    (logs / "renamed.log").write_text("a line in front\n" + (logs / "bad.log").read_text())
    monkeypatch.setattr("nirls.server.engine.batch.run.on_workers", None)
    assert run("verify", "bad.log") == first
    assert run("verify", "renamed.log").text.count(": different: ") == first.text.count(": different: ") == 2


def test_transitions_behind_the_first_difference_are_not_run(run: Run, logs: Path) -> None:
    every = run("verify", "bad.log", "--format", "json").json
    assert run("verify", "bad.log", "--stop-at-first", "--format", "json", "--no-cache").json == every[:2]


def test_progress_is_shown_on_a_terminal(run: Run, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[int | None, str]] = []
    names: list[str] = []

    def progressing(
        items: Iterable[object], total: Callable[[], int | None], what: str, current: Callable[[], str]
    ) -> Iterator[object]:
        for item in items:
            shown.append((total(), what))
            names.append(current())
            yield item

    monkeypatch.setattr("nirls.server.cli.commands.verify.progressing", progressing)
    run("verify", "bad.log", "--no-cache")
    assert (3, "verifying") in shown
    assert names[0].endswith(": nir_b")


def test_a_log_without_differences(run: Run, logs: Path) -> None:
    result = run("verify", "good.log")
    assert (result.status, result.text) == (0, "1 transition: 1 equivalent\n")


@pytest.mark.parametrize("arguments", [("one.log", "other.log"), ("one.log", "--against", "other.log")])
def test_the_same_shader_of_two_logs(run: Run, logs: Path, arguments: tuple[str, ...]) -> None:
    result = run("verify", *arguments, "--format", "json")
    assert result.status == 1
    (one,) = result.json
    assert (one["file"], one["against"], one["verdict"]) == ("one.log", "other.log", "different")


def test_reduced_to_a_log_of_the_same_difference(run: Run, logs: Path) -> None:
    result = run("verify", "bad.log", "--reduce", "--output", "small.log")
    assert result.status == 1
    assert "reduced " in result.err
    (one,) = run("verify", "small.log", "--format", "json").json
    assert (one["pass"], one["verdict"]) == ("nir_c", "different")
    assert run("verify", "good.log", "--reduce").status == 2


def test_wrong_use(run: Run, logs: Path) -> None:
    assert "nothing to compare" in run("verify", "one.log").err
    assert "no shader 'FS'" in run("verify", "bad.log", "--shader", "FS").err
    assert run("verify", "none.log").status == 2


EXAMPLE = Counterexample(7, "random values", 3, "POS.x", "1.0", "2.0", (InputValue("%2", "0.5"),))
VALUES = (SideBySide("%2", "%4", "0.5", "0.25"),)


def test_lines_of_a_counterexample_count_from_the_start_of_the_log() -> None:
    first = vertex("32 %3 = fadd %2, %1", store("POS", "%3"))
    wrong = vertex("32 %3 = fadd %2, %2", store("POS", "%3"))
    text = f"nir_a\n{first}nir_b\n{wrong}"
    log = read_log(text.encode())
    (transition,) = log.transitions
    plain = plain_counterexample(verify_unit(log.unit(transition)), log.line(0), log.line(1))
    assert plain is not None
    assert plain["output"] == "VARYING_SLOT_POS.x"
    assert plain["inputs"][0]["name"] == "%2 load_input VERT_ATTRIB_POS.x"
    instruction, lines = plain["instruction"], text.split("\n")
    assert lines[instruction["from_line"]].strip() == instruction["before"] == "32 %3 = fadd %2, %1"
    assert lines[instruction["line"]].strip() == instruction["after"] == "32 %3 = fadd %2, %2"


def test_all_fields_of_a_counterexample() -> None:
    found = TransitionVerdict("different", "", EXAMPLE, FirstDifference("a", "b", 0, 2, VALUES))
    plain = plain_counterexample(found, 10, 20)
    assert json.loads(json.dumps(plain)) == {
        "output": "POS.x",
        "before": "1.0",
        "after": "2.0",
        "invocation": 3,
        "seed": 7,
        "input_kind": "random values",
        "inputs": [{"name": "%2", "value": "0.5"}],
        "instruction": {
            "before": "a",
            "after": "b",
            "from_line": 10,
            "line": 22,
            "values": [{"before_name": "%2", "after_name": "%4", "before": "0.5", "after": "0.25"}],
        },
    }


def test_a_missing_store_has_no_line_in_the_second_snapshot() -> None:
    found = TransitionVerdict("different", "", EXAMPLE, FirstDifference("a", "", 0, None, ()))
    plain = plain_counterexample(found, 10, 20)
    assert plain is not None
    assert (plain["instruction"]["from_line"], plain["instruction"]["line"]) == (10, None)


def test_without_a_known_instruction_or_counterexample_there_is_none() -> None:
    plain = plain_counterexample(TransitionVerdict("different", "", EXAMPLE), 10, 20)
    assert plain is not None
    assert plain["instruction"] is None
    assert plain_counterexample(TransitionVerdict("equivalent", ""), 10, 20) is None
