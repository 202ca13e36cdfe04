"""Pairs of stages with opportunities, their findings, and what the fixes make of them."""

from __future__ import annotations

from collections import Counter

from nirls.ir.finding import Finding, Fix
from nirls.ir.model.shader import Shader
from nirls.passes.declaration import Change
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import interpolated


def findings(producer: Shader, consumer: Shader, **options: bool | int) -> list[Finding]:
    return list(OptVaryings.with_options(options).find([producer, consumer]))


def fixed(shaders: list[Shader], fix: Fix) -> list[Change]:
    return OptVaryings().fix(shaders, fix.request)


def codes(found: list[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in found)


def of_code(found: list[Finding], code: str) -> list[Finding]:
    return [finding for finding in found if finding.code == code]


CASES = {
    "propagatable-output": ([store("VAR0")], [load(4, "VAR0"), use("%4")]),
    "duplicate-output": (
        [store("VAR0", "%10"), store("VAR1", "%10")],
        [load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5")],
    ),
    "movable-expression": (
        [store("VAR0", "%10"), store("VAR1", "%11")],
        [load(4, "VAR0"), load(5, "VAR1"), "32    %6 = fmax %4, %5", use("%6")],
    ),
    "convergent-output": (
        ["32    %19 = @load_draw_id", "32    %20 = u2f32 %19", store("VAR0", "%20")],
        [interpolated(4, "VAR0"), "32    %5 = fsin %4", use("%4"), use("%5")],
    ),
    "derivable-output": (
        [
            "32    %20 = fadd %10, %11",
            *(store(f"VAR{slot}", value) for slot, value in enumerate(("%10", "%11", "%20"))),
        ],
        [
            *(interpolated(4 + slot, f"VAR{slot}") for slot in range(3)),
            *(use(f"%{4 + slot}") for slot in range(3)),
        ],
    ),
    "packing": (
        [store("VAR3", "%10"), store("VAR5", "%11")],
        [load(4, "VAR3"), load(5, "VAR5"), use("%4"), use("%5")],
    ),
}


def expression_findings(producer: Shader, consumer: Shader) -> list[Finding]:
    return of_code(findings(producer, consumer), "movable-expression")


def applied(producer: Shader, consumer: Shader, finding: Finding, kind: str) -> list[Shader]:
    """Both stages after the fix of a kind, which keeps what they do."""
    fix = next(fix for fix in finding.fixes if fix.request.scope == kind)
    changes = {id(change.before): change.after for change in fixed([producer, consumer], fix)}
    after = [changes.get(id(parsed), parsed) for parsed in (producer, consumer)]
    assert isinstance(verify_shaders([producer, consumer], after), Equivalent)
    return after
