"""All vertices of a primitive belong to one instance."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders

VERTEX = """shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32    %1 = @load_instance_id
    32    %2 = u2f32 %1
               @store_output (%2, %0 (0x0)) (base=0, range=0, wrmask=x, component=0, src_type=float32, IO)
               // succs: b1
    block b1:
}
""".replace("IO", "io location=VARYING_SLOT_VAR0 slots=1, xfb(), xfb2()")

SMOOTH = """shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32x2  %3 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32    %1 = @load_interpolated_input (%3, %0 (0x0)) (base=0, component=0, dest_type=float32, IN)
               @store_output (%1, %0 (0x0)) (base=0, range=0, wrmask=x, component=0, src_type=float32, OUT)
               // succs: b1
    block b1:
}
""".replace("IN)", "io location=VARYING_SLOT_VAR0 slots=1)").replace(
    "OUT", "io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2()"
)

FLAT = SMOOTH.replace(
    "@load_interpolated_input (%3, %0 (0x0)) (base=0,", "@load_input (%0 (0x0)) (base=0, range=1,"
)


def parsed(text: str) -> Shader:
    return parse_dump(text.encode())


def test_interpolating_the_instance_number_changes_nothing() -> None:
    verdict = verify_shaders([parsed(VERTEX), parsed(SMOOTH)], [parsed(VERTEX), parsed(FLAT)])
    assert isinstance(verdict, Equivalent), verdict


def test_interpolating_the_vertex_number_does() -> None:
    vertex = VERTEX.replace("instance_id", "vertex_id")
    verdict = verify_shaders([parsed(vertex), parsed(SMOOTH)], [parsed(vertex), parsed(FLAT)])
    assert isinstance(verdict, Different)
