"""Outputs that are the same for all vertices, and those that only seem to be."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.motion.convergence import find_convergent
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, interface_of, interpolated, vertex

CONSUMER = (interpolated(4, "VAR0"), "32    %5 = fsin %4", use("%5"))


def convergent(producer: Shader, consumer: Shader | None = None) -> bool:
    interface = interface_of(producer, consumer or fragment(*CONSUMER))
    find_convergent(interface)
    (slot,) = interface.in_order()
    return slot.convergent


def wrapped(producer: Shader, opening: str, closing: str, inside: str) -> Shader:
    """The producer with a store in further control flow behind its lines."""
    start, _, end = producer.source.decode().partition("               // succs: b1\n    block b1:\n")
    text = f"{start}    {opening}\n        {inside}\n    {closing}\n    block b9:\n{end}"
    parsed = parse_dump(text.encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


def test_uniform_is_and_attribute_is_not() -> None:
    assert convergent(vertex("32    %20 = mov %9.x", store("VAR0", "%20")))
    assert not convergent(vertex(store("VAR0", "%10")))


@pytest.mark.parametrize(
    ("access", "expected"), [("readonly|reorderable", True), ("none", False), ("coherent|volatile", False)]
)
def test_memory_that_may_be_written_differs_between_vertices(access: str, expected: bool) -> None:
    loaded = f"32    %20 = @load_ssbo (%0, %0) (access={access}, align_mul=4, align_offset=0)"
    assert convergent(vertex(loaded, store("VAR0", "%20"))) is expected


@pytest.mark.parametrize(("nans", "expected"), [(False, True), (True, False)])
def test_captured_output_keeps_its_infinities_if_nans_are_preserved(nans: bool, expected: bool) -> None:
    captured = store("VAR0", "%20", extra="|component=0 buffer=0 offset=0")
    producer = vertex("32    %20 = mov %9.x", captured)
    interface = interface_of(producer, fragment(*CONSUMER), LinkOptions(preserve_nans=nans))
    find_convergent(interface)
    (slot,) = interface.in_order()
    assert slot.captured
    assert slot.convergent is expected


@pytest.mark.parametrize(("nans", "expected"), [(False, True), (True, False)])
@pytest.mark.parametrize("mode", ["NONE", "SMOOTH"])
def test_color_that_may_be_shaded_flat_keeps_its_infinities(mode: str, nans: bool, expected: bool) -> None:
    """With an interpolation of its own it is always interpolated, which makes NaNs of them anyway."""
    producer = vertex("32    %20 = mov %9.x", store("COL0", "%20"))
    at = f"32x2  %20 = @load_barycentric_pixel (interp_mode=INTERP_MODE_{mode})"
    consumer = fragment(at, interpolated(4, "COL0", coordinates=20), *CONSUMER[1:])
    interface = interface_of(producer, consumer, LinkOptions(preserve_nans=nans))
    find_convergent(interface)
    (slot,) = interface.in_order()
    assert slot.convergent is (expected or mode == "SMOOTH")


def test_flat_input_is_never_called_convergent() -> None:
    consumer = fragment(load(4, "VAR0"), use("%4"))
    assert not convergent(vertex("32    %20 = mov %9.x", store("VAR0", "%20")), consumer)


@pytest.mark.parametrize(("condition", "expected"), [("%9.x", True), ("%10", False)])
@pytest.mark.parametrize("is_in_loop", [False, True])
def test_condition_of_the_store_counts(condition: str, expected: bool, is_in_loop: bool) -> None:
    plain = vertex("32    %20 = mov %9.x", f"1     %21 = flt %1, {condition}", "32    %22 = mov %9.y")
    first, second = store("VAR0", "%20"), store("VAR0", "%22")
    if is_in_loop:
        once = "loop {{\n        block b{0}:\n        {1}\n        break\n        }}\n        block b{2}:"
        first, second = once.format(4, first, 5), once.format(6, second, 7)
    inside = f"block b1:  // preds: b0\n        {first}"
    closing = f"}} else {{\n        block b2:  // preds: b0\n        {second}\n    }}\n    block b3:"
    assert convergent(wrapped(plain, "if %21 {", closing, inside)) == expected


LOOP = """block b1:  // preds: b0 b4
        32    %21 = phi b0: %20, b4: %23
        STORE
        1     %22 = flt %21, LIMIT
        if %22 {
            block b2:  // preds: b1
            break
        } else {
            block b3:  // preds: b1
        }
        block b4:  // preds: b3
        32    %23 = fadd %21, %1"""


@pytest.mark.parametrize(("limit", "expected"), [("%9.y", True), ("%10", False)])
def test_counter_of_a_loop_that_vertices_leave_in_different_turns(limit: str, expected: bool) -> None:
    inside = LOOP.replace("STORE", store("VAR0", "%21")).replace("LIMIT", limit)
    producer = wrapped(vertex("32    %20 = mov %9.x"), "loop {", "}\n    block b5:  // preds: b2", inside)
    assert convergent(producer) == expected


def test_geometry_shader_must_store_one_value_throughout() -> None:
    emit = "           @emit_vertex (stream_id=0)"
    uniform = "32    %20 = mov %9.x"
    same = vertex(uniform, store("VAR0", "%20"), emit, store("VAR0", "%20"), emit, stage="GEOMETRY")
    other = "32    %21 = mov %9.y"
    different = vertex(
        uniform, other, store("VAR0", "%20"), emit, store("VAR0", "%21"), emit, stage="GEOMETRY"
    )
    assert convergent(same)
    assert not convergent(different)


@pytest.mark.parametrize(("index", "expected"), [("%1", True), ("%22", False)])
def test_element_of_a_patch_array_that_vertices_may_choose_differently(index: str, expected: bool) -> None:
    producer = vertex(
        "32x3  %20 = @load_tess_coord",
        "32    %21 = mov %20.x",
        "32    %22 = f2i32 %21",
        f"32    %23 = @load_input ({index}) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VARYING_SLOT_PATCH3 slots=2)",
        store("VAR0", "%23"),
        stage="TESS_EVAL",
    )
    assert convergent(producer) == expected


@pytest.mark.parametrize("is_in_loop", [False, True])
def test_a_geometry_shader_must_store_one_value(is_in_loop: bool) -> None:
    """In a loop, the value may differ from one emitted vertex to the next."""
    lines = "32    %20 = fneg %9.x\n        " + store("VAR0", "%20")
    stored = wrapped(
        vertex(stage="GEOMETRY"),
        "loop {\n        block b1:  // preds: b0" if is_in_loop else "1     %30 = flt %10, %11",
        "    break\n        // succs: b8\n    }\n    block b8:" if is_in_loop else "",
        lines,
    )
    assert convergent(stored) is not is_in_loop
