from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.proof.same_expressions import (
    same_expressions,
    same_linked_expressions,
)
from tests.verification.proof.forwarding_shaders import (
    LOCALS,
    V,
    branch,
    get,
    parsed,
    producer,
    put,
    put_slot,
    put_x,
    result,
    scalar,
    varyings,
)


def test_conditions_that_a_stored_constant_decides() -> None:
    def decided(value: str, *, known: bool) -> Shader:
        condition = "32 %70 = deref_var &k (function_temp bool)"
        stored = (
            condition,
            f"1 %71 = load_const ({value})",
            "@store_deref (%70, %71) (wrmask=x, access=none)",
        )
        load = "1 %72 = @load_deref (%70) (access=none)"
        lines = "\n".join((V, put("%10", "%2"), *stored, load if not known else "1 %72 = mov %71"))
        shader = branch(lines, put("%10", "%4"), "", get(30, "%10"), *result("%30"))
        text = shader.source.decode().replace("if %5", "if %72")
        return parsed(text.replace(LOCALS, LOCALS + "    decl_var  INTERP_MODE_NONE none bool k\n"))

    for value, other in (("true", "false"), ("false", "true")):
        assert same_expressions(decided(value, known=False), decided(value, known=True))
        assert not same_expressions(decided(value, known=False), decided(other, known=True))


def test_a_constant_of_one_path_decides_no_condition_behind_both() -> None:
    def deciding(condition: str) -> Shader:
        constants = ("1 %71 = load_const (true)", "1 %73 = load_const (false)")
        first = (V, "32 %70 = deref_var &k (function_temp bool)", *constants, KEPT.format("%73"))
        second = (
            *(condition, "// succs: b5 b6", "if %72 {", "block b5: // preds: b3", put("%10", "%4")),
            *("} else {", "block b6: // preds: b3", put("%10", "%2")),
            *("}", "block b7: // preds: b5 b6", get(30, "%10"), *result("%30")),
        )
        shader = branch("\n".join(first), KEPT.format("%71"), "", *second)
        text = shader.source.decode()
        return parsed(text.replace(LOCALS, LOCALS + "    decl_var  INTERP_MODE_NONE none bool k\n"))

    before = deciding("1 %72 = @load_deref (%70) (access=none)")
    assert same_expressions(before, before)
    for constant in ("%71", "%73"):
        assert not same_expressions(before, deciding(f"1 %72 = mov {constant}"))


KEPT = "@store_deref (%70, {}) (wrmask=x, access=none)"


X, ONE, NAN = "32 %31 = mov %36.x", "32 %32 = load_const (0x3f800000)", "32 %32 = load_const (0x7fc00000)"


OTHER = "32 %33 = mov %36.y"


SUM = "32 %34 = fadd %30, {}"


MADE, READ = producer(X, put_x("%31")), varyings(scalar(30, "VAR0"), value="%30")


MOVED, READ_MOVED = producer(X, put_x("%31", "VAR3", 2)), varyings(scalar(30, "VAR3", 2), value="%30")


READ_TWO = varyings(scalar(30, "VAR0"), scalar(33, "VAR1"), SUM.format("%33"), value="%34")


READ_TWICE = varyings(scalar(30, "VAR0"), SUM.format("%30"), value="%34")


READ_AT_INDEX = varyings("32 %6 = mov %3", scalar(30, "VAR0").replace("%0", "%6"), value="%30")


MADE_OTHER = producer(OTHER, put_x("%33"))


CAPTURED = put_x("%31").replace("xfb()", "xfb(component=0 buffer=0 offset=0)")


@pytest.mark.parametrize(
    ("before", "after", "is_proved"),
    [
        # Another slot, and another component; then on one side only.
        ((MADE, READ), (MOVED, READ_MOVED), True),
        ((MADE, READ), (MADE, READ_MOVED), False),
        ((MADE, READ), (MOVED, READ), False),
        # Another value, another interpolation, another position.
        ((MADE, READ), (MADE_OTHER, READ), False),
        ((MADE, READ), (MADE, varyings(scalar(30, "VAR0", point="%9"), value="%30")), False),
        ((MADE, READ), (producer(X, put_x("%31"), position="%2"), READ), False),
        # Two varyings with the same value become one, and with other values do not.
        ((producer(X, put_x("%31"), put_x("%31", "VAR1")), READ_TWO), (MADE, READ_TWICE), True),
        ((producer(X, OTHER, put_x("%31"), put_x("%33", "VAR1")), READ_TWO), (MADE, READ_TWICE), False),
        # A varying that nothing reads, and an output that hardware reads.
        ((producer(X, put_x("%31"), put_slot("%4", "VAR5")), READ), (MADE, READ), True),
        ((producer(X, put_x("%31"), put_x("%31", "PSIZ")), READ), (MADE, READ), False),
        # Constants; interpolation of NaN may give another NaN.
        ((producer(ONE, put_x("%32")), READ), (producer(), varyings(ONE, value="%32")), True),
        ((producer(NAN, put_x("%32")), READ), (producer(), varyings(NAN, value="%32")), False),
        # A varying that is written twice.
        ((producer(X, put_slot("%2", "VAR0"), put_x("%31")), READ), (MADE, READ), True),
        ((producer(X, put_x("%31"), put_slot("%2", "VAR0")), READ), (MADE, READ), False),
        # Transform feedback, half of a component, and a load whose slot is not certain.
        ((producer(X, CAPTURED), READ), (MADE, READ), False),
        ((producer(X, put_x("%31", more=" high_16bits")), READ), (MADE, READ), False),
        ((MADE, READ_AT_INDEX), (MADE_OTHER, READ_AT_INDEX), False),
        # A varying that is not written.
        ((producer(), READ), (MADE, READ), False),
    ],
)
def test_linked_shaders(before: tuple[Shader, ...], after: tuple[Shader, ...], is_proved: bool) -> None:
    assert same_linked_expressions(before, after) is is_proved


def test_only_neighbours_in_front_of_rasterization_are_linked() -> None:
    both = (MADE, READ)
    assert same_linked_expressions(both, both)
    assert not same_linked_expressions(both[:1], both[:1])
    assert not same_linked_expressions(both[::-1], both[::-1])
    assert not same_linked_expressions(both, both[:1])
