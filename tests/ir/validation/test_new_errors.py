from __future__ import annotations

from nirls.ir.validation import new_errors
from tests.passes.shader_text import ONE, ZERO, shader, store

RIGHT = shader("VERTEX", ZERO, ONE, store("VAR0"))
WRONG = shader("VERTEX", ZERO, ONE, store("VAR0", "%7"))
MORE_WRONG = shader("VERTEX", ZERO, ONE, store("VAR0", "%7"), store("VAR1", "%8"))


def test_only_what_is_new_counts() -> None:
    assert new_errors([RIGHT], [RIGHT]) == []
    assert len(new_errors([RIGHT], [WRONG])) == 1
    assert new_errors([WRONG], [WRONG]) == []
    assert new_errors([WRONG], [RIGHT]) == []
    assert len(new_errors([WRONG], [MORE_WRONG])) == 1
    assert len(new_errors([RIGHT, RIGHT], [WRONG, WRONG])) == 2
