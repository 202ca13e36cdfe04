"""Texts that explain a transition with the verdict `different`."""

from __future__ import annotations

from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict, verify_unit
from nirls.server.ide.history.transition_texts import (
    counterexample_text,
    difference_text,
    mesa_test_text,
    reduced_text,
)
from nirls.verification.first_difference import FirstDifference, SideBySide
from nirls.verification.verdict import Counterexample, InputValue
from tests.passes.shader_text import store
from tests.server.engine.verification import test_mesa_test as cases
from tests.server.engine.verification.test_transitions import vertex

EXAMPLE = Counterexample(7, "random values", 3, "POS.x", "1.0", "2.0", (InputValue("%2 load_input", "0.5"),))
INSTRUCTION = FirstDifference(
    "32 %3 = fsub %2, %1", "32 %3 = fsub %1, %2", 9, 9, (SideBySide("%2", "%4", "0.5", "0.5"),)
)
MISSING_STORE = FirstDifference("@store_output (%2)", "", 9, None, ())
BEFORE = vertex("32 %3 = fsub %2, %1", store("POS", "%3"), store("VAR0", "%2")).encode()
AFTER = vertex("32 %3 = fsub %1, %2", store("POS", "%3"), store("VAR0", "%2")).encode()
UNIT = TransitionUnit(BEFORE, AFTER, "nir_c")


def different(instruction: FirstDifference | None = None) -> TransitionVerdict:
    return TransitionVerdict("different", "POS.x", EXAMPLE, instruction)


HEAD = """\
nir_c: POS.x: 1.0 before, 2.0 after
invocation 3 of seed 7 (random values)

inputs
    %2 load_input = 0.5
"""


def test_the_counterexample_with_the_first_instruction_that_differs() -> None:
    assert counterexample_text("nir_c", different()) == HEAD
    assert (
        counterexample_text("nir_c", different(INSTRUCTION))
        == HEAD
        + """
first instruction that gives another value
    before  32 %3 = fsub %2, %1
    after   32 %3 = fsub %1, %2

values
    %2 = 0.5 before, %4 = 0.5 after
"""
    )


def test_a_verdict_without_a_counterexample_has_its_reason() -> None:
    verdict = TransitionVerdict("different", "it stores to fewer slots")
    assert counterexample_text("nir_c", verdict) == "nir_c: different: it stores to fewer slots\n"


def test_the_diff_follows_the_instructions_that_differ() -> None:
    diff = difference_text(UNIT, different())
    assert diff.startswith("--- before nir_c\n+++ after nir_c\n@@ ")
    changed = [line.split()[:5] for line in diff.splitlines()[3:] if line[0] in "+-"]
    assert changed == [["-", "32", "%3", "=", "fsub"], ["+", "32", "%3", "=", "fsub"]]
    head = "-32 %3 = fsub %2, %1\n+32 %3 = fsub %1, %2\n\n"
    assert difference_text(UNIT, different(INSTRUCTION)) == head + diff


def test_a_missing_store_is_a_removed_line_only() -> None:
    verdict = different(MISSING_STORE)
    assert "    after   nothing\n" in counterexample_text("nir_c", verdict)
    assert difference_text(UNIT, verdict).startswith("-@store_output (%2)\n\n--- before nir_c\n")


def test_the_reduced_log_differs_like_the_transition() -> None:
    text = reduced_text(UNIT)
    assert text is not None
    assert "VAR0" not in text
    log = read_log(text.encode())
    (transition,) = log.transitions
    assert (transition.pass_name, verify_unit(log.unit(transition)).verdict) == ("nir_c", "different")


def test_snapshots_that_do_not_differ_are_not_reduced() -> None:
    assert reduced_text(TransitionUnit(BEFORE, BEFORE, "nir_c")) is None


def test_a_unit_test_for_mesa_or_what_cannot_be_built() -> None:
    different = TransitionVerdict("different", "it is wrong")
    found = mesa_test_text(cases.BEFORE, cases.WRONG, "nir_opt_if", different)
    assert found.text is not None
    assert "*   + 32 %2 = fabs %1\n" in found.text
    assert found.notes == (
        "nir_opt_if takes nir_opt_if_options options, which no dump has: fill in the values",
    )
    refused = mesa_test_text(cases.BEFORE.replace(b"fneg", b"fnot"), cases.WRONG, "nir_opt_if", None)
    assert (refused.text, refused.problem) == (None, "the opcode fnot, which Mesa 25.0 has not")


def test_a_unit_test_of_what_is_not_verified_says_so() -> None:
    found = mesa_test_text(cases.BEFORE, cases.WRONG, "nir_opt_dce", None, ("2 fabs",))
    assert found.notes == (
        "nir_opt_dce cannot make 2 fabs: the test also expects the work of a step not in the log",
        "what nir_opt_dce did is expected, but was not verified",
    )
    verified = TransitionVerdict("equivalent", "")
    assert mesa_test_text(cases.BEFORE, cases.WRONG, "nir_opt_dce", verified).notes == ()
