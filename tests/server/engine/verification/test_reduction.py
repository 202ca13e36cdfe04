from __future__ import annotations

from nirls.passes.reduction.search import ReductionEnd
from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.reduction import reduce_transition
from nirls.server.engine.verification.unit import TransitionUnit, verify_unit
from tests.passes.shader_text import store
from tests.server.engine.verification.test_transitions import vertex

BODY = ("32 %3 = fadd %2, %1", "32 %4 = fmul %3, %3", "32 %5 = fsub %4, %2", store("POS", "%5"))
EXTRA = ("32 %6 = fadd %4, %4", store("VAR0", "%6"))
RIGHT = vertex(*BODY, *EXTRA).encode()
WRONG = vertex(*BODY, *EXTRA).replace("fsub %4, %2", "fsub %2, %4").encode()


def test_both_sides_shrink_and_still_differ_in_the_same_instruction() -> None:
    unit = TransitionUnit(RIGHT, WRONG, "nir_opt_algebraic")
    found = reduce_transition(unit)
    assert found is not None
    assert found.end is ReductionEnd.COMPLETE
    assert found.instructions < found.instructions_before
    assert b"VAR0" not in found.before + found.after
    log = read_log(found.log("nir_opt_algebraic"))
    (transition,) = log.transitions
    verdict = verify_unit(log.unit(transition))
    assert (transition.pass_name, verdict.verdict) == ("nir_opt_algebraic", "different")
    assert verdict.instruction is not None
    assert "fsub" in verdict.instruction.before
    assert "fsub" in verdict.instruction.after


def test_equal_snapshots_are_not_reduced() -> None:
    assert reduce_transition(TransitionUnit(RIGHT, RIGHT, "nir_opt_dce")) is None
