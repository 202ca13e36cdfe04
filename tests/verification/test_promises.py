"""The rules of `docs/verification.md` on what may change, each from both sides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, shader_text, store

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "verification.md"

X, Y, Z = (
    f"32    %{number} = @load_input (%0 (0x0)) (base=0, range=1, component={number - 2},"
    " dest_type=float32, io location=VERT_ATTRIB_POS slots=1)"
    for number in (2, 3, 4)
)


def vertex(*lines: str, header: tuple[str, ...] = ()) -> Shader:
    parsed = parse_dump(shader_text("VERTEX", ZERO, ONE, X, Y, Z, *lines, header=header).encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


def constant(bits: int) -> Shader:
    return vertex(f"32    %9 = load_const (0x{bits:08x})", store("VAR0", "%9"))


def result(*lines: str, header: tuple[str, ...] = ()) -> Shader:
    return vertex(*lines, store("VAR0", "%9"), header=header)


def branch(inside: str, before: str = "") -> Shader:
    """A store of 1 behind a condition that is undefined for negative inputs, and true for others."""
    text = shader_text("VERTEX", ZERO, ONE, X, Y, Z)
    start = (
        "    1     %5 = flt! %2, %0\n    1     %6 = undefined\n    1     %7 = load_const (true)\n"
        "    1     %8 = bcsel %5, %6, %7\n"
    )
    condition = (
        "    // succs: b1 b2\n    if %8 {\n        block b1:  // preds: b0\n"
        f"        {inside}\n        // succs: b3\n    }} else {{\n        block b2:  // preds: b0\n"
        f"        {store('VAR0', '%0')}\n        // succs: b3\n    }}\n    block b3:  // preds: b1 b2\n"
        "    // succs: b4\n    block b4:\n}\n"
    )
    parsed = parse_dump((text.partition("               // succs")[0] + start + condition).encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


SUM = ("32    %8 = fadd{} %2, %3", "32    %9 = fadd{} %8, %4")
TURNED = ("32    %8 = fadd{} %3, %4", "32    %9 = fadd{} %2, %8")


def sums(lines: tuple[str, str], exact: str = "") -> tuple[str, ...]:
    return tuple(line.format(exact) for line in lines)


PARTLY = ("1     %5 = flt! %2, %0", "32    %6 = undefined")
NAN = "32    %8 = load_const (0x7fc00000)"
OTHER_NAN = "32    %8 = load_const (0xffc00001)"
CHOICE = ("1     %10 = flt! %9, %1", "32    %11 = bcsel %10, %0, %1")
FLUSHES = ("float_controls_execution_mode: 0x00002000",)

RULES: dict[str, tuple[tuple[Shader, Shader], tuple[Shader, Shader]]] = {
    "undefined": (
        (result(*PARTLY, "32    %9 = bcsel %5, %6, %1"), result("32    %9 = mov %1")),
        (result("32    %9 = mov %1"), result(*PARTLY, "32    %9 = bcsel %5, %6, %1")),
    ),
    "unwritten": (
        (vertex(store("VAR0")), vertex(store("VAR0"), store("VAR1"))),
        (vertex(store("VAR0")), vertex(store("VAR0"), store("PSIZ"))),
    ),
    "undefined branch": (
        (branch(store("VAR0")), vertex(store("VAR0"))),
        (branch(store("VAR0")), vertex(store("VAR0", "%0"))),
    ),
    "rounding": (
        (result(*sums(SUM)), result(*sums(TURNED))),
        (result(*sums(SUM, "!")), result(*sums(TURNED, "!"))),
    ),
    "near comparison": (
        (
            vertex(*sums(SUM), *CHOICE, store("VAR0", "%11")),
            vertex(*sums(TURNED), *CHOICE, store("VAR0", "%11")),
        ),
        (
            vertex("1     %10 = flt! %2, %3", "32    %11 = bcsel %10, %0, %1", store("VAR0", "%11")),
            vertex("1     %10 = fge! %3, %2", "32    %11 = bcsel %10, %0, %1", store("VAR0", "%11")),
        ),
    ),
    "infinity": (
        (result("32    %9 = fsub %2, %2"), constant(0)),
        (result("32    %9 = fsub! %2, %2"), constant(0)),
    ),
    "another NaN": (
        (result(NAN, "32    %9 = fadd! %2, %8"), result(OTHER_NAN, "32    %9 = fadd! %2, %8")),
        (result(NAN, "32    %9 = mov %8"), result(OTHER_NAN, "32    %9 = mov %8")),
    ),
    "sign of zero": (
        (result("32    %9 = fadd %2, %0"), result("32    %9 = mov %2")),
        (result("32    %9 = fadd! %2, %0"), result("32    %9 = mov %2")),
    ),
    "denormals": (
        (
            result("32    %9 = fmul! %2, %1", header=FLUSHES),
            result("32    %10 = load_const (0x80000000)", "32    %9 = fadd! %2, %10", header=FLUSHES),
        ),
        (result("32    %9 = fmul! %2, %1"), result("32    %9 = fmul! %2, %1", header=FLUSHES)),
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule: str) -> None:
    allowed, beyond = RULES[rule]
    assert isinstance(verify_shaders(*allowed), Equivalent)
    assert isinstance(verify_shaders(*beyond), Different)


def _rows() -> list[list[str]]:
    section = PAGE.read_text().split("## What may change")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] != "rule" and not row[0].startswith("---")]


def test_each_rule_has_a_reason_and_tests_that_exist() -> None:
    rows = _rows()
    assert len(rows) > len(RULES)
    named = set()
    for row in rows:
        assert len(row) == 3, row[0]
        names = re.findall(r"`([^`]+)`", row[2])
        assert names, row[0]
        for name in names:
            path, _, function = name.partition("::")
            if not function:
                assert name in RULES, name
                named.add(name)
                continue
            assert f"\ndef {function}(" in (ROOT / "tests" / path).read_text(encoding="utf-8"), name
    assert named == RULES.keys()
