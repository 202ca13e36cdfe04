"""The numbers: what linking with partners that only pass on saves, on either side of a shader."""

from __future__ import annotations

import pytest

from nirls.ir.io.access import AccessKind
from nirls.ir.model.stage import Stage
from nirls.ir.text.edits import print_shader
from nirls.passes.link_potential.potential import InterfaceCounts, potential_of, sides_of
from nirls.passes.varyings.interface.link_options import LinkOptions
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated, vertex


def test_expression_of_inputs_could_be_sent_instead_of_them() -> None:
    reader = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR3"), "32    %6 = fadd %4, %5", use("%6"))
    (side,) = potential_of(reader)
    assert (side.direction, side.partner) == ("inputs", Stage.VERTEX)
    assert (side.before.scalars, side.before.slots) == (2, 2)
    assert (side.saved.scalars, side.saved.slots, side.saved.instructions) == (1, 1, 2)
    assert side.steps["movable"] == 1


def test_outputs_by_what_each_step_takes_away() -> None:
    producer = vertex(
        "32    %20 = mov %9.x",
        "32    %21 = fadd %10, %11",
        "32    %22 = @load_draw_id",
        "32    %23 = u2f32 %22",
        *(
            store(f"VAR{slot}", value, extra="|")
            for slot, value in enumerate(("%20", "%10", "%10", "%11", "%21", "%23"))
        ),
    )
    (side,) = potential_of(producer)
    assert (side.direction, side.partner) == ("outputs", Stage.FRAGMENT)
    assert side.steps == {
        "propagatable": 1,
        "duplicate": 1,
        "convergent": 1,
        "movable": 0,
        "derivable": 1,
    }
    assert (side.before.scalars, side.after.scalars) == (6, 3)


def test_nothing_to_gain() -> None:
    (side,) = potential_of(vertex(store("VAR0", "%10", extra="|"), store("VAR0", "%11", 1, extra="|")))
    assert side.saved == InterfaceCounts(0, 0, 0)
    assert (side.before.scalars, side.before.slots) == (2, 1)


def test_partner_that_reads_nothing_leaves_nothing() -> None:
    producer = vertex("32    %20 = fsin %10", store("VAR0", "%20", extra="|"), store("POS", "%10", extra="|"))
    (side,) = potential_of(producer)
    assert side.unmatched.scalars == 0
    assert side.saved_if_unmatched.instructions == 2
    assert side.saved == InterfaceCounts(0, 0, 0)


def test_captured_output_is_no_varying_but_stays() -> None:
    producer = vertex("32    %20 = fsin %10", store("VAR0", "%20", extra="|component=0 buffer=0 offset=0"))
    (side,) = potential_of(producer)
    assert side.unmatched.scalars == 0
    assert side.saved_if_unmatched.instructions == 0


def test_what_fixed_hardware_reads_does_not_count() -> None:
    producer = vertex(store("POS", "%10", extra="|"), store("CLIP_DIST0", "%10", extra="|"))
    assert potential_of(producer) == ()


def test_stage_in_the_middle_has_two_sides() -> None:
    middle = shader(
        "TESS_EVAL",
        ZERO,
        load(1, "VAR0", name="load_per_vertex_input"),
        store("VAR0", "%1", extra="|"),
        store("VAR2", "%1", extra="|"),
    )
    inputs, outputs = potential_of(middle)
    assert (inputs.direction, outputs.direction) == ("inputs", "outputs")
    assert (outputs.before.scalars, outputs.after.scalars) == (2, 1)
    assert sides_of(middle, (AccessKind.STORE,)) == (outputs,)


def test_vectors_are_counted_by_component() -> None:
    producer = shader(
        "VERTEX",
        ZERO,
        "32x3  %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_GENERIC0 slots=1)",
        "           @store_output (%1, %0 (0x0)) (base=0, range=1, wrmask=xyz, component=0, src_type=float32,"
        " io location=VARYING_SLOT_VAR4 slots=1, xfb(), xfb2())",
    )
    (side,) = potential_of(producer)
    assert (side.before.scalars, side.before.slots) == (3, 1)


def test_16_bit_values_count_each() -> None:
    low = load(1, "VAR0").replace("32    %1", "16    %1").replace("float32", "float16")
    high = low.replace("%1", "%2").replace("slots=1", "slots=1 high_16bits")
    reader = shader("FRAGMENT", ZERO, low, high, "32    %3 = pack_32_2x16_split %1, %2", use("%3"))
    (side,) = potential_of(reader)
    assert (side.before.scalars, side.before.slots) == (2, 1)


def test_options_limit_what_is_counted() -> None:
    producer = vertex("32    %20 = fsin %9.x", store("VAR0", "%20", extra="|"))
    (free,) = potential_of(producer)
    (limited,) = potential_of(producer, LinkOptions(max_cost=1))
    assert (free.saved.scalars, limited.saved.scalars) == (1, 0)


@pytest.mark.parametrize("stage", ["COMPUTE", "TASK", "RAYGEN"])
def test_stages_without_varyings(stage: str) -> None:
    assert potential_of(shader(stage, ZERO)) == ()


def test_shader_stays_as_it_is() -> None:
    producer = vertex(
        "32    %20 = mov %9.x", store("VAR0", "%20", extra="|"), store("VAR3", "%20", extra="|")
    )
    before = print_shader(producer)
    potential_of(producer)
    assert print_shader(producer) == before
