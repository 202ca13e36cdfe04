"""Shader arguments and scalar memory of AMD."""

from __future__ import annotations

from tests.ir.evaluate.shader_text import run, shader_of, store, stored

TEXT = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_scalar_arg_amd (base=1)
    32     %2 = @load_vector_arg_amd (base=1)
    32     %3 = @load_scalar_arg_amd (base=1)
    32     %4 = ixor %1, %3
{store("1", "0")}
{store("2", "0", component=1)}
{store("4", "0", component=2)}
                // succs: b99"""


def test_scalar_arguments_are_the_same_for_all_and_vector_arguments_are_not() -> None:
    result = run(shader_of(TEXT))
    assert len(set(stored(result))) == 1
    assert len(set(stored(result, 1))) > 1
    assert stored(result, 2) == [0] * 8


def test_scalar_memory_is_the_memory_that_others_load() -> None:
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    64     %1 = load_const (0x0000000000001000)
    32     %2 = load_const (0x00000008)
    64     %3 = load_const (0x0000000000001008)
    32     %4 = @load_smem_amd (%1 (0x1000), %2 (0x8)) (align_mul=4, align_offset=0)
    32     %5 = @load_global (%3 (0x1008)) (access=none, align_mul=4, align_offset=0)
    32     %6 = @load_global (%1 (0x1000)) (access=none, align_mul=4, align_offset=0)
{store("4", "0")}
{store("5", "0", component=1)}
{store("6", "0", component=2)}
                // succs: b99"""
    result = run(shader_of(text))
    assert stored(result) == stored(result, 1)
    assert stored(result) != stored(result, 2)
