from __future__ import annotations

import pytest

from nirls.ir.io.interpolation import FragmentInputs
from nirls.ir.model.instructions import IntrinsicInstr
from tests.ir.evaluate.shader_text import shader_of


@pytest.mark.parametrize(
    ("mode", "type_name", "is_smooth"),
    [
        ("NONE", "vec4", True),
        ("FLAT", "vec4", False),
        ("NONE", "uint", False),
        ("NOPERSPECTIVE", "vec4", True),
    ],
)
def test_variables_that_the_rasterizer_interpolates(mode: str, type_name: str, is_smooth: bool) -> None:
    shader = shader_of(
        "    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n"
        "    32     %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, "
        "io location=VARYING_SLOT_VAR0 slots=1)\n                // succs: b99",
        "FRAGMENT",
        f"decl_var shader_in INTERP_MODE_{mode} none {type_name} v (VARYING_SLOT_VAR0, 0, 0)\n",
    )
    entry = shader.entrypoint
    assert entry is not None
    load = next(instr for instr in entry.instrs() if isinstance(instr, IntrinsicInstr))
    assert (FragmentInputs(shader).declared_smooth(load) is not None) is is_smooth


def test_a_driver_that_uses_barycentrics_loads_flat_inputs_plainly() -> None:
    shader = shader_of(
        "    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n"
        "    32     %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, "
        "io location=VARYING_SLOT_VAR0 slots=1)\n"
        "    32x2   %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n"
        "                // succs: b99",
        "FRAGMENT",
        "decl_var shader_in INTERP_MODE_NONE none vec4 v (VARYING_SLOT_VAR0.xyzw, 0, 0)\n",
    )
    entry = shader.entrypoint
    assert entry is not None
    load, barycentric = (instr for instr in entry.instrs() if isinstance(instr, IntrinsicInstr))
    assert FragmentInputs(shader).declared_smooth(load) is None
    # It is still so after a pass has made the last interpolated load flat.
    barycentric.remove()
    assert FragmentInputs(shader).declared_smooth(load) is None
