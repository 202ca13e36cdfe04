"""`lower_io`: which intrinsic stands for which access, and that the shader computes the same."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import print_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.passes.io.lower_io import lower_io, obstacles
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders


def shader(stage: str, declarations: str, body: str) -> Shader:
    lines = "".join(f"decl_var {line}\n" for line in declarations.strip().splitlines())
    code = "".join(f"    {line.strip()}\n" for line in body.strip().splitlines())
    return parse_dump(
        f"shader: MESA_SHADER_{stage}\n{lines}decl_function main () (entrypoint)\n\nimpl main {{\n"
        f"    block b0:  // preds:\n{code}                // succs: b1\n    block b1:\n}}\n".encode()
    )


def lowered(before: Shader, *, to_scalar: bool = False) -> list[str]:
    """The I/O intrinsics of the lowered shader as text, after a check that it is valid and equivalent."""
    after = clone_shader(before)
    assert lower_io(after, to_scalar=to_scalar)
    assert not [problem.message for problem in validate(after)]
    assert isinstance(verify_shaders(before, after), Equivalent)
    text = print_shader(after)
    lines = (text if isinstance(text, str) else text.decode()).splitlines()
    return [line.split("@", 1)[1].split("  //")[0] for line in lines if "@load_" in line or "@store_" in line]


FRAGMENT = """
    32    %0 = deref_var &i (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    32    %2 = deref_var &o (shader_out vec4)
          @store_deref (%2, %1) (wrmask=xyzw, access=none)
"""
FLAT = "shader_in INTERP_MODE_FLAT none vec4 i (VARYING_SLOT_VAR3.xyzw, 0, 0)"
OUTPUT = "shader_out INTERP_MODE_NONE none vec4 o (FRAG_RESULT_DATA0.xyzw, 0, 0)"


@pytest.mark.parametrize(
    ("declaration", "loads"),
    [
        (
            "shader_in INTERP_MODE_NONE none vec4 i (VARYING_SLOT_VAR3.xyzw, 0, 0)",
            ["load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)", "load_interpolated_input"],
        ),
        (
            "centroid shader_in INTERP_MODE_NOPERSPECTIVE none vec4 i (VARYING_SLOT_VAR3.xyzw, 0, 0)",
            ["load_barycentric_centroid (interp_mode=INTERP_MODE_NOPERSPECTIVE)", "load_interpolated_input"],
        ),
        (
            "sample shader_in INTERP_MODE_SMOOTH none vec4 i (VARYING_SLOT_VAR3.xyzw, 0, 0)",
            ["load_barycentric_sample (interp_mode=INTERP_MODE_SMOOTH)", "load_interpolated_input"],
        ),
        ("shader_in INTERP_MODE_FLAT none vec4 i (VARYING_SLOT_VAR3.xyzw, 0, 0)", ["load_input"]),
        (
            "per_primitive shader_in INTERP_MODE_NONE none vec4 i (VARYING_SLOT_VAR3.xyzw, 0, 0)",
            ["load_per_primitive_input"],
        ),
    ],
)
def test_the_qualifiers_of_an_input_choose_the_load(declaration: str, loads: list[str]) -> None:
    found = lowered(shader("FRAGMENT", f"{declaration}\n{OUTPUT}", FRAGMENT))
    assert [line.startswith(start) for line, start in zip(found, loads, strict=False)] == [True] * len(loads)
    assert "io location=VARYING_SLOT_VAR3 slots=1" in found[len(loads) - 1]
    assert found[-1].startswith("store_output")
    assert "io location=FRAG_RESULT_DATA0 slots=1" in found[-1]


def test_accesses_are_split_into_components() -> None:
    found = lowered(shader("FRAGMENT", f"{FLAT}\n{OUTPUT}", FRAGMENT), to_scalar=True)
    assert [line.split(" ")[0] for line in found] == ["load_input"] * 4 + ["store_output"] * 4
    assert [f"component={number}" in found[number] for number in range(4)] == [True] * 4


VERTEX = """
shader_in INTERP_MODE_NONE none vec4 a (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)
shader_in INTERP_MODE_NONE none int n (VERT_ATTRIB_GENERIC1.x, 0, 0)
shader_out INTERP_MODE_NONE none vec4[3] o (VARYING_SLOT_VAR1.xyzw, 0, 0)
shader_out INTERP_MODE_NONE none vec2 p (VARYING_SLOT_VAR5.zw, 0, 0)
"""


def test_a_constant_index_becomes_part_of_the_slot() -> None:
    body = """
        32    %0 = deref_var &a (shader_in vec4)
        32x4  %1 = @load_deref (%0) (access=none)
        32    %2 = load_const (0x00000002)
        32    %3 = deref_var &o (shader_out vec4[3])
        32    %4 = deref_array &(*%3)[2] (shader_out vec4)  // &o[2]
              @store_deref (%4, %1) (wrmask=xyz, access=none)
        32    %5 = deref_var &p (shader_out vec2)
        32x2  %6 = vec2 %1.x, %1.y
              @store_deref (%5, %6) (wrmask=xy, access=none)
    """
    found = lowered(shader("VERTEX", VERTEX, body))
    assert "io location=VERT_ATTRIB_GENERIC0 slots=1" in found[0]
    assert "wrmask=xyz" in found[1]
    assert "io location=VARYING_SLOT_VAR3 slots=1" in found[1]
    # The bases count the used slots: VAR3 and VAR5.
    assert "base=1" in found[2]
    assert "component=2" in found[2]


def test_a_variable_index_stays_an_offset_into_all_slots() -> None:
    body = """
        32    %0 = deref_var &a (shader_in vec4)
        32x4  %1 = @load_deref (%0) (access=none)
        32    %2 = deref_var &n (shader_in int)
        32    %3 = @load_deref (%2) (access=none)
        32    %9 = load_const (0x00000001)
        32    %8 = iand %3, %9
        32    %4 = deref_var &o (shader_out vec4[3])
        32    %5 = deref_array &(*%4)[%8] (shader_out vec4)  // &o[%8]
              @store_deref (%5, %1) (wrmask=xyzw, access=none)
    """
    found = lowered(shader("VERTEX", VERTEX, body))
    assert found[-1].startswith("store_output (%1")
    assert "io location=VARYING_SLOT_VAR1 slots=3" in found[-1]


def test_a_variable_index_counts_the_slots_of_its_elements() -> None:
    declarations = VERTEX.replace("vec4[3] o", "vec4[2][2] o")
    body = """
        32    %0 = deref_var &a (shader_in vec4)
        32x4  %1 = @load_deref (%0) (access=none)
        32    %2 = deref_var &n (shader_in int)
        32    %3 = @load_deref (%2) (access=none)
        32    %9 = load_const (0x00000001)
        32    %8 = iand %3, %9
        32    %4 = deref_var &o (shader_out vec4[2][2])
        32    %5 = deref_array &(*%4)[%8] (shader_out vec4[2])  // &o[%8]
        32    %6 = deref_array &(*%5)[1] (shader_out vec4)  // &o[%8][1]
              @store_deref (%6, %1) (wrmask=xyzw, access=none)
    """
    before = shader("VERTEX", declarations, body)
    after = clone_shader(before)
    found = lowered(before)
    assert "io location=VARYING_SLOT_VAR2 slots=3" in found[-1]
    assert lower_io(after)
    text = print_shader(after)
    assert "imul" in (text if isinstance(text, str) else text.decode())


def test_header_says_that_io_is_lowered_behind_the_bit_sizes() -> None:
    text = print_shader(shader("FRAGMENT", f"{FLAT}\n{OUTPUT}", FRAGMENT))
    source = (text if isinstance(text, str) else text.decode()).replace(
        "shader: MESA_SHADER_FRAGMENT\n",
        "shader: MESA_SHADER_FRAGMENT\nbit_sizes_int: 0x20\nbit_sizes_float: 0x20\norigin_upper_left: true\n",
    )
    after = parse_dump(source.encode())
    assert lower_io(after)
    assert [item.key for item in after.header] == [
        "shader",
        "bit_sizes_int",
        "bit_sizes_float",
        "io_lowered",
        "origin_upper_left",
    ]


def test_control_shaders_have_vertices_and_patches() -> None:
    declarations = """
        shader_in INTERP_MODE_NONE none vec4[32] i (VARYING_SLOT_VAR0.xyzw, 0, 0)
        shader_out INTERP_MODE_NONE none vec4[3] o (VARYING_SLOT_VAR0.xyzw, 0, 0)
        patch shader_out INTERP_MODE_NONE none float[4] l (VARYING_SLOT_TESS_LEVEL_OUTER.x, 0, 0) compact
    """
    body = """
        32    %0 = @load_invocation_id
        32    %1 = deref_var &i (shader_in vec4[32])
        32    %2 = deref_array &(*%1)[%0] (shader_in vec4)  // &i[%0]
        32x4  %3 = @load_deref (%2) (access=none)
        32    %4 = deref_var &o (shader_out vec4[3])
        32    %5 = deref_array &(*%4)[%0] (shader_out vec4)  // &o[%0]
              @store_deref (%5, %3) (wrmask=xyzw, access=none)
        32    %6 = load_const (0x00000002)
        32    %7 = deref_var &l (shader_out float[4])
        32    %8 = deref_array &(*%7)[2] (shader_out float)  // &l[2]
        32    %9 = load_const (0x3f800000 = 1.000000)
              @store_deref (%8, %9) (wrmask=x, access=none)
    """
    after = shader("TESS_CTRL", declarations, body)
    assert lower_io(after, to_scalar=False)
    assert not validate(after)
    names = [
        instr.name for impl in after.impls() for instr in impl.instrs() if isinstance(instr, IntrinsicInstr)
    ]
    assert names == [
        "load_invocation_id",
        "load_per_vertex_input",
        "store_per_vertex_output",
        "store_output",
    ]
    (level,) = [
        instr
        for impl in after.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name == "store_output"
    ]
    # Elements of compact arrays are components of one slot.
    assert level.int_index("component") == 2


def test_interpolation_functions_become_barycentrics() -> None:
    body = """
        32    %0 = deref_var &i (shader_in vec4)
        32x4  %1 = @interp_deref_at_centroid (%0)
        32    %2 = deref_var &o (shader_out vec4)
              @store_deref (%2, %1) (wrmask=xyzw, access=none)
    """
    smooth = "shader_in INTERP_MODE_NONE none vec4 i (VARYING_SLOT_VAR3.xyzw, 0, 0)"
    found = lowered(shader("FRAGMENT", f"{smooth}\n{OUTPUT}", body))
    assert found[0] == "load_barycentric_centroid (interp_mode=INTERP_MODE_SMOOTH)"
    vertex = "    32    %9 = load_const (0x00000001)\n" + body.replace("centroid (%0)", "vertex (%0, %9)")
    found = lowered(shader("FRAGMENT", f"{smooth.replace('NONE', 'EXPLICIT', 1)}\n{OUTPUT}", vertex))
    assert found[0].startswith("load_input_vertex (%9")


def test_the_derefs_go_with_the_accesses() -> None:
    flat = "shader_in INTERP_MODE_FLAT none vec4 i (VARYING_SLOT_VAR3.xyzw, 0, 0)"
    after = shader("FRAGMENT", f"{flat}\n{OUTPUT}", FRAGMENT)
    lower_io(after)
    assert "deref" not in {instr.kind for impl in after.impls() for instr in impl.instrs()}
    assert not lower_io(after)


@pytest.mark.parametrize(
    ("declaration", "reason"),
    [
        ("shader_in INTERP_MODE_FLAT none vec4 i (~0, 0, 0)", "variable i has no location"),
        (
            "shader_in INTERP_MODE_FLAT none Material i (VARYING_SLOT_VAR0, 0, 0)",
            "the access is of a whole array or struct; other passes split it first",
        ),
    ],
)
def test_a_shader_that_cannot_be_lowered_stays_as_it_is(declaration: str, reason: str) -> None:
    before = shader("FRAGMENT", f"{declaration}\n{OUTPUT}", FRAGMENT)
    assert [text for _, text in obstacles(before)] == [reason]
    after = clone_shader(before)
    assert not lower_io(after)
    assert print_shader(after) == print_shader(before)


@pytest.mark.parametrize(
    ("place", "is_lowered"), [("FRAG_RESULT_DATA0.x", False), ("FRAG_RESULT_DATA0.y", True)]
)
def test_two_colors_of_one_slot_stay(place: str, is_lowered: bool) -> None:
    """One of them is the second source of blending, but which one is not printed."""
    both = shader(
        "FRAGMENT",
        "shader_out INTERP_MODE_NONE none float a (FRAG_RESULT_DATA0.x, 0, 0)\n"
        f"shader_out INTERP_MODE_NONE none float b ({place}, 1, 0)",
        """
    32    %0 = load_const (0x3f800000)
    32    %1 = deref_var &a (shader_out float)
          @store_deref (%1, %0) (wrmask=x, access=none)
    32    %2 = deref_var &b (shader_out float)
          @store_deref (%2, %0) (wrmask=x, access=none)
""",
    )
    assert [reason for _, reason in obstacles(both)] == [
        "two outputs have this slot, and it is not printed which is DUAL_SRC_BLEND"
    ] * 2 * (not is_lowered)
    assert lower_io(both) is is_lowered
