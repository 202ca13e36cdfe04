"""Memory behind buffer descriptors, pairs in shared memory, and the memory that all of the GPU shares."""

from __future__ import annotations

import pytest

from nirls.verification.compare.results import compare_results
from tests.verification.evaluate.shader_text import run, shader_of, store, stored

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000008)
    32x4   %2 = load_const (0x00000001, 0x00000002, 0x00000003, 0x00000004)
    32x4   %3 = load_const (0x00000001, 0x00000002, 0x00000003, 0x00000005)
    32     %4 = @load_vertex_id_zero_base
    32     %5 = ishl %4, %1 (0x8)
"""


def test_offsets_of_a_buffer_add_up() -> None:
    text = f"""{HEAD}
           @store_buffer_amd (%4, %2, %5, %1 (0x8), %0 (0x0)) (base=16, wrmask=x, mem_modes=ssbo, access=none)
    32     %6 = iadd %5, %1 (0x8)
    32     %7 = @load_buffer_amd (%2, %6, %1 (0x8), %0 (0x0)) (base=8, mem_modes=0, access=none)
{store("7", "0")}
                // succs: b99"""
    assert stored(run(shader_of(text))) == list(range(8))


def test_another_descriptor_or_index_is_another_memory() -> None:
    text = f"""{HEAD}
           @store_buffer_amd (%4, %2, %5, %0 (0x0), %0 (0x0)) (base=0, wrmask=x, mem_modes=ssbo, access=none)
    32     %6 = @load_buffer_amd (%3, %5, %0 (0x0), %0 (0x0)) (base=0, mem_modes=0, access=none)
    32     %7 = @load_buffer_amd (%2, %5, %0 (0x0), %1 (0x8)) (base=0, mem_modes=0, access=none)
    32     %8 = @load_buffer_amd (%2, %5, %0 (0x0), %0 (0x0)) (base=0, mem_modes=0, access=none)
{store("6", "0")}
{store("7", "0", component=1)}
{store("8", "0", component=2)}
                // succs: b99"""
    result = run(shader_of(text))
    numbers = [stored(result, component) for component in range(3)]
    assert numbers[2] == list(range(8))
    assert numbers[0] != numbers[2] != numbers[1]


def test_lanes_of_a_swizzled_buffer_do_not_meet() -> None:
    def read_back(access: str) -> list[int]:
        text = f"""{HEAD}
           @store_buffer_amd (%4, %2, %0, %0, %0) (base=0, wrmask=x, mem_modes=ssbo, access={access})
    32     %6 = @load_buffer_amd (%2, %0 (0x0), %0 (0x0), %0 (0x0)) (base=0, mem_modes=0, access={access})
{store("6", "0")}
                // succs: b99"""
        return stored(run(shader_of(text)))

    assert read_back("is-swizzled-amd") == list(range(8))
    assert read_back("none") == [7] * 8


def test_what_is_stored_is_seen_from_outside() -> None:
    def shader(base: int) -> str:
        return f"""{HEAD}
           @store_buffer_amd (%4, %2, %5, %0, %0) (base={base}, wrmask=x, mem_modes=ssbo, access=none)
                // succs: b99"""

    one, other = run(shader_of(shader(0))), run(shader_of(shader(4)))
    assert compare_results(one, run(shader_of(shader(0)))) == []
    assert compare_results(one, other)


@pytest.mark.parametrize(("st64", "bytes_"), [("0", 4), ("1", 256)])
def test_a_pair_of_shared_words(st64: str, bytes_: int) -> None:
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x2   %1 = load_const (0x0000000b, 0x00000016)
    32     %2 = load_const (0x{bytes_:08x})
    32     %3 = load_const (0x{3 * bytes_:08x})
           @store_shared2_amd (%1 (0xb, 0x16), %0 (0x0)) (offset0=1, offset1=3, st64={st64})
    32     %4 = @load_shared (%2) (base=0, align_mul=4, align_offset=0)
    32     %5 = @load_shared (%3) (base=0, align_mul=4, align_offset=0)
    32x2   %6 = @load_shared2_amd (%0 (0x0)) (offset0=3, offset1=1, st64={st64})
    32     %7 = ishl %5, %5
    32     %8 = imul %6.x, %4
    32     %9 = iadd %8, %6.y
           @store_ssbo (%9, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)
                // succs: b99"""
    result = run(shader_of(text, "COMPUTE", "workgroup_size: 1, 1, 1\n"), lanes=1)
    assert result.memory["ssbo", 0, 0].bits == 22 * 11 + 11


def test_additions_in_the_memory_of_all_count_every_lane() -> None:
    text = f"""{HEAD}
    32     %6 = @gds_atomic_add_amd (%1 (0x8), %1 (0x8), %0 (0x0)) (base=4)
                // succs: b99"""
    result = run(shader_of(text), lanes=8)
    (cell,) = (cell for key, cell in result.memory.items() if key[0] == "gds")
    twice = run(shader_of(text.replace("%1 (0x8), %1", "%0 (0x0), %1")), lanes=8)
    (untouched,) = (cell for key, cell in twice.memory.items() if key[0] == "gds")
    assert cell.bits == (untouched.bits + 8 * 8) & 0xFFFFFFFF


def test_a_base_is_added_to_the_address_in_the_memory_of_all() -> None:
    text = f"""{HEAD}
    32     %9 = load_const (0x0000000c)
    32     %6 = @gds_atomic_add_amd (%1 (0x8), %1 (0x8), %0 (0x0)) (base=4)
    32     %7 = @gds_atomic_add_amd (%1 (0x8), %9 (0xc), %0 (0x0)) (base=0)
                // succs: b99"""
    assert len([key for key in run(shader_of(text), lanes=8).memory if key[0] == "gds"]) == 1


def test_addresses_with_an_offset_behind_them() -> None:
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    64     %1 = load_const (0x0000000000001000)
    32     %2 = load_const (0x00000008)
    32     %3 = load_const (0x00000063)
           @store_global_amd (%3 (0x63), %1 (0x1000), %2 (0x8)) (base=4, access=none, wrmask=x)
    32     %4 = @global_atomic_amd (%1 (0x1000), %2 (0x8), %2 (0x8)) (base=4, atomic_op=umax)
    64     %5 = load_const (0x000000000000100c)
    32     %6 = @load_global (%5 (0x100c)) (access=none, align_mul=4, align_offset=0)
    32     %7 = @load_global_amd (%1 (0x1000), %2 (0x8)) (base=4, access=none, align_mul=4, align_offset=0)
{store("4", "0")}
{store("6", "0", component=1)}
{store("7", "0", component=2)}
                // succs: b99"""
    result = run(shader_of(text))
    assert [stored(result, component) for component in range(3)] == [[99] * 8] * 3
