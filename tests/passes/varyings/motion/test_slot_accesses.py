"""Changes of the accesses of a scalar slot."""

from __future__ import annotations

import pytest

from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.io_semantics import XfbOutputs
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.decisions import Fate, Step
from nirls.passes.varyings.interface.scalar_slots import HALVES, Interface, PackingGroup, ScalarSlot
from nirls.passes.varyings.motion.slot_accesses import demote, is_captured, move_access, retire_stores
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, interface_of, stores, vertex

VAR0 = 32


def the_store(line: str) -> tuple[IntrinsicInstr, Builder]:
    parsed = vertex("32    %13 = load_const (0x00000001)", line)
    impl = parsed.entrypoint
    assert impl is not None
    (found,) = (
        instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and instr.name == "store_output"
    )
    return found, Builder(impl, impl.start_block)


@pytest.mark.parametrize(("before", "after"), [(0, 1), (0, 3), (3, 0), (2, 3), (1, 2)])
def test_capture_moves_along(before: int, after: int) -> None:
    low, high = (
        ("component={} buffer=1 offset=8", "") if before < 2 else ("", "component={} buffer=1 offset=8")
    )
    line = store("VAR3", "%10", before, extra="|" + low.format(before))
    line = line.replace("xfb2()", f"xfb2({high.format(before)})")
    access, builder = the_store(line)
    assert is_captured(access)
    assert move_access(access, VAR0, VAR0 * HALVES + 2 * after, builder)
    assert is_captured(access)
    expected = XfbOutputs(((after, 1, 1, 8),))
    assert access.indices["io_xfb" if after < 2 else "io_xfb2"] == expected
    assert access.indices["io_xfb2" if after < 2 else "io_xfb"] == XfbOutputs()


@pytest.mark.parametrize(("before", "after", "shown"), [(2, 3, 1), (2, 0, 0), (3, 1, 1)])
def test_capture_that_counts_from_its_first_component_keeps_counting_so(
    before: int, after: int, shown: int
) -> None:
    line = store("VAR3", "%10", before, extra="|")
    access, builder = the_store(line.replace("xfb2()", f"xfb2(component={before - 2} buffer=1 offset=8)"))
    assert is_captured(access)
    move_access(access, VAR0, VAR0 * HALVES + 2 * after, builder)
    assert access.indices["io_xfb" if after < 2 else "io_xfb2"] == XfbOutputs(((shown, 1, 1, 8),))


def test_capture_of_another_component_stays() -> None:
    access, builder = the_store(store("VAR3", "%10", 1, extra="|component=0 buffer=1 offset=8"))
    move_access(access, VAR0, VAR0 * HALVES + 4, builder)
    assert access.indices["io_xfb"] == XfbOutputs(((0, 1, 1, 8),))
    assert access.indices["io_xfb2"] == XfbOutputs()


def test_high_half_is_a_flag() -> None:
    access, builder = the_store(store("VAR3", "%10"))
    move_access(access, VAR0, VAR0 * HALVES + 3, builder)
    semantics = access.io_semantics
    assert semantics is not None
    assert (semantics.location, access.int_index("component")) == (VAR0, 1)
    assert semantics.has("high_16bits")
    move_access(access, VAR0, VAR0 * HALVES + 2, builder)
    assert access.io_semantics is not None
    assert not access.io_semantics.has("high_16bits")


def test_constant_offset_becomes_part_of_the_location() -> None:
    access, builder = the_store(store("VAR3", "%10").replace("%0 (0x0)", "%13 (0x1)"))
    assert move_access(access, VAR0, VAR0 * HALVES, builder)
    assert access.sources[-1].ssa.index != 13


def test_nothing_to_do() -> None:
    access, builder = the_store(store("VAR3", "%10", 2))
    assert not move_access(access, VAR0 + 3, (VAR0 + 3) * HALVES + 4, builder)


def test_offset_in_a_register_stays() -> None:
    access, builder = the_store(store("VAR3", "%10"))
    access.sources[-1].def_ = None
    assert move_access(access, VAR0, VAR0 * HALVES, builder)


