"""How large a patch is."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.patch_size import output_patch_size
from tests.passes.shader_text import shader

OUT = "decl_var {}shader_out INTERP_MODE_NONE none {} o (VARYING_SLOT_VAR0.x, 0, 0)"


@pytest.mark.parametrize(
    ("header", "size"),
    [
        (["tcs_vertices_out: 5"], 5),
        (["tcs_vertices_out: 5", OUT.format("", "float[3]")], 5),
        (["tcs_vertices_out: 0", OUT.format("", "float[3]")], 3),
        ([OUT.format("", "float[4][1]"), OUT.format("patch ", "float[2]")], 4),
        ([OUT.format("", "float[4]"), OUT.format("", "float[3]")], 0),
        ([], 0),
    ],
)
def test_size_of_output_patches(header: list[str], size: int) -> None:
    assert output_patch_size(shader("TESS_CTRL", header=header)) == size
