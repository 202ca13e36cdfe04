"""`decl_reg` registers: one storage a lane, write masks, arrays, old modifiers."""

from __future__ import annotations

from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import VAR0, floats, run, shader_of, store, stored

DECLARED = "(num_components={}, bit_size=32, num_array_elems={}, divergent=1)"


def test_a_write_mask_leaves_the_other_component() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @decl_reg () {DECLARED.format(2, 0)}
    32     %2 = @load_vertex_id_zero_base
    32     %3 = ineg %2
    32x2   %4 = vec2 %2, %2
    32x2   %5 = vec2 %3, %3
                @store_reg (%4, %1) (base=0, wrmask=xy, legacy_fsat=0)
                @store_reg (%5, %1) (base=0, wrmask=y, legacy_fsat=0)
    32x2   %6 = @load_reg (%1) (base=0, legacy_fabs=0, legacy_fneg=0)
    32     %7 = mov %6.x
    32     %8 = mov %6.y
{store("7", "0")}
{store("8", "0", component=1)}
                // succs: b99"""
    result = run(shader_of(body))
    assert stored(result) == list(range(8))
    assert stored(result, 1) == [-lane & 0xFFFFFFFF for lane in range(8)]


def test_each_lane_finds_its_own_array_element_and_none_outside() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %9 = load_const (0x00000007)
    32     %1 = @decl_reg () {DECLARED.format(1, 4)}
    32     %2 = @load_vertex_id_zero_base
                @store_reg_indirect (%9 (0x7), %1, %2) (base=0, wrmask=x, legacy_fsat=0)
    32     %6 = @load_reg_indirect (%1, %2) (base=0, legacy_fabs=0, legacy_fneg=0)
{store("6", "0")}
                // succs: b99"""
    plane = run(shader_of(body)).outputs[OutputKey(VAR0, 0)]
    assert plane.poison[:, 0].tolist() == [False] * 4 + [True] * 4
    assert plane.bits[:4, 0].tolist() == [7] * 4


def test_modifiers_of_loads_and_stores() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @decl_reg () {DECLARED.format(1, 0)}
    32     %2 = load_const (0x40400000 = 3.000000)
                @store_reg (%2 (3.000000), %1) (base=0, wrmask=x, legacy_fsat=1)
    32     %3 = @load_reg (%1) (base=0, legacy_fabs=0, legacy_fneg=1)
{store("3", "0")}
                // succs: b99"""
    assert floats(run(shader_of(body))) == [-1.0] * 8
