"""Outputs that meet the conditions of forward motion, and the loads that serve each other."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.dominance import dominance
from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.motion.movability import ReadMode
from nirls.passes.varyings.motion.movable_outputs import heads_of, movable_outputs
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, interface_of, interpolated, vertex

READER = (interpolated(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5"))


def names(producer: Shader, consumer: Shader) -> list[str]:
    return [output.slot.name for output in movable_outputs(interface_of(producer, consumer))]


def test_outputs_that_are_read_in_different_ways_are_of_different_kinds() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    smooth, flat = movable_outputs(interface_of(producer, fragment(*READER)))
    assert smooth.slot.name == "VAR0.x"
    assert isinstance(smooth.read_as, Interpolation)
    assert (flat.slot.name, flat.read_as) == ("VAR1.x", ReadMode.FLAT)
    assert smooth.kind != flat.kind


def test_output_needs_one_store_and_a_load() -> None:
    unread = vertex(store("VAR0", "%10"), store("VAR2", "%11"))
    assert names(unread, fragment(interpolated(4, "VAR0"), use("%4"))) == ["VAR0.x"]
    twice = vertex(store("VAR0", "%10"), store("VAR1", "%11"), store("VAR1", "%10"))
    assert names(twice, fragment(*READER)) == ["VAR0.x"]


@pytest.mark.parametrize("stage", ["GEOMETRY", "MESH"])
def test_stages_that_store_for_several_vertices_have_none(stage: str) -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"), stage=stage)
    assert names(producer, fragment(*READER)) == []


def test_load_is_served_by_an_equal_one_above() -> None:
    consumer = fragment(
        load(4, "VAR0"),
        use("%4"),
        "1      %30 = ieq %4, %0",
        "// succs: b1 b2",
        "if %30 {",
        "    block b1:  // preds: b0",
        f"    {load(5, 'VAR0')}",
        f"    {use('%5')}",
        "    // succs: b3",
        "} else {",
        "    block b2:  // preds: b0",
        "    // succs: b3",
        "}",
        "block b3:  // preds: b1 b2",
    )
    interface = interface_of(vertex(store("VAR0", "%10")), consumer)
    (output,) = movable_outputs(interface)
    above, below = output.sites
    heads = heads_of(list(output.sites), lambda: dominance(interface.consumer_impl))
    assert heads == {above: above, below: above}
