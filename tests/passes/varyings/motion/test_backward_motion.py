"""Step 5, and the gain of a motion: it is what the motion then does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.validation import validate
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.link_pair import link_pair
from nirls.passes.varyings.motion.backward_motion import MotionGain, carry_out, gain_of, motions
from nirls.passes.varyings.motion.per_vertex_motion import VertexMove
from nirls.passes.varyings.motion.sending import Move
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interface_of, interpolated, stores, vertex
from tests.passes.varyings.random_motion import combinations_pair, per_vertex_pair, quads_pair

RUNS = VerificationOptions(runs=2, most_runs=2)
PAIRS = {"per vertex": per_vertex_pair, "combinations": combinations_pair, "quads": quads_pair}


@pytest.mark.sweep
@pytest.mark.parametrize("kind", PAIRS)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 1_000_000))
def test_random_pairs_compute_the_same(kind: str, number: int) -> None:
    before = PAIRS[kind](number)
    after = [clone_shader(parsed) for parsed in before]
    OptVaryings.with_options({"clean_up": number % 2 == 0}).run(after)
    for parsed in after:
        assert [problem for problem in validate(parsed) if problem.severity == "error"] == []
    verdict = verify_shaders(before, after, RUNS)
    assert not isinstance(verdict, Different), str(verdict)


def test_random_pairs_have_something_to_move() -> None:
    """So that the test above says something."""
    found = dict.fromkeys(PAIRS, 0)
    for kind, make in PAIRS.items():
        for number in range(12):
            producer, consumer = make(number)
            interface = interface_of(producer, consumer)
            moves = motions(interface)
            found[kind] += sum(1 for move in moves if isinstance(move, VertexMove) == (kind == "per vertex"))
    assert all(count >= 3 for count in found.values()), found


CORNERS = [
    f"32    %{10 * (1 + slot) + vertex} = @load_per_vertex_input (%{number}, %0 (0x0)) (base=0, range=1,"
    f" component=0, dest_type=float32, io location=VARYING_SLOT_VAR{slot} slots=1)"
    for slot in range(2)
    for vertex, number in enumerate((0, 2, 3, 4))
]
QUAD = (
    ZERO,
    ONE,
    "32    %2 = load_const (0x00000001)",
    "32    %3 = load_const (0x00000002)",
    "32    %4 = load_const (0x00000003)",
    "32x3  %5 = @load_tess_coord",
    *CORNERS,
)
BILINEAR = (
    "32    %30 = flrp %10, %11, %5.x",
    "32    %31 = flrp %12, %13, %5.x",
    "32    %32 = flrp %30, %31, %5.y",
    "32    %33 = fsub %21, %20",
    "32    %34 = ffma %5.x, %33, %20",
    "32    %35 = fsub %23, %22",
    "32    %36 = ffma %5.x, %35, %22",
    "32    %37 = fsub %36, %34",
    "32    %38 = ffma %5.y, %37, %34",
    "32    %39 = fadd %32, %38",
)


def per_vertex_loads(parsed: Shader) -> int:
    return sum(
        isinstance(instr, IntrinsicInstr) and instr.name == "load_per_vertex_input"
        for impl in parsed.impls()
        for instr in impl.instrs()
    )


def test_sum_of_two_bilinear_interpolations() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    out = store("VAR0", "%40")
    consumer = shader(
        "TESS_EVAL", *QUAD, *BILINEAR, "32    %40 = fsin %39", out, header=("primitive_mode: 2",)
    )
    before = clone_shader(producer), clone_shader(consumer)
    assert isinstance(link_pair(producer, consumer, OPTIONS), LinkProgress)
    assert isinstance(verify_shaders(before, (producer, consumer)), Equivalent)
    assert per_vertex_loads(consumer) == 4
    assert len(stores(producer)) == 1
    operations = [
        instr.op for impl in consumer.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)
    ]
    assert operations == ["flrp", "flrp", "flrp", "fsin"]


def test_different_weights_do_not_mix() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    lines = [line.replace("%38 = ffma %5.y", "%38 = ffma %5.x") for line in BILINEAR]
    consumer = shader("TESS_EVAL", *QUAD, *lines, "32    %40 = fsin %39", store("VAR0", "%40"))
    assert isinstance(link_pair(producer, consumer, OPTIONS), LinkProgress)
    assert per_vertex_loads(consumer) == 8


def test_a_motion_that_another_one_has_made_impossible_is_left() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR1"), "32    %6 = fadd %4, %5", use("%6"))
    interface = interface_of(producer, consumer)
    [move] = motions(interface)
    assert isinstance(move, Move)
    assert carry_out(interface, move)
    assert not carry_out(interface, move)


INPUTS = load(4, "VAR0"), load(5, "VAR1")


def alu(parsed: Shader) -> int:
    return sum(isinstance(instr, AluInstr) for impl in parsed.impls() for instr in impl.instrs())


@pytest.mark.parametrize(
    ("gain", "saved"),
    [
        (MotionGain(2, 1, 2, 3), 1),
        (MotionGain(2, 2, 5, 2), 3),
        (MotionGain(1, 1, 2, 2), 0),
        (MotionGain(1, 2, 5, 0), -1),
    ],
)
def test_varyings_count_before_instructions(gain: MotionGain, saved: int) -> None:
    assert gain.saved == saved


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["32    %6 = fmax %4, %5", "32    %7 = fsin %6", use("%7")], MotionGain(2, 1, 2, 0)),
        (["32    %6 = fmax %4, %5", "32    %7 = fsin %5", use("%6"), use("%7")], MotionGain(2, 2, 2, 1)),
        (
            ["1     %6 = flt %4, %5", "32    %7 = bcsel %6, %1, %0", use("%7")],
            MotionGain(2, 1, 2, 0),
        ),
        # A boolean is compared with 0 again.
        (
            [
                "1     %6 = flt %4, %5",
                *("32    %7 = bcsel %6, %1, %0", "32    %8 = bcsel %6, %0, %1"),
                *(use("%7"), use("%8")),
            ],
            MotionGain(2, 1, 3, 3),
        ),
    ],
)
def test_gain_is_what_the_motion_does(lines: list[str], expected: MotionGain) -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(*INPUTS, *lines)
    interface = interface_of(producer, consumer)
    motion = motions(interface)[0]
    gain = gain_of(interface, motion)
    assert gain == expected
    before = alu(consumer)
    carry_out(interface, motion)
    assert (before, alu(consumer)) == (gain.instructions_before, gain.instructions_after)
    assert len(stores(producer)) == gain.varyings_after
