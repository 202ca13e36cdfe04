"""Where accesses go, and what they read like in their new vec4."""

from __future__ import annotations

import pytest

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.scalar_slots import HALVES, Category, Interface, PackingGroup, ScalarSlot
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.packing.relocate import read_flat, relocate
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interface_of, interpolated, loads, stores, vertex

VAR0 = 32
SMOOTH = Category(PackingGroup.INTERPOLATED, Interpolation.PERSPECTIVE_PIXEL)
CENTROID = Category(PackingGroup.INTERPOLATED, Interpolation.PERSPECTIVE_CENTROID)
FLAT = Category(PackingGroup.FLAT)


def slot_of(
    producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS
) -> tuple[Interface, ScalarSlot]:
    interface = interface_of(producer, consumer, options)
    find_convergent(interface)
    (slot,) = interface.in_order()
    return interface, slot


def plain() -> tuple[Interface, ScalarSlot]:
    return slot_of(
        vertex(store("VAR5", "%10", component=1, extra="|")),
        fragment(interpolated(4, "VAR5", 1), use("%4")),
    )


def convergent(options: LinkOptions = OPTIONS) -> tuple[Interface, ScalarSlot]:
    return slot_of(
        vertex("32    %20 = fsin %9.x", store("VAR5", "%20", extra="|")),
        fragment(interpolated(4, "VAR5"), use("%4")),
        options,
    )


def test_both_sides_go_to_the_new_place() -> None:
    interface, slot = plain()
    relocate(interface, slot, (VAR0 + 2) * HALVES + 6, SMOOTH)
    assert stores(interface.producer) == [(VAR0 + 2, 3)]
    assert loads(interface.consumer) == [("load_interpolated_input", VAR0 + 2, 3)]
    assert interface.progress.changed == {id(interface.producer), id(interface.consumer)}
    assert (interface.progress.producer, interface.progress.consumer) == (False, False)


def test_what_is_in_its_place_is_not_changed() -> None:
    interface, slot = plain()
    relocate(interface, slot, slot.number, SMOOTH)
    assert interface.progress.changed == set()


def test_types_become_float() -> None:
    interface, slot = slot_of(
        vertex(store("VAR0", "%10", extra="|").replace("src_type=float32", "src_type=uint32")),
        fragment(load(4, "VAR0").replace("float32", "int32"), use("%4")),
    )
    relocate(interface, slot, slot.number, FLAT)
    assert slot.stores[0].indices["src_type"] == "float32"
    assert slot.input_loads[0].indices["dest_type"] == "float32"


def test_medium_precision_keeps_its_type() -> None:
    mediump = store("VAR0", "%10", extra=" mediump|").replace("src_type=float32", "src_type=uint32")
    interface, slot = slot_of(vertex(mediump), fragment(load(4, "VAR0", extra=" mediump"), use("%4")))
    relocate(interface, slot, slot.number, FLAT)
    assert slot.stores[0].indices["src_type"] == "uint32"


def test_back_colors_go_along_with_the_front_ones() -> None:
    interface, slot = slot_of(
        vertex(store("COL1", "%10", 2, extra="|"), store("BFC1", "%11", 2, extra="|")),
        fragment(interpolated(4, "COL1", 2), use("%4")),
    )
    relocate(interface, slot, 1 * HALVES, SMOOTH)
    assert stores(interface.producer) == [(1, 0), (13, 0)]


def test_high_half_is_flagged() -> None:
    half = store("VAR0", "%20", extra="|").replace("src_type=float32", "src_type=float16")
    reader = load(4, "VAR0").replace("32    %4", "16    %4").replace("float32", "float16")
    interface, slot = slot_of(
        vertex("16    %20 = f2f16 %10", half), fragment(reader, "32    %5 = f2f32 %4", use("%5"))
    )
    relocate(interface, slot, VAR0 * HALVES + 3, FLAT)
    for access in (*slot.stores, *slot.input_loads):
        assert access.io_semantics is not None
        assert access.io_semantics.has("high_16bits")
        assert access.int_index("component") == 1


def test_convergent_input_among_flat_ones_is_read_flat() -> None:
    interface, slot = convergent()
    assert slot.convergent
    relocate(interface, slot, slot.number, FLAT)
    assert loads(interface.consumer) == [("load_input", VAR0 + 5, 0)]
    names = [
        instr.name
        for impl in interface.consumer.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr)
    ]
    assert "load_barycentric_pixel" not in names, "nothing reads the coordinates any more"
    assert interface.progress.consumer


@pytest.mark.parametrize("preserve", [False, True])
def test_infinities_become_nan_before_they_are_read_flat(preserve: bool) -> None:
    interface, slot = convergent(LinkOptions(preserve_nans=preserve))
    read_flat(interface, slot)
    maker = slot.stores[0].sources[0].ssa.instr
    assert isinstance(maker, AluInstr)
    assert (maker.op == "ffma") == preserve


def test_convergent_input_takes_the_interpolation_of_its_neighbours() -> None:
    interface, slot = convergent()
    relocate(interface, slot, slot.number, CENTROID)
    (access,) = slot.input_loads
    maker = access.sources[0].ssa.instr
    assert isinstance(maker, IntrinsicInstr)
    assert maker.name == "load_barycentric_centroid"


def test_it_keeps_its_own_where_interpolations_may_mix() -> None:
    interface, slot = convergent(LinkOptions(flexible_interpolation=True))
    relocate(interface, slot, slot.number, CENTROID)
    maker = slot.input_loads[0].sources[0].ssa.instr
    assert isinstance(maker, IntrinsicInstr)
    assert maker.name == "load_barycentric_pixel"


def test_input_that_is_not_convergent_keeps_its_interpolation() -> None:
    interface, slot = plain()
    relocate(interface, slot, VAR0 * HALVES, CENTROID)
    maker = slot.input_loads[0].sources[0].ssa.instr
    assert isinstance(maker, IntrinsicInstr)
    assert maker.name == "load_barycentric_pixel"


def test_flat_input_has_nothing_to_turn() -> None:
    interface, slot = slot_of(vertex(store("VAR0", "%10", extra="|")), fragment(load(4, "VAR0"), use("%4")))
    read_flat(interface, slot)
    assert interface.progress.changed == set()
