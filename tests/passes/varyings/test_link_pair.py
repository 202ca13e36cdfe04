"""All steps for one pair: what each does, and what it must leave alone."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.link_pair import link_pair
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import load, printed_kinds, shader, store, use
from tests.passes.varyings.pairs import (
    OPTIONS,
    fragment,
    interpolated,
    loads,
    stores,
    vertex,
)

VAR0 = 32


def linked(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> LinkProgress:
    before = clone_shader(producer), clone_shader(consumer)
    progress = link_pair(producer, consumer, options)
    assert isinstance(progress, LinkProgress), progress
    assert isinstance(verify_shaders(before, (producer, consumer)), Equivalent)
    return progress


def output(value: str, number: int = 0) -> str:
    return (
        f"           @store_output ({value}, %0 (0x0)) (base=0, range=1, wrmask=x, component=0,"
        f" src_type=float32, io location=FRAG_RESULT_DATA{number} slots=1, xfb(), xfb2())"
    )


def ops(parsed: Shader) -> list[str]:
    return [instr.op for impl in parsed.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]


def test_constant_goes_to_where_it_is_read() -> None:
    producer = vertex(store("VAR0"))
    consumer = fragment(load(4, "VAR0"), output("%4"))
    progress = linked(producer, consumer)
    assert (progress.producer, progress.consumer) == (True, True)
    assert stores(producer) == []
    assert loads(consumer) == []


def test_uniform_expression_declares_its_variable() -> None:
    producer = vertex("32    %20 = fadd %9.x, %9.y", store("VAR0", "%20"))
    consumer = fragment(load(4, "VAR0"), output("%4"))
    linked(producer, consumer)
    assert [variable.name for variable in consumer.variables] == ["u"]
    assert ops(consumer) == ["fadd"]
    assert loads(consumer) == []


def test_cost_limit_keeps_expressions_where_they_are() -> None:
    producer = vertex("32    %20 = fadd %9.x, %9.y", store("VAR0", "%20"))
    consumer = fragment(load(4, "VAR0"), output("%4"))
    linked(producer, consumer, LinkOptions(max_cost=2))
    assert ops(consumer) == []
    assert len(loads(consumer)) == 1


@pytest.mark.parametrize(("limit", "moved"), [(3, False), (4, True)])
def test_uniform_component_limit(limit: int, moved: bool) -> None:
    producer = vertex("32    %20 = mov %9.x", store("VAR0", "%20"))
    consumer = fragment(load(4, "VAR0"), output("%4"))
    linked(producer, consumer, LinkOptions(max_uniform_components=limit))
    assert (loads(consumer) == []) == moved


def test_captured_store_stays_without_being_a_varying() -> None:
    producer = vertex(store("VAR0", extra="|component=0 buffer=0 offset=0"))
    consumer = fragment(load(4, "VAR0"), output("%4"))
    progress = linked(producer, consumer)
    assert (progress.producer, progress.consumer) == (False, True)
    assert stores(producer) == [(VAR0, 0)]


@pytest.mark.parametrize(
    ("value", "gone"), [("%1 (1.000000)", True), ("%20", False)], ids=["in [0, 1]", "2.0"]
)
def test_colors_take_constants_only_that_clamping_keeps(value: str, gone: bool) -> None:
    producer = vertex("32    %20 = load_const (0x40000000 = 2.000000)", store("COL0", value))
    consumer = fragment(interpolated(4, "COL0"), output("%4"))
    linked(producer, consumer)
    assert (stores(producer) == []) == gone


def test_duplicate_is_read_from_the_first() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR3", "%10", 2))
    consumer = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR3", 2), output("%4"), output("%5", 1))
    linked(producer, consumer)
    assert stores(producer) == [(VAR0, 0)]
    assert loads(consumer) == [("load_interpolated_input", VAR0, 0)]


def test_same_value_with_other_interpolation_is_no_duplicate() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR3", "%10", 2))
    consumer = fragment(
        interpolated(4, "VAR0"), interpolated(5, "VAR3", 2, coordinates=3), output("%4"), output("%5", 1)
    )
    linked(producer, consumer)
    assert len(stores(producer)) == 2


def test_sum_of_inputs_is_sent_instead_of_them() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(
        interpolated(4, "VAR0"), interpolated(5, "VAR1"), "32    %6 = fadd %4, %5", output("%6")
    )
    linked(producer, consumer)
    assert ops(producer) == ["fadd"]
    assert ops(consumer) == []
    assert stores(producer) == [(VAR0, 0)]


@pytest.mark.parametrize(
    "line", ["32    %6 = fadd! %4, %5", "32    %6 = fmul %4, %5", "32    %6 = fmax %4, %5"]
)
def test_what_interpolation_does_not_commute_with_stays(line: str) -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR1"), line, output("%6"))
    linked(producer, consumer)
    assert ops(producer) == []
    assert len(loads(consumer)) == 2


def test_anything_moves_across_flat_inputs() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"), "32    %6 = fmax! %4, %5", output("%6"))
    linked(producer, consumer)
    assert ops(producer) == ["fmax"]


def test_nothing_moves_across_interpolation_if_infinities_count() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(
        interpolated(4, "VAR0"), interpolated(5, "VAR1"), "32    %6 = fadd %4, %5", output("%6")
    )
    linked(producer, consumer, LinkOptions(preserve_infs=True))
    assert ops(producer) == []


def test_boolean_is_sent_as_a_number() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(
        load(4, "VAR0"),
        load(5, "VAR1"),
        "1     %6 = flt %4, %5",
        "32    %7 = fadd %1, %1",
        "32    %13 = bcsel %6, %1, %7",
        output("%13"),
    )
    linked(producer, consumer, LinkOptions(move_code=True))
    assert len(loads(consumer)) == 1


def test_other_use_keeps_an_input() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(
        interpolated(4, "VAR0"),
        interpolated(5, "VAR1"),
        "32    %6 = fadd %4, %5",
        output("%6"),
        "32    %7 = fabs %5",
        output("%7", 1),
    )
    linked(producer, consumer)
    assert len(stores(producer)) == 2
    assert sorted(ops(consumer)) == ["fabs"]


def test_convergent_input_is_read_flat() -> None:
    producer = vertex("32    %20 = fsin %9.x", store("VAR0", "%20"))
    consumer = fragment(interpolated(4, "VAR0"), "32    %5 = fexp2 %4", output("%5"))
    linked(producer, consumer, LinkOptions(propagate=False, move_code=False))
    assert loads(consumer) == [("load_input", VAR0, 0)]


def test_packing_keeps_interpolations_apart_and_flat_last() -> None:
    producer = vertex(store("VAR5", "%10"), store("VAR6", "%11", 3), store("VAR7", "%12", 1))
    consumer = fragment(
        load(4, "VAR5"),
        interpolated(5, "VAR6", 3, coordinates=3),
        interpolated(6, "VAR7", 1),
        "32    %7 = fsin %4",
        "32    %13 = fsin %5",
        "32    %14 = fsin %6",
        *(output(f"%{number}", index) for index, number in enumerate((7, 13, 14))),
    )
    progress = linked(producer, consumer, LinkOptions(move_code=False))
    assert (progress.producer, progress.consumer) == (False, False)
    assert stores(producer) == [(VAR0 + 2, 0), (VAR0 + 1, 0), (VAR0, 0)]


def test_varying_that_nothing_unpacks_keeps_its_place_without_packing() -> None:
    producer = vertex(store("VAR5", "%10"))
    consumer = fragment(interpolated(4, "VAR5"), "32    %5 = fsin %4", output("%5"))
    linked(producer, consumer, LinkOptions(pack=False))
    assert stores(producer) == [(VAR0 + 5, 0)]


def test_shaders_that_are_not_neighbours_are_not_linked() -> None:
    assert isinstance(link_pair(fragment(), vertex(), OPTIONS), Unlinkable)


def test_vectors_are_left_alone() -> None:
    producer = shader(
        "VERTEX",
        "32    %0 = load_const (0x00000000)",
        "32x2  %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_GENERIC0 slots=1)",
        "           @store_output (%1, %0 (0x0)) (base=0, range=0, wrmask=xy, component=0, src_type=float32,"
        " io location=VARYING_SLOT_VAR4 slots=1, xfb(), xfb2())",
    )
    consumer = fragment(interpolated(4, "VAR4"), use("%4"))
    link_pair(producer, consumer, OPTIONS)
    assert stores(producer) == [(VAR0 + 4, 0)]


def test_dead_code_does_not_decide() -> None:
    """A dead reader of an input, or of a value computed from inputs, does not keep the expression."""
    producer = [store("VAR0", "%10"), store("VAR1", "%11")]
    consumer = [
        interpolated(4, "VAR0"),
        interpolated(5, "VAR1"),
        "32    %6 = fadd %4, %5",
        "32    %7 = fsin %4",
        "32    %8 = fcos %7",
        use("%6"),
    ]
    with_dead_code = vertex(*producer), fragment(*consumer)
    live = [line for line in consumer if "fsin" not in line and "fcos" not in line]
    without = vertex(*producer), fragment(*live)
    for pair in (with_dead_code, without):
        link_pair(*pair, LinkOptions())
        assert len(loads(pair[1])) == 1
    assert printed_kinds(with_dead_code[1]) == printed_kinds(without[1])
