"""The findings of opt_varyings: where they stand, what they say, and what their fixes do."""

from __future__ import annotations

from collections import Counter

import pytest

from nirls.ir.shader import Shader
from nirls.passes.finding import Finding
from nirls.passes.translation_validation import Equivalent, validate_pass
from nirls.passes.varyings import opt_varyings
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, interpolated, loads, stores, vertex


def findings(producer: Shader, consumer: Shader, **options: bool | int) -> list[Finding]:
    return list(opt_varyings.find([producer, consumer], options))


def codes(found: list[Finding]) -> Counter[str]:
    return Counter(finding.code.code for finding in found)


def of_code(found: list[Finding], code: str) -> list[Finding]:
    return [finding for finding in found if finding.code.code == code]


def test_store_and_load_have_a_finding_each_and_point_at_each_other() -> None:
    producer, consumer = vertex(store("VAR0")), fragment(load(4, "VAR0"), use("%4"))
    on_store, on_load = findings(producer, consumer)
    assert (on_store.place.shader, on_load.place.shader) == (producer, consumer)
    assert [related.place for related in on_store.related] != []
    assert on_store.related[0].place.span == on_load.place.span
    assert on_load.related[0].place.span == on_store.place.span
    assert on_store.fixes[0].key != on_load.fixes[0].key


def test_each_slot_is_reported_for_the_first_step_that_takes_it() -> None:
    producer = vertex(store("VAR0"), store("VAR0", component=1))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR0", 1), use("%4"), use("%5"))
    assert set(codes(findings(producer, consumer))) == {"propagatable-output"}


def test_fix_of_one_leaves_the_others() -> None:
    producer = vertex(store("VAR0"), store("VAR1"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5"))
    found = findings(producer, consumer)
    changes = found[0].fixes[0].compute()
    assert [change.before for change in changes] == [producer, consumer]
    assert len(stores(changes[0].after)) == 1
    assert len(loads(changes[1].after)) == 1
    assert len(stores(producer)) == 2, "the dumps themselves stay"


def test_fix_of_all() -> None:
    producer = vertex(store("VAR0"), store("VAR1"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5"))
    every = next(fix for fix in findings(producer, consumer)[0].fixes if fix.kind == "all")
    assert stores(every.compute()[0].after) == []


CASES = {
    "propagatable-output": ([store("VAR0")], [load(4, "VAR0"), use("%4")]),
    "duplicate-output": (
        [store("VAR0", "%10"), store("VAR1", "%10")],
        [load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5")],
    ),
    "movable-expression": (
        [store("VAR0", "%10"), store("VAR1", "%11")],
        [load(4, "VAR0"), load(5, "VAR1"), "32    %6 = fmax %4, %5", use("%6")],
    ),
    "convergent-output": (
        ["32    %19 = @load_draw_id", "32    %20 = u2f32 %19", store("VAR0", "%20")],
        [interpolated(4, "VAR0"), "32    %5 = fsin %4", use("%4"), use("%5")],
    ),
    "packing": (
        [store("VAR3", "%10"), store("VAR5", "%11")],
        [load(4, "VAR3"), load(5, "VAR5"), use("%4"), use("%5")],
    ),
}


@pytest.mark.parametrize("code", CASES)
def test_every_fix_keeps_what_the_pipeline_does(code: str) -> None:
    producer, consumer = vertex(*CASES[code][0]), fragment(*CASES[code][1])
    found = of_code(findings(producer, consumer), code)
    assert len(found) == 2
    for finding in found:
        for fix in finding.fixes:
            changes = {id(change.before): change.after for change in fix.compute()}
            assert changes, fix.title
            after = [changes.get(id(shader), shader) for shader in (producer, consumer)]
            assert isinstance(validate_pass([producer, consumer], after), Equivalent), fix.title


@pytest.mark.parametrize(
    ("code", "option"),
    [
        ("propagatable-output", "propagate"),
        ("duplicate-output", "deduplicate"),
        ("movable-expression", "move_code"),
        ("packing", "pack"),
    ],
)
def test_step_that_is_off_has_no_findings(code: str, option: str) -> None:
    producer, consumer = vertex(*CASES[code][0]), fragment(*CASES[code][1])
    assert of_code(findings(producer, consumer, **{option: False}), code) == []


def test_packing_says_how_many_slots() -> None:
    producer, consumer = vertex(*CASES["packing"][0]), fragment(*CASES["packing"][1])
    (on_store, _) = of_code(findings(producer, consumer), "packing")
    assert on_store.message == "2 varyings in 2 vec4 slots fit in 1 (VAR0)"
    assert on_store.data["slots_after"] == 1


def test_nothing_to_say_about_a_pair_that_is_as_it_should_be() -> None:
    producer = vertex(store("VAR0", "%10"))
    consumer = fragment(interpolated(4, "VAR0"), "32    %5 = fsin %4", use("%5"))
    assert findings(producer, consumer) == []
