from __future__ import annotations

from dataclasses import replace

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.model.clone import clone_shader
from nirls.server.engine.batch.verified import Verified, summary, verified
from nirls.verification.verdict import Equivalent, Unchecked
from tests.passes.shader_text import ONE, ZERO, shader, store

RIGHT = shader("VERTEX", ZERO, ONE, store("VAR0"))
OTHER = shader("VERTEX", ZERO, ONE, store("VAR0", "%0 (0x0)"))
BROKEN = shader("VERTEX", ZERO, ONE, store("VAR0", "%7"))


def test_verdicts() -> None:
    right = verified("mine", [RIGHT], [clone_shader(RIGHT)], Assumptions())
    wrong = verified("mine", [RIGHT], [OTHER], Assumptions())
    broken = verified("mine", [RIGHT], [BROKEN], Assumptions())
    assert not right.is_wrong
    assert wrong.is_wrong
    assert broken.is_wrong
    wrong = replace(wrong, where="a.nir#1")
    assert str(wrong).startswith("mine on a.nir#1: different: VARYING_SLOT_VAR0.x: ")
    assert str(wrong).endswith("\n  this result was left out")
    assert str(broken).startswith("mine on : not valid: ")


def test_summary() -> None:
    results = [
        Verified("mine", "a", Equivalent(1, 1)),
        Verified("mine", "b", Unchecked("why")),
        Verified("mine", "c", Unchecked("it is not valid"), "an error"),
    ]
    assert summary(results) == "1 equivalent, 1 wrong, 1 unchecked"
