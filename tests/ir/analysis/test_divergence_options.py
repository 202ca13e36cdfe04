"""Options of drivers, by the intrinsics of a dump."""

import pytest

from nirls.ir.analysis.divergence import agreement
from nirls.ir.analysis.divergence_options import DivergenceOptions
from nirls.ir.text.parse import parse_dump

HEAD = """shader: MESA_SHADER_{stage}
decl_function main () (entrypoint)

impl main {{
    con block b0:   // preds:
    con 32     %0 = load_const (0x00000000)
"""
END = "    block b1:\n}\n"
# As the drivers of Mesa 26.2.6 print them.
LINES = {
    "RADV: arguments of a workgroup are the same in a subgroup": (
        "VERTEX",
        "    con 32     %1 = @load_scalar_arg_wg_div_amd (base=3)\n",
    ),
    "RADV: scalar loads": (
        "FRAGMENT",
        "    div 32     %1 = @load_vector_arg_amd (base=3)\n    con 64     %2 = undefined\n"
        "    con 32     %3 = @load_global_amd (%2, %1) (base=0, access=readonly|reorderable|smem-amd,"
        " align_mul=4, align_offset=0)\n"
        "    div 32     %4 = @load_global_amd (%2, %1) (base=0, access=none, align_mul=4, align_offset=0)\n",
    ),
    "ANV gfx9: one primitive": (
        "FRAGMENT",
        "    con 32     %1 = @load_front_face\n"
        "    con 32     %2 = @load_push_data_intel (%0 (0x0)) (base=0, range=4)\n",
    ),
    "ANV gfx12: several primitives": (
        "FRAGMENT",
        "    div 32     %1 = @load_front_face\n    div 32x3   %2 = @load_fs_input_interp_deltas (%0 (0x0))"
        " (base=34, component=0, io location=34 slots=1)\n"
        "    con 32     %3 = @load_push_data_intel (%0 (0x0)) (base=0, range=4)\n",
    ),
    "ANV: patches": (
        "TESS_EVAL",
        "    con 32     %1 = @load_primitive_id\n    con 32     %2 = @load_topology_id_intel (base=0)\n",
    ),
    "turnip: loads may tear": (
        "COMPUTE",
        "    con 32     %1 = @load_subgroup_id_shift_ir3\n"
        "    div 32     %2 = @load_shared (%0 (0x0)) (base=0, access=none, align_mul=4, align_offset=0)\n",
    ),
    "NVK: system values say it themselves": (
        "COMPUTE",
        "    div 32     %1 = @load_sysval_nv (access=none, base=19, divergent=1)\n"
        "    con 32     %2 = @load_sysval_nv (access=none, base=20, divergent=0)\n",
    ),
    "no driver: nothing is promised": ("FRAGMENT", "    div 1      %1 = @load_front_face\n"),
}


@pytest.mark.parametrize("name", LINES)
def test_divergence_is_what_the_driver_prints(name: str) -> None:
    stage, lines = LINES[name]
    shader = parse_dump(f"{HEAD.format(stage=stage)}{lines}{END}".encode())
    assert not shader.unreadable
    found = agreement(shader)
    assert found.values == lines.count("%") - lines.count("(%") - lines.count(", %") + 1
    assert found.differing_values == ()


def test_a_dump_without_intrinsics_of_a_driver() -> None:
    assert (
        DivergenceOptions.of_dump(parse_dump(f"{HEAD.format(stage='VERTEX')}{END}".encode()))
        == DivergenceOptions()
    )
