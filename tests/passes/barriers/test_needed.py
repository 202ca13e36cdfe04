"""Barriers that order accesses of unusual kinds: they stay, and nothing calls their removal equivalent."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.passes.barriers.opt_barriers import opt_barriers
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.barriers.bodies import COMPUTE_HEADER, START, barriers, compute
from tests.passes.expectation import parse_body

PAIR = "(offset0={}, offset1={}, st64={})"
VARIABLES = """decl_var shared INTERP_MODE_NONE none uint a
decl_var shared INTERP_MODE_NONE none uint[8] b
"""


def aliased(body: str, layout: str = "true") -> Shader:
    """A shader whose shared variables may overlap: `a` is stored by all, `b` loaded."""
    header = f"{COMPUTE_HEADER}\nshared_memory_explicit_layout: {layout}\n{VARIABLES}"
    lines = """32 %4 = deref_var &a (shared uint)
32 %5 = deref_var &b (shared uint[8])
32 %6 = deref_array &(*%5)[%2] (shared uint)  // &b[%2]
"""
    return parse_body(f"{START}{lines}{body}\nblock b99:\n", "COMPUTE", header)


WAIT = "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)"
STORE = "@store_ssbo (%9, %0, %3) (wrmask=x, access=none, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    "body",
    [
        # Both halves of the pair are other bytes than those of the other access.
        f"32x2 %8 = vec2 %2, %2\n@store_shared2_amd (%8, %3) {PAIR.format(0, 8, 0)}\nwait shared\n"
        "%9 = sld [%0]\ngst %9",
        f"sst %2 [%3]\nwait shared\n32x2 %8 = @load_shared2_amd (%0) {PAIR.format(4, 8, 0)}\n"
        "32 %9 = iadd %8.x, %8.y\ngst %9",
        f"32x2 %8 = vec2 %2, %2\n@store_shared2_amd (%8, %3) {PAIR.format(0, 1, 0)}\nwait shared\n"
        f"32x2 %7 = @load_shared2_amd (%0) {PAIR.format(4, 5, 0)}\n32 %9 = iadd %7.x, %7.y\ngst %9",
        # An append is an atomic of the whole subgroup.
        "sst %2 [%0]\nwait shared\n32 %9 = @shared_append_amd () (base=0)\ngst %9",
        "32 %9 = @shared_append_amd () (base=0)\nwait shared\n%8 = sld [%0]\ngst %8\ngst %9",
        # A block load reads what the other lanes stored.
        "sst %2 [%3]\nwait shared\n"
        "32 %9 = @load_shared_block_intel (%0) (base=0, align_mul=4, align_offset=0)\ngst %9",
        # Memory of which nothing is known.
        "sst %2 [%3]\nwait shared\n32 %9 = @intrinsic_of_2030 (%0)\ngst %9",
    ],
)
def test_a_barrier_between_accesses_that_meet(body: str) -> None:
    check_that_the_barrier_stays(compute(body))


def test_a_barrier_between_variables_that_overlap() -> None:
    body = (
        f"@store_deref (%6, %2) (wrmask=x, access=none)\n{WAIT}\n32 %9 = @load_deref (%4) (access=none)\n"
        f"{STORE}"
    )
    check_that_the_barrier_stays(aliased(body))
    assert len(opt_barriers(aliased(body, "false"))) == 1


def check_that_the_barrier_stays(shader: Shader) -> None:
    after = clone_shader(shader)
    assert opt_barriers(after) == []
    for barrier in barriers(after):
        barrier.remove()
    assert not isinstance(verify_shaders(shader, after), Equivalent)


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        # The pair of the one is behind that of the other.
        (
            f"32x2 %8 = vec2 %2, %2\n@store_shared2_amd (%8, %0) {PAIR.format(0, 1, 0)}\nwait shared\n"
            f"32x2 %7 = @load_shared2_amd (%0) {PAIR.format(2, 3, 0)}\n32 %9 = iadd %7.x, %7.y\ngst %9",
            0,
        ),
        # 64 elements apart.
        (
            f"32x2 %8 = vec2 %2, %2\n@store_shared2_amd (%8, %0) {PAIR.format(0, 1, 1)}\nwait shared\n"
            f"32x2 %7 = @load_shared2_amd (%0) {PAIR.format(1, 63, 0)}\n32 %9 = iadd %7.x, %7.y\ngst %9",
            0,
        ),
        (
            f"32x2 %8 = vec2 %2, %2\n@store_shared2_amd (%8, %0) {PAIR.format(0, 1, 1)}\nwait shared\n"
            f"32x2 %7 = @load_shared2_amd (%0) {PAIR.format(1, 64, 0)}\n32 %9 = iadd %7.x, %7.y\ngst %9",
            1,
        ),
    ],
)
def test_bytes_that_are_known(body: str, stays: int) -> None:
    shader = compute(body)
    assert len(barriers(shader)) - len(opt_barriers(shader)) == stays
