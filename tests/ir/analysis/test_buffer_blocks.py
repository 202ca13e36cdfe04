from __future__ import annotations

import pytest

from nirls.ir.analysis.buffer_blocks import possible_blocks
from nirls.ir.text.parse import parse_dump
from tests.passes.shader_text import ZERO, shader_text


@pytest.mark.parametrize(
    ("header", "kind", "blocks"),
    [
        ([], "ubo", None),
        (["num_ubos: 3"], "ubo", range(4)),
        (["num_ubos: 3", "first_ubo_is_default_ubo: true"], "ubo", range(3)),
        (["ubos: 5"], "ubo", range(6)),
        (["num_ubos: 0"], "ubo", range(0)),
        (["num_ssbos: 2"], "ssbo", range(2)),
        (["num_ssbos: two"], "ssbo", None),
        (["num_ubos: 2"], "ssbo", None),
        (["decl_var ssbo INTERP_MODE_NONE none B[4] b (~0, 0, 3)"], "ssbo", range(7)),
        (["num_ssbos: 1", "decl_var ssbo INTERP_MODE_NONE none B b (~0, 0, 3)"], "ssbo", range(4)),
        (["decl_var ssbo INTERP_MODE_NONE none B[4][2] b (~0, 0, 3)"], "ssbo", range(11)),
        # Contents of one block: a driver's parameters, the uniforms outside of blocks.
        (
            ["num_ubos: 1", "decl_var ubo INTERP_MODE_NONE none uint[7] $driver_params (0, 1, 0)"],
            "ubo",
            range(2),
        ),
        (["num_ubos: 1", "decl_var ubo INTERP_MODE_NONE none vec4[64] uniform_0 (0, 0, 2)"], "ubo", range(3)),
    ],
)
def test_header_and_declarations(header: list[str], kind: str, blocks: range | None) -> None:
    shader = parse_dump(shader_text("COMPUTE", ZERO, header=header).encode())
    assert not shader.unreadable
    assert possible_blocks(shader, kind) == blocks


@pytest.mark.parametrize(
    "index",
    [
        "32x2 %1 = @vulkan_resource_index (%0 (0x0)) (desc_set=0, binding=0, desc_type=UBO)",
        "32 %1 = @bindless_resource_ir3 (%0 (0x0)) (desc_set=0)",
    ],
)
def test_descriptors_have_no_block_numbers(index: str) -> None:
    shader = parse_dump(shader_text("COMPUTE", ZERO, index, header=["num_ubos: 2"]).encode())
    assert possible_blocks(shader, "ubo") is None


LOAD = "32 %9 = @load_ubo ({}, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)"


@pytest.mark.parametrize(
    ("lines", "index"),
    [
        (["32 %1 = load_const (0x00000004)"], "%1"),
        (["32x2 %1 = load_const (0x00000000, 0x00000004)", "32 %2 = mov %1.y"], "%2"),
        (
            [
                "32 %1 = load_const (0x00000004)",
                "32x2 %2 = vec2 %0, %1",
                "32x2 %3 = mov %2.yx",
                "32 %4 = mov %3.x",
            ],
            "%4",
        ),
    ],
)
def test_a_constant_index_beyond_the_count_is_one_of_a_descriptor_map(lines: list[str], index: str) -> None:
    load = LOAD.format(index)
    for count, blocks in ((1, None), (3, None), (4, range(5))):
        text = shader_text("VERTEX", ZERO, *lines, load, header=[f"num_ubos: {count}", "num_ssbos: 1"])
        shader = parse_dump(text.encode())
        assert possible_blocks(shader, "ubo") == blocks
        assert possible_blocks(shader, "ssbo") == range(1)


def test_an_index_that_no_block_number_reaches_is_a_handle() -> None:
    lines = [ZERO, "32 %1 = @load_vertex_id", "32 %2 = load_const (0x01000000)", "32 %3 = umax %1, %2"]
    text = shader_text("VERTEX", *lines, LOAD.format("%3"), header=["num_ubos: 1", "num_ssbos: 1"])
    shader = parse_dump(text.encode())
    assert possible_blocks(shader, "ubo") is None
    assert possible_blocks(shader, "ssbo") == range(1)


def test_a_computed_index_says_nothing_about_the_count() -> None:
    lines = [ZERO, "32 %1 = @load_vertex_id", LOAD.format("%1")]
    shader = parse_dump(shader_text("VERTEX", *lines, header=["num_ubos: 1"]).encode())
    assert possible_blocks(shader, "ubo") == range(2)
