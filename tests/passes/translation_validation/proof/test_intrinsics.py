from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.passes.translation_validation.proof.same_expressions import same_expressions
from tests.passes.translation_validation.proof.forwarding_shaders import (
    A0,
    A1,
    COLOR,
    LOCALS,
    STORED,
    UNIFORM,
    A,
    C,
    V,
    copy,
    get,
    put,
    result,
    straight,
)


def test_the_framebuffer_is_read_before_the_output_is_written() -> None:
    declared = UNIFORM + COLOR
    read, sum_ = get(30, "%90"), "32x4 %31 = fadd %30, %4"

    def blended(*lines: str) -> Shader:
        return straight(C, *lines, stage="FRAGMENT", declared=declared)

    before = blended(read, sum_, put("%90", "%31"))
    assert same_expressions(before, before)
    through = (V, read, put("%10", "%30"), get(32, "%10"), "32x4 %31 = fadd %32, %4", put("%90", "%31"))
    assert same_expressions(before, blended(*through))
    assert not same_expressions(before, blended(put("%90", "%4"), read, sum_, put("%90", "%31")))
    assert not same_expressions(before, blended(put("%90", "%4")))


ARRAYS = (
    LOCALS + "    decl_var  INTERP_MODE_NONE none vec4[2] b\n    decl_var  INTERP_MODE_NONE none vec4[3] d\n"
)


B = (
    "32 %60 = deref_var &b (function_temp vec4[2])",
    "32 %61 = deref_array &(*%60)[0] (function_temp vec4)",
    "32 %62 = deref_array &(*%60)[1] (function_temp vec4)",
)


def copied(*lines: str) -> Shader:
    stored = put("%14", "%4"), put("%15", "%2")
    return straight(A, A0, A1, *B, *stored, *lines, get(30, "%61"), *result("%30"), locals_=ARRAYS)


def test_copies_of_arrays() -> None:
    each = copied(get(70, "%14"), put("%61", "%70"), get(71, "%15"), put("%62", "%71"))
    whole = copied(copy("%60", "%13"))
    wildcards = copied(
        "32 %70 = deref_array &(*%60)[*] (function_temp vec4)",
        "32 %71 = deref_array &(*%13)[*] (function_temp vec4)",
        copy("%70", "%71"),
    )
    swapped = copied(get(70, "%15"), put("%61", "%70"), get(71, "%14"), put("%62", "%71"))
    for one in (each, whole, wildcards):
        assert same_expressions(one, STORED)
        assert same_expressions(STORED, one)
        assert not same_expressions(swapped, one)
    longer = copied(
        "32 %72 = deref_var &d (function_temp vec4[3])",
        "32 %70 = deref_array &(*%72)[*] (function_temp vec4)",
        "32 %71 = deref_array &(*%13)[*] (function_temp vec4)",
        copy("%70", "%71"),
    )
    assert same_expressions(longer, longer)
    assert not same_expressions(STORED, longer)
