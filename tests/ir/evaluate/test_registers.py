"""Registers of old dumps: masks, arrays with offsets, loops."""

from __future__ import annotations

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.result import OutputKey, ShaderResult
from nirls.ir.text.parse import parse_dump
from tests.ir.evaluate.shader_text import VAR0, stored

STORE = (
    "intrinsic store_output ({}, ssa_0) (base=0, wrmask=x /*1*/, component={}, src_type=float32 /*160*/, "
    "io location=32 slots=1 /*160*/, xfb() /*0*/, xfb2() /*0*/)"
)


def run_old(*lines: str) -> ShaderResult:
    text = "\n\t".join(
        [
            "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n\nimpl main {",
            "decl_reg vec2 32 r0",
            "decl_reg vec1 32 r1[4]",
            "block block_0:",
            "/* preds: */",
            "vec1 32 ssa_0 = load_const (0x00000000 = 0.000000)",
            "vec1 32 ssa_1 = load_const (0x00000007 = 0.000000)",
            "vec1 32 ssa_2 = intrinsic load_vertex_id_zero_base () ()",
            *lines,
            "/* succs: block_1 */",
            "block block_1:\n}\n",
        ]
    )
    shader = parse_dump(text.encode())
    assert not shader.unreadable
    return Machine(shader).run(Environment(1), lanes=8)


def test_a_masked_write_leaves_the_rest() -> None:
    result = run_old(
        "r0.x = mov ssa_1",
        "r0.y = mov ssa_2",
        "vec1 32 ssa_3 = mov r0.x",
        "vec1 32 ssa_4 = mov r0.y",
        STORE.format("ssa_3", 0),
        STORE.format("ssa_4", 1),
    )
    assert stored(result) == [7] * 8
    assert stored(result, 1) == list(range(8))


def test_an_array_with_base_and_offset() -> None:
    result = run_old(
        "r1[1] = mov ssa_1",
        "r1[2 + ssa_0] = mov ssa_2",
        "vec1 32 ssa_3 = mov r1[1]",
        "vec1 32 ssa_4 = mov r1[1 + ssa_2]",
        STORE.format("ssa_3", 0),
        STORE.format("ssa_4", 1),
    )
    assert stored(result) == [7] * 8
    plane = result.outputs[OutputKey(VAR0, 1)]
    assert plane.poison[:, 0].tolist() == [False, False] + [True] * 6
    assert plane.bits[:2, 0].tolist() == [7, 1]
