"""Dumps with something missing."""

from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.passes.tessellation.optimize_tcs import optimize
from nirls.passes.tessellation.well_formed import is_well_formed
from tests.passes.shader_text import shader_text
from tests.passes.tessellation.patches import ID, ZERO, control, load, store, vertex
from tools.random_shaders.patches import random_patch


@pytest.mark.parametrize("number", range(4))
def test_whole_dumps(number: int) -> None:
    assert all(map(is_well_formed, random_patch(number)))


@pytest.mark.parametrize(
    "lines",
    [
        ["if %0 {", "block b2: // preds:"],
        ["@store_output (%0) (base=0, io location=VARYING_SLOT_VAR0 slots=1)"],
        ["@store_output () (base=0)"],
        ["32 %2 = @barrier ()"],
        ["32 %2 = mov %7"],
        ["not a line"],
        [load(2, "VAR0").removeprefix("32    %2 = ")],
    ],
)
def test_broken_dumps(lines: list[str]) -> None:
    broken = parse_dump(shader_text("TESS_CTRL", ZERO, ID, *lines, header=("tcs_vertices_out: 3",)).encode())
    assert not is_well_formed(broken)
    summary, changed = optimize([vertex(store("%1", "VAR0")), broken], {})
    assert changed == []
    assert not summary.is_restructured
    assert is_well_formed(control())
