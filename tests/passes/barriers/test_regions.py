"""What lies between barriers, on all ways."""

from __future__ import annotations

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.passes.barriers.regions import BarrierRegion, BodyEvents
from tests.passes.barriers.bodies import compute

BODY = """
sst %2 [%3]
wait shared
loop {
    block b1:  // preds: b0 b4
    32 %8 = phi b0: %0, b4: %10
    %9 = sld [%0]
    1 %11 = ige %8, %1
    if %11 {
        block b2:  // preds: b1
        break
    } else {
        block b3:  // preds: b1
    }
    block b4:  // preds: b3
    32 %10 = iadd %8, %1
    wait shared
    gst %9
}
block b5:  // preds: b2
gst %2
"""


def names(region: BarrierRegion) -> list[str]:
    found = [access.instr for access in region.accesses]
    return sorted({instr.name for instr in found if isinstance(instr, IntrinsicInstr)})


def test_regions_end_at_barriers_and_go_round_loops() -> None:
    shader = compute(BODY)
    impl = shader.entrypoint
    assert impl is not None
    events = BodyEvents(shader, impl)
    first, looped = events.barriers()
    assert names(events.before(first, lambda one: True)) == ["store_shared"]
    ahead = events.before(looped, lambda one: True)
    assert names(ahead) == ["load_shared", "store_ssbo"], "its own turn before does not stop it"
    assert ahead.stopped_at == [first]
    assert names(events.after(looped, lambda one: True)) == ["load_shared", "store_ssbo"]
    through = events.before(looped, lambda one: False)
    assert "store_shared" in names(through)
    assert through.barriers == [first]


def test_a_barrier_that_is_left_out_stops_nothing() -> None:
    shader = compute("sst %2 [%3]\nwait shared\nwait shared\n%9 = sld [%0]\ngst %9")
    impl = shader.entrypoint
    assert impl is not None
    events = BodyEvents(shader, impl)
    first, second = events.barriers()
    assert names(events.after(first, lambda one: True)) == []
    events.remove(second)
    assert events.barriers() == [first]
    assert names(events.after(first, lambda one: True)) == ["load_shared", "store_ssbo"]


def test_every_access_of_the_own_block_counts() -> None:
    shader = compute(
        "%9 = sld [%0]\nsst %2 [%3]\ngst %9\nwait shared\ngst %2\nsst %9 [%3]\n%10 = sld [%0]\ngst %10"
    )
    impl = shader.entrypoint
    assert impl is not None
    events = BodyEvents(shader, impl)
    (barrier,) = events.barriers()
    ahead, behind = (region(barrier, lambda one: True) for region in (events.before, events.after))
    assert [len(region.accesses) for region in (ahead, behind)] == [3, 4]
