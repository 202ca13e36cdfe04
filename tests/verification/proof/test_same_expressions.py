from __future__ import annotations

from collections.abc import Sequence

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.proof.same_expressions import same_expressions
from tests.passes import shader_text
from tests.passes.shader_text import use

HEADER = "shader: MESA_SHADER_FRAGMENT\n"
DECLARED = (
    "decl_var shader_temp INTERP_MODE_NONE none vec4 color\n"
    "decl_var uniform INTERP_MODE_NONE none float scale (1, 0, 0)\n"
    "decl_function main () (entrypoint)\n\n"
)
ZERO = "32 %0 = load_const (0x00000000)"
ONE = "32 %1 = load_const (0x3f800000)"
HALF = "32 %2 = load_const (0x3f000000)"
X = (
    "32 %3 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, "
    "io location=VARYING_SLOT_VAR0 slots=1)"
)
XY = (
    "32x2 %4 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, "
    "io location=VARYING_SLOT_VAR0 slots=1)"
)
Y = X.replace("%3", "%5").replace("component=0", "component=1")


def store(value: str, component: int = 0, mask: str = "x") -> str:
    return (
        f"@store_output ({value}, %0 (0x0)) (base=0, range=1, wrmask={mask}, component={component}, "
        "src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)"
    )


def shader(*lines: str, header: str = HEADER) -> str:
    body = "\n".join(f"    {line}" for line in (ZERO, ONE, HALF, *lines))
    start = f"{header}{DECLARED}impl main {{\n    block b0:  // preds:\n"
    return f"{start}{body}\n    // succs: b1\n    block b1:\n}}\n"


def branch(condition: str, one: str, other: str, *after: str) -> str:
    lines = "\n".join(f"    {line}" for line in (ZERO, ONE, HALF, X, condition))
    behind = "\n".join(f"    {line}" for line in after)
    return (
        f"{HEADER}{DECLARED}impl main {{\n    block b0:  // preds:\n{lines}\n    // succs: b1 b2\n"
        f"    if %6 {{\n        block b1:  // preds: b0\n        {one}\n        // succs: b3\n"
        f"    }} else {{\n        block b2:  // preds: b0\n        {other}\n        // succs: b3\n    }}\n"
        f"    block b3:  // preds: b1 b2\n{behind}\n    // succs: b4\n    block b4:\n}}\n"
    )


def loop(step: str, start: str = "%0", *, repeated: bool = False) -> str:
    """A loop that counts by `step`, with another equal counter if `repeated`."""
    second = f"32 %20 = phi b0: {start}, b4: %21\n        " if repeated else ""
    second_step = step.replace("%10", "%20").replace("%11", "%21") + "\n        " if repeated else ""
    stored = "%20" if repeated else "%10"
    return (
        f"{HEADER}{DECLARED}impl main {{\n    block b0:  // preds:\n    {ZERO}\n    {ONE}\n    {HALF}\n"
        "    // succs: b1\n    loop {\n        block b1:  // preds: b0 b4\n"
        f"        32 %10 = phi b0: {start}, b4: %11\n        {second}1 %12 = flt %1 (1.000000), %10\n"
        "        // succs: b2 b3\n        if %12 {\n            block b2:  // preds: b1\n            break\n"
        "            // succs: b5\n        } else {\n            block b3:  // preds: b1\n"
        f"            // succs: b4\n        }}\n        block b4:  // preds: b3\n        {step}\n"
        f"        {second_step}// succs: b1\n    }}\n"
        f"    block b5:  // preds: b2\n    {store(stored)}\n    // succs: b6\n    block b6:\n}}\n"
    )


ADD = "32 %6 = fadd %3, %1 (1.000000)"
IF = "1 %6 = flt %3, %1 (1.000000)"
COUNT = "32 %11 = fadd %10, %2 (0.500000)"
COLOR = "32 %7 = deref_var &color (shader_temp vec4)"
SCALE = "32 %8 = deref_var &scale (uniform float)"
READ = "32 %9 = @load_deref (%8) (access=none)"


