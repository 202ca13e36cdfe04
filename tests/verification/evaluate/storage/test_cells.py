"""Storage of registers and variables."""

from __future__ import annotations

import numpy as np

from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.storage.cells import Cells
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey, ShaderResult
from nirls.verification.evaluate.values.value import Value
from tests.verification.evaluate.shader_text import VAR0, stored

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


LANES = np.arange(4)
ALL = np.ones(4, np.bool_)


def value(*rows: list[int]) -> Value:
    return Value(np.array(rows, np.uint32), 32)


def test_nothing_is_known_until_something_is_stored() -> None:
    cells = Cells(2, 1, 32, 4)
    cells.store(0, value([1, 2, 3, 4]), 1, LANES < 2, LANES)
    found = cells.load(0, LANES)
    assert found.poison is not None
    assert found.poison.tolist() == [[False, False, True, True]]
    assert found.bits[0, :2].tolist() == [1, 2]


def test_a_narrow_value_fills_the_mask_in_order_and_a_wide_one_by_component() -> None:
    cells = Cells(1, 3, 32, 4)
    cells.fill(0, [7, 8, 9])
    cells.store(0, value([1] * 4, [2] * 4), 0b101, ALL, LANES)
    assert cells.load(0, LANES).bits[:, 0].tolist() == [1, 8, 2]
    cells.store(0, value([4] * 4, [5] * 4, [6] * 4), 0b010, ALL, LANES)
    assert cells.load(0, LANES).bits[:, 0].tolist() == [1, 5, 2]


def test_outside_of_the_array_nothing_happens() -> None:
    cells = Cells(2, 1, 32, 4)
    cells.store(np.array([-1, 0, 1, 2]), value([1, 2, 3, 4]), 1, ALL, LANES)
    found = cells.load(np.array([-1, 0, 1, 2]), LANES)
    assert found.poison is not None
    assert found.poison.tolist() == [[True, False, False, True]]
    assert cells.load(5, LANES).poison is not None


def test_lanes_that_share_a_place_see_the_last_store() -> None:
    cells = Cells(1, 1, 32, 2)
    group = LANES // 2
    cells.store(0, value([1, 2, 3, 4]), 1, ALL, group)
    assert cells.load(0, group).bits.tolist() == [[2, 2, 4, 4]]
