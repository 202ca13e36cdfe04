"""What a barrier keeps in order, and why one keeps nothing."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.barriers.accesses import SharedAccess
from nirls.passes.barriers.order import Judgement, Ordered, judge
from nirls.passes.barriers.regions import Barrier, BodyEvents
from tests.passes.barriers.bodies import barrier, compute, control

FLAG = "32 %8 = @ssbo_atomic (%0, %0, %1) (access=none, atomic_op=iadd)"


def judgements(shader: Shader) -> list[Judgement]:
    impl = shader.entrypoint
    assert impl is not None
    events = BodyEvents(shader, impl)
    return [judge(events, one) for one in events.barriers()]


def names(ordered: Ordered) -> tuple[str, str]:
    sides: list[str] = []
    for side in (ordered.before, ordered.after):
        assert isinstance(side, SharedAccess | Barrier)
        instr: Instr = side.instr
        assert isinstance(instr, IntrinsicInstr)
        sides.append(instr.name)
    return sides[0], sides[1]


def test_a_store_and_a_load_of_another_invocation_are_kept_in_order() -> None:
    (judgement,) = judgements(compute("sst %2 [%3]\nwait shared\n%9 = sld [%0]\ngst %9"))
    assert not judgement.is_needless
    assert names(judgement.ordered[0]) == ("store_shared", "load_shared")


def test_nothing_ahead_or_behind() -> None:
    (judgement,) = judgements(compute("wait shared\n%9 = sld [%0]\ngst %9"))
    assert judgement.is_needless
    assert "before" in judgement.reason
    (judgement,) = judgements(compute("sst %2 [%3]\nwait shared"))
    assert judgement.is_needless
    assert "after" in judgement.reason


def test_of_two_in_a_row_each_does_the_work_of_the_other() -> None:
    one, other = judgements(compute("sst %2 [%3]\nwait shared\nwait shared\n%9 = sld [%0]\ngst %9"))
    assert one.is_needless
    assert other.is_needless
    assert len(one.instead) == 1


def test_of_two_fences_in_a_row_each_does_the_work_of_the_other() -> None:
    one, other = judgements(compute("sst %2 [%3]\nfence shared\nfence shared\n%9 = sld [%0]\ngst %9"))
    assert one.is_needless
    assert other.is_needless


def test_a_wait_keeps_loads_of_a_buffer_in_order_that_others_may_write() -> None:
    """Invocations outside the workgroup may store both places."""
    wait = barrier(reaches="DEVICE", modes="ssbo")
    (judgement,) = judgements(compute(f"%8 = gld\n{wait}\n%9 = gld\nsst %8 [%3]\nsst %9 [%2]"))
    assert [names(ordered) for ordered in judgement.ordered] == [("load_ssbo", "load_ssbo")]


@pytest.mark.parametrize(
    ("body", "ordered"),
    [
        (f"sst %2 [%3]\nfence shared\n{FLAG}", ("store_shared", "ssbo_atomic")),
        (f"{FLAG}\nfence shared\n%9 = sld [%3]\ngst %9", ("ssbo_atomic", "load_shared")),
    ],
)
def test_a_fence_keeps_accesses_in_order_with_an_atomic_that_signals(
    body: str, ordered: tuple[str, str]
) -> None:
    (judgement,) = judgements(compute(body))
    assert [names(one) for one in judgement.ordered] == [ordered]


def test_a_fence_of_memory_nobody_touches_orders_nothing() -> None:
    (judgement,) = judgements(compute("gst %2\nfence shared\ngst %2"))
    assert judgement.is_needless


def test_stores_of_an_invocation_to_its_own_place_need_no_barrier() -> None:
    wait = barrier(modes="shader_out")
    body = f"out VAR0.x [%1] = %1\n{wait}\n%9 = load VAR0.x [%1]\npatch PATCH0.x = %9"
    (judgement,) = judgements(control(body))
    assert judgement.is_needless
    (judgement,) = judgements(control(body.replace("load VAR0.x [%1]", "load VAR0.x [%0]")))
    assert not judgement.is_needless


def test_reasons() -> None:
    """A reason says on which side nothing is accessed, and whether another barrier is near."""
    bodies = {
        "gst %2\nfence shared\ngst %2": "no shared memory is accessed before it",
        "wait shared\n%9 = sld [%0]\ngst %9": "no shared memory is accessed before it",
        "sst %2 [%3]\nwait shared": "no shared memory is accessed after it",
        "sst %2 [%0]\nwait shared\n%9 = sld [%1]\ngst %9": (
            "no access after it conflicts with an access of another invocation before it"
        ),
    }
    for body, reason in bodies.items():
        (judgement,) = judgements(compute(body))
        assert judgement.reason == reason
