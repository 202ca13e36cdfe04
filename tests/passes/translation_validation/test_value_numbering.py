from __future__ import annotations

from collections.abc import Sequence

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.translation_validation.value_numbering import is_proved_equal
from tests.passes.shader_text import ONE, ZERO, shader, store, use

LOAD = "32 %2 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)"
AGAIN = LOAD.replace("%2 =", "%3 =")
ATOMIC = "32 %4 = @ssbo_atomic (%0, %0, %1) (access=none, atomic_op=iadd)"
CLOCK = "32x2 %2 = @shader_clock (memory_scope=SUBGROUP)"
DERIVATIVE = "32 %3 = @ddx (%2)"
REGISTERS = (
    "32 %4 = @decl_reg (num_components=1, num_array_elems=0, bit_size=32, divergent=0)",
    "32 %5 = @decl_reg (num_components=1, num_array_elems=0, bit_size=32, divergent=0)",
    "@store_reg (%0, %4) (base=0, wrmask=x, legacy_fsat=0)",
    "@store_reg (%1, %5) (base=0, wrmask=x, legacy_fsat=0)",
    "32 %6 = @load_reg (%5) (base=0, legacy_fabs=0, legacy_fneg=0)",
)


def lines(*text: str) -> Shader:
    return shader("FRAGMENT", ZERO, ONE, *text)


EQUAL = {
    "copies": ((LOAD, "32x2 %3 = vec2 %2, %1", "32 %4 = mov %3.x", use("%4")), (LOAD, use("%2"))),
    "a dead load": ((LOAD, use("%1")), (use("%1"),)),
    "operands exchanged": (
        (LOAD, "32 %3 = fadd %2, %1", use("%3")),
        (LOAD, "32 %3 = fadd %1, %2", use("%3")),
    ),
    "equal operations": (
        (LOAD, "32 %3 = fneg %2", "32 %4 = fneg %2", "32 %5 = fadd %3, %4", use("%5")),
        (LOAD, "32 %3 = fneg %2", "32 %5 = fadd %3, %3", use("%5")),
    ),
    "constants": (("32 %3 = fadd %1, %1", use("%3")), ("32 %3 = load_const (0x40000000)", use("%3"))),
    "selection by a constant": (
        ("1 %3 = load_const (true)", LOAD, "32 %4 = bcsel %3, %2, %0", use("%4")),
        (LOAD, use("%2")),
    ),
    "by component": (
        (LOAD, "32x2 %3 = vec2 %2, %1", "32x2 %4 = fmul %3, %3", "32 %5 = mov %4.y", use("%5")),
        ("32 %4 = fmul %1, %1", use("%4")),
    ),
    "an exact operation remains": (
        (LOAD, "32 %3 = fneg %2", "32 %4 = fneg! %2", "32 %5 = iadd %3, %4", use("%5")),
        (LOAD, "32 %3 = fneg! %2", "32 %5 = iadd %3, %3", use("%5")),
    ),
    "undefined components": (
        ("32 %3 = undefined", "32x2 %4 = vec2 %1, %3", "32 %5 = mov %4.y", use("%5")),
        ("32 %3 = undefined", use("%3")),
    ),
    "a discard that never happens": (
        ("1 %3 = load_const (false)", "@demote_if (%3)", use("%1")),
        (use("%1"),),
    ),
}


@pytest.mark.parametrize("case", EQUAL)
def test_equal(case: str) -> None:
    before, after = (lines(*side) for side in EQUAL[case])
    assert is_proved_equal(before, after)


