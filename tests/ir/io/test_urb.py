from __future__ import annotations

import pytest

from nirls.ir.io.urb import UrbAccess, UrbMap, urb_access, urb_maps
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.text.parse import parse_dump

BELOW = b"""
TCS Input MESA_SHADER_TESS_CTRL VUE map (3 slots, fixed)
  [00] VARYING_SLOT_PSIZ
  [01] VARYING_SLOT_POS
  [02] VARYING_SLOT_VAR0

TCS Output PUE map (5 slots, 2/patch, 3/vertex, fixed)
  [00] VARYING_SLOT_TESS_LEVEL_OUTER
  [01] VARYING_SLOT_TESS_LEVEL_INNER
  [02] VARYING_SLOT_POS
  [03] VARYING_SLOT_VAR0
  [04] VARYING_SLOT_VAR1

Native code for unnamed tessellation control shader
"""


def test_maps_of_vertices_and_patches() -> None:
    vertices, patches = urb_maps(BELOW)
    assert vertices == UrbMap(True, ("VARYING_SLOT_PSIZ", "VARYING_SLOT_POS", "VARYING_SLOT_VAR0"))
    assert not patches.is_input
    assert patches.per_patch == 2
    assert [vertices.slot_at(vec4) for vec4 in (2, 3)] == ["VARYING_SLOT_VAR0", None]
    # Vertex 1 starts behind the three slots of vertex 0.
    assert [patches.slot_at(vec4) for vec4 in (1, 4, 5, 6)] == [
        *("VARYING_SLOT_TESS_LEVEL_INNER", "VARYING_SLOT_VAR1"),
        *("VARYING_SLOT_POS", "VARYING_SLOT_VAR0"),
    ]


def test_maps_behind_a_log_prefix() -> None:
    prefixed = BELOW.replace(b"\n", b"\n[  1.25] ")
    assert list(urb_maps(prefixed)) == list(urb_maps(BELOW))


def access(line: str) -> UrbAccess | None:
    text = (
        "shader: MESA_SHADER_TESS_CTRL\nimpl main {\n    block b0:\n    32    %0 = load_const (0x00000002)\n"
        "    32    %1 = load_const (0x00000011)\n    32x8  %2 = undefined\n    32    %3 = undefined\n"
        f"    {line}\n}}\n"
    )
    (impl,) = parse_dump(text.encode()).impls()
    return urb_access(next(one for one in impl.instrs() if isinstance(one, IntrinsicInstr)))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@store_urb_vec4_intel (%2, %3, %0, %1) (base=1)", UrbAccess(True, False, ((3, 0), (4, 0)))),
        (
            "32x2  %4 = @load_urb_vec4_intel (%3, %0) (base=0, access=none, mem_modes=shader_in)",
            UrbAccess(False, True, ((2, 0), (2, 1))),
        ),
        ("@store_urb_vec4_intel (%2, %3, %3, %1) (base=1)", None),
        ("@store_urb_vec4_intel (%2, %3, %0, %3) (base=1)", None),
        ("32    %4 = @load_urb_output_handle_intel", None),
    ],
)
def test_accesses(line: str, expected: UrbAccess | None) -> None:
    assert access(line) == expected
