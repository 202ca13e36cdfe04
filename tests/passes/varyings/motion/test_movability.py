"""What may move to the producer, what an expression is made of, and which values may become varyings."""

from __future__ import annotations

import pytest

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.motion.movability import (
    Movability,
    ReadAs,
    ReadMode,
    compares_with_constant,
    fits,
    may_be_sent,
    may_be_target,
    parts_of,
    sent_size,
)
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interface_of, vertex

SMOOTH = Interpolation.PERSPECTIVE_PIXEL
CENTROID = Interpolation.PERSPECTIVE_CENTROID


def maker(parsed: Shader, number: int) -> Instr:
    return next(
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if instr.def_ is not None and instr.def_.index == number
    )


def read_as(line: str, first: ReadAs, second: ReadAs, options: LinkOptions | None = None) -> ReadAs | None:
    """How %20 is read if %10 and %11 are inputs that are read as said; %1 is a constant, %12 cannot move."""
    parsed = vertex(line)
    inputs = {maker(parsed, 10): first, maker(parsed, 11): second}
    settings = options or LinkOptions()
    movability = Movability(inputs, UniformVariables(parsed, parsed, settings))
    return movability.read_as(maker(parsed, 20))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fadd %10, %11", SMOOTH),
        ("fadd! %10, %11", None),
        ("fsub %10, %1", SMOOTH),
        ("fneg %10", SMOOTH),
        ("fabs %10", None),
        ("fmul %10, %11", None),
        ("fmul %10, %1", SMOOTH),
        ("fmul %9.x, %10", SMOOTH),
        ("ffma %10, %1, %11", SMOOTH),
        ("ffma %10, %11, %1", None),
        ("fdiv %10, %1", SMOOTH),
        ("fdiv %1, %10", None),
        ("flrp %10, %11, %1", SMOOTH),
        ("flrp %10, %11, %10", None),
        ("flrp %1, %1, %10", SMOOTH),
        ("flrp %1, %11, %10", None),
        ("flrp %10, %1, %11", None),
        ("fmax %10, %1", None),
        ("fadd %10, %12", None),
        ("fsin %9.x", ReadMode.CONVERGENT),
        ("fddx %10", None),
    ],
)
def test_interpolated(text: str, expected: ReadAs | None) -> None:
    assert read_as(f"32    %20 = {text}", SMOOTH, SMOOTH) == expected


def test_different_interpolations_do_not_mix() -> None:
    line = "32    %20 = fadd %10, %11"
    assert read_as(line, SMOOTH, CENTROID) is None
    assert read_as(line, SMOOTH, ReadMode.FLAT) is None
    assert read_as(line, SMOOTH, ReadMode.CONVERGENT) == SMOOTH
    assert read_as(line, ReadMode.FLAT, ReadMode.CONVERGENT) == ReadMode.FLAT


def test_a_vector_stays_where_it_is() -> None:
    assert read_as("32x2  %20 = vec2 %10, %11", ReadMode.FLAT, ReadMode.FLAT) is None


def test_anything_but_neighbours_moves_across_flat_inputs() -> None:
    assert read_as("32    %20 = fmax! %10, %11", ReadMode.FLAT, ReadMode.FLAT) == ReadMode.FLAT
    assert read_as("32    %20 = fddx %10", ReadMode.FLAT, ReadMode.FLAT) is None


@pytest.mark.parametrize("options", [LinkOptions(preserve_nans=True), LinkOptions(preserve_infs=True)])
def test_float_controls_stop_interpolated_ones(options: LinkOptions) -> None:
    assert read_as("32    %20 = fadd %10, %11", SMOOTH, SMOOTH, options) is None
    assert read_as("32    %20 = fadd %10, %11", ReadMode.FLAT, ReadMode.FLAT, options) == ReadMode.FLAT


@pytest.mark.parametrize("demand", ["exact", "preserve:nan", "preserve:inf", "preserve:sz,inf,nan"])
def test_demands_on_one_operation_stop_interpolated_ones(demand: str) -> None:
    line = f"32    %20 = fadd %10, %11  // {demand}"
    assert read_as(line, SMOOTH, SMOOTH) is None
    assert read_as(line, ReadMode.FLAT, ReadMode.FLAT) == ReadMode.FLAT


@pytest.mark.parametrize(("size", "moves"), [(32, False), (16, True)])
def test_float_controls_count_for_their_size(size: int, moves: bool) -> None:
    options = LinkOptions(nan_sizes=frozenset((32,)))
    parsed = vertex("16    %13 = f2f16 %10", f"{size}    %20 = fneg %{10 if size == 32 else 13}")
    inputs: dict[Instr, ReadAs] = {maker(parsed, 10 if size == 32 else 13): SMOOTH}
    movability = Movability(inputs, UniformVariables(parsed, parsed, options))
    assert (movability.read_as(maker(parsed, 20)) == SMOOTH) is moves


