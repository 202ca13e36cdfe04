"""The ledger of hand-written pairs: what happened to each scalar, or why it stays."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.decisions import Fate, Step, StepObstacle
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.ledger import Ledger, LedgerLine
from nirls.passes.varyings.packings import packings
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated, vertex
from tests.passes.varyings.vertex_pairs import at_vertex, for_each_vertex, reader

CAPTURED = "|components=0..0 buffer=0 offset=0"
ATTRIBUTE = "not propagated: the input %{} differs between invocations"
STORED = "not moved into the VS: @store_ssbo cannot move"
UNIFORMS = ("32    %20 = fsqrt %9.x", "32    %21 = fmul %9.y, %20", store("VAR0", "%21"))


def ledger(producer: Shader, consumer: Shader, **options: bool | int) -> Ledger:
    (pair,) = packings([producer, consumer], OptVaryings.with_options(options))
    return pair.ledger


def check(producer: Shader, consumer: Shader, expected: str, **options: bool | int) -> None:
    """Compare the lines of a ledger, its notes, and what one condition keeps."""
    found = ledger(producer, consumer, **options)
    lines = [line.text for line in found.lines]
    lines += [f"{note.step}: {note.message}" for note in found.notes]
    lines += [found.could_go()] if found.could_go() else []
    assert lines == [line.strip() for line in expected.strip().splitlines()]


def two(first: str, second: str, *lines: str) -> Shader:
    """A fragment shader that reads VAR0 as %4 and VAR1 as %5 in the given ways."""
    return fragment(first, second, *(lines or (use("%4"), use("%5"))))


SMOOTH = interpolated(4, "VAR0"), interpolated(5, "VAR1")
FLAT = load(4, "VAR0"), load(5, "VAR1")


@pytest.mark.parametrize(
    ("producer", "consumer", "expected"),
    [
        ([store("VAR0", "%10")], [], "VAR0.x removed: never read by the FS"),
        (
            [store("VAR0", "%10")],
            [interpolated(4, "VAR0")],
            "VAR0.x removed: its value is not used in the FS",
        ),
        (
            [],
            [interpolated(4, "VAR0"), use("%4")],
            "VAR0.x unwritten: never written by the VS, so it reads as undefined",
        ),
        (
            [],
            [load(4, "LAYER"), use("%4")],
            "LAYER.x unwritten: never written by the VS, so it reads as 0",
        ),
        (
            [store("VAR0", "%10", extra=CAPTURED)],
            [],
            "VAR0.x no varying: only transform feedback reads it",
        ),
        (
            [store("POS", "%10")],
            [],
            "POS.x kept: fixed-function hardware uses this slot",
        ),
    ],
)
def test_dead_varyings(producer: list[str], consumer: list[str], expected: str) -> None:
    check(vertex(*producer), fragment(*consumer), expected)


def test_a_constant_and_an_expression_of_uniforms_are_named() -> None:
    check(
        vertex(store("VAR0")),
        fragment(load(4, "VAR0"), use("%4")),
        "VAR0.x propagated: the constant 1 is used in the FS",
    )
    check(
        vertex(*UNIFORMS),
        fragment(load(4, "VAR0"), use("%4")),
        "VAR0.x propagated: the FS computes u.y * sqrt(u.x) (cost 7)",
    )


def test_cost_limits_are_compared_as_numbers() -> None:
    lines = tuple(
        LedgerLine(
            number,
            "VAR0.x",
            "",
            "VAR0.x",
            Fate.KEPT,
            "",
            obstacles=(StepObstacle(Step.PROPAGATION, "cost", "it costs too much", "the limit", 20, limit),),
        )
        for number, limit in enumerate((9, 12))
    )
    assert Ledger(lines).could_go() == "2 could go if the cost limit was 20, not 12"


def test_a_captured_constant_stays_for_transform_feedback() -> None:
    check(
        vertex(store("VAR0", extra=CAPTURED)),
        fragment(load(4, "VAR0"), use("%4")),
        "VAR0.x no varying: the constant 1 is used in the FS; only transform feedback reads it",
    )


def test_cost_limit_is_named_and_counted() -> None:
    pair = vertex(*UNIFORMS), fragment(load(4, "VAR0"), use("%4"))
    check(
        *pair,
        f"""VAR0.x kept: not propagated: its expression of uniforms costs 7, over the limit 3; {STORED}
        1 could go if the cost limit was 7, not 3""",
        max_cost=3,
    )
    (line,) = ledger(*pair, max_cost=3).lines
    assert [(one.cost, one.limit) for one in line.obstacles if one.step is Step.PROPAGATION] == [(7, 3)]
    assert [line.fate for line in ledger(*pair, max_cost=7).lines] == [Fate.PROPAGATED], "the claim holds"


def test_duplicates() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%10"))
    check(
        producer,
        two(*SMOOTH),
        f"""VAR0.x kept: not moved into the VS: no single expression covers all its uses; \
{ATTRIBUTE.format(10)}
        VAR1.x deduplicated: VAR0.x has the same value""",
    )
    check(
        producer,
        two(interpolated(4, "VAR0"), interpolated(5, "VAR1", 0, 3)),
        f"""VAR0.x kept: {STORED}; {ATTRIBUTE.format(10)}
        VAR1.x kept: not deduplicated: VAR0.x has the same value, but is read with another interpolation; \
{STORED}; {ATTRIBUTE.format(10)}
        1 could go if equal values were interpolated alike""",
    )


@pytest.mark.parametrize(
    ("loads", "lines", "obstacle"),
    [
        (SMOOTH, ["32    %6 = fmul %4, %5"], "%6 = fmul is not linear in its interpolated operands"),
        (SMOOTH, ["32    %6 = fadd! %4, %5"], "%6 = fadd is exact, so it must not move across interpolation"),
        (
            SMOOTH,
            ["32    %6 = fadd.sat %4, %5"],
            "%6 = fadd has the modifier sat, which is not linear",
        ),
        (
            (interpolated(4, "VAR0"), load(5, "VAR1")),
            ["32    %6 = fadd %4, %5"],
            "%6 = fadd mixes inputs that are read differently",
        ),
    ],
)
def test_expression_that_cannot_move_says_which_instruction(
    loads: tuple[str, str], lines: list[str], obstacle: str
) -> None:
    found = ledger(vertex(store("VAR0", "%10"), store("VAR1", "%11")), two(*loads, *lines, use("%6")))
    for line in found.lines:
        assert [one.message for one in line.obstacles if one.step is Step.BACKWARD] == [obstacle]
    assert {line.fate for line in found.lines} <= {Fate.KEPT, Fate.PACKED}


def test_expression_that_moves_is_named_with_all_its_inputs() -> None:
    check(
        vertex(store("VAR0", "%10"), store("VAR1", "%11")),
        two(*FLAT, "32    %6 = fmax %4, %5", use("%6")),
        """VAR0.x replaced: the VS sends max(VAR0.x, VAR1.x) in its place
        VAR1.x moved into the producer: the VS computes its expression (see VAR0.x)""",
    )


def test_expression_of_each_vertex() -> None:
    lines = for_each_vertex(
        [at_vertex(999, "VAR0").replace("%999", "%{n}").replace("(%0,", "(%{v},"), "32    %{n+1} = fsin %{n}"]
    )
    consumer = reader(*lines, *(use(f"%{number}") for number in (21, 31, 41)))
    check(
        vertex(store("VAR0", "%10")),
        consumer,
        "VAR0.x replaced in POS.x: the VS sends sin(VAR0.x) in its place",
    )


def test_outputs_that_the_consumer_computes() -> None:
    check(
        vertex(
            "32    %20 = fadd %10, %1 (1.000000)",
            "32    %21 = fadd %10, %10",
            store("VAR0", "%20"),
            store("VAR1", "%21"),
        ),
        two(*SMOOTH),
        """VAR0.x replaced: GENERIC0.x is sent in its place, and the FS computes it
        VAR1.x moved into the consumer: the FS computes it from VAR0.x""",
    )


def test_output_that_costs_more_than_its_load() -> None:
    producer = vertex(
        "32    %20 = fsin %10",
        "32    %21 = fpow %11, %20",
        *(store(f"VAR{slot}", value) for slot, value in enumerate(("%20", "%11", "%21"))),
    )
    consumer = fragment(
        *(load(4 + slot, f"VAR{slot}") for slot in range(3)), *(use(f"%{4 + slot}") for slot in range(3))
    )
    line = ledger(producer, consumer).lines[2]
    assert line.text.startswith("VAR2.x packed to VAR0.z: not moved into the FS: computing it from ")
    assert "costs 9 in the FS, more than the 1 load saved" in line.text


@pytest.mark.parametrize(
    ("producer", "consumer", "obstacle"),
    [
        ([store("VAR0", "%10")], [interpolated(4, "VAR0"), load(5, "VAR0")], "mixed-interpolation"),
        (
            [store("VAR0", "%10").replace("%0 (0x0)", "%10").replace("slots=1", "slots=2")],
            [load(4, "VAR0"), load(5, "VAR1")],
            "indirect",
        ),
        ([store("TEX0", "%10")], [interpolated(4, "TEX0"), interpolated(5, "TEX0", 1)], "state"),
    ],
)
def test_slot_that_no_step_may_change(producer: list[str], consumer: list[str], obstacle: str) -> None:
    found = ledger(vertex(*producer), fragment(*consumer, use("%4"), use("%5")))
    kept = [line for line in found.lines if line.fate is Fate.KEPT]
    assert kept
    assert all(obstacle in {one.code for one in line.obstacles} for line in kept)


def test_stores_that_differ() -> None:
    check(
        vertex(store("VAR0", "%10"), store("VAR0", "%11")),
        fragment(interpolated(4, "VAR0"), use("%4")),
        "VAR0.x kept: not moved into the VS: it is stored 2 times;"
        " not propagated: its 2 stores write different values",
    )


def test_convergent_output_is_read_flat() -> None:
    producer = vertex("32    %19 = @load_draw_id", "32    %20 = u2f32 %19", store("VAR0", "%20"))
    consumer = fragment(interpolated(4, "VAR0"), "32    %5 = fsin %4", use("%4"), use("%5"))
    (line,) = ledger(producer, consumer).lines
    assert line.text.startswith(
        "VAR0.x kept: read flat, because it is the same in all vertices of a primitive; not moved"
    )


def test_packing_says_from_where_to_where() -> None:
    check(
        vertex(store("VAR3", "%10"), store("VAR5", "%11")),
        fragment(interpolated(4, "VAR3"), interpolated(5, "VAR5"), use("%4"), use("%5")),
        f"""VAR3.x packed to VAR0.x: {STORED}; {ATTRIBUTE.format(10)}
        VAR5.x packed to VAR0.y: {STORED}; {ATTRIBUTE.format(11)}""",
    )


def test_steps_that_an_option_switches_off() -> None:
    found = ledger(
        vertex(store("VAR0", "%10"), store("VAR1", "%10")), two(*SMOOTH), deduplicate=False, pack=False
    )
    assert {(note.step, note.code) for note in found.notes} == {
        (Step.DEDUPLICATION, "option"),
        (Step.PACKING, "option"),
    }


def test_float_controls_that_differ_switch_code_motion_off() -> None:
    producer = vertex(store("VAR0", "%10"))
    consumer = shader(
        "FRAGMENT",
        ZERO,
        load(4, "VAR0"),
        "32    %5 = fsin %4",
        use("%5"),
        header=("float_controls_execution_mode: 0x0001",),
    )
    found = ledger(producer, consumer)
    assert {note.code for note in found.notes} == {"float-controls"}


def test_geometry_shader_takes_no_code() -> None:
    producer = shader(
        "GEOMETRY",
        ZERO,
        load(4, "VAR3", name="load_per_vertex_input"),
        store("VAR6", "%4"),
        "           @emit_vertex (stream_id=0)",
        "           @end_primitive (stream_id=0)",
    )
    consumer = fragment(interpolated(4, "VAR6"), "32    %5 = fadd %4, %1 (1.000000)", use("%5"))
    check(
        producer,
        consumer,
        f"VAR6.x packed to VAR0.x: not moved into the GS: no code moves into a GS; {ATTRIBUTE.format(4)}",
    )


def test_second_run_keeps_everything() -> None:
    pair = [
        vertex(store("VAR0", "%10"), store("VAR1", "%11")),
        two(*FLAT, "32    %6 = fmax %4, %5", use("%6")),
    ]
    OptVaryings().run(pair)
    assert [line.fate for line in ledger(*pair).lines] == [Fate.KEPT]


def test_pair_that_may_not_be_linked_keeps_everything_for_that_reason() -> None:
    producer = shader("VERTEX", ZERO, store("VAR0", "%0"), header=("separate_shader: true",))
    found = ledger(producer, fragment(load(4, "VAR0"), use("%4")))
    assert [(line.fate, line.obstacles[0].code) for line in found.lines] == [(Fate.KEPT, "separate-shader")]


def test_places_of_a_slot() -> None:
    found = ledger(vertex(store("VAR0", "%10"), store("VAR0", "%11", 1)), fragment())
    assert [line.name for line in found.lines_at(32, 1)] == ["VAR0.y"]


def test_input_that_stays_for_its_interpolation_is_not_said_to_differ_between_invocations() -> None:
    consumer = fragment(
        *(interpolated(4, "VAR0"), load(5, "VAR0"), interpolated(8, "VAR1")),
        *("32    %6 = fadd %4, %8", "32    %7 = fmul %6, %6", use("%7"), use("%5")),
    )
    first, second = ledger(vertex(store("VAR0", "%10"), store("VAR1", "%11")), consumer).lines
    assert first.text == "VAR0.x kept: its loads interpolate it in different ways"
    assert "not moved into the VS: it is combined with the input %4, which stays;" in second.text
