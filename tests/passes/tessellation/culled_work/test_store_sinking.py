"""Stores that go to the end, and those that stay."""

from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Block, If
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.passes.tessellation.culled_work.store_sinking import StoreSinker, path_to, stores_to_sink
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid
from tests.passes.tessellation.control_text import control, copy, entry, intrinsics
from tests.passes.tessellation.patches import reread

START = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = @load_invocation_id
%2 = in VAR0.x [%1]
1 %3 = ilt %1, %0
"""


def sunk(body: str) -> int:
    """How many stores move; the result must do the same."""
    before = control(START + body)
    after = copy(before)
    impl = entry(after)
    moving = stores_to_sink(impl, impl.body, impl)
    last = impl.body[-1]
    assert isinstance(last, Block)
    if moving:
        StoreSinker(impl, impl.body, impl).carry(moving, last, {})
    assert_valid(after)
    assert isinstance(verify_shaders(before, reread([before], [after])[0]), Equivalent)
    end = impl.body[-1]
    assert isinstance(end, Block)
    assert stores_to_sink(impl, impl.body, impl) == []
    return len(moving)


@pytest.mark.parametrize(
    ("body", "moved"),
    [
        ("out VAR1.x [%1] = %2\nout VAR2.x [%1] = %2\nblock b9:", 0),
        ("out VAR1.x [%1] = %2\n32 %8 = fsin %2\nout VAR2.x [%1] = %8\nblock b9:", 1),
        # Loaded behind it.
        ("out VAR1.x [%1] = %2\n%8 = load VAR1.x [%1]\nout VAR2.x [%1] = %8\nblock b9:", 0),
        # The later store of the place must stay the later one.
        ("out VAR1.x [%1] = %2\n32 %8 = fsin %2\nout VAR1.x [%1] = %8\nblock b9:", 0),
        # Two stores of one place with a barrier between, by different invocations.
        (
            "out VAR1.x [%0] = %0\nbarrier\n32 %8 = fsin %2\nout VAR1.x [%1] = %8\n32 %9 = fsin %8\n"
            "out VAR2.x [%1] = %9\nblock b9:",
            0,
        ),
    ],
)
def test_straight_code(body: str, moved: int) -> None:
    assert sunk(body) == moved


BRANCHES = """
if %3 {{
    block b1:  // preds: b0
    {then}
}} else {{
    block b2:  // preds: b0
    {otherwise}
}}
block b3:  // preds: b1 b2
32 %20 = fcos %2
out VAR3.x [%1] = %20
block b9:
"""


@pytest.mark.parametrize(
    ("then", "otherwise", "moved"),
    [
        ("32 %8 = fsin %2\nout VAR1.x [%1] = %8", "", 1),
        ("32 %8 = fsin %2\nout VAR1.x [%1] = %8", "out VAR1.x [%1] = %2\nout VAR2.x [%1] = %2", 3),
        (
            """1 %8 = ilt %0, %1
            if %8 {
                block b4:  // preds: b1
                32 %9 = fsin %2
                out VAR1.x [%1] = %9
            } else {
                block b5:  // preds: b1
                out VAR1.x [%1] = %2
            }
            block b6:  // preds: b4 b5
            32 %10 = fexp2 %2
            out VAR2.x [%1] = %10""",
            "",
            3,
        ),
    ],
)
def test_branches_take_their_conditions_along(then: str, otherwise: str, moved: int) -> None:
    assert sunk(BRANCHES.format(then=then, otherwise=otherwise)) == moved


def test_stores_with_the_same_conditions_share_an_if() -> None:
    then = "32 %8 = fsin %2\nout VAR1.x [%1] = %8\nout VAR2.x [%1] = %8"
    shader = control(START + BRANCHES.format(then=then, otherwise="out VAR1.x [%1] = %2"))
    impl = entry(shader)
    last = impl.body[-1]
    assert isinstance(last, Block)
    StoreSinker(impl, impl.body, impl).carry(stores_to_sink(impl, impl.body, impl), last, {})
    ifs = [node for node in impl.cf_nodes() if isinstance(node, If)]
    stores = intrinsics(shader, "store_per_vertex_output")
    assert [path_to(store, impl) for store in stores] == [
        (),
        ((ifs[1], True),),
        ((ifs[1], True),),
        ((ifs[1], False),),
    ]


def test_the_way_to_a_store() -> None:
    shader = control(START + BRANCHES.format(then="out VAR1.x [%1] = %2", otherwise=""))
    impl = entry(shader)
    nested, top = intrinsics(shader, "store_per_vertex_output")
    ((node, taken),) = path_to(nested, impl) or ()
    assert node in impl.body
    assert taken
    assert path_to(top, impl) == ()


def test_stores_of_a_loop_stay() -> None:
    body = """
        loop {
            block b1:  // preds: b0 b4
            32 %8 = phi b0: %0, b4: %10
            1 %9 = ige %8, %1
            if %9 {
                block b2:  // preds: b1
                break
            } else {
                block b3:  // preds: b1
            }
            block b4:  // preds: b3
            32 %10 = iadd %8, %1
            out VAR1.x [%1] = %10
        }
        block b5:  // preds: b2
        32 %11 = fsin %2
        out VAR2.x [%1] = %11
        block b9:
    """
    shader = control(START + body)
    impl = entry(shader)
    store = next(
        instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and "store" in instr.name
    )
    assert path_to(store, impl) is None
    assert stores_to_sink(impl, impl.body, impl) == []
