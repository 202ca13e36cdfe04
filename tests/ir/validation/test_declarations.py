from __future__ import annotations

import pytest


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
def test_bad(check, code: str, stage: str, line: str) -> None:
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
def test_good(check_clean, stage: str, line: str) -> None:
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
