from __future__ import annotations

import pytest

from nirls.passes.buffers.accesses import dynamic_accesses
from tests.passes.shader_text import ZERO, shader

INDEX = "32 %1 = @load_sample_id"
SSBO = "(access=ACCESS, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("line", "access", "is_load"),
    [
        (f"32 %2 = @load_ssbo (%1, %0) {SSBO}", "none", True),
        (f"32 %2 = @load_ssbo (%1, %0) {SSBO}", "volatile", False),
        ("32 %2 = @get_ssbo_size (%1) (access=ACCESS)", "none", True),
        (f"@store_ssbo (%0, %1, %0) {SSBO.replace('(', '(wrmask=x, ')}", "none", False),
        ("32 %2 = @ssbo_atomic (%1, %0, %0) (access=ACCESS, atomic_op=iadd)", "none", False),
    ],
)
def test_kinds(line: str, access: str, is_load: bool) -> None:
    parsed = shader("FRAGMENT", ZERO, INDEX, line.replace("ACCESS", access), header=["num_ssbos: 3"])
    (found,) = dynamic_accesses(parsed)
    assert (found.kind, found.is_load, found.blocks, found.obstacle) == ("ssbo", is_load, range(3), None)


def test_constant_indices_are_none() -> None:
    line = f"32 %2 = @load_ssbo (%0, %1) {SSBO.replace('ACCESS', 'none')}"
    assert not list(dynamic_accesses(shader("FRAGMENT", ZERO, INDEX, line, header=["num_ssbos: 3"])))
