"""The journal: records by scalar, followed through rounds and packing."""

from __future__ import annotations

from nirls.passes.varyings.interface.accesses import Linkage, link, name_of_half
from nirls.passes.varyings.interface.decisions import Fate, Journal, Step, StepObstacle
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, vertex

VAR0 = 32 * 8
WHY = StepObstacle(Step.PACKING, "state", "a reason")


def begun() -> tuple[Journal, Linkage]:
    linkage = link(vertex(store("VAR0", "%10")), fragment(load(4, "VAR0"), load(5, "VAR1"), use("%4")))
    assert isinstance(linkage, Linkage)
    journal = Journal()
    journal.begin(linkage)
    return journal, linkage


def test_first_round_opens_a_record_for_each_scalar() -> None:
    journal, _ = begun()
    assert [(one.number, one.was_read) for one in journal.records.values()] == [
        (VAR0, True),
        (VAR0 + 8, True),
    ]


def test_later_round_drops_obstacles_of_scalars_that_are_left() -> None:
    journal, linkage = begun()
    journal.obstruct((VAR0, VAR0 + 1), WHY)
    assert journal.records[VAR0].obstacles == {Step.PACKING: WHY}
    journal.begin(linkage)
    assert journal.records[VAR0].obstacles == {}


def test_scalar_is_followed_through_packing() -> None:
    journal, _ = begun()
    journal.move({VAR0: VAR0 + 8, VAR0 + 8: VAR0})
    journal.obstruct((VAR0 + 8,), WHY)
    assert journal.records[VAR0].obstacles == {Step.PACKING: WHY}
    assert journal.records[VAR0].place == VAR0 + 8
    assert journal.origin(VAR0 + 8, 32) == "VAR0.x"


def test_effect_replaces_the_obstacle_of_its_step_and_ends_a_scalar_that_is_gone() -> None:
    journal, _ = begun()
    journal.obstruct((VAR0,), WHY)
    journal.affect((VAR0,), Step.PACKING, Fate.REMOVED, "gone", gone=True)
    journal.obstruct((VAR0,), WHY)
    record = journal.records[VAR0]
    assert (record.place, record.obstacles, len(record.effects)) == (None, {}, 1)


def test_access_that_clean_up_removed_ends_its_record() -> None:
    journal, _ = begun()
    after = link(vertex(), fragment())
    assert isinstance(after, Linkage)
    journal.finish(after)
    assert {one.place for one in journal.records.values()} == {None}
    assert {one.effects[0].fate for one in journal.records.values()} == {Fate.REMOVED}


def test_names() -> None:
    assert [name_of_half(VAR0 + 2), name_of_half(VAR0, 16), name_of_half(VAR0 + 1, 16)] == [
        "VAR0.y",
        "VAR0.x.lo",
        "VAR0.x.hi",
    ]
