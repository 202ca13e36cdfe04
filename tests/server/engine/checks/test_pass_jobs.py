"""What a worker process is asked for: dump texts go in, marks and edits come out."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from nirls.ir.finding import FixRequest, Severity
from nirls.ir.model.shader import Shader
from nirls.passes import registry
from nirls.passes.cleanup.opt_dce import OptDce
from nirls.passes.declaration import Pass
from nirls.server.engine.checks import pass_jobs
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.pass_jobs import find_in_dumps, fix_all, make_fix, run_passes
from nirls.server.engine.worker import steps
from nirls.verification.verdict import Unchecked
from tools.synthetic import fragment_dump, vertex_dump

PAIR = (vertex_dump(40).encode(), fragment_dump(40).encode())
DEAD = "dead-output"
SETTINGS = CheckSettings()


def dead_store() -> FixRequest:
    """The request for the fix of the output that nobody reads."""
    mark = next(mark for mark in find_in_dumps(PAIR, SETTINGS, {}).findings[0] if mark.code == DEAD)
    return mark.fixes[0].request


def test_marks_are_told_by_stage_and_can_be_sent() -> None:
    found = find_in_dumps(PAIR, SETTINGS, {})
    assert len(found.findings) == 2
    assert found.failed == ()
    dead = [mark for mark in found.findings[0] if mark.code == DEAD]
    assert dead
    assert b"VAR31" in PAIR[0][dead[0].place.start : dead[0].place.end + 200]
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_pass_that_is_left_off_says_so_and_nothing_else() -> None:
    name = dead_store().pass_name
    found = find_in_dumps(PAIR, SETTINGS, {name: "it did not end"})
    own = [mark for mark in found.findings[0] if mark.pass_name == name]
    assert [(mark.code, mark.message) for mark in own] == [("pass-failed", "it did not end")]


def test_the_text_is_checked_in_the_same_job() -> None:
    text = PAIR[0].replace(b"fadd", b"fnone", 1)
    assert find_in_dumps((text,), SETTINGS, {}).problems is None
    problems = find_in_dumps((text,), SETTINGS, {}, with_problems=True).problems
    assert problems is not None
    assert [one for one in problems if "fnone" in one.message]


def test_settings_count() -> None:
    settings = CheckSettings(passes={dead_store().pass_name: False})
    assert all(mark.code != DEAD for mark in find_in_dumps(PAIR, settings, {}).findings[0])


def test_a_fix_is_made_of_edits_of_the_texts_and_judged_once() -> None:
    request = dead_store()
    made = make_fix(PAIR, SETTINGS, request)
    assert made.edits
    assert {one.text for one in made.edits} <= set(PAIR)
    assert made.verdict is not None
    again = make_fix(PAIR, SETTINGS, request, is_judged=True)
    assert again.edits == made.edits
    assert again.verdict is None
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize("other", [{"pass_name": "no_such_pass"}, {"code": "no-such-code"}])
def test_there_may_be_no_such_fix(other: dict[str, str]) -> None:
    request = replace(dead_store(), **other)  # type: ignore[arg-type]
    assert make_fix(PAIR, SETTINGS, request) == pass_jobs.MadeEdits()


def test_no_fix_is_made_of_a_dump_with_an_error() -> None:
    request = dead_store()
    broken = PAIR[0].replace(b"fadd", b"fnone", 1)
    assert make_fix((broken, PAIR[1]), SETTINGS, request) == pass_jobs.MadeEdits()


def test_passes_change_the_texts_in_order_and_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    monkeypatch.setattr(steps, "_begin", begun.append)
    name = dead_store().pass_name
    begun.clear()
    made = run_passes(PAIR, SETTINGS, ["opt_dce", name])
    assert [step for step in begun if step] == ["opt_dce", name]
    assert PAIR[0] in {one.text for one in made.edits}


def test_nothing_changes_where_nothing_is_to_do() -> None:
    assert run_passes(PAIR, SETTINGS, []) == pass_jobs.MadeEdits()


def test_a_result_that_is_not_valid_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_: Pass, shader: Shader) -> bool:
        for impl in shader.impls():
            for block in impl.blocks():
                first = next(iter(block), None)
                if first is not None:
                    first.remove()
        return True

    monkeypatch.setattr(OptDce, "apply", breaks)
    made = run_passes(PAIR, SETTINGS, ["opt_dce"])
    assert made.refusal
    assert made.edits == ()


def test_finders_can_be_imported_before_they_are_needed() -> None:
    pass_jobs.import_finders()
    assert registry.find("opt_dce") is not None


def test_fix_all_leaves_what_the_settings_switch_off() -> None:
    everything = fix_all(PAIR, SETTINGS, frozenset((0, 1)), frozenset())
    settings = CheckSettings(severities={"movable-expression": Severity.OFF})
    made = fix_all(PAIR, settings, frozenset((0, 1)), frozenset())
    added = [[edit.new_text for one in edits.edits for edit in one.edits] for edits in (everything, made)]
    assert made.edits
    assert any(" = fadd " in text for text in added[0]), "the expression moves to the vertex shader"
    assert not any(" = fadd " in text for text in added[1])


@pytest.mark.parametrize(("seconds", "is_tried_one_by_one"), [(60.0, True), (0.0, False)])
@pytest.mark.parametrize("is_late", [False, True])
def test_fix_all_tries_each_pass_by_itself_while_there_is_time(
    monkeypatch: pytest.MonkeyPatch, seconds: float, is_tried_one_by_one: bool, is_late: bool
) -> None:
    """By proof only, if the time for runs was used up."""
    budgets = []

    def unchecked(*_: object, time_budget: float = 0.3, seeks_difference: bool = True) -> Unchecked:
        budgets.append(time_budget)
        return Unchecked("too slow", is_late)

    monkeypatch.setattr(pass_jobs, "judged", unchecked)
    # A copy in the vertex shader is the fix of another pass.
    store = b"@store_output"
    vertex = PAIR[0].replace(store, b"32 %999 = mov %0\n    " + store, 1)
    settings = CheckSettings(passes={"clean_up": True})
    made = fix_all((vertex, PAIR[1]), settings, frozenset((0, 1)), frozenset(), seconds)
    assert made.verdict == Unchecked("too slow")
    assert (len(budgets) > 1) == is_tried_one_by_one
    assert budgets[0] == 0.3
    assert set(budgets[1:]) <= {0.0 if is_late else 0.3}
