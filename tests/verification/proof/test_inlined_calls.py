"""Functions in place of their calls, and the proofs of `nir_inline_functions` that rest on it."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import CallInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.proof.inlined_calls import with_inlined_calls
from nirls.verification.proof.same_expressions import same_expressions

HEAD = "shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n"
LOAD = (
    "@load_input (%0 (0x0)) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)"
)
PLACE = "(base=0, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)"
CALLED = """
impl main {
    decl_var  INTERP_MODE_NONE none float result
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x3f800000)
    32     %2 = {LOAD}
    32     %3 = deref_var &result (function_temp float)
                call subtract %3, %2, %1
    32     %4 = @load_deref (%3) (access=none)
                @store_output (%4, %0 (0x0)) {PLACE}
                // succs: b1
    block b1:
}

decl_function subtract (32 return, 32, 32)

impl subtract {
    decl_var  INTERP_MODE_NONE none float kept
    block b0:   // preds:
    32     %0 = @load_param (param_idx=1)
    32     %1 = @load_param (param_idx=2)
    32     %2 = deref_var &kept (function_temp float)
    32     %3 = fsub %0, %1
                @store_deref (%2, %3) (wrmask=x, access=none)
    32     %4 = load_const (0x00000000)
    1      %5 = flt %0, %4 (0x0)
                // succs: b1 b2
    if %5 {
        block b1:   // preds: b0
        32     %6 = fneg %3
                    @store_deref (%2, %6) (wrmask=x, access=none)
                    // succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2
    32     %7 = @load_deref (%2) (access=none)
    32     %8 = @load_param (param_idx=0)
    32     %9 = deref_cast (float *)%8 (function_temp float)  (ptr_stride=0, align_mul=0, align_offset=0)
                @store_deref (%9, %7) (wrmask=x, access=none)
                // succs: b4
    block b4:
}
"""
INLINED = """
impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x3f800000)
    32     %2 = {LOAD}
    32     %3 = fsub %2, %1
    1      %4 = flt %2, %0 (0x0)
                // succs: b1 b2
    if %4 {
        block b1:   // preds: b0
        32     %5 = fneg %3
                    // succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2
    32     %6 = phi b1: %5, b2: %3
                @store_output (%6, %0 (0x0)) {PLACE}
                // succs: b4
    block b4:
}
"""


def shader_of(text: str) -> Shader:
    return parse_dump((HEAD + text).replace("{LOAD}", LOAD).replace("{PLACE}", PLACE).encode())


def inlines(text: str) -> bool:
    return with_inlined_calls(shader_of(text)) is not None


def is_proved(before: str, after: str) -> bool:
    return same_expressions(shader_of(before), shader_of(after))


def test_calls_are_replaced() -> None:
    shader = shader_of(CALLED)
    inlined = with_inlined_calls(shader)
    assert inlined is not None
    assert [function.name for function in inlined.functions] == ["main"]
    names = [instr.name for instr in inlined.instrs() if isinstance(instr, IntrinsicInstr)]
    assert "load_param" not in names
    assert not any(isinstance(instr, CallInstr) for instr in inlined.instrs())
    assert any(isinstance(instr, CallInstr) for instr in shader.instrs())


def test_a_shader_with_inlined_functions_is_proved() -> None:
    assert is_proved(CALLED, INLINED)
    # A local of the callee is undefined at each call, and keeps its content where the function is inlined.
    assert not is_proved(INLINED, CALLED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fsub %2, %1", "fsub %1, %2"),
        ("fneg %3", "fneg %2"),
        ("flt %2, %0 (0x0)", "flt %0 (0x0), %2"),
        ("phi b1: %5, b2: %3", "phi b1: %3, b2: %5"),
    ],
)
def test_another_body_is_not_proved(old: str, new: str) -> None:
    assert old in INLINED
    assert not is_proved(CALLED, INLINED.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("none float kept", "none float kept = { 1.0 }"),
        (
            "                @store_deref (%9, %7)",
            "                return\n                @store_deref (%9, %7)",
        ),
        ("fsub %0, %1\n", "fsub %0, %1\n                call subtract %2, %0, %1\n"),
        ("call subtract", "call unknown"),
        ("call subtract %3, %2, %1", "call subtract %3"),
    ],
)
def test_what_cannot_be_replaced(old: str, new: str) -> None:
    assert old in CALLED
    assert inlines(CALLED)
    assert not inlines(CALLED.replace(old, new))


@pytest.mark.parametrize(
    "other",
    [
        "decl_function other () (entrypoint)\n\nimpl other {\n    block b0:   // preds:\n}\n",
        "decl_function @preamble ()\n\nimpl @preamble {\n    block b0:   // preds:\n}\n",
    ],
)
def test_other_code_that_runs_is_not_dropped(other: str) -> None:
    called = CALLED.replace("impl main {", "impl main {\n    preamble @preamble") if "@" in other else CALLED
    assert not inlines(called + "\n" + other)


def test_without_a_call_there_is_nothing_to_replace() -> None:
    assert not inlines(INLINED)
