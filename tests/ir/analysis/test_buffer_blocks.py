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