def test_a_register_is_the_obstacle_whatever_the_other_operands_are() -> None:
    parsed = vertex("32    %21 = fneg %10\n    32    %20 = fadd %21, %11")
    maker(parsed, 20).srcs()[1].clear()
    settings = LinkOptions()
    inputs: dict[Instr, ReadAs] = {maker(parsed, 10): SMOOTH}
    movability = Movability(inputs, UniformVariables(parsed, parsed, settings))
    assert movability.read_as(maker(parsed, 20)) is None
    assert movability.obstacle(maker(parsed, 20)) == "%20 = fadd reads a register"


CONSUMER = (
    load(4, "VAR0"),
    load(5, "VAR1"),
    "32    %6 = fadd %4, %5",
    "1     %7 = flt %6, %1",
    "1     %8 = flt %4, %1",
    "32    %9 = bcsel %7, %6, %5",
    "16    %10 = f2f16 %6",
    "32    %11 = fsin %6",
    use("%9"),
    use("%10"),
    "32    %12 = b2i32 %8",
    use("%12"),
)
PRODUCER = (store("VAR0", "%10"), store("VAR1", "%11", extra="|component=0 buffer=0 offset=0"))


def test_parts_end_at_inputs() -> None:
    consumer = fragment(*CONSUMER)
    inputs = {maker(consumer, 4), maker(consumer, 5)}
    parts = parts_of(maker(consumer, 7), inputs)
    assert parts[0] is maker(consumer, 7)
    assert {part.def_.index for part in parts if part.def_ is not None} == {7, 6, 4, 5, 1}


@pytest.mark.parametrize(
    ("number", "options", "expected"),
    [
        (6, OPTIONS, True),
        (6, LinkOptions(supports_16bit_io=False), True),
        (7, OPTIONS, True),
        (10, OPTIONS, True),
        (10, LinkOptions(supports_16bit_io=False), False),
        (2, OPTIONS, False),
        (11, OPTIONS, False),
    ],
    ids=[
        "float",
        "float without 16 bits",
        "boolean",
        "16 bits",
        "16 bits, not supported",
        "vector",
        "unread",
    ],
)
def test_what_may_be_sent(number: int, options: LinkOptions, expected: bool) -> None:
    consumer = fragment(*CONSUMER)
    interface = interface_of(vertex(*PRODUCER), consumer, options)
    assert may_be_sent(interface, maker(consumer, number), ReadMode.FLAT) == expected


def test_convergent_values_must_be_numbers() -> None:
    consumer = fragment(*CONSUMER)
    interface = interface_of(vertex(*PRODUCER), consumer)
    sendable = [
        number
        for number in (6, 7, 9, 12)
        if may_be_sent(interface, maker(consumer, number), ReadMode.CONVERGENT)
    ]
    assert sendable == [6], "a selection may be of integers"


def test_sizes_and_targets() -> None:
    consumer = fragment(*CONSUMER)
    interface = interface_of(vertex(*PRODUCER), consumer, LinkOptions(pack=False))
    first, captured = interface.in_order()
    assert [sent_size(maker(consumer, number)) for number in (6, 7, 10)] == [32, 32, 16]
    assert fits(interface, maker(consumer, 6), first)
    assert not fits(interface, maker(consumer, 10), first)
    assert [may_be_target(slot) for slot in (first, captured)] == [True, False]


def test_comparison_of_an_input_with_a_constant() -> None:
    consumer = fragment(*CONSUMER)
    load_of = maker(consumer, 4)
    assert compares_with_constant(maker(consumer, 8), load_of)
    assert not compares_with_constant(maker(consumer, 7), load_of)
    assert not compares_with_constant(maker(consumer, 6), load_of)


@pytest.mark.parametrize(("bits", "expected"), [(16, False), (32, True)])
def test_an_input_is_not_widened(bits: int, expected: bool) -> None:
    zero = f"{bits}    %20 = load_const (0x{0:0{bits // 4}x})"
    stored = store("VAR0", "%20").replace("float32", f"float{bits}")
    loaded = load(4, "VAR0").replace("32    %4", f"{bits}    %4").replace("float32", f"float{bits}")
    convert = "32    %5 = f2f32 %4" if bits == 16 else "32    %5 = fneg %4"
    consumer = fragment(loaded, convert, use("%5"))
    interface = interface_of(vertex(zero, stored), consumer)
    (slot,) = interface.in_order()
    assert fits(interface, maker(consumer, 5), slot) is expected
