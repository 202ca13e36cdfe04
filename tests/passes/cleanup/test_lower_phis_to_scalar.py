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


def loads_of(mode: str) -> tuple[str, str]:
    declared = f"decl_var {mode} INTERP_MODE_NONE none vec2 v"
    return (
        declared + ("" if mode == "shader_temp" else " (VARYING_SLOT_VAR0.xy, 0, 0)"),
        body(
            "32x2 %9 = phi b1: %6, b2: %7",
            f"32 %11 = deref_var &v ({mode} vec2)\n    32x2 %6 = @load_deref (%11) (access=none)",
            "32x2 %7 = undefined",
        ),
    )


def test_loads_that_a_driver_can_split_make_a_phi_scalar() -> None:
    """As in `is_phi_src_scalarizable`: inputs and uniforms are loaded by component, temporaries are not."""
    declared, text = loads_of("shader_in")
    shader = parse_body(text, declarations=f"{DECLARATIONS}\n{declared}")
    assert lower_phis_to_scalar(shader)
    declared, text = loads_of("shader_temp")
    shader = parse_body(text, declarations=f"{DECLARATIONS}\n{declared}")
    # The other source, an undefined value, is scalarizable by itself: what the load adds is what counts.
    both = text.replace("b2: %7", "b2: %8").replace(
        "32x2 %7 = undefined",
        "32 %12 = deref_var &v (shader_temp vec2)\n    32x2 %8 = @load_deref (%12) (access=none)",
    )
    assert_unchanged(lower_phis_to_scalar, both, declarations=f"{DECLARATIONS}\n{declared}")


def test_intrinsics_that_load_by_component_make_a_phi_scalar() -> None:
    def with_load(line: str) -> str:
        phi = "32x2 %9 = phi b1: %6, b2: %7"
        return body(phi, f"32x2 %6 = {line}", f"32x2 %7 = {line}")

    ubo = "@load_ubo (%1, %1) (access=none, align_mul=8, align_offset=0, range_base=0, range=8)"
    assert lower_phis_to_scalar(parse_body(with_load(ubo), declarations=DECLARATIONS))
    assert_unchanged(lower_phis_to_scalar, with_load("@load_sample_pos"), declarations=DECLARATIONS)
