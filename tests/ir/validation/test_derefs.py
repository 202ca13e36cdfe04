from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import defect_of, validate
from tests.ir.validation.conftest import dump_of

DECLARATIONS = """
decl_var uniform INTERP_MODE_NONE none vec4[3] a (0, 0, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 o (FRAG_RESULT_DATA0.xyzw, 0, 0)
decl_var uniform INTERP_MODE_NONE none mat3 m (3, 0, 0)
decl_var uniform INTERP_MODE_NONE none Light l (6, 0, 0)
"""

BAD = [
    (
        "undeclared-variable",
        """
        32    %0 = deref_var &q (uniform vec4)
                              ^
        """,
    ),
    (
        "bad-deref",
        """
        32    %0 = deref_var &a (uniform vec4)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "bad-deref",
        """
        32    %0 = deref_var &o (shader_in vec4)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "bad-deref",
        """
        32    %0 = deref_var &a (uniform vec4[3])
        32    %1 = undefined
        32    %2 = deref_array &(*%0)[%1] (uniform vec3)  // &a[%1]
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "bad-deref",
        """
        32    %0 = deref_var &a (uniform vec4[3])
        32    %1 = undefined
        32    %2 = deref_array &(*%0)[%1] (ssbo vec4)  // &a[%1]
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "bad-deref",
        """
        32    %0 = undefined
        32    %1 = deref_array &(*%0)[%0] (ssbo vec4)  // &a[%1]
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "bad-deref",
        """
        32    %0 = deref_var &a (uniform vec4[3])
        32    %1 = deref_struct &%0->f (uniform float)  // &a.f
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "bad-component-count",
        """
        32    %0 = deref_var &a (uniform vec4[3])
        32x2  %1 = undefined
        32    %2 = deref_array &(*%0)[%1] (uniform vec4)  // &a[%1]
                                      ^^
        """,
    ),
    (
        "bad-component-count",
        """
        32    %0 = deref_var &o (shader_out vec4)
        32x3  %1 = @load_deref (%0) (access=none)
              ^^
        """,
    ),
    (
        "bad-bit-size",
        """
        32    %0 = deref_var &o (shader_out vec4)
        16x4  %1 = undefined
        @store_deref (%0, %1) (wrmask=xyzw, access=none)
                          ^^
        """,
    ),
    (
        "bad-deref",
        """
        32    %0 = deref_var &m (uniform mat3)
        32x3  %1 = @load_deref (%0) (access=none)
                                ^^
        """,
    ),
    (
        "bad-deref-use",
        """
        32    %0 = undefined
        32    %1 = @load_deref (%0) (access=none)
                                ^^
        """,
    ),
    (
        "read-only",
        """
        32    %0 = deref_var &m (uniform mat3)
        32    %1 = undefined
        32    %2 = deref_array &(*%0)[%1] (uniform vec3)  // &m[%1]
        32x3  %3 = undefined
        @store_deref (%2, %3) (wrmask=xyz, access=none)
                      ^^
        """,
    ),
]

