from __future__ import annotations

import pytest

from nirls.passes.discards.obstacles import Reach, dependency_reason, obstacle
from tests.passes.expectation import parse_body

DECLARATIONS = """
decl_var shader_out INTERP_MODE_NONE none float o (FRAG_RESULT_DATA0.x, 0, 0)
decl_var ssbo INTERP_MODE_NONE restrict float[4] b (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)
"""
HEAD = """
block b0:
32   %0 = load_const (0x00000000)
32   %1 = deref_var &o (shader_out float)
32x4 %2 = deref_var &b (ssbo float[4])
32x4 %3 = deref_array &(*%2)[0] (ssbo float)
32   %4 = deref_var &t (uniform sampler2D)
32x2 %5 = vec2 %0, %0
"""


@pytest.mark.parametrize(
    ("line", "reach"),
    [
        ("@store_deref (%1, %0) (wrmask=x, access=none)", None),
        ("@store_deref (%3, %0) (wrmask=x, access=none)", Reach.EVERY_KIND),
        ("32 %9 = @load_deref (%3) (access=none)", None),
        ("32 %9 = @deref_atomic (%3, %0) (access=none, atomic_op=iadd)", Reach.EVERY_KIND),
        ("@store_global (%0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)", Reach.EVERY_KIND),
        ("@begin_invocation_interlock", Reach.EVERY_KIND),
        ("@some_new_intrinsic (%0)", Reach.EVERY_KIND),
        ("32 %9 = fneg %0", None),
        ("32 %9 = fddx %0", Reach.ALL_BUT_DEMOTES),
        ("32x2 %9 = (float32)lod %4 (texture_deref), %4 (sampler_deref), %5 (coord)", Reach.ALL_BUT_DEMOTES),
        (
            "32x4 %9 = (float32)txl %4 (texture_deref), %4 (sampler_deref), %5 (coord), %0 (lod)",
            None,
        ),
        ("32x2 %9 = (int32)txs %4 (texture_deref), %0 (lod)", None),
    ],
)
def test_what_is_in_the_way(line: str, reach: Reach | None) -> None:
    shader = parse_body(f"{HEAD}\n{line}\nblock b1:", declarations=DECLARATIONS, valid=False)
    (impl,) = shader.impls()
    last = impl.start_block.last
    assert last is not None
    found = obstacle(last)
    assert (None if found is None else found.reach) is reach


def test_what_a_condition_may_depend_on() -> None:
    lines = {
        "32 %9 = @load_deref (%3) (access=none)": "memory that may be written",
        "32 %9 = @ddx (%0)": "cannot be reordered",
        "32 %9 = fneg %0": None,
        "32 %9 = @load_sample_mask_in": None,
    }
    for line, words in lines.items():
        shader = parse_body(f"{HEAD}\n{line}\nblock b1:", declarations=DECLARATIONS)
        (impl,) = shader.impls()
        last = impl.start_block.last
        assert last is not None
        reason = dependency_reason(last)
        assert (reason is None) if words is None else (words in str(reason)), line
