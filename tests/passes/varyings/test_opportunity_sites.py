"""Where the findings of opt_varyings stand, and what their fixes do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from nirls.passes.varyings.opportunity_sites import sent_slots
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.table import PackingTable
from nirls.passes.varyings.packings import packing_table
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, load, printed_kinds, shader, store, use
from tests.passes.varyings.opportunity_cases import (
    CASES,
    applied,
    expression_findings,
    findings,
    fixed,
    of_code,
)
from tests.passes.varyings.pairs import fragment, interface_of, interpolated, loads, stores, vertex
from tests.passes.varyings.vertex_pairs import FIRST, SECOND, at_vertex, reader


def test_a_varying_has_one_finding_at_its_store_related_to_the_loads() -> None:
    producer = vertex(store("VAR0"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR0"), use("%4"), use("%5"))
    (found,) = findings(producer, consumer)
    assert found.place.dump == 0
    assert [related.place.dump for related in found.related] == [1, 1]
    assert {related.message for related in found.related} == {"VAR0.x is read here"}


def test_fix_of_one_leaves_the_others() -> None:
    producer = vertex(store("VAR0"), store("VAR1"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5"))
    found = findings(producer, consumer)
    changes = fixed([producer, consumer], found[0].fixes[0])
    assert [change.before for change in changes] == [producer, consumer]
    assert len(stores(changes[0].after)) == 1
    assert len(loads(changes[1].after)) == 1
    assert len(stores(producer)) == 2, "the dumps themselves stay"


def test_fix_of_all() -> None:
    producer = vertex(store("VAR0"), store("VAR1"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5"))
    every = next(fix for fix in findings(producer, consumer)[0].fixes if fix.request.scope == "all")
    assert stores(fixed([producer, consumer], every)[0].after) == []


@pytest.mark.parametrize("code", CASES)
def test_every_fix_keeps_what_the_pipeline_does(code: str) -> None:
    producer, consumer = vertex(*CASES[code][0]), fragment(*CASES[code][1])
    found = of_code(findings(producer, consumer), code)
    assert len(found) == 1
    for finding in found:
        for fix in finding.fixes:
            changes = {id(change.before): change.after for change in fixed([producer, consumer], fix)}
            assert changes, fix.title
            after = [changes.get(id(shader), shader) for shader in (producer, consumer)]
            assert isinstance(verify_shaders([producer, consumer], after), Equivalent), fix.title


def test_expression_of_each_vertex_is_found_at_each_place() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    lines = []
    for number, at in ((20, FIRST), (30, SECOND)):
        lines += [
            at_vertex(number, "VAR0", at),
            f"32    %{number + 1} = fsin %{number}",
            use(f"%{number + 1}"),
        ]
        lines += [at_vertex(number + 2, "VAR1", at), f"32    %{number + 3} = fcos %{number + 2}"]
        lines += [use(f"%{number + 3}")]
    consumer = reader(*lines)
    found = expression_findings(producer, consumer)
    assert [finding.place.dump for finding in found] == [1, 1], "each expression at its first instance"
    assert [[related.place.dump for related in finding.related] for finding in found] == [[1, 0]] * 2
    assert "can compute this once a vertex: it uses only VAR0.x" in found[0].message
    one = applied(producer, consumer, found[0], "one")
    assert "fsin" in printed_kinds(one[0])
    assert "fcos" in printed_kinds(one[1])
    every = applied(producer, consumer, found[0], "all")
    assert {"fsin", "fcos"} <= set(printed_kinds(every[0]))


def test_values_that_are_fewer_than_the_inputs_are_found_together() -> None:
    producer = vertex(
        "32    %20 = fmul %10, %11", store("VAR0", "%10"), store("VAR1", "%11"), store("VAR2", "%20")
    )
    consumer = fragment(
        *(interpolated(4 + slot, f"VAR{slot}") for slot in range(3)),
        "32    %13 = load_const (0x40000000 = 2.000000)",
        "32    %14 = fadd %4, %5",
        "32    %15 = fadd %14, %6",
        "32    %16 = ffma %5, %13, %4",
        "32    %17 = fsub %16, %6",
        "32    %18 = fsin %15",
        "32    %19 = fcos %17",
        use("%18"),
        use("%19"),
    )
    found = expression_findings(producer, consumer)
    assert len(found) == 1
    assert "can compute these 2 values: they use only VAR0.x, VAR1.x and VAR2.x" in found[0].message
    after = applied(producer, consumer, found[0], "one")
    assert len(loads(after[1])) == 2


def test_packing_of_all_stages_of_a_longer_pipeline() -> None:
    first = vertex(store("VAR3", "%10"), store("VAR5", "%11"))
    second = shader(
        "GEOMETRY",
        ZERO,
        load(4, "VAR3", name="load_per_vertex_input"),
        load(5, "VAR5", name="load_per_vertex_input"),
        *(store("VAR6", "%4"), store("VAR9", "%5"), "           @emit_vertex (stream_id=0)") * 3,
        "           @end_primitive (stream_id=0)",
    )
    third = fragment(interpolated(4, "VAR6"), interpolated(5, "VAR9"), use("%4"), use("%5"))
    stages = [first, second, third]
    found = of_code(list(OptVaryings().find(stages)), "packing")
    assert len(found) == 2, "a store on each interface"
    every = {fix.request: fix for finding in found for fix in finding.fixes if fix.request.scope == "all"}
    (fix,) = every.values()
    changes = fixed(stages, fix)
    assert [change.before for change in changes] == stages
    assert isinstance(verify_shaders(stages, [change.after for change in changes]), Equivalent)
    assert len({place[0] for place in stores(changes[0].after)}) == 1
    assert len({place[0] for place in stores(changes[1].after)}) == 1


def test_fix_beyond_one_finding_is_the_same_wherever_it_is_offered() -> None:
    producer = vertex(store("VAR0"), store("VAR1"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5"))
    offered = {fix.request for finding in findings(producer, consumer) for fix in finding.fixes}
    assert Counter(request.scope for request in offered) == {"one": 3, "all": 1, "pass": 1}


def test_requests_that_no_finding_has() -> None:
    shaders = [vertex(*CASES["packing"][0]), fragment(*CASES["packing"][1])]
    (found,) = of_code(findings(shaders[0], shaders[1]), "packing")
    request = found.fixes[0].request
    assert OptVaryings().fix(shaders, request)
    others = (
        replace(request, start=request.start + 1),
        replace(request, dump=7),
        replace(request, part="VAR3.x"),
        replace(request, code="dead-output"),
        replace(request, pass_name="opt_dce"),
        replace(request, scope="all", dump=1),
    )
    for other in others:
        assert OptVaryings().fix(shaders, other) == [], other


def test_packing_counts_what_the_packing_view_counts() -> None:
    """Dead scalars and those that may not move too, but none that only fixed-function hardware reads."""
    producer = vertex(
        *(store("POS", "%10"), store("PSIZ", "%10"), store("LAYER", "%10")),
        *(store("VAR3", "%10"), store("VAR5", "%11"), store("VAR7", "%12")),
    )
    consumer = fragment(load(4, "VAR3"), load(5, "VAR5"), use("%4"), use("%5"))
    interface = interface_of(producer, consumer)
    table = packing_table(producer, consumer, OptVaryings())
    assert isinstance(table, PackingTable)
    sent = sent_slots(interface)
    assert (len(sent), len({slot.location for slot in sent})) == (table.scalars, table.slots) == (3, 3)
    (found,) = of_code(findings(producer, consumer), "packing")
    assert found.message == (
        "3 scalars in 3 vec4 slots: the 2 live ones that may move use 2, and fit in 1 (VAR0)"
    )
