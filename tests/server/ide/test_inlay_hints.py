"""Hints: where they stand and what they say."""

from __future__ import annotations

import pytest

from nirls.ir.io.view import IoView
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.server.ide.convergence import Convergence
from nirls.server.ide.cursor.places import Places
from nirls.server.ide.inlay_hints import Hint, constant_hints, convergence_hints, varying_hints
from nirls.server.ide.packing.varying_flow import VaryingFlow

CLASSIC = b"""\
shader: MESA_SHADER_FRAGMENT
impl main {
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x3f000000 = 0.500000)
	vec2 32 ssa_1 = load_const (0x00000001, 0x40000000) = (0.000000, 2.000000)
	vec1 32 ssa_2 = fadd ssa_0, -ssa_1.y
	vec1 32 ssa_3 = iadd ssa_1.x, ssa_2
	vec1 32 ssa_4 = intrinsic load_ubo (ssa_3, ssa_1) (access=0, align_mul=4, align_offset=0)
	vec1  1 ssa_5 = load_const (true)
	/* succs: block_1 block_2 */
	if ssa_5 {
		block block_1:
		/* preds: block_0 */
	}
}
"""
MODERN = b"""\
shader: MESA_SHADER_FRAGMENT
impl main {
    block b0:   // preds:
    32     %0 = load_const (0x3f000000 = 0.500000)
    32     %1 = fadd %0 (0.500000), %0 (0.500000)
    32     %2 = @load_frag_coord
    32     %3 = fadd %0, %2
}
"""


def nodes(shader: Shader) -> list[object]:
    return list(Places(shader).between(0, len(shader.source)))


def shown(shader: Shader, hints: list[Hint]) -> list[str]:
    """The text in front of each hint on its line, and the hint."""
    lines = []
    for hint in hints:
        start = shader.source.rfind(b"\n", 0, hint.offset) + 1
        lines.append(f"{shader.source[start : hint.offset].decode().strip()}|{hint.label}")
    return lines


def test_constants_of_dumps_that_do_not_print_them() -> None:
    shader = parse_dump(CLASSIC)
    assert shown(shader, list(constant_hints(shader, nodes(shader)))) == [  # type: ignore[arg-type]
        "vec1 32 ssa_2 = fadd ssa_0|(0.500000)",
        "vec1 32 ssa_2 = fadd ssa_0, -ssa_1.y|(2.000000)",
        "vec1 32 ssa_3 = iadd ssa_1.x|(0x1)",
        "vec1 32 ssa_4 = intrinsic load_ubo (ssa_3, ssa_1|(0x1, 0x40000000)",
        "if ssa_5|(true)",
    ]


def test_constants_that_the_dump_prints_are_left_to_it() -> None:
    shader = parse_dump(MODERN)
    assert shown(shader, list(constant_hints(shader, nodes(shader)))) == ["32     %3 = fadd %0|(0.500000)"]  # type: ignore[arg-type]


def test_convergence() -> None:
    shader = parse_dump(MODERN)
    hints = list(convergence_hints(Convergence(shader), nodes(shader)))  # type: ignore[arg-type]
    assert [hint.label for hint in hints] == ["con", "con", "div", "div"]
    assert MODERN[hints[2].offset :].startswith(b"32     %2")


def test_convergence_that_the_dump_prints_is_left_to_it() -> None:
    shader = parse_dump(MODERN.replace(b"    32 ", b"    con 32 "))
    assert list(convergence_hints(Convergence(shader), nodes(shader))) == []  # type: ignore[arg-type]


SLOT = "component={component}, io location=VARYING_SLOT_VAR0 slots=1)"
STORE = f"    @store_output (%{{value}}, %0) (base=0, wrmask=x, {SLOT}"
LOAD = f"    32  %{{value}} = @load_input (%0) (base=0, {SLOT}  // c"


def stage(name: str, *lines: str) -> Shader:
    head = f"shader: MESA_SHADER_{name}\nimpl main {{\n    block b0:\n    32  %0 = load_const (0x0)\n"
    return parse_dump("\n".join([head[:-1], *lines, "}", ""]).encode())


def flow_of(*shaders: Shader) -> VaryingFlow:
    return VaryingFlow([IoView(one) for one in shaders])


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_varyings(newline: bytes) -> None:
    vertex = stage("VERTEX", STORE.format(value=0, component=0), STORE.format(value=0, component=2))
    fragment = stage(
        "FRAGMENT",
        LOAD.format(value=5, component=0),
        LOAD.format(value=6, component=1),
        LOAD.format(value=7, component=0),
    )
    vertex, fragment = (parse_dump(one.source.replace(b"\n", newline)) for one in (vertex, fragment))
    flow = flow_of(vertex, fragment)
    assert [hint.label for hint in varying_hints(flow, 0, nodes(vertex))] == [  # type: ignore[arg-type]
        "VAR0.x → FS 2 loads",
        "VAR0.z not read by FS",
    ]
    hints = list(varying_hints(flow, 1, nodes(fragment)))  # type: ignore[arg-type]
    assert [hint.label for hint in hints] == [
        "VAR0.x ← VS %0",
        "VAR0.y not written by VS",
        "VAR0.x ← VS %0",
    ]
    assert fragment.source[: hints[0].offset].endswith(b"%5 = @load_input")
    assert [len(hint.ends) for hint in hints] == [1, 0, 1]


def test_outputs_that_hardware_reads_need_no_load() -> None:
    position = STORE.format(value=0, component=0).replace("VAR0", "POS")
    unused = position.replace("slots=1", "slots=1 no_sysval_output")
    for line, consumer, count in (
        (position, "FRAGMENT", 0),
        (position, "GEOMETRY", 1),
        (unused, "FRAGMENT", 1),
    ):
        vertex = stage("VERTEX", line)
        flow = flow_of(vertex, stage(consumer))
        assert len(list(varying_hints(flow, 0, nodes(vertex)))) == count  # type: ignore[arg-type]


def test_inputs_without_a_stage_ahead_say_nothing() -> None:
    vertex = stage("VERTEX", LOAD.format(value=5, component=0))
    assert list(varying_hints(flow_of(vertex, stage("FRAGMENT")), 0, nodes(vertex))) == []  # type: ignore[arg-type]
