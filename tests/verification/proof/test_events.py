from __future__ import annotations

from nirls.verification.proof.events import Events


def events(*hard: str, soft: tuple[str, ...] = ()) -> Events:
    found = Events(0, [(one,) for one in hard])
    found.in_order([(one,) for one in soft])
    return found


def test_hard_events_correspond_in_order() -> None:
    assert events("store", "barrier").corresponds(events("store", "barrier"))
    assert not events("store", "barrier").corresponds(events("barrier", "store"))
    assert not events("store").corresponds(events("store", "store"))


def test_soft_events_may_be_missing_after() -> None:
    assert events(soft=("load", "clock")).corresponds(events(soft=("clock",)))
    assert not events(soft=("clock",)).corresponds(events(soft=("load", "clock")))


def test_equal_soft_events_are_told_apart() -> None:
    found = Events(0)
    (one,) = found.in_order([("clock",)])
    (other,) = found.in_order([("clock",)])
    found.hard.append(("store",))
    (behind,) = found.in_order([("clock",)])
    assert len({one, other, behind}) == 3


def test_events_of_other_instructions_never_correspond() -> None:
    assert not events("store").may_correspond(events("barrier"))
    assert not events("store").may_correspond(events())
    one, other = Events(0, [("store", 1)]), Events(0, [("store", 2)])
    assert one.may_correspond(other)
    assert not one.corresponds(other)
