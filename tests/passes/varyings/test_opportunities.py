"""The findings of opt_varyings: what is found, and what they say."""

from __future__ import annotations

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.instructions import AluInstr
from nirls.passes.varyings.opt_varyings import OptVaryings
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.opportunity_cases import (
    CASES,
    applied,
    codes,
    findings,
    fixed,
    of_code,
)
from tests.passes.varyings.pairs import fragment, interpolated, loads, stores, vertex


def test_each_slot_is_reported_for_the_first_step_that_takes_it() -> None:
    producer = vertex(store("VAR0"), store("VAR0", component=1))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR0", 1), use("%4"), use("%5"))
    assert set(codes(findings(producer, consumer))) == {"propagatable-output"}


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
        "VAR0.xy depend only on %10 and uniforms: send that as VAR0.x, and the FS can compute all of"
        " them (2 varyings become 1, cost 2)"
    )
    changes = fixed([producer, consumer], found[0].fixes[0])
    assert [len(stores(change.after)) for change in changes[:1]] == [1]


def test_equal_kinds_of_a_vec4_slot_are_one_finding() -> None:
    """One for its constants, one for its uniform expressions, with what these have in common."""
    shared = ["32    %20 = fmul %1, %1", "32    %21 = fadd %20, %1", "32    %22 = fsub %20, %1"]
    producer = vertex(
        *shared,
        store("VAR0", "%21"),
        store("VAR0", "%22", 1),
        store("VAR0", "%1", 2),
        store("VAR0", "%0", 3),
    )
    consumer = fragment(
        *(line for n in range(4) for line in (interpolated(4 + n, "VAR0", n), use(f"%{4 + n}")))
    )
    uniform, constant = of_code(findings(producer, consumer), "propagatable-output")
    assert uniform.message.startswith("VAR0.xy depend only on uniforms (")
    assert "2 x cost 2, shared part 1)" in uniform.message
    assert uniform.message.endswith(": the FS can compute them (2 varyings fewer)")
    assert constant.message == "VAR0.zw are the constants 1, 0: the FS can use them (2 varyings fewer)"


def test_packing_says_how_many_slots() -> None:
    producer, consumer = vertex(*CASES["packing"][0]), fragment(*CASES["packing"][1])
    (on_store,) = of_code(findings(producer, consumer), "packing")
    assert on_store.message == "2 scalars in 2 vec4 slots: they fit in 1 (VAR0)"
    assert on_store.data["slots_after"] == 1


def test_nothing_to_say_about_a_pair_that_is_as_it_should_be() -> None:
    producer = vertex(store("VAR0", "%10"))
    consumer = fragment(interpolated(4, "VAR0"), "32    %5 = fsin %4", use("%5"))
    assert findings(producer, consumer) == []


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


COSTLY_VALUE = [*(f"32    %{21 + n} = fsin %{20 + n}" for n in range(4)), store("VAR0", "%24")]


@pytest.mark.parametrize(
    ("options", "severity", "over"),
    [
        ({}, Severity.HINT, True),
        ({"max_cost": -1}, Severity.INFORMATION, False),
        ({"max_cost": 40}, Severity.INFORMATION, False),
    ],
)
def test_cost_over_the_usual_limit_is_a_hint_where_no_driver_is_known(
    options: dict[str, object], severity: Severity, over: bool
) -> None:
    producer = vertex("32    %20 = fadd %1, %0", *COSTLY_VALUE)
    consumer = fragment(interpolated(4, "VAR0"), use("%4"))
    found = OptVaryings.with_options(options).find([producer, consumer])
    (finding,) = of_code(list(found), "propagatable-output")
    assert finding.severity is severity
    assert ("over AMD's limit 12" in finding.message) is over


def test_one_expression_on_the_components_of_a_slot_is_one_finding() -> None:
    producer = vertex(*(store("VAR0", value, part) for part, value in enumerate(("%10", "%11", "%12"))))
    consumer = fragment(
        *(load(4 + part, "VAR0", part) for part in range(3)),
        *(f"32    %{14 + part} = fexp2 %{4 + part}" for part in range(3)),
        *(use(f"%{14 + part}") for part in range(3)),
    )
    (found,) = of_code(findings(producer, consumer), "movable-expression")
    assert found.message == (
        "the VS can compute these 3 values: they use only VAR0.xyz"
        " (3 varyings as before, FS 3 -> 0 ALU instructions)"
    )
    assert found.data["slot"] == "VAR0.xyz"
    _, after = applied(producer, consumer, found, "one")
    assert not any(isinstance(instr, AluInstr) for instr in after.instrs())


def test_other_expressions_of_a_slot_are_findings_of_their_own() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR0", "%11", 1))
    consumer = fragment(
        *(load(4, "VAR0"), load(5, "VAR0", 1)),
        *("32    %14 = fexp2 %4", "32    %15 = fsin %5", use("%14"), use("%15")),
    )
    assert codes(findings(producer, consumer))["movable-expression"] == 2


def test_convergent_components_of_a_slot_are_one_finding() -> None:
    producer = vertex(
        *("32    %19 = @load_draw_id", "32    %20 = u2f32 %19", "32    %21 = fsin %20"),
        *(store("VAR0", "%20"), store("VAR0", "%21", 1)),
    )
    consumer = fragment(
        *(interpolated(4, "VAR0"), interpolated(5, "VAR0", 1)),
        *("32    %6 = fsin %4", "32    %7 = fcos %5", *(use(f"%{number}") for number in range(4, 8))),
    )
    (found,) = of_code(findings(producer, consumer), "convergent-output")
    assert found.message == (
        "VAR0.xy have the same values in all vertices of a primitive: no need to interpolate them"
    )


def test_components_over_the_cost_limit_are_one_finding() -> None:
    producer = vertex(
        *("32    %21 = fexp2 %9.x", "32    %22 = fexp2 %9.y"),
        *(store("VAR0", "%21"), store("VAR0", "%22", 1)),
    )
    consumer = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR0", 1), use("%4"), use("%5"))
    (found,) = of_code(findings(producer, consumer, max_cost=1), "costly-output")
    assert found.message.startswith("VAR0.xy depend only on uniforms (")
    assert ", but the cost of each, " in found.message
    assert found.message.endswith(", is over the limit, 1: the FS does not compute them")