BAD.append(
    (
        "bad-component-count",
        """
        32    %0 = deref_var &a (uniform vec4[3])
        32    %1 = undefined
        32x2  %2 = deref_array &(*%0)[%1] (uniform vec4)  // &a[%1]
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    )
)

GOOD = """
    32    %0 = deref_var &a (uniform vec4[3])
    32    %1 = undefined
    32    %2 = deref_array &(*%0)[%1] (uniform vec4)  // &a[%1]
    32x4  %3 = @load_deref (%2) (access=none)
    32    %4 = deref_var &o (shader_out vec4)
    @store_deref (%4, %3) (wrmask=xw, access=none)
    32    %5 = deref_var &m (uniform mat3)
    32    %6 = deref_array &(*%5)[2] (uniform vec3)  // &m[2]
    32    %7 = deref_var &l (uniform Light)
    32    %8 = deref_struct &%7->color (uniform vec3)  // &l.color
    32x3  %9 = @load_deref (%8) (access=none)
"""


@pytest.mark.parametrize(("code", "body"), BAD)
def test_bad(check, code: str, body: str) -> None:
    check(code, body, declarations=DECLARATIONS)


def test_good(check_clean) -> None:
    check_clean(GOOD, declarations=DECLARATIONS)


def test_deref_through_a_phi(check) -> None:
    check(
        "bad-deref-use",
        """
        block b0:  // preds:
        1     %0 = load_const (true)
        32    %1 = deref_var &o (shader_out vec4)
        // succs: b1 b2
        if %0 {
            block b1:  // preds: b0, succs: b3
        } else {
            block b2:  // preds: b0, succs: b3
        }
        block b3:  // preds: b1 b2
        32    %2 = phi b1: %1, b2: %1
                           ^^
                           ^^
        // succs: b4
        block b4:
        """,
        declarations=DECLARATIONS,
    )


def test_struct_output_without_a_declaration(check_clean) -> None:
    # Mesa 25.0 prints no line for a block whose members have locations.
    check_clean("32    %0 = deref_var &o (shader_out VSOUT)", stage="VERTEX")


def test_alignment_of_a_cast(check) -> None:
    check(
        "bad-alignment",
        """
        32    %0 = undefined
        32    %1 = deref_cast (uint *)%0 (ssbo uint)  (ptr_stride=4, align_mul=12, align_offset=0)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    )


IO = """
32    %0 = deref_var &pos (shader_in vec4)
32    %1 = deref_var &uv (shader_in vec2)
32x4  %2 = @load_deref (%0) (access=none)
32x2  %3 = @load_deref (%1) (access=none)
32    %4 = deref_var &gl_Position (shader_out vec4)
      @store_deref (%4, %2) (wrmask=xyzw, access=none)
"""
OUTPUT = "decl_var shader_out INTERP_MODE_NONE none vec4 gl_Position (VARYING_SLOT_POS.xyzw, 0, 0)"
INPUT = "decl_var shader_in INTERP_MODE_NONE none vec2 uv (VERT_ATTRIB_GENERIC0.xy, 0, 0)"


@pytest.mark.parametrize(
    ("declarations", "severity", "names"),
    [
        (f"{OUTPUT}\n{INPUT}", "information", "pos is"),
        (OUTPUT, "warning", "pos and uv are"),
        ("", "warning", "pos, uv and gl_Position are"),
    ],
)
def test_io_without_a_location_has_no_declaration(declarations: str, severity: str, names: str) -> None:
    shader = parse_dump(dump_of(IO.strip(), "VERTEX", declarations).encode())
    (problem,) = validate(shader)
    assert (problem.code, problem.severity) == ("undeclared-variable", severity)
    assert problem.message == (
        f"{names} not declared in this dump; Mesa prints inputs and outputs once they have a location"
    )
    assert not defect_of(shader)


def test_a_dump_without_declarations_of_a_mode_has_one_warning() -> None:
    uses = "\n".join(f"32    %{n} = deref_var &u{n} (uniform vec4)" for n in range(6))
    shader = parse_dump(dump_of(uses, "FRAGMENT", "").encode())
    (problem,) = validate(shader)
    assert (problem.severity, problem.message) == (
        "warning",
        "u0, u1, u2 and 3 others are not declared in this dump",
    )


def test_older_releases_declare_all_inputs(check) -> None:
    check(
        "undeclared-variable",
        """
        vec1 32 ssa_0 = deref_var &pos (shader_in vec4)
                                   ^^^
        """,
        declarations="decl_var shader_in INTERP_MODE_NONE vec2 uv (VARYING_SLOT_VAR0.xy, 0, 0)",
    )


@pytest.mark.parametrize(("type_name", "is_right"), [("float", False), ("Light", True), ("sampler2D", False)])
def test_elements_of_an_unknown_type_are_not_judged(type_name: str, is_right: bool) -> None:
    declaration = f"decl_var ssbo INTERP_MODE_NONE none {type_name} v (0, 0, 0)"
    body = f"32    %0 = deref_var &v (ssbo {type_name})\n32    %1 = load_const (0x0)\n"
    body += "32    %2 = deref_array &(*%0)[%1] (ssbo float)  // &v[%1]"
    shader = parse_dump(dump_of(body, "FRAGMENT", declaration).encode())
    assert [problem.code for problem in validate(shader)] == [] if is_right else ["bad-deref"]


@pytest.mark.parametrize(
    ("mode", "stage", "is_right"),
    [
        ("shader_temp", "FRAGMENT", True),
        ("shader_out", "MESH", True),  # indices of primitives
        ("system", "KERNEL", True),
        ("uniform", "FRAGMENT", False),
    ],
)
def test_components_of_vectors_of_some_modes_have_derefs(mode: str, stage: str, is_right: bool) -> None:
    declaration = f"decl_var {mode} INTERP_MODE_NONE none uvec3 v"
    body = f"32    %0 = deref_var &v ({mode} uvec3)\n32    %1 = load_const (0x0)\n"
    body += f"32    %2 = deref_array &(*%0)[%1] ({mode} uint)  // &v[%1]"
    shader = parse_dump(dump_of(body, stage, declaration).encode())
    assert [problem.code for problem in validate(shader)] == ([] if is_right else ["bad-deref"])
