from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.passes.translation_validation.same_expressions import same_expressions

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
        (shader(X, ADD, store("%6")), shader(X, ADD.replace("fadd", "fadd!"), store("%6"))),
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
