"""Each fact about an opcode stands in its declaration; bounds are in units of the result's own format."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from nirls.verification.evaluate.alu.float_error import half_ulp
from nirls.verification.evaluate.alu.run import alu_operation, evaluate_alu, supported_opcodes
from nirls.verification.inputs.inverses import inverses

SOURCES = Path(__file__).parents[4] / "verification"
FACTS = (
    *(
        f"evaluate/alu/{name}.py"
        for name in ("rounding", "error_rules", "float_error", "flushing", "operation")
    ),
    *("evaluate/steps/arithmetic.py", "inputs/inverses.py", "compare/roundings.py"),
)
NO_OPCODES = frozenset(("float", "int", "uint", "bool", "mov", "for"))


@pytest.mark.parametrize("path", FACTS)
def test_nothing_else_names_opcodes(path: str) -> None:
    """What an operation computes, how it rounds and how it is inverted is declared with the operation."""
    known = supported_opcodes() - NO_OPCODES
    words = {
        node.value
        for node in ast.walk(ast.parse((SOURCES / path).read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    # The forms of source modifiers, and the saturation of an old destination.
    allowed = {"fsat"} if path.endswith("arithmetic.py") else set[str]()
    if path.endswith("roundings.py"):
        # Operations of reductions across invocations.
        allowed = {"fadd", "fmul"}
    assert not (words & known) - allowed


@pytest.mark.parametrize("size", [16, 32, 64])
@pytest.mark.parametrize(
    ("opcode", "ulps"),
    [("frcp", 2.5), ("fdiv", 2.5), ("fsqrt", 3), ("frsq", 2), ("fadd", 0.5), ("fmod", 2), ("f2f64", 0.5)],
)
def test_bounds_are_units_of_the_format_of_the_result(opcode: str, ulps: float, size: int) -> None:
    error = alu_operation(opcode).error
    x, r = [np.array([[3.0]]), np.array([[1.5]])], np.array([[1.0]])
    assert error.own is not None
    assert error.own(x, r, size) == 2 * ulps * half_ulp(r, size)


@pytest.mark.parametrize("opcode", ["fsin", "fcos", "flog2", "fexp2"])
def test_transcendental_functions_have_the_bounds_of_vulkan(opcode: str) -> None:
    own = alu_operation(opcode).error.own
    assert own is not None
    x, r = [np.array([[1.0]])], np.array([[0.5]])
    bounds = {size: float(own(x, r, size)[0, 0]) for size in (16, 32, 64)}
    assert bounds[64] < bounds[32] < bounds[16]
    smallest = {"fsin": 2.0**-11, "fcos": 2.0**-11, "flog2": 2.0**-21, "fexp2": 5 * 2.0**-24}[opcode]
    assert bounds[32] >= smallest


@pytest.mark.parametrize("opcode", ["imax3", "imin3", "umax3", "umin3", "imed3", "umed3"])
def test_operations_on_three_integers_can_be_inverted(opcode: str) -> None:
    middle = {"x3": 9, "n3": 2, "d3": 5}[opcode[-2:]]
    numbers = [np.array([[value]], np.uint32) for value in (2, 9, 5)]
    computed = evaluate_alu(opcode, numbers, dest_components=1, dest_bit_size=32, source_bit_sizes=[32] * 3)
    assert computed.tolist() == [[middle]]
    assert {source for source, _ in inverses(opcode, [2, 9, 5], [32] * 3, 7, 32)} == {0, 1, 2}


@pytest.mark.parametrize("name", ["frcp", "fdiv", "frsq", "fsqrt"])
def test_a_lowered_64_bit_division_or_root_flushes_denormals(name: str) -> None:
    own = alu_operation(name).error.own
    assert own is not None
    denormal = np.array([2.0**-1030])
    assert own([denormal], denormal, 64)[0] >= denormal[0]
    assert own([denormal], np.array([2.0**-1000]), 64)[0] < 2.0**-1040
    assert own([denormal], np.array([2.0**-130]), 32)[0] < 2.0**-140


def test_sums_of_64_bits_are_known_to_be_exact() -> None:
    """As where 2^52 is added and subtracted to round a number to an integer."""
    error = alu_operation("fadd").error
    assert error.tells_exact_64
    assert error.is_exact is not None
    large, terms = 2.0**52, np.array([1.0, 1.5, 2.0**52, 0.1])
    total = terms + large
    assert error.is_exact([terms, np.full(4, large)], total).tolist() == [True, False, True, False]
    assert error.is_exact([total, np.full(4, -large)], total - large).all()
