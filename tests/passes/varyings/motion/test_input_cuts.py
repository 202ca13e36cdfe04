"""Fewer values for several inputs: what is found, what it becomes, and the limits of backward motion."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.link_pair import link_pair
from nirls.passes.varyings.motion.backward_motion import BackwardSearch
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.motion.input_cuts import find_cuts
from nirls.passes.varyings.motion.sending import Move
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, load, shader, store
from tests.passes.varyings.pairs import (
    DECLARED,
    OPTIONS,
    UNIFORM,
    fragment,
    interface_of,
    interpolated,
    loads,
    stores,
    vertex,
)

OUTPUTS = ("32    %20 = fmul %10, %11", store("VAR0", "%10"), store("VAR1", "%11"), store("VAR2", "%20"))
SMOOTH = [interpolated(4 + slot, f"VAR{slot}") for slot in range(3)]
FLAT = [load(4 + slot, f"VAR{slot}") for slot in range(3)]
FACTORS = (
    "32    %30 = load_const (0x40000000 = 2.000000)",
    "32    %31 = load_const (0x40400000 = 3.000000)",
)
SUMS = (
    "32    %32 = fadd %4, %5",
    "32    %33 = fadd %32, %6",
    "32    %34 = ffma %5, %30, %4",
    "32    %35 = ffma %6, %31, %34",
)
SHOWN = ("32    %36 = fsin %33", "32    %37 = fsin %35")
MIXED = ("32    %36 = fddx %33", "32    %37 = fddx %35")
"""What cannot move: derivatives."""


def output(value: str, number: int) -> str:
    return (
        f"           @store_output ({value}, %0 (0x0)) (base=0, range=1, wrmask=x, component=0,"
        f" src_type=float32, io location=FRAG_RESULT_DATA{number} slots=1, xfb(), xfb2())"
    )


ENDS = (output("%36", 0), output("%37", 1))


def cuts(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> list[Move]:
    interface = interface_of(producer, consumer, options)
    find_convergent(interface)
    search = BackwardSearch(interface)
    return list(find_cuts(interface, search.inputs, search.movability, search.placement))


def linked(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> None:
    before = clone_shader(producer), clone_shader(consumer)
    assert isinstance(link_pair(producer, consumer, options), LinkProgress)
    assert isinstance(verify_shaders(before, (producer, consumer)), Equivalent)


@pytest.mark.parametrize(("inputs", "ends"), [(SMOOTH, SHOWN), (FLAT, MIXED)], ids=["interpolated", "flat"])
def test_two_values_for_three_inputs(inputs: list[str], ends: tuple[str, str]) -> None:
    producer = vertex(*OUTPUTS)
    consumer = fragment(*inputs, *FACTORS, *SUMS, *ends, *ENDS)
    [move] = cuts(producer, consumer)
    assert [instr.def_.index for instr in move.instrs if instr.def_ is not None] == [33, 35]
    assert len(set(move.targets)) == 2
    assert set(move.targets) < set(move.slots)
    linked(producer, consumer)
    assert len(loads(consumer)) == 2
    assert len(stores(producer)) == 2


def test_what_follows_the_new_inputs_moves_then_too() -> None:
    more = ("32    %38 = fmul %33, %30", "32    %39 = fadd %38, %31", "32    %36 = fsin %39", SHOWN[1])
    producer, consumer = vertex(*OUTPUTS), fragment(*SMOOTH, *FACTORS, *SUMS, *more, *ENDS)
    linked(producer, consumer)
    operations = [getattr(instr, "op", "") for impl in consumer.impls() for instr in impl.instrs()]
    assert [op for op in operations if op.startswith("f")] == ["fsin", "fsin"]


def test_as_many_values_as_inputs_gain_nothing() -> None:
    third = ("32    %38 = ffma %4, %31, %6", "32    %39 = fsin %38", output("%39", 2))
    assert cuts(vertex(*OUTPUTS), fragment(*SMOOTH, *FACTORS, *SUMS, *SHOWN, *ENDS, *third)) == []


def test_input_that_is_read_elsewhere_stays() -> None:
    other = ("32    %38 = fsin %6", output("%38", 2))
    assert cuts(vertex(*OUTPUTS), fragment(*SMOOTH, *FACTORS, *SUMS, *SHOWN, *ENDS, *other)) == []


def test_four_inputs_of_which_one_is_read_elsewhere() -> None:
    producer = vertex(*OUTPUTS, "32    %21 = fadd %20, %10", store("VAR3", "%21"))
    lines = (
        *SMOOTH,
        interpolated(7, "VAR3"),
        *FACTORS,
        *SUMS,
        "32    %38 = fadd %33, %7",
        "32    %36 = fsin %38",
        SHOWN[1],
        *ENDS,
        "32    %39 = fsin %7",
        output("%39", 2),
    )
    consumer = fragment(*lines)
    linked(producer, consumer)
    assert len(loads(consumer)) == 3


LIMITS = {
    "exact": (SMOOTH, (*SUMS[:3], "32    %35 = ffma! %6, %31, %34"), OPTIONS),
    "not linear": (SMOOTH, (*SUMS[:3], "32    %35 = fmax %6, %34"), OPTIONS),
    "another interpolation": ([*SMOOTH[:2], interpolated(6, "VAR2", coordinates=3)], SUMS, OPTIONS),
    "flat and interpolated": ([*SMOOTH[:2], FLAT[2]], SUMS, OPTIONS),
    "infinities count": (SMOOTH, SUMS, LinkOptions(preserve_infs=True)),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_motion(name: str) -> None:
    inputs, sums, options = LIMITS[name]
    assert cuts(vertex(*OUTPUTS), fragment(*inputs, *FACTORS, *sums, *SHOWN, *ENDS), options) == []


def test_convergent_inputs_mix_with_interpolated_ones() -> None:
    producer = vertex(
        *OUTPUTS[:3], "32    %21 = @load_draw_id", "32    %22 = u2f32 %21", store("VAR2", "%22")
    )
    consumer = fragment(*SMOOTH, *FACTORS, *SUMS, *SHOWN, *ENDS)
    assert len(cuts(producer, consumer)) == 1
    linked(producer, consumer)
    assert len(loads(consumer)) == 2


def test_factors_may_be_uniforms() -> None:
    sums = (*SUMS[:3], "32    %35 = ffma %6, %9.x, %34")
    coordinates = "32x2  %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)"
    lines = (ZERO, ONE, coordinates, *UNIFORM, *SMOOTH, *FACTORS, *sums, *SHOWN, *ENDS)
    consumer = shader("FRAGMENT", *lines, header=DECLARED)
    linked(vertex(*OUTPUTS), consumer)
    assert len(loads(consumer)) == 2


def test_captured_outputs_keep_their_values() -> None:
    captured = "|component=0 buffer=0 offset=0"
    producer = vertex(
        OUTPUTS[0],
        store("VAR0", "%10", extra=captured),
        store("VAR1", "%11", extra=captured),
        store("VAR2", "%20"),
    )
    assert cuts(producer, fragment(*SMOOTH, *FACTORS, *SUMS, *SHOWN, *ENDS)) == []
    one = vertex(OUTPUTS[0], store("VAR0", "%10"), store("VAR1", "%11"), store("VAR2", "%20", extra=captured))
    [move] = cuts(one, fragment(*SMOOTH, *FACTORS, *SUMS, *SHOWN, *ENDS))
    assert {slot.location for slot in move.targets} == {32, 33}


def test_stores_of_one_sum_must_be_in_one_block() -> None:
    text = [*OUTPUTS[:3], "1     %25 = flt %10, %11", "// succs: b2 b3", "if %25 {", "block b2: // preds: b0"]
    text += [OUTPUTS[3], "} else {", "block b3: // preds: b0", "}", "block b4: // preds: b2 b3"]
    assert cuts(vertex(*text), fragment(*SMOOTH, *FACTORS, *SUMS, *SHOWN, *ENDS)) == []


def test_two_inputs_are_not_searched() -> None:
    lines = (*SMOOTH[:2], *FACTORS, SUMS[0], SUMS[2], "32    %36 = fsin %32", "32    %37 = fsin %34", *ENDS)
    assert cuts(vertex(*OUTPUTS[1:3]), fragment(*lines)) == []


def test_value_that_goes_round_a_loop_escapes() -> None:
    """The phi that reads it comes before it."""
    lines = (
        *SMOOTH,
        *FACTORS,
        "// succs: b2",
        "loop {",
        "block b2: // preds: b0 b5",
        "32    %40 = phi b0: %1, b5: %32",
        "1     %41 = flt %40, %30",
        "if %41 {",
        "block b3: // preds: b2",
        "break",
        "} else {",
        "block b4: // preds: b2",
        "}",
        "block b5: // preds: b4",
        SUMS[0],
        "}",
        "block b6: // preds: b3",
        "32    %42 = fadd %4, %6",
        "32    %43 = ffma %5, %30, %42",
        "32    %36 = fsin %43",
        "32    %37 = fsin %40",
        *ENDS,
    )
    [move] = cuts(vertex(*OUTPUTS), fragment(*lines))
    assert {instr.def_.index for instr in move.instrs if instr.def_ is not None} == {32, 43}
