"""The findings of opt_varyings: where they stand, what they say, and what their fixes do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from nirls.ir.finding import Finding, Fix, Severity
from nirls.ir.model.shader import Shader
from nirls.passes.declaration import Change
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification import Equivalent, verify_shaders
from tests.passes.shader_text import ZERO, load, printed_kinds, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated, loads, stores, vertex
from tests.passes.varyings.vertex_pairs import FIRST, SECOND, at_vertex, reader


def findings(producer: Shader, consumer: Shader, **options: bool | int) -> list[Finding]:
    return list(OptVaryings.with_options(options).find([producer, consumer]))


def fixed(shaders: list[Shader], fix: Fix) -> list[Change]:
    return OptVaryings().fix(shaders, fix.request)


def codes(found: list[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in found)


def of_code(found: list[Finding], code: str) -> list[Finding]:
    return [finding for finding in found if finding.code == code]


def test_a_varying_has_one_finding_at_its_store_related_to_the_loads() -> None:
    producer = vertex(store("VAR0"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR0"), use("%4"), use("%5"))
    (found,) = findings(producer, consumer)
    assert found.place.dump == 0
    assert [related.place.dump for related in found.related] == [1, 1]
    assert {related.message for related in found.related} == {"VAR0.x is read here"}


def test_each_slot_is_reported_for_the_first_step_that_takes_it() -> None:
    producer = vertex(store("VAR0"), store("VAR0", component=1))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR0", 1), use("%4"), use("%5"))
    assert set(codes(findings(producer, consumer))) == {"propagatable-output"}


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
    "derivable-output": (
        [
            "32    %20 = fadd %10, %11",
            *(store(f"VAR{slot}", value) for slot, value in enumerate(("%10", "%11", "%20"))),
        ],
        [
            *(interpolated(4 + slot, f"VAR{slot}") for slot in range(3)),
            *(use(f"%{4 + slot}") for slot in range(3)),
        ],
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
    assert len(found) == 1
    for finding in found:
        for fix in finding.fixes:
            changes = {id(change.before): change.after for change in fixed([producer, consumer], fix)}
            assert changes, fix.title
            after = [changes.get(id(shader), shader) for shader in (producer, consumer)]
            assert isinstance(verify_shaders([producer, consumer], after), Equivalent), fix.title


@pytest.mark.parametrize("code", CASES)
def test_findings_that_save_something_are_worth_acting_on(code: str) -> None:
    (found,) = of_code(findings(vertex(*CASES[code][0]), fragment(*CASES[code][1])), code)
    wanted = Severity.HINT if code == "convergent-output" else Severity.INFORMATION
    assert found.severity is wanted
    assert found.fixes


@pytest.mark.parametrize(
    ("code", "option"),
    [
        ("propagatable-output", "propagate"),
        ("duplicate-output", "deduplicate"),
        ("movable-expression", "move_code"),
        ("derivable-output", "move_forward"),
        ("packing", "pack"),
    ],
)
def test_step_that_is_off_has_no_findings(code: str, option: str) -> None:
    producer, consumer = vertex(*CASES[code][0]), fragment(*CASES[code][1])
    assert of_code(findings(producer, consumer, **{option: False}), code) == []


def test_common_value_is_named_and_every_output_of_it_is_related() -> None:
    producer = vertex(
        "32    %20 = fadd %10, %1 (1.000000)",
        "32    %21 = fadd %10, %10",
        store("VAR0", "%20"),
        store("VAR0", "%21", 1),
    )
    consumer = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR0", 1), use("%4"), use("%5"))
    found = of_code(findings(producer, consumer), "derivable-output")
    assert [finding.place.dump for finding in found] == [0]
    assert [related.place.dump for related in found[0].related] == [0, 1, 1]
    assert found[0].message == (
        "VAR0.x, VAR0.y depend only on %10 and uniforms: send that as VAR0.x, and the FS can compute all of"
        " them (2 varyings become 1, cost 2)"
    )
    changes = fixed([producer, consumer], found[0].fixes[0])
    assert [len(stores(change.after)) for change in changes[:1]] == [1]


def test_packing_says_how_many_slots() -> None:
    producer, consumer = vertex(*CASES["packing"][0]), fragment(*CASES["packing"][1])
    (on_store,) = of_code(findings(producer, consumer), "packing")
    assert on_store.message == "2 scalars use 2 vec4 slots; they fit in 1 (VAR0)"
    assert on_store.data["slots_after"] == 1


def test_nothing_to_say_about_a_pair_that_is_as_it_should_be() -> None:
    producer = vertex(store("VAR0", "%10"))
    consumer = fragment(interpolated(4, "VAR0"), "32    %5 = fsin %4", use("%5"))
    assert findings(producer, consumer) == []


def expression_findings(producer: Shader, consumer: Shader) -> list[Finding]:
    return of_code(findings(producer, consumer), "movable-expression")


def applied(producer: Shader, consumer: Shader, finding: Finding, kind: str) -> list[Shader]:
    """Both stages after the fix of a kind, which keeps what they do."""
    fix = next(fix for fix in finding.fixes if fix.request.scope == kind)
    changes = {id(change.before): change.after for change in fixed([producer, consumer], fix)}
    after = [changes.get(id(parsed), parsed) for parsed in (producer, consumer)]
    assert isinstance(verify_shaders([producer, consumer], after), Equivalent)
    return after


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


DRAW = ("32    %19 = @load_draw_id", "32    %20 = u2f32 %19")


@pytest.mark.parametrize(
    ("stored", "loaded", "offered"),
    [
        # Alone, packing makes it flat. Beside an interpolated one it fills a free component of that vec4.
        ([store("VAR0", "%20")], [interpolated(4, "VAR0"), use("%4")], True),
        (
            [store("VAR0", "%20"), store("VAR0", "%10", 1)],
            [interpolated(4, "VAR0"), interpolated(5, "VAR0", 1), use("%4"), use("%5")],
            False,
        ),
        # Point sprites replace texture coordinates.
        ([store("TEX0", "%20")], [interpolated(4, "TEX0"), use("%4")], False),
    ],
)
def test_a_convergent_output_is_offered_where_the_pass_makes_it_flat(
    stored: list[str], loaded: list[str], offered: bool
) -> None:
    pair = [vertex(*DRAW, *stored), fragment(*loaded)]
    assert bool(of_code(findings(*pair), "convergent-output")) is offered
    OptVaryings().run(pair)
    assert ("load_input" in {name for name, _, _ in loads(pair[1])}) is offered
    assert of_code(findings(*pair), "convergent-output") == [], "the hint goes away with the pass"
