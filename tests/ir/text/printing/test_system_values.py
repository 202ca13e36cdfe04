"""The numbers of system values."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.text.printing.system_values import system_value_bit


@pytest.mark.parametrize(
    ("name", "mode", "bit"),
    [
        ("load_vertex_id", None, 9),
        ("load_frag_coord", None, 19),
        ("load_tess_coord", None, 33),
        ("load_workgroup_id", None, 45),
        ("load_barycentric_pixel", "INTERP_MODE_SMOOTH", 56),
        ("load_barycentric_sample", "INTERP_MODE_NONE", 57),
        ("load_barycentric_centroid", "INTERP_MODE_NOPERSPECTIVE", 61),
        ("load_barycentric_pixel", "INTERP_MODE_FLAT", None),
        ("load_input", None, None),
        ("store_output", None, None),
    ],
)
def test_bits(name: str, mode: str | None, bit: int | None) -> None:
    assert system_value_bit(IntrinsicInstr(name, [], {} if mode is None else {"interp_mode": mode})) == bit
