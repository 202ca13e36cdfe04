"""What is read of the varyings between two stages, and what bars a slot from being touched."""

from __future__ import annotations

import pytest

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.shader import Dialect, UnreadableLine
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.reader import allowed_steps, read_interface
from nirls.passes.varyings.interface.scalar_slots import AllowedSteps, Category, PackingGroup
from nirls.passes.varyings.packing.assign import placements
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interface_of, interpolated, vertex

EVERYTHING = AllowedSteps(True, True, True, True)


@pytest.mark.parametrize(
    ("producer", "consumer", "slot", "expected"),
    [
        (Stage.VERTEX, Stage.FRAGMENT, "VAR0", EVERYTHING),
        (Stage.VERTEX, Stage.FRAGMENT, "FOGC", EVERYTHING),
        (Stage.VERTEX, Stage.FRAGMENT, "COL0", AllowedSteps(propagate=True, deduplicate=True, pack=True)),
        (Stage.VERTEX, Stage.FRAGMENT, "TEX0", AllowedSteps(propagate=True)),
        (Stage.VERTEX, Stage.FRAGMENT, "CLIP_DIST0", AllowedSteps(propagate=True, deduplicate=True)),
        (Stage.VERTEX, Stage.FRAGMENT, "PSIZ", AllowedSteps()),
        (Stage.VERTEX, Stage.GEOMETRY, "TEX0", EVERYTHING),
        (Stage.VERTEX, Stage.TESS_CTRL, "POS", EVERYTHING),
        (
            Stage.TESS_CTRL,
            Stage.TESS_EVAL,
            "TESS_LEVEL_OUTER",
            AllowedSteps(propagate=True, deduplicate=True),
        ),
    ],
)
def test_allowed_steps(producer: Stage, consumer: Stage, slot: str, expected: AllowedSteps) -> None:
    assert allowed_steps(producer, consumer, varying_slot(slot)) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (load(4, "VAR0"), Category(PackingGroup.FLAT)),
        (interpolated(4, "VAR0"), Category(PackingGroup.INTERPOLATED, Interpolation.PERSPECTIVE_PIXEL)),
        (
            interpolated(4, "VAR0", coordinates=3),
            Category(PackingGroup.INTERPOLATED, Interpolation.PERSPECTIVE_CENTROID),
        ),
    ],
)
def test_category(line: str, expected: Category) -> None:
    (slot,) = interface_of(vertex(store("VAR0", "%10")), fragment(line, use("%4"))).in_order()
    assert slot.category == expected
    assert not slot.blocked


@pytest.mark.parametrize(
    ("flags", "group"), [("", PackingGroup.EXPLICIT), (" explicit_strict", PackingGroup.EXPLICIT_STRICT)]
)
def test_explicit_loads_may_be_strict(flags: str, group: PackingGroup) -> None:
    line = load(4, "VAR0", name="load_input_vertex", extra=flags).replace("(%0 (0x0))", "(%0, %0)")
    (slot,) = interface_of(vertex(store("VAR0", "%10")), fragment(line, use("%4"))).in_order()
    assert slot.category == Category(group)


def test_centroid_load_of_an_input_that_is_otherwise_qualified() -> None:
    consumer = fragment(interpolated(4, "VAR0", coordinates=3), interpolated(5, "VAR0"), use("%4"), use("%5"))
    (slot,) = interface_of(vertex(store("VAR0", "%10")), consumer).in_order()
    assert slot.category == Category(PackingGroup.INTERPOLATED, Interpolation.PERSPECTIVE_PIXEL)


def test_flat_and_interpolated_loads_of_one_input_contradict_each_other() -> None:
    consumer = fragment(load(4, "VAR0"), interpolated(5, "VAR0"), use("%4"), use("%5"))
    (slot,) = interface_of(vertex(store("VAR0", "%10")), consumer).in_order()
    assert slot.blocked


def test_an_output_of_fixed_hardware_does_not_hide_the_others() -> None:
    producer = vertex(store("PSIZ", "%11"), store("VAR0", "%10"))
    slots = interface_of(producer, fragment(interpolated(4, "VAR0"), use("%4"))).in_order()
    (slot,) = [slot for slot in slots if slot.location == varying_slot("VAR0")]
    assert (len(slot.stores), len(slot.input_loads)) == (1, 1)
    assert not slot.blocked


