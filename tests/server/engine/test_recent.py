"""What was used last is kept, up to a weight."""

from __future__ import annotations

from nirls.server.engine.recent import Recent


def test_what_was_not_used_for_long_goes_first() -> None:
    kept: Recent[str, int] = Recent(10)
    assert kept.keep("a", 1, 4) == []
    assert kept.keep("b", 2, 4) == []
    assert kept.get("a") == 1
    assert kept.keep("c", 3, 4) == [2]
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, None, 3)
    assert kept.values() == [1, 3]


def test_one_heavy_thing_takes_the_place_of_many() -> None:
    kept: Recent[int, int] = Recent(100)
    for number in range(50):
        kept.keep(number, number, 2)
    assert len(kept) == 50
    assert kept.keep(50, 50, 60) == list(range(30))
    assert len(kept) == 21


def test_what_was_kept_last_stays_whatever_it_weighs() -> None:
    kept: Recent[str, int] = Recent(10)
    kept.keep("light", 1, 1)
    assert kept.keep("heavy", 2, 1000) == [1]
    assert "heavy" in kept
    assert kept.keep("light", 3, 1) == [2]


def test_a_new_value_takes_the_place_and_the_weight_of_the_old_one() -> None:
    kept: Recent[str, int] = Recent(10)
    for number in range(20):
        assert kept.keep("same", number, 9) == []
    assert kept.keep("other", 1, 1) == []
    assert (kept.get("same"), len(kept)) == (19, 2)


def test_the_bound_may_change() -> None:
    kept: Recent[int, int] = Recent(2)
    kept.most = 3
    for number in range(5):
        kept.keep(number, number, 1)
    assert kept.values() == [2, 3, 4]
    kept.most = 1
    assert kept.keep(5, 5, 1) == [2, 3, 4]


def test_all_can_be_forgotten() -> None:
    kept: Recent[str, int] = Recent(2)
    kept.keep("a", 1, 2)
    kept.clear()
    assert kept.keep("b", 2, 2) == []
    assert kept.values() == [2]
