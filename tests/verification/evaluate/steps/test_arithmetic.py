"""ALU instructions: swizzles, modifiers, undefined sources."""

from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import VAR0, floats, run, shader_of, store, stored

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x4   %1 = load_const (0x00000001, 0x00000002, 0x00000003, 0x00000004)
    32     %2 = undefined
    32     %3 = @load_vertex_id_zero_base
"""


def run_lines(*lines: str):  # type: ignore[no-untyped-def]
    return run(shader_of("\n".join([HEAD, *lines, "                // succs: b99"])))


def test_swizzles_pick_components() -> None:
    result = run_lines(
        "    32x2   %4 = isub %1.wx, %1.xz",
        "    32     %5 = mov %4.x",
        "    32     %6 = mov %4.y",
        store("5", "0"),
        store("6", "0", component=1),
    )
    assert stored(result) == [3] * 8
    assert stored(result, 1) == [0xFFFFFFFE] * 8


def test_vectors_are_undefined_component_by_component() -> None:
    result = run_lines(
        "    32x2   %4 = vec2 %3, %2",
        "    32x2   %5 = iadd %4, %4",
        "    32     %6 = mov %5.x",
        "    32     %7 = mov %5.y",
        store("6", "0"),
        store("7", "0", component=1),
    )
    assert stored(result) == [2 * lane for lane in range(8)]
    assert result.outputs[OutputKey(VAR0, 1)].poison.all()


def test_saturation() -> None:
    result = run_lines(
        "    32     %4 = i2f32 %3",
        "    32     %5 = load_const (0x40800000 = 4.000000)",
        "    32     %6 = fdiv %4, %5 (4.000000)",
        "    32     %7 = fsat %6",
        store("7", "0"),
    )
    assert floats(result) == [0, 0.25, 0.5, 0.75, 1, 1, 1, 1]


def test_a_reduction_is_undefined_when_one_of_its_components_is() -> None:
    result = run_lines(
        "    32x2   %4 = vec2 %0, %2",
        "    1      %5 = ball_iequal2 %4, %4",
        "    32     %6 = b2i32 %5",
        "    32x2   %7 = vec2 %0, %3",
        "    1      %8 = ball_iequal2 %7, %7",
        "    32     %9 = b2i32 %8",
        store("6", "0"),
        store("9", "0", component=1),
    )
    assert result.outputs[OutputKey(VAR0, 0)].poison.all()
    assert stored(result, 1) == [1] * 8


def test_modifiers_of_old_dumps() -> None:
    text = b"""shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
	vec1 32 ssa_1 = load_const (0x40400000 = 3.000000)
	vec1 32 ssa_2 = fneg ssa_1
	vec1 32 ssa_3 = fadd -abs(ssa_2), -ssa_1
	intrinsic store_output (ssa_3, ssa_0) (base=0, wrmask=x /*1*/, component=0, src_type=float32 /*160*/, io location=32 slots=1 /*160*/, xfb() /*0*/, xfb2() /*0*/)
	/* succs: block_1 */
	block block_1:
}
"""  # noqa: E501
    shader = parse_dump(text)
    assert not shader.unreadable
    assert floats(Machine(shader).run(Environment(1), lanes=4)) == [-6.0] * 4
