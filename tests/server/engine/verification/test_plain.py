"""JSON form of verdicts."""

from __future__ import annotations

import json

from nirls.passes.translation_validation.first_difference import FirstDifference, SideBySide
from nirls.passes.translation_validation.verdict import Counterexample, InputValue
from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.plain import plain_counterexample
from nirls.server.engine.verification.unit import TransitionVerdict, verify_unit
from tests.passes.shader_text import store
from tests.server.engine.verification.test_transitions import vertex

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
        "world": "random values",
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