CAPTURED = "|component={} buffer=0 offset=0"


def interface_with(*lines: str, slot: str = "VAR0") -> tuple[Interface, ScalarSlot]:
    """The interface of a vertex shader and one that reads a slot, and that slot without its loads."""
    producer = vertex(*lines)
    interface = interface_of(producer, fragment(load(4, slot), use("%4")))
    (found,) = (item for item in interface.in_order() if item.input_loads)
    found.input_loads = []
    return interface, found


def store_of(shader: Shader) -> IntrinsicInstr:
    (found,) = (
        instr
        for impl in shader.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name == "store_output"
    )
    return found


def test_store_goes_with_all_that_only_it_needed() -> None:
    lines = "32    %20 = fsin %10", "32    %21 = fadd %20, %11"
    interface, slot = interface_with(*lines, store("VAR0", "%21", extra="|"))
    retire_stores(interface, slot, Step.DEDUPLICATION, Fate.DEDUPLICATED, "")
    assert stores(interface.producer) == []
    left = {
        instr.def_.index
        for impl in interface.producer.impls()
        for instr in impl.instrs()
        if instr.def_ is not None
    }
    assert not left & {10, 11, 20, 21}
    assert 12 in left, "what was dead before stays"
    assert (slot.stores, slot.value, slot.category) == ([], None, None)
    assert interface.progress.producer


def test_captured_store_stays_and_is_no_varying() -> None:
    interface, slot = interface_with(store("VAR0", "%10", extra=CAPTURED.format(0)))
    retire_stores(interface, slot, Step.DEDUPLICATION, Fate.DEDUPLICATED, "")
    (kept,) = slot.stores
    assert kept is store_of(interface.producer)
    assert kept.io_semantics is not None
    assert kept.io_semantics.has("no_varying")
    assert slot.category is not None
    assert slot.category.group is PackingGroup.CAPTURED_ONLY
    assert not interface.progress.producer, "a flag is no progress to Mesa"
    assert id(interface.producer) in interface.progress.changed


def test_store_for_fixed_hardware_stays() -> None:
    interface, slot = interface_with(store("LAYER", "%10", extra="|"), slot="LAYER")
    retire_stores(interface, slot, Step.DEDUPLICATION, Fate.DEDUPLICATED, "")
    assert len(stores(interface.producer)) == 1


def test_store_that_fixed_hardware_does_not_read_goes() -> None:
    interface, slot = interface_with(store("LAYER", "%10", extra=" no_sysval_output|"), slot="LAYER")
    retire_stores(interface, slot, Step.DEDUPLICATION, Fate.DEDUPLICATED, "")
    assert stores(interface.producer) == []


def test_one_of_two_stores_stays() -> None:
    interface, slot = interface_with(
        store("VAR0", "%10", extra="|"), store("VAR0", "%10", extra=CAPTURED.format(0))
    )
    retire_stores(interface, slot, Step.DEDUPLICATION, Fate.DEDUPLICATED, "")
    assert len(slot.stores) == 1
    assert len(stores(interface.producer)) == 1


def test_flag_is_set_once() -> None:
    interface, slot = interface_with(store("VAR0", "%10", extra=" no_varying|"))
    interface.progress.changed.clear()
    demote(interface, slot.stores[0])
    assert interface.progress.changed == set()


@pytest.mark.parametrize("component", range(4))
def test_only_the_component_that_is_captured_counts(component: int) -> None:
    line = store("VAR0", "%10", component=component, extra=CAPTURED.format(0))
    assert is_captured(store_of(vertex(line))) == (component == 0)


@pytest.mark.parametrize(
    ("printed", "component", "captured"),
    [(2, 2, True), (0, 2, True), (1, 3, True), (3, 3, True), (2, 3, False), (1, 2, False)],
)
def test_both_ways_to_number_the_last_two_components(printed: int, component: int, captured: bool) -> None:
    line = store("VAR0", "%10", component=component, extra="|")
    line = line.replace("xfb2()", f"xfb2(component={printed} buffer=0 offset=0)")
    assert is_captured(store_of(vertex(line))) == captured
