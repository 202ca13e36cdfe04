from __future__ import annotations

from nirls.verification.proof.prepared import Prepared, prepared
from nirls.verification.proof.same_expressions import same_expressions
from tests.passes import shader_text
from tests.passes.shader_text import ONE, ZERO, use

LOAD = "32 %2 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)"
SUM = "32 %3 = fadd %2, %1"


def side(*lines: str) -> Prepared:
    return Prepared(shader_text.shader("FRAGMENT", ZERO, ONE, LOAD, *lines))


def test_a_prepared_shader_takes_part_in_several_proofs() -> None:
    first, second = side(SUM, use("%3")), side(SUM.replace("%2, %1", "%1, %2"), use("%3"))
    third, other = side(SUM.replace("%3", "%9"), use("%9")), side(use("%2"))
    for _ in range(2):
        assert same_expressions(first, second)
        assert same_expressions(second, third)
        assert not same_expressions(third, other)
        assert not same_expressions(other, first)
        assert same_expressions(first, first)


def test_a_shader_is_prepared_once() -> None:
    one = side(use("%2"))
    assert prepared(one) is one
    assert prepared(one.shader).shader is one.shader


def test_operations_by_number() -> None:
    assert side(SUM, use("%3")).operations == {(3, "fadd")}


def test_components_computed_of_constants() -> None:
    assert side(SUM, "32x2 %4 = vec2 %3, %1", "32 %5 = fneg %3", use("%5")).constant_operands == 3
