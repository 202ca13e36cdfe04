from __future__ import annotations

import pytest

from nirls.ir.effects import can_reorder
from nirls.ir.model.instructions import IntrinsicInstr
from tests.passes.expectation import parse_body

DECLARATIONS = """
decl_var uniform INTERP_MODE_NONE none float u (0, 0, 0)
decl_var shader_out INTERP_MODE_NONE none float o (FRAG_RESULT_DATA0.x, 0, 0)
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("32 %9 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)", False),
        ("32 %9 = @load_ssbo (%0, %0) (access=reorderable, align_mul=4, align_offset=0)", True),
        ("32 %9 = @load_ssbo (%0, %0) (access=volatile|reorderable, align_mul=4, align_offset=0)", False),
        (
            "32 %9 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
            True,
        ),
        ("32 %9 = @load_deref (%1) (access=none)", True),
        ("32 %9 = @load_deref (%2) (access=none)", False),
        ("32 %9 = @load_deref (%1) (access=volatile)", False),
        ("1 %9 = @load_front_face", True),
        ("32 %9 = @ddx (%0)", False),
        ("@terminate", False),
    ],
)
def test_what_may_be_reordered(line: str, expected: bool) -> None:
    shader = parse_body(
        "block b0:\n32 %0 = load_const (0x00000000)\n32 %1 = deref_var &u (uniform float)\n"
        f"32 %2 = deref_var &o (shader_out float)\n{line}\nblock b1:",
        declarations=DECLARATIONS,
    )
    (impl,) = shader.impls()
    (intrinsic,) = [instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr)]
    assert can_reorder(intrinsic) is expected