def test_a_store_in_another_function_is_not_touched() -> None:
    text = vertex(store("VAR0", "%10"), "call f").source.decode()
    body = (
        f"    block b0:  // preds:\n    {ZERO}\n    {store('VAR1', '%0')}\n    // succs: b1\n    block b1:\n"
    )
    text = text.replace("\nimpl", "\ndecl_function f ()\n\nimpl", 1) + f"\nimpl f {{\n{body}}}\n"
    producer = parse_dump(text.encode())
    assert not producer.unreadable, producer.unreadable
    reader = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR1"), use("%4"), use("%5"))
    stored = {slot.location: slot.blocked for slot in interface_of(producer, reader).in_order()}
    assert stored == {varying_slot("VAR0"): False, varying_slot("VAR1"): True}


def test_other_vertex_stream_is_not_touched() -> None:
    streams = " gs_streams(x={} y=0 z=0 w=0)"
    for stream, blocked in ((0, False), (1, True)):
        producer = vertex(store("VAR0", "%10", extra=streams.format(stream)), stage="GEOMETRY")
        interface = interface_of(producer, fragment(interpolated(4, "VAR0"), use("%4")))
        assert (
            interface.slots == {} or all(slot.stores == [] for slot in interface.slots.values())
        ) == blocked


def test_color_follows_the_shade_model_if_any_load_does() -> None:
    consumer = shader(
        "FRAGMENT",
        ZERO,
        "32x2  %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_NONE)",
        interpolated(4, "COL0"),
        interpolated(5, "VAR0"),
    )
    producer = vertex(store("COL0", "%10"), store("VAR0", "%11"))
    groups = [slot.category and slot.category.group for slot in interface_of(producer, consumer).in_order()]
    assert groups == [PackingGroup.SHADE_MODEL, PackingGroup.INTERPOLATED]


def test_dump_with_unreadable_lines_is_left_alone() -> None:
    producer = vertex(store("VAR0", "%10"))
    producer.unreadable.append(UnreadableLine(Span(0, 1, 0), "?"))
    found = read_interface(producer, fragment(interpolated(4, "VAR0")), LinkOptions())
    assert isinstance(found, Unlinkable)
    assert found.code == "incomplete"


@pytest.mark.parametrize("dialect", [Dialect.CLASSIC, Dialect.MODERN])
@pytest.mark.parametrize(("mode", "blocked"), [("NONE", True), ("NOPERSPECTIVE", True), ("FLAT", False)])
@pytest.mark.parametrize("slot_name", ["VAR1", "VAR2"])
def test_without_barycentrics_the_declarations_say_what_is_smooth(
    dialect: Dialect, mode: str, blocked: bool, slot_name: str
) -> None:
    """Drivers without barycentric intrinsics interpolate in `load_input`; a matrix takes several slots."""
    consumer = shader("FRAGMENT", ZERO, load(4, slot_name), use("%4"), header=consumer_header(mode))
    consumer.dialect = dialect
    found = interface_of(vertex(store(slot_name, "%10")), consumer)
    (slot,) = found.in_order()
    assert slot.blocked == blocked
    # Nothing flat gets into its vec4.
    held_as = found.occupied_as.get(slot.location)
    assert (held_as.group if held_as is not None else None) == (
        PackingGroup.INTERPOLATED if blocked else None
    )


def test_an_input_without_declaration_goes_by_its_load() -> None:
    consumer = shader("FRAGMENT", ZERO, load(4, "VAR7"), use("%4"))
    (slot,) = interface_of(vertex(store("VAR7", "%10")), consumer).in_order()
    assert slot.category == Category(PackingGroup.FLAT)


def test_an_input_without_declaration_stays_where_others_have_one() -> None:
    consumer = shader("FRAGMENT", ZERO, load(4, "VAR7"), use("%4"), header=consumer_header("NONE"))
    (slot,) = interface_of(vertex(store("VAR7", "%10")), consumer).in_order()
    assert slot.blocked
    assert slot.category is None


def test_where_declarations_matter_no_input_moves_to_another_place() -> None:
    header = (
        *consumer_header("NONE"),
        "decl_var shader_in INTERP_MODE_FLAT none float f (VARYING_SLOT_VAR9.x, 0, 0)",
    )
    consumer = shader("FRAGMENT", ZERO, load(4, "VAR1"), load(5, "VAR9"), use("%4"), use("%5"), header=header)
    found = interface_of(vertex(store("VAR1", "%10"), store("VAR9", "%10")), consumer)
    flat = next(slot for slot in found.in_order() if slot.category == Category(PackingGroup.FLAT))
    assert not flat.allowed.pack
    assert flat.allowed.propagate
    assert placements(found) == []


def consumer_header(mode: str) -> tuple[str, ...]:
    return (f"decl_var shader_in INTERP_MODE_{mode} none mat4 m (VARYING_SLOT_VAR1.xyzw, 0, 0)",)