DIFFERENT = {
    "another operand": ((LOAD, use("%2")), (LOAD, use("%1"))),
    "another operation": (
        (LOAD, "32 %3 = fadd %2, %1", use("%3")),
        (LOAD, "32 %3 = fmul %2, %1", use("%3")),
    ),
    "operands exchanged": (
        (LOAD, "32 %3 = isub %2, %1", use("%3")),
        (LOAD, "32 %3 = isub %1, %2", use("%3")),
    ),
    "a store less": ((LOAD, use("%2"), use("%1")), (LOAD, use("%2"))),
    "stores exchanged": ((LOAD, use("%2"), use("%1")), (LOAD, use("%1"), use("%2"))),
    "a load across a store": (
        (LOAD, use("%1"), AGAIN, use("%3")),
        (LOAD, use("%1"), use("%2")),
    ),
    "a load across an atomic": (
        (LOAD, ATOMIC, AGAIN, use("%3")),
        (LOAD, ATOMIC, use("%2")),
    ),
    "an atomic without a use": ((ATOMIC, use("%1")), (use("%1"),)),
    "a volatile load": (
        (LOAD.replace("access=none", "access=volatile"), use("%1")),
        (use("%1"),),
    ),
    "two clocks are one": (
        (CLOCK, CLOCK.replace("%2 =", "%3 ="), "32 %4 = isub %3.x, %2.x", use("%4")),
        (CLOCK, "32 %4 = isub %2.x, %2.x", use("%4")),
    ),
    "another register": (
        (*REGISTERS, use("%6")),
        (*REGISTERS[:4], REGISTERS[4].replace("(%5)", "(%4)"), use("%6")),
    ),
    "a derivative across a demote": (
        (LOAD, "@demote", DERIVATIVE, use("%3")),
        (LOAD, DERIVATIVE, "@demote", use("%3")),
    ),
    "an exact operation becomes inexact": (
        (LOAD, "32 %3 = fadd! %2, %1", use("%3")),
        (LOAD, "32 %3 = fadd %2, %1", use("%3")),
    ),
    "another index": ((LOAD, use("%2")), (LOAD.replace("align_mul=4", "align_mul=8"), use("%2"))),
    "a discard that always happens": (
        ("1 %3 = load_const (true)", "@demote_if (%3)", use("%1")),
        (use("%1"),),
    ),
    "an undefined value for a defined one": ((LOAD, use("%2")), (LOAD, "32 %3 = undefined", use("%3"))),
    "another swizzle": (
        ("32x2 %2 = @load_global (%0) (access=none, align_mul=4, align_offset=0)", use("%2")),
        (
            "32x2 %2 = @load_global (%0) (access=none, align_mul=4, align_offset=0)",
            "32x2 %3 = mov %2.yx",
            use("%3"),
        ),
    ),
    "another opcode of the tables": (
        (LOAD, "32 %3 = unknown_opcode %2", use("%3")),
        (LOAD, "32 %3 = unknown_opcode %1", use("%3")),
    ),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_different(case: str) -> None:
    before, after = (lines(*side) for side in DIFFERENT[case])
    assert is_proved_equal(before, before)
    assert not is_proved_equal(before, after)


FLOW = """shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32  %0 = load_const (0x00000000)
    32  %1 = load_const (0x00000001)
    1   %2 = @load_front_face
    1   %3 = load_const (true)
    // succs: b1
    loop {
        block b1:  // preds: b0 b4
        32  %4 = phi b0: %0 (0x0), b4: %6
        32  %5 = phi b0: %0 (0x0), b4: %7
        1   %8 = ige %4, %1 (0x1)
        // succs: b2 b3
        if %8 {
            block b2:  // preds: b1
            break
            // succs: b5
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b3
        32  %6 = iadd %4, %1 (0x1)
        32  %7 = iadd %5, %1 (0x1)
        // succs: b1
    }
    block b5:  // preds: b2
    // succs: b6 b7
    if CONDITION {
        block b6:  // preds: b5
        THEN
        // succs: b8
    } else {
        block b7:  // preds: b5
        ELSE
        // succs: b8
    }
    block b8:  // preds: b6 b7
    STORE
    // succs: b9
    block b9:
}
"""


def flow(condition: str = "%2", then: str = "", otherwise: str = "", value: str = "%4") -> Shader:
    text = FLOW.replace("CONDITION", condition).replace("STORE", use(value))
    return parse_dump(text.replace("        THEN\n", then).replace("        ELSE\n", otherwise).encode())


@pytest.mark.parametrize(
    ("before", "after", "is_equal"),
    [
        (flow(), flow(value="%5"), True),
        (flow(), flow(value="%0"), False),
        (flow(then="        @demote\n"), flow(then="        @demote\n"), True),
        (flow(then="        @demote\n"), flow(otherwise="        @demote\n"), False),
        (flow(then="        @demote\n"), flow(), False),
        (flow(then="        @demote\n"), flow("%3", then="        @demote\n"), False),
        (flow("%3", then="        @demote\n"), flow("%3", "        @demote\n", use("%0") + "\n"), True),
        (flow(then="        32 %9 = iadd %4, %4\n"), flow(), True),
        (flow(then=f"        {use('%1')}\n"), flow(then=f"        {use('%0')}\n"), False),
    ],
)
def test_control_flow(before: Shader, after: Shader, is_equal: bool) -> None:
    assert is_proved_equal(before, after) is is_equal


def test_a_def_that_does_not_dominate_proves_nothing() -> None:
    """The value is the same operation, but it was not computed on this path."""
    value = "        32 %9 = ineg %4\n"
    store_ = f"        {use('%9')}\n"
    before = flow(then=value + store_, otherwise=value.replace("%9", "%10") + store_.replace("%9", "%10"))
    after = flow(then=value + store_, otherwise=store_)
    assert is_proved_equal(before, before)
    assert not is_proved_equal(before, after)


def test_phis_of_other_blocks_differ() -> None:
    def phi(one: str, other: str) -> Shader:
        text = FLOW.replace("CONDITION", "%2").replace("        THEN\n", "").replace("        ELSE\n", "")
        return parse_dump(text.replace("STORE", f"32 %9 = phi b6: {one}, b7: {other}\n{use('%9')}").encode())

    assert is_proved_equal(phi("%4", "%1"), phi("%5", "%1"))
    assert is_proved_equal(phi("%1", "%1"), flow(value="%1"))
    assert not is_proved_equal(phi("%4", "%1"), phi("%1", "%4"))


def calls(callee: str, argument: str) -> Shader:
    return parse_dump(
        f"""shader: MESA_SHADER_COMPUTE
decl_function one (32)
decl_function other (32)
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32  %0 = load_const (0x00000000)
    32  %1 = undefined
    call {callee} {argument}
    // succs: b1
    block b1:
}}
""".encode()
    )


def test_calls() -> None:
    assert is_proved_equal(calls("one", "%0"), calls("one", "%0"))
    assert not is_proved_equal(calls("one", "%0"), calls("one", "%1"))
    assert not is_proved_equal(calls("one", "%0"), calls("other", "%0"))


@pytest.mark.parametrize(
    "header", [("name: other",), ("workgroup_size: 8, 8, 1",), ("float_controls_execution_mode: 0x0010",)]
)
def test_another_header_proves_nothing(header: Sequence[str]) -> None:
    before = lines(LOAD, use("%2"))
    assert not is_proved_equal(before, shader("FRAGMENT", ZERO, ONE, LOAD, use("%2"), header=header))


def test_unreadable_and_damaged_shaders_prove_nothing() -> None:
    broken = parse_dump(
        b"shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n    32 %0 = ?\n    block b1:\n}\n"
    )
    assert broken.unreadable
    assert not is_proved_equal(broken, broken)
    assert not is_proved_equal(lines(use("%1")), lines(use("%1"), store("VAR0", "%1")))
