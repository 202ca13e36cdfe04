"""Moves as they are carried out: the stores, the new loads, and what is left of the old ones."""

from __future__ import annotations

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.passes.varyings.interface.scalar_slots import PackingGroup
from nirls.passes.varyings.motion.backward_motion import BackwardSearch
from nirls.passes.varyings.motion.sending import carry_out
from tests.passes.shader_text import load, printed_kinds, store, use
from tests.passes.varyings.pairs import fragment, interface_of, interpolated, loads, stores, vertex


def test_result_takes_the_place_of_the_first_input() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR3", "%11", 2))
    consumer = fragment(
        interpolated(4, "VAR0"), interpolated(5, "VAR3", 2), "32    %6 = fadd %4, %5", use("%6")
    )
    interface = interface_of(producer, consumer)
    [move] = BackwardSearch(interface).moves()
    assert [slot.location for slot in move.slots] == [32, 35]
    assert [slot.location for slot in move.targets] == [32]
    [made] = carry_out(interface, move)
    assert made.read_as is Interpolation.PERSPECTIVE_PIXEL
    assert isinstance(made.load, IntrinsicInstr)
    assert made.load.name == "load_interpolated_input"
    assert stores(producer) == [(32, 0)]
    assert loads(consumer) == [("load_interpolated_input", 32, 0)]
    assert made.load.def_ is not None
    assert made.load.def_.index == 6, "the value keeps its number"
    assert printed_kinds(producer)[-2:] == ["fadd", "store_output"]
    assert (interface.progress.producer, interface.progress.consumer) == (True, True)


def test_flat_result_is_flat() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(
        load(4, "VAR0"), load(5, "VAR1"), "1     %6 = flt %4, %5", "32    %7 = b2i32 %6", use("%7")
    )
    interface = interface_of(producer, consumer)
    move = next(iter(BackwardSearch(interface).moves()))
    carry_out(interface, move)
    [slot] = interface.in_order()
    assert slot.category is not None
    assert slot.category.group is PackingGroup.FLAT
    assert loads(consumer) == [("load_input", 32, 0)]


def test_input_with_another_reader_keeps_its_store() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(
        interpolated(4, "VAR0"), interpolated(5, "VAR1"), "32    %6 = fadd %4, %5", use("%6"), use("%5")
    )
    interface = interface_of(producer, consumer)
    [move] = BackwardSearch(interface).moves()
    carry_out(interface, move)
    assert sorted(stores(producer)) == [(32, 0), (33, 0)]


def test_stores_stay_ahead_of_the_export_of_lowered_stages() -> None:
    export = "           @export_vertex_amd"
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"), export)
    consumer = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR1"), "32    %6 = fadd %4, %5", use("%6"))
    interface = interface_of(producer, consumer)
    [move] = BackwardSearch(interface).moves()
    carry_out(interface, move)
    assert printed_kinds(producer)[-3:] == ["fadd", "store_output", "export_vertex_amd"]
