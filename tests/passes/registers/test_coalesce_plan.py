from __future__ import annotations

import pytest

from nirls.ir.model.instructions import AluInstr
from nirls.passes.registers.coalesce_plan import is_per_channel, plan_vectors
from tests.passes.shader_text import ONE, ZERO, shader


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("32 %2 = fadd %0, %1", True),
        ("32 %2 = ffma %0, %1, %1", True),
        ("1 %2 = flt %0, %1", True),
        ("32 %2 = fdot2 %0.xx, %1.xx", False),
        ("32x2 %2 = vec2 %0, %1", False),
        ("64 %2 = pack_64_2x32_split %0, %1", True),
        ("32 %2 = pack_half_2x16 %0.xx", False),
        ("32 %2 = unheard_of %0, %1", False),
    ],
)
def test_per_channel(line: str, expected: bool) -> None:
    (impl,) = shader("FRAGMENT", ZERO, ONE, line).impls()
    last = list(impl.defs())[-1].instr
    assert isinstance(last, AluInstr)
    assert is_per_channel(last) is expected


def test_no_registers_no_plans() -> None:
    (impl,) = shader("FRAGMENT", ZERO, ONE, "32x2 %2 = vec2 %0, %1").impls()
    assert plan_vectors(impl) == []
