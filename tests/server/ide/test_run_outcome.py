from __future__ import annotations

import pytest

from nirls.server.ide.run_outcome import run_of_texts
from nirls.server.ide.run_view import RunChoice, RunHint, ShaderRun
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use
from tests.verification.tracing.test_trace import LOOP


def ran(*texts: str, position: int = 0, **choice: int) -> ShaderRun:
    return run_of_texts(tuple(text.encode() for text in texts), position, RunChoice(**choice))


def test_hints_have_values_and_rounds() -> None:
    text = LOOP.source.decode()
    run = ran(text, invocation=3)
    lines = text.split("\n")
    shown = {lines[hint.line].split("//")[0].split()[1]: hint.label for hint in run.hints}
    assert shown["b1:"] == "4 rounds"
    assert shown["%3"] == "= 3 (round 4)"
    assert shown["%5"] == "= 4"
    assert "%0" not in shown
    assert run.summary.startswith("ssbo0[0] = ")
    assert RunHint(lines.index(next(one for one in lines if "block b4" in one)), "not run") in ran(text).hints


def test_last_invocation_is_the_largest() -> None:
    assert ran(LOOP.source.decode(), invocation=10**6).invocation == 63


def test_discarded_invocations_are_told() -> None:
    text = shader_text("FRAGMENT", ZERO, "1 %1 = load_const (true)", "@demote_if (%1 (true)) ()")
    assert ran(text).summary == "discarded"


def test_linked_stages() -> None:
    vertex = shader_text("VERTEX", ZERO, ONE, store("VAR0"))
    fragment = shader_text("FRAGMENT", ZERO, load(1, "VAR0"), use("%1"))
    run = ran(vertex, fragment, position=1)
    assert (run.stage, run.problem) == ("FS", "")
    assert any(hint.label == "= 1.0" for hint in run.hints)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (shader_text("FRAGMENT", ZERO, "32 %1 = @unheard_of"), "unheard_of"),
        (shader_text("FRAGMENT", ZERO, "32 %1 = ??? %0"), "lines that cannot be read"),
        ("// nirls: input NO.x = 1\n" + shader_text("FRAGMENT", ZERO), "no input slot or variable NO"),
    ],
)
def test_what_cannot_be_run_has_a_reason(text: str, problem: str) -> None:
    assert problem in ran(text).problem


def test_wrong_and_unread_values_are_warnings() -> None:
    comments = "// nirls: input VAR0.x = one\n// nirls: input VAR7.x = 1\n"
    assert ran(comments + shader_text("FRAGMENT", ZERO)).warnings == (
        "'one' is no number",
        "VAR7.x is given, but nothing reads it",
    )