def is_same(before: str, after: str) -> bool:
    first, second = (parse_dump(text.encode()) for text in (before, after))
    assert not first.unreadable, first.unreadable
    assert not second.unreadable, second.unreadable
    return same_expressions(first, second)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Numbers, order of pure instructions, unused code, repeated code, copies.
        (shader(X, ADD, store("%6")), shader(X, Y, ADD.replace("%6", "%9"), store("%9"))),
        (shader(X, ADD, store("%6")), shader(X, ADD, ADD.replace("%6", "%9"), store("%9"))),
        (shader(X, ADD, "32 %7 = mov %6", store("%7")), shader(X, ADD, store("%6"))),
        (shader(X, ADD, store("%6")), shader(X, ADD.replace("%3, %1", "%1, %3"), store("%6"))),
        # Vectors and scalars.
        (
            shader(XY, "32 %6 = fadd %4.x, %4.y", store("%6")),
            shader(X, Y, "32 %6 = fadd %3, %5", store("%6")),
        ),
        (
            shader(XY, "32x2 %6 = fneg %4", store("%6", mask="xy")),
            shader(X, Y, "32 %6 = fneg %3", "32 %7 = fneg %5", store("%6"), store("%7", 1)),
        ),
        (
            shader(X, Y, "32x2 %6 = vec2 %5, %3", "32 %7 = mov %6.y", store("%7")),
            shader(X, store("%3")),
        ),
        # Constants.
        (
            shader("32 %6 = fadd %2 (0.500000), %2 (0.500000)", store("%6")),
            shader(store("%1")),
        ),
        # Reads of constant memory anywhere.
        (shader(SCALE, READ, store("%1"), store("%9")), shader(store("%1"), SCALE, READ, store("%9"))),
        # Phis.
        (
            branch(IF, "32 %7 = fneg %3", "32 %8 = fabs %3", "32 %9 = phi b1: %7, b2: %8", store("%9")),
            branch(IF, "32 %17 = fneg %3", "32 %8 = fabs %3", "32 %9 = phi b2: %8, b1: %17", store("%9")),
        ),
        (
            branch(IF, "32 %7 = fneg %3", "32 %8 = fneg %3", "32 %9 = phi b1: %7, b2: %8", store("%9")),
            branch(IF, "32 %7 = fneg %3", "32 %8 = fneg %3", "32 %9 = fneg %3", store("%9")),
        ),
        (loop(COUNT), loop(COUNT)),
        (loop(COUNT, repeated=True), loop(COUNT)),
        # What the header says of the code.
        (shader(X, store("%3")), shader(X, store("%3"), header=HEADER + "inputs_read: 32\n")),
    ],
)
def test_the_same_by_another_way(before: str, after: str) -> None:
    assert is_same(before, after)
    assert is_same(after, before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (shader(X, ADD, store("%6")), shader(X, ADD.replace("%1 (1.000000)", "%2 (0.500000)"), store("%6"))),
        (
            shader(X, "32 %6 = fsub %3, %1 (1.0)", store("%6")),
            shader(X, "32 %6 = fsub %1 (1.0), %3", store("%6")),
        ),
        (shader(X, ADD, store("%6")), shader(X, ADD)),
        (shader(X, ADD, store("%6")), shader(X, ADD, store("%6", 1))),
        (shader(XY, "32 %6 = mov %4.x", store("%6")), shader(XY, "32 %6 = mov %4.y", store("%6"))),
        (shader(X, Y, store("%3"), store("%5")), shader(X, Y, store("%5"), store("%3"))),
        (shader(X, store("%3")), shader(X.replace("VAR0", "VAR1"), store("%3"))),
        # The same address in memory that changes.
        (
            shader(
                COLOR,
                "32 %9 = @load_deref (%7) (access=none)",
                "@store_deref (%7, %1) (wrmask=x)",
                store("%9"),
            ),
            shader(
                COLOR,
                "@store_deref (%7, %1) (wrmask=x)",
                "32 %9 = @load_deref (%7) (access=none)",
                store("%9"),
            ),
        ),
        # Phis, conditions, and which branch is which.
        (
            branch(IF, "32 %7 = fneg %3", "32 %8 = fabs %3", "32 %9 = phi b1: %7, b2: %8", store("%9")),
            branch(IF, "32 %7 = fabs %3", "32 %8 = fneg %3", "32 %9 = phi b1: %7, b2: %8", store("%9")),
        ),
        (
            branch(IF, store("%3"), "", store("%1", 1)),
            branch(IF.replace("flt", "fge"), store("%3"), "", store("%1", 1)),
        ),
        (branch(IF, store("%3"), ""), branch(IF, "", store("%3"))),
        (branch(IF, "@terminate", "", store("%3")), branch(IF, "", "", "@terminate", store("%3"))),
        # Loops that differ in their start or their step only.
        (loop(COUNT), loop(COUNT.replace("%2 (0.500000)", "%1 (1.000000)"))),
        (loop(COUNT), loop(COUNT, "%2")),
        # Implicit derivatives depend on who runs.
        (
            branch(IF, "32 %7 = fddx %3", "32 %8 = fneg %3", "32 %9 = phi b1: %7, b2: %8", store("%9")),
            branch(IF, "", "32 %8 = fneg %3", "32 %7 = fddx %3", "32 %9 = phi b1: %7, b2: %8", store("%9")),
        ),
        # What the header says of the draw.
        (shader(X, store("%3")), shader(X, store("%3"), header=HEADER + "workgroup_size: 8, 8, 1\n")),
        (shader(X, store("%3")), shader(X, store("%3"), header=HEADER.replace("FRAGMENT", "VERTEX"))),
        # Values that are defined nowhere.
        (shader(store("%30")), shader(store("%30"))),
    ],
)
def test_no_proof(before: str, after: str) -> None:
    assert not is_same(before, after)
    assert not is_same(after, before)


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
    return shader_text.shader("FRAGMENT", shader_text.ZERO, shader_text.ONE, *text)


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
    "an inexact operation becomes exact": (
        (LOAD, "32 %3 = fneg %2", use("%3")),
        (LOAD, "32 %3 = fneg! %2", use("%3")),
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
def test_equal_expressions(case: str) -> None:
    before, after = (lines(*side) for side in EQUAL[case])
    assert same_expressions(before, after)


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
def test_other_expressions(case: str) -> None:
    before, after = (lines(*side) for side in DIFFERENT[case])
    assert same_expressions(before, before)
    assert not same_expressions(before, after)


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
    assert same_expressions(before, after) is is_equal


def test_a_def_that_does_not_dominate_proves_nothing() -> None:
    """The value is the same operation, but it was not computed on this path."""
    value = "        32 %9 = ineg %4\n"
    store_ = f"        {use('%9')}\n"
    before = flow(then=value + store_, otherwise=value.replace("%9", "%10") + store_.replace("%9", "%10"))
    after = flow(then=value + store_, otherwise=store_)
    assert same_expressions(before, before)
    assert not same_expressions(before, after)


def test_phis_of_other_blocks_differ() -> None:
    def phi(one: str, other: str) -> Shader:
        text = FLOW.replace("CONDITION", "%2").replace("        THEN\n", "").replace("        ELSE\n", "")
        return parse_dump(text.replace("STORE", f"32 %9 = phi b6: {one}, b7: {other}\n{use('%9')}").encode())

    assert same_expressions(phi("%4", "%1"), phi("%5", "%1"))
    assert same_expressions(phi("%1", "%1"), flow(value="%1"))
    assert not same_expressions(phi("%4", "%1"), phi("%1", "%4"))


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


def test_preambles() -> None:
    def with_preamble(value: str) -> Shader:
        lines = (ZERO, ONE, f"@store_preamble ({value}) (base=0)", "// succs: b1", "block b1:")
        text = shader(X, store("%3")).replace("impl main {", "impl main {\n    preamble @preamble")
        text += "\ndecl_function @preamble ()\n\nimpl @preamble {\n    block b0:  // preds:\n    "
        return parse_dump((text + "\n    ".join(lines) + "\n}\n").encode())

    assert same_expressions(with_preamble("%0"), with_preamble("%0"))
    assert not same_expressions(with_preamble("%0"), with_preamble("%1"))


def test_calls() -> None:
    assert same_expressions(calls("one", "%0"), calls("one", "%0"))
    assert not same_expressions(calls("one", "%0"), calls("one", "%1"))
    assert not same_expressions(calls("one", "%0"), calls("other", "%0"))


@pytest.mark.parametrize("header", [("workgroup_size: 8, 8, 1",), ("float_controls_execution_mode: 0x0010",)])
def test_another_header_proves_nothing(header: Sequence[str]) -> None:
    before = lines(LOAD, use("%2"))
    constants = shader_text.ZERO, shader_text.ONE
    after = shader_text.shader("FRAGMENT", *constants, LOAD, use("%2"), header=header)
    assert not same_expressions(before, after)


def test_unreadable_and_damaged_shaders_prove_nothing() -> None:
    broken = parse_dump(
        b"shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n    32 %0 = ?\n    block b1:\n}\n"
    )
    assert broken.unreadable
    assert not same_expressions(broken, broken)
    assert not same_expressions(lines(use("%1")), lines(use("%1"), shader_text.store("VAR0", "%1")))


def leaving_loop(inside: str = "", behind: str = "") -> Shader:
    """A loop that each invocation leaves in another iteration, with lines before the break and after it."""
    text = f"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32  %0 = load_const (0x00000000)
    32  %1 = load_const (0x3f800000)
    32  %2 = @load_local_invocation_index
    // succs: b1
    loop {{
        block b1:  // preds: b0 b4
        32  %4 = phi b0: %0 (0x0), b4: %6
        1   %8 = ige %4, %2
        // succs: b2 b3
        if %8 {{
            block b2:  // preds: b1
            {inside}
            break
            // succs: b5
        }} else {{
            block b3:  // preds: b1, succs: b4
        }}
        block b4:  // preds: b3
        32  %6 = iadd %4, %1
        // succs: b1
    }}
    block b5:  // preds: b2
    {behind}
    // succs: b6
    block b6:
}}
"""
    parsed = parse_dump(text.encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


@pytest.mark.parametrize("line", ["32x4  %9 = @ballot (%8)", "32    %9 = @ddx (%4)", "32 %9 = fddx %4"])
def test_invocations_that_left_a_loop_run_together(line: str) -> None:
    used = use("%9")
    if "ballot" in line:
        line, used = f"{line}\n    32 %10 = mov %9.x", use("%10")
    before, after = leaving_loop(inside=f"{line}\n{used}"), leaving_loop(behind=f"{line}\n{used}")
    assert same_expressions(before, before)
    assert same_expressions(after, after)
    assert not same_expressions(before, after)
    assert not same_expressions(after, before)


SAMPLE = "32x4 %7 = (float32)tex %4 (coord), 0 (texture), 0 (sampler)"
OF_SAMPLE = "32 %9 = fneg %7.x"


@pytest.mark.parametrize(("op", "is_equal"), [("tex", False), ("txb", False), ("txl", True), ("txd", True)])
def test_implicit_derivatives_of_textures_depend_on_who_runs(op: str, is_equal: bool) -> None:
    extra = {"txb": ", %3 (bias)", "txl": ", %3 (lod)", "txd": ", %4 (ddx), %4 (ddy)"}.get(op, "")
    sample = SAMPLE.replace("tex %4 (coord)", f"{op} %4 (coord){extra}")
    text = branch(IF, f"{sample}\n{OF_SAMPLE}\n{store('%9')}", "").replace(X, f"{X}\n    {XY}")
    moved = branch(f"{IF}\n    {sample}", f"{OF_SAMPLE}\n{store('%9')}", "").replace(X, f"{X}\n    {XY}")
    assert is_same(text, text)
    assert is_same(text, moved) is is_equal
    assert is_same(moved, text) is is_equal


def test_each_exact_operation_remains_exact() -> None:
    """Another exact operation on the same values does not make up for one that became inexact."""
    before = lines(LOAD, "32 %3 = fneg! %2", use("%3"), "32 %4 = fneg! %2", use("%4"))
    after = lines(LOAD, "32 %3 = fneg %2", use("%3"), "32 %4 = fneg! %2", use("%4"))
    assert same_expressions(before, before)
    assert not same_expressions(before, after)


def test_vertex_streams_belong_to_the_components_of_a_store() -> None:
    def stored(components: int, first: int) -> str:
        mask, value = ("xy", "%4") if components == 2 else ("x", f"%{2 + first}")
        return (
            f"@store_output ({value}, %0 (0x0)) (base=0, range=1, wrmask={mask}, component={first},"
            " src_type=float32, io location=VARYING_SLOT_VAR0 slots=1 gs_streams(x=0 y=1 z=0 w=0),"
            " xfb(), xfb2())"
        )

    def geometry(*stores: str) -> Shader:
        value = "32x2 %4 = vec2 %2, %3"
        return shader_text.shader(
            "GEOMETRY", shader_text.ZERO, LOAD, AGAIN.replace("%0, %0", "%0, %2"), value, *stores
        )

    assert same_expressions(geometry(stored(2, 0)), geometry(stored(2, 0)))
    assert not same_expressions(geometry(stored(2, 0)), geometry(stored(1, 0), stored(1, 1)))


def test_components_of_64_bits_take_two_places() -> None:
    def stored(value: str, mask: str, first: int) -> str:
        return (
            f"@store_output ({value}, %0 (0x0)) (base=0, range=1, wrmask={mask}, component={first},"
            " src_type=float64, io location=VARYING_SLOT_VAR0 slots=1, xfb(), xfb2())"
        )

    def vertex(*stores: str) -> Shader:
        load = LOAD.replace("32 %2", "64 %2")
        again = AGAIN.replace("32 %3", "64 %3").replace("%0, %0", "%0, %1")
        return lines(load, again, "64x2 %4 = vec2 %2, %3", *stores)

    whole = vertex(stored("%4", "xy", 0))
    assert same_expressions(whole, vertex(stored("%2", "x", 0), stored("%3", "x", 2)))
    assert not same_expressions(whole, vertex(stored("%2", "x", 0), stored("%3", "x", 1)))


def with_helper(variable: str, local: str, mode: str) -> Shader:
    """Two functions with a temporary: one for both, or one each."""
    call = "    call helper\n"
    body = (
        "    block b0:  // preds:\n    32 %0 = load_const (0x3f800000)\n"
        f"    32 %1 = deref_var &v ({mode}float)\n"
        "    @store_deref (%1, %0) (wrmask=x, access=none)\n    // succs: b1\n    block b1:\n}\n"
    )
    parsed = parse_dump(
        f"shader: MESA_SHADER_COMPUTE\n{variable}decl_function helper ()\n"
        "decl_function main () (entrypoint)\n\n"
        f"impl helper {{\n{local}{body}\nimpl main {{\n{local}"
        f"{body.replace('    // succs', call + '    // succs')}".encode()
    )
    assert not parsed.unreadable, parsed.unreadable
    return parsed


def test_a_temporary_of_several_functions_is_not_one_of_each() -> None:
    declared = "INTERP_MODE_NONE none float v\n"
    shared = with_helper(f"decl_var shader_temp {declared}", "", "shader_temp ")
    own = with_helper("", f"    decl_var  {declared}", "function_temp ")
    assert same_expressions(shared, shared)
    assert same_expressions(own, own)
    assert not same_expressions(shared, own)


def test_base_tells_unknown_slots_apart() -> None:
    stored = store("%1").replace("FRAG_RESULT_DATA0", "UNKNOWN")
    assert same_expressions(lines(stored), lines(stored))
    assert not same_expressions(lines(stored), lines(stored.replace("base=0", "base=1")))


def test_too_few_sources_prove_nothing() -> None:
    assert not same_expressions(lines("@demote_if ()"), lines("@demote_if ()"))


def test_sample_shading_is_no_matter_of_the_code() -> None:
    constants = shader_text.ZERO, shader_text.ONE
    by_sample = shader_text.shader("FRAGMENT", *constants, use("%1"), header=["uses_sample_shading: true"])
    assert same_expressions(by_sample, by_sample)
    assert not same_expressions(by_sample, lines(use("%1")))


def sampled(*lines: str, texture: str = "%7", sampler: str = "%7") -> str:
    start = (
        "decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)\n"
        "decl_var uniform INTERP_MODE_NONE none sampler2D u (0, 0, 1)\n"
    )
    text = shader(
        *(XY, "32 %7 = deref_var &t (uniform sampler2D)", "32 %8 = deref_var &u (uniform sampler2D)", *lines),
        f"32x4 %9 = (float32)tex {texture} (texture_deref), {sampler} (sampler_deref), %4 (coord)",
        store("%9.x"),
    )
    return text.replace(HEADER, HEADER + start)


def cast(number: int, type_name: str, value: str) -> str:
    return (
        f"32 %{number} = deref_cast ({type_name} *){value} (uniform {type_name})"
        "  (ptr_stride=0, align_mul=0, align_offset=0)"
    )


@pytest.mark.parametrize(
    ("type_name", "of", "is_equal"),
    [("texture2D", "%7", True), ("texture2D", "%8", False), ("texture2DArray", "%7", False)],
)
def test_a_cast_names_the_same_texture(type_name: str, of: str, is_equal: bool) -> None:
    before = sampled(cast(10, type_name, of), cast(11, "sampler", "%7"), texture="%10", sampler="%11")
    assert is_same(before, sampled()) is is_equal


@pytest.mark.parametrize(
    ("condition", "other", "is_equal"),
    [
        ("1 %6 = inot %14", "1 %6 = load_const (true)", True),
        ("1 %6 = mov %14", "1 %6 = load_const (false)", True),
        ("1 %6 = inot %14", "1 %6 = load_const (false)", False),
    ],
)
def test_conditions_behind_negations(condition: str, other: str, is_equal: bool) -> None:
    def decided(line: str) -> str:
        sides = (store("%1"), store("%2"))
        return branch(f"1 %14 = load_const (false)\n    {line}", *sides)

    assert is_same(decided(condition), decided(other)) is is_equal
