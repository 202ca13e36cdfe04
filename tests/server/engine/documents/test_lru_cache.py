"""What was used last is kept, up to a weight."""

from __future__ import annotations

from nirls.server.engine.documents.lru_cache import LruCache


def test_what_was_not_used_for_long_goes_first() -> None:
    kept: LruCache[str, int] = LruCache(10)
    assert kept.put("a", 1, 4) == []
    assert kept.put("b", 2, 4) == []
    assert kept.get("a") == 1
    assert kept.put("c", 3, 4) == [2]
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, None, 3)
    assert kept.values() == [1, 3]


def test_one_heavy_thing_takes_the_place_of_many() -> None:
    kept: LruCache[int, int] = LruCache(100)
    for number in range(50):
        kept.put(number, number, 2)
    assert len(kept) == 50
    assert kept.put(50, 50, 60) == list(range(30))
    assert len(kept) == 21


def test_what_was_kept_last_stays_whatever_it_weighs() -> None:
    kept: LruCache[str, int] = LruCache(10)
    kept.put("light", 1, 1)
    assert kept.put("heavy", 2, 1000) == [1]
    assert "heavy" in kept
    assert kept.put("light", 3, 1) == [2]


def test_a_new_value_takes_the_place_and_the_weight_of_the_old_one() -> None:
    kept: LruCache[str, int] = LruCache(10)
    for number in range(20):
        assert kept.put("same", number, 9) == []
    assert kept.put("other", 1, 1) == []
    assert (kept.get("same"), len(kept)) == (19, 2)


def test_the_bound_may_change() -> None:
    kept: LruCache[int, int] = LruCache(2)
    kept.limit = 3
    for number in range(5):
        kept.put(number, number, 1)
    assert kept.values() == [2, 3, 4]
    kept.limit = 1
    assert kept.put(5, 5, 1) == [2, 3, 4]


def test_all_can_be_forgotten() -> None:
    kept: LruCache[str, int] = LruCache(2)
    kept.put("a", 1, 2)
    kept.clear()
    assert kept.put("b", 2, 2) == []
    assert kept.values() == [2]


def test_a_removed_entry_frees_its_size() -> None:
    kept: LruCache[str, int] = LruCache(10)
    kept.put("a", 1, 6)
    assert kept.pop("a") == 1
    assert kept.pop("a") is None
    kept.put("b", 2, 6)
    assert kept.put("c", 3, 4) == []
