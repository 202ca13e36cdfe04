from __future__ import annotations

import pytest

from nirls.ir.model.shader import Function
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation.declarations import parameter_sizes


def test_error_lines_of_mesa(check) -> None:
    check(
        "mesa-validation",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = fneg %0
        ^^^^^^^^^^^^^^^^^^
        error: src->ssa != NULL (../src/compiler/nir/nir_validate.c:190)
        """,
    )


def test_unreadable_line(check) -> None:
    check(
        "syntax",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        ?? what is this ??
        ^^^^^^^^^^^^^^^^^^
        32    %1 = fneg %0
        """,
    )


def test_unreadable_definition_does_not_cascade(check) -> None:
    check(
        "syntax",
        """
        32    %0 = load_const (0x3f800000 = 1.000000)
        32    %1 = ?? %0
        ^^^^^^^^^^^^^^^^
        32    %2 = fadd %1, %0
        """,
    )


@pytest.mark.parametrize(
    ("code", "stage", "line"),
    [
        (
            "wrong-stage",
            "COMPUTE",
            "decl_var shader_in INTERP_MODE_NONE none int i (VARYING_SLOT_VAR0, 0, 0)",
        ),
        ("wrong-stage", "FRAGMENT", "decl_var shared INTERP_MODE_NONE none float[4] s"),
        ("bad-slot", "VERTEX", "decl_var shader_in INTERP_MODE_NONE none int i (VARYING_SLOT_VAR0, 0, 0)"),
        ("bad-slot", "VERTEX", "decl_var shader_out INTERP_MODE_NONE none vec4 i (FRAG_RESULT_DATA0, 0, 0)"),
    ],
)
def test_bad_variable(check, code: str, stage: str, line: str) -> None:
    check(code, "32    %0 = undefined", stage=stage, declarations=f"{line}\n{'^' * len(line)}")


@pytest.mark.parametrize(
    ("stage", "line"),
    [
        ("COMPUTE", "decl_var shared INTERP_MODE_NONE none float[4] s"),
        ("VERTEX", "decl_var shader_in INTERP_MODE_NONE none vec4 i (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)"),
        ("FRAGMENT", "decl_var shader_in INTERP_MODE_NONE none vec4 i (VARYING_SLOT_VAR0.xyzw, 0, 0)"),
        ("FRAGMENT", "decl_var shader_out INTERP_MODE_NONE none vec4 o (FRAG_RESULT_DATA0.xyzw, 0, 0)"),
    ],
)
def test_good_variable(check_clean, stage: str, line: str) -> None:
    check_clean("32    %0 = undefined", stage=stage, declarations=line)


def test_unknown_mode(check) -> None:
    check(
        "unknown-mode",
        "32    %0 = undefined",
        declarations="decl_var quux INTERP_MODE_NONE none vec4 v\n         ^^^^",
    )


def test_unknown_stage(check) -> None:
    check(
        "unknown-stage",
        "shader: MESA_SHADER_QUUX\n^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "decl_function main () (entrypoint)\n\nimpl main {\n"
        "    block b0:  // preds:\n    32    %0 = undefined\n"
        "    // succs: b1\n    block b1:\n}\n",
    )


@pytest.mark.parametrize(
    ("line", "sizes"),
    [
        ("decl_function f (32x4 color, 1)", ((4, 32), (1, 1))),
        ("decl_function f (64 return) (inline)", ((1, 64),)),
        ("decl_function f (3 params)", ((0, 0),) * 3),
        ("decl_function f (0 params)", ()),
        ("decl_function f () (entrypoint)", ()),
        ("decl_function f returning void", None),
    ],
)
def test_sizes(line: str, sizes: tuple[tuple[int, int], ...] | None) -> None:
    (function,) = parse_dump(f"shader: MESA_SHADER_KERNEL\n{line}\n".encode()).functions
    assert parameter_sizes(function) == sizes


DUMP = """shader: MESA_SHADER_FRAGMENT
decl_function scaled (32x2, 32)
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32    %0 = undefined
    32x2  %1 = undefined
    16    %2 = undefined
    {call}
          // succs: b1
    block b1:
}}
"""


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("bad-call", "call scaled %1\n    ^^^^^^^^^^^^^^"),
        ("bad-call", "call scaled %0, %0\n                ^^"),
        ("bad-call", "call scaled %1, %2\n                    ^^"),
        ("unknown-function", "call another %1, %0\n    ^^^^^^^^^^^^^^^^^^^"),
    ],
)
def test_bad_call(check, code: str, call: str) -> None:
    check(code, DUMP.format(call=call))


def test_good_call(check_clean) -> None:
    check_clean(DUMP.format(call="call scaled %1, %0"))


@pytest.mark.parametrize(("count", "sizes"), [("2", ((0, 0), (0, 0))), ("9" * 17, None), ("9" * 5000, None)])
def test_only_as_many_parameters_as_a_function_may_have_are_believed(
    count: str, sizes: tuple[tuple[int, int], ...] | None
) -> None:
    assert parameter_sizes(Function("f", text=f" ({count} params)")) == sizes
