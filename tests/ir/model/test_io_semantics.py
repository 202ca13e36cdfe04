"""Flag words keep the order in which Mesa prints them."""

from __future__ import annotations

from nirls.ir.model.io_semantics import FLAG_ORDER, IoSemantics


def test_a_new_flag_goes_where_mesa_prints_it() -> None:
    semantics = IoSemantics(32, 1, ("mediump", "no_varying"))
    assert semantics.with_flag("high_16bits").flags == ("mediump", "high_16bits", "no_varying")
    assert semantics.with_flag("dualsrc").flags == ("dualsrc", "mediump", "no_varying")


def test_a_flag_that_is_set_changes_nothing() -> None:
    semantics = IoSemantics(32, 2, ("no_varying",), (("gs_streams", "x=0"),))
    assert semantics.with_flag("no_varying") is semantics
    added = semantics.with_flag("mediump")
    assert (added.location, added.num_slots, added.values) == (32, 2, (("gs_streams", "x=0"),))
    assert semantics.flags == ("no_varying",)


def test_words_of_later_releases_stay_behind_the_known_ones() -> None:
    assert IoSemantics(0, 1, ("brand_new",)).with_flag("mediump").flags == ("mediump", "brand_new")
    assert IoSemantics(0).with_flag("brand_new").has("brand_new")


def test_no_word_has_two_places() -> None:
    assert len(set(FLAG_ORDER)) == len(FLAG_ORDER)
