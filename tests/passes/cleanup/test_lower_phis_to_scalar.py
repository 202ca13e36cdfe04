from __future__ import annotations

from nirls.passes.cleanup.lower_phis_to_scalar import LowerPhisToScalar, lower_phis_to_scalar
from tests.passes.expectation import assert_becomes, assert_unchanged, parse_body

DECLARATIONS = "decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)"
BODY = """
block b0:
1     %0 = @load_front_face
32    %1 = load_const (0x00000000)
32x2  %2 = vec2 %1, %1
32    %3 = deref_var &t (uniform sampler2D)
32x4  %4 = (float32)tex %3 (texture_deref), %3 (sampler_deref), %2 (coord)
32x4  %5 = (float32)tex %3 (texture_deref), %3 (sampler_deref), %2 (coord)
if %0 {{
    block b1:
    {then}
}} else {{
    block b2:
    {other}
}}
block b3:
{phi}
@store_ssbo (%9, %1, %1) (wrmask=xy, access=none, align_mul=4, align_offset=0)
block b4:
"""


def body(phi: str, then: str = "", other: str = "") -> str:
    return BODY.format(phi=phi, then=then, other=other)


def test_phi_of_a_vector() -> None:
    assert_becomes(
        lower_phis_to_scalar,
        body("32x2 %9 = phi b1: %6, b2: %7", "32x2 %6 = fneg %4.xy", "32x2 %7 = undefined"),
        body(
            "32 %20 = phi b1: %10, b2: %12\n32 %21 = phi b1: %11, b2: %13\n32x2 %9 = vec2 %20, %21",
            "32x2 %6 = fneg %4.xy\n    32 %10 = mov %6.x\n    32 %11 = mov %6.y",
            "32x2 %7 = undefined\n    32 %12 = undefined\n    32 %13 = undefined",
        ),
        declarations=DECLARATIONS,
    )


def test_phi_of_textures_stays_unless_all_are_wanted() -> None:
    phi = "32x4 %9 = phi b1: %4, b2: %5"
    assert_unchanged(lower_phis_to_scalar, body(phi), declarations=DECLARATIONS)
    shader = parse_body(body(phi), declarations=DECLARATIONS)
    assert LowerPhisToScalar(lower_all=True).run([shader]) == [shader]
    assert [one.kind for impl in shader.impls() for one in impl.blocks()[3]] == [
        *["phi"] * 4,
        "alu",
        "intrinsic",
    ]


def test_scalar_phi_stays() -> None:
    assert_unchanged(
        lower_phis_to_scalar,
        body("32 %9 = phi b1: %6, b2: %1", "32 %6 = fneg %1").replace("wrmask=xy", "wrmask=x"),
        declarations=DECLARATIONS,
    )
