from __future__ import annotations

from tests.verification.evaluate.shader_text import store, stored
from tests.verification.evaluate.steps.buffer_lines import run_lines


def test_descriptors_tell_bindings_and_elements_apart() -> None:
    index = "@vulkan_resource_index ({}) (desc_set={}, binding={}, desc_type=SSBO)"
    lines = []
    places = (("%0 (0x0)", 0, 0), ("%0 (0x0)", 0, 1), ("%1 (0x1)", 0, 0), ("%0 (0x0)", 1, 0))
    for number, place in enumerate(places):
        lines += [
            f"    32x2   %1{number} = {index.format(*place)}",
            f"    32x2   %2{number} = @load_vulkan_descriptor (%1{number}) (desc_type=SSBO)",
            f"    32     %3{number} = mov %2{number}.x",
            store(f"3{number}", "0", component=number),
        ]
    result = run_lines(*lines)
    assert len({stored(result, number)[0] for number in range(4)}) == 4
