"""Stores that nothing reads as varyings any more: which go, which stay and how they are marked."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.decisions import Fate, Step
from nirls.passes.varyings.interface.scalar_slots import Interface, PackingGroup, ScalarSlot
from nirls.passes.varyings.motion.stores import demote, is_captured, retire_stores
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, interface_of, stores, vertex

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
