"""Texts of shaders with private variables, inputs and outputs, for the tests of proofs."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump

UNIFORM = "decl_var uniform INTERP_MODE_NONE none vec4 u (1, 0, 0)\n"


DECLARED = (
    f"{UNIFORM}"
    "decl_var shader_in INTERP_MODE_NONE none vec4 i (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)\n"
    "decl_var shader_out INTERP_MODE_NONE none vec4 o (VARYING_SLOT_VAR0.xyzw, 0, 0)\n"
    "decl_var shader_out INTERP_MODE_NONE none vec4 p (VARYING_SLOT_VAR1.xyzw, 0, 0)\n"
    "decl_var shader_temp INTERP_MODE_NONE none vec4 t\n"
)


HEAD = f"shader: MESA_SHADER_VERTEX\n{DECLARED}decl_function main () (entrypoint)\n\n"


LOCALS = (
    "    decl_var  INTERP_MODE_NONE none vec4 v\n"
    "    decl_var  INTERP_MODE_NONE none vec4 w\n"
    "    decl_var  INTERP_MODE_NONE none vec4[2] a\n"
    "    decl_var  INTERP_MODE_NONE none S s\n"
    "    decl_var  INTERP_MODE_NONE none vec4 g = { 1.0, 2.0, 3.0, 4.0 }\n"
)


START = (
    "32 %0 = load_const (0x00000000)",
    "32 %1 = load_const (0x00000001)",
    "32x4 %2 = load_const (0x3f800000, 0x40000000, 0x40400000, 0x40800000)",
    "32 %3 = deref_var &u (uniform vec4)",
    "32x4 %4 = @load_deref (%3) (access=none)",
    "1 %5 = flt %4.x, %4.y",
)
"""%2 and %4 are vectors, %5 is a condition."""


V = "32 %10 = deref_var &v (function_temp vec4)"


W = "32 %11 = deref_var &w (function_temp vec4)"


A = "32 %13 = deref_var &a (function_temp vec4[2])"


A0 = "32 %14 = deref_array &(*%13)[0] (function_temp vec4)"


A1 = "32 %15 = deref_array &(*%13)[1] (function_temp vec4)"


INDEX = "32 %6 = mov %4.x"


OUT = "32 %20 = deref_var &o (shader_out vec4)"


P = "32 %21 = deref_var &p (shader_out vec4)"


IN = "32 %22 = deref_var &i (shader_in vec4)"


def put(address: str, value: str, mask: str = "xyzw") -> str:
    return f"@store_deref ({address}, {value}) (wrmask={mask}, access=none)"


def get(number: int, address: str) -> str:
    return f"32x4 %{number} = @load_deref ({address}) (access=none)"


def copy(target: str, source: str) -> str:
    return f"@copy_deref ({target}, {source}) (dst_access=0, src_access=0)"


def result(value: str) -> tuple[str, str]:
    return "32 %90 = deref_var &o (shader_out vec4)", put("%90", value)


def parsed(text: str) -> Shader:
    shader = parse_dump(text.encode())
    assert not shader.unreadable, shader.unreadable
    assert shader.damage is None
    return shader


def straight(*lines: str, stage: str = "VERTEX", declared: str = DECLARED, locals_: str = LOCALS) -> Shader:
    body = "\n".join(f"    {line}" for line in (*START, *lines))
    return parsed(
        f"shader: MESA_SHADER_{stage}\n{declared}decl_function main () (entrypoint)\n"
        f"decl_function other (32)\n\nimpl main {{\n{locals_}"
        f"    block b0:  // preds:\n{body}\n    // succs: b1\n    block b1:\n}}\n"
    )


def branch(before: str, then: str, other: str, *behind: str) -> Shader:
    first = "\n".join(f"    {line}" for line in (*START, *before.split("\n")))
    last = "\n".join(f"    {line}" for line in behind)
    return parsed(
        f"{HEAD}impl main {{\n{LOCALS}"
        f"    block b0:  // preds:\n{first}\n    // succs: b1 b2\n"
        f"    if %5 {{\n        block b1:  // preds: b0\n        {then}\n        // succs: b3\n"
        f"    }} else {{\n        block b2:  // preds: b0\n        {other}\n        // succs: b3\n    }}\n"
        f"    block b3:  // preds: b1 b2\n{last}\n    // succs: b4\n    block b4:\n}}\n"
    )


STORED = straight(*result("%4"))


def put_slot(value: str, slot: str, component: int = 0, mask: str = "xyzw", more: str = "") -> str:
    return (
        f"@store_output ({value}, %0) (base=0, range=1, wrmask={mask}, component={component}, "
        f"src_type=float32, io location=VARYING_SLOT_{slot} slots=1{more}, xfb(), xfb2())"
    )


def pixel(number: int, name: str = "pixel", mode: str = "SMOOTH") -> str:
    return f"32x2 %{number} = @load_barycentric_{name} (interp_mode=INTERP_MODE_{mode})"


COLOR = "decl_var shader_out INTERP_MODE_NONE none vec4 c (FRAG_RESULT_DATA0.xyzw, 0, 0)\n"


C = "32 %90 = deref_var &c (shader_out vec4)"


ATTRIBUTE = (
    "32x4 %36 = @load_input (%0) (base=0, range=0, component=0, dest_type=float32, "
    "io location=VERT_ATTRIB_GENERIC0 slots=1)"
)


def producer(*lines: str, position: str = "%4", declared: str = UNIFORM) -> Shader:
    """A vertex shader with the attribute %36."""
    return straight(put_slot(position, "POS"), ATTRIBUTE, *lines, declared=declared)


def varyings(*lines: str, value: str, declared: str = UNIFORM) -> Shader:
    """A fragment shader that stores `value`; %8 and %9 are its barycentric coordinates."""
    points = pixel(8), pixel(9, "centroid")
    stored = f"32x4 %80 = vec4 {value}, {value}, {value}, {value}"
    color = put_slot("%80", "VAR0").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
    return straight(*points, *lines, stored, color, stage="FRAGMENT", declared=declared)


def scalar(number: int, slot: str, component: int = 0, point: str = "%8") -> str:
    return (
        f"32 %{number} = @load_interpolated_input ({point}, %0) (base=0, component={component}, "
        f"dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)"
    )


def put_x(value: str, slot: str = "VAR0", component: int = 0, more: str = "") -> str:
    return put_slot(value, slot, component, "x", more)
