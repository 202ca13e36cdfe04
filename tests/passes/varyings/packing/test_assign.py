"""Where packing puts varyings: groups, order, holes, sizes, colors, what must keep its place."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.rules import short_name
from nirls.passes.varyings.interface.scalar_slots import HALVES
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.packing.assign import placements
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interface_of, interpolated, vertex


def plan(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> dict[str, str]:
    interface = interface_of(producer, consumer, options)
    find_convergent(interface)
    return {_name(placement.slot.number): _name(placement.number) for placement in placements(interface)}


def _name(number: int) -> str:
    half = "hi" if number % 2 else ""
    return short_name(number // HALVES, number % HALVES // 2) + half


def test_interpolations_do_not_share_a_vec4() -> None:
    producer = vertex(store("VAR4", "%10"), store("VAR5", "%11"), store("VAR6", "%12"))
    consumer = fragment(
        interpolated(4, "VAR4"), interpolated(5, "VAR5", coordinates=3), interpolated(6, "VAR6")
    )
    assert plan(producer, consumer) == {"VAR4.x": "VAR0.x", "VAR6.x": "VAR0.y", "VAR5.x": "VAR1.x"}
    flexible = LinkOptions(flexible_interpolation=True)
    assert plan(producer, consumer, flexible) == {
        "VAR4.x": "VAR0.x",
        "VAR5.x": "VAR0.y",
        "VAR6.x": "VAR0.z",
    }


def test_flat_comes_behind_interpolated() -> None:
    producer = vertex(store("VAR4", "%10"), store("VAR5", "%11"))
    assert plan(producer, fragment(load(4, "VAR4"), interpolated(5, "VAR5"))) == {
        "VAR5.x": "VAR0.x",
        "VAR4.x": "VAR1.x",
    }


def test_convergent_fills_holes_of_flat_before_interpolated() -> None:
    sine = "32    %20 = fsin %9.x"
    producer = vertex(sine, store("VAR4", "%20"), store("VAR5", "%10"), store("VAR6", "%11"))
    consumer = fragment(interpolated(4, "VAR4"), load(5, "VAR5"), interpolated(6, "VAR6"))
    assert plan(producer, consumer)["VAR4.x"] == "VAR1.y"
    alone = vertex(sine, store("VAR4", "%20"), store("VAR6", "%11"))
    assert plan(alone, fragment(interpolated(4, "VAR4"), interpolated(6, "VAR6")))["VAR4.x"] == "VAR0.y"


def test_transform_feedback_only_comes_last() -> None:
    captured = store("VAR0", "%10", extra=" no_varying|component=0 buffer=0 offset=0")
    producer = vertex(captured, store("VAR5", "%11"))
    assert plan(producer, fragment(interpolated(4, "VAR5"))) == {"VAR5.x": "VAR0.x", "VAR0.x": "VAR0.y"}


def test_fog_becomes_generic_and_texcoords_stay() -> None:
    producer = vertex(store("FOGC", "%10"), store("TEX3", "%11"))
    consumer = fragment(interpolated(4, "FOGC"), interpolated(5, "TEX3"))
    assert plan(producer, consumer) == {"FOGC.x": "VAR0.x"}


def test_colors_stay_among_themselves_and_may_be_rotated() -> None:
    producer = vertex(store("COL1", "%10", 2), store("VAR3", "%11"))
    consumer = fragment(interpolated(4, "COL1", 2), interpolated(5, "VAR3"))
    assert plan(producer, consumer) == {"VAR3.x": "VAR0.x", "COL1.z": "COL0.x"}
    rotated = LinkOptions(rotate_colors=True)
    assert plan(producer, consumer, rotated) == {"VAR3.x": "VAR0.x", "COL1.z": "COL0.y"}


def test_indexed_range_keeps_its_place_and_its_holes_are_filled() -> None:
    dynamic = (
        "           @store_output (%10, %13) (base=0, range=0, wrmask=x, component=0, src_type=float32,"
        " io location=VARYING_SLOT_VAR0 slots=2, xfb(), xfb2())"
    )
    producer = vertex("32    %13 = f2i32 %11", dynamic, store("VAR7", "%11"), store("VAR8", "%12"))
    array = (
        "32    %4 = @load_interpolated_input (%2, %0 (0x0)) (base=0, component=0, dest_type=float32,"
        " io location=VARYING_SLOT_VAR0 slots=2)"
    )
    consumer = fragment(array, interpolated(5, "VAR7"), load(6, "VAR8"))
    assert plan(producer, consumer) == {"VAR7.x": "VAR0.y", "VAR8.x": "VAR2.x"}


def test_before_a_geometry_shader_pos_is_the_first_vec4() -> None:
    producer = vertex(store("VAR4", "%10"), store("VAR9", "%11", 3))
    loads = [
        load(4, "VAR4", name="load_per_vertex_input"),
        load(5, "VAR9", 3, name="load_per_vertex_input"),
    ]
    consumer = shader("GEOMETRY", ZERO, *loads, use("%4"), use("%5"))
    assert plan(producer, consumer) == {"VAR4.x": "POS.x", "VAR9.w": "POS.y"}
    without = LinkOptions(use_pos=False)
    assert plan(producer, consumer, without) == {"VAR4.x": "VAR0.x", "VAR9.w": "VAR0.y"}


def test_inputs_that_other_invocations_read_come_first() -> None:
    slots = ("VAR3", "VAR5", "VAR7")
    producer = vertex(*(store(slot, f"%{10 + number}") for number, slot in enumerate(slots)))
    loads = [load(4 + number, slot, name="load_per_vertex_input") for number, slot in enumerate(slots)]
    own = "32    %9 = @load_invocation_id"
    loads = [
        line if number == 1 else line.replace("(%0 (0x0)", "(%9", 1) for number, line in enumerate(loads)
    ]
    consumer = shader("TESS_CTRL", ZERO, own, *loads, *map(use, ("%4", "%5", "%6")))
    assert plan(producer, consumer) == {"VAR5.x": "POS.x", "VAR3.x": "POS.y", "VAR7.x": "POS.z"}


def test_halves_share_components_behind_whole_ones() -> None:
    half = "io location=VARYING_SLOT_VAR{} slots=1{}"
    stores = [
        "16    %20 = f2f16 %10",
        "           @store_output (%20, %0 (0x0)) (base=0, range=0, wrmask=x, component=0, src_type=float16,"
        f" {half.format(4, '')}, xfb(), xfb2())",
        "           @store_output (%20, %0 (0x0)) (base=0, range=0, wrmask=x, component=0, src_type=float16,"
        f" {half.format(5, ' high_16bits')}, xfb(), xfb2())",
        store("VAR6", "%10"),
    ]
    loads = [
        "16    %4 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float16,"
        f" {half.format(4, '')})",
        "16    %5 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float16,"
        f" {half.format(5, ' high_16bits')})",
        load(6, "VAR6"),
    ]
    assert plan(vertex(*stores), fragment(*loads)) == {
        "VAR6.x": "VAR0.x",
        "VAR4.x": "VAR0.y",
        "VAR5.xhi": "VAR0.yhi",
    }


def test_color_of_a_primitive_keeps_its_place_and_nothing_else_gets_it() -> None:
    mesh = shader(
        "MESH",
        ZERO,
        "32    %1 = @load_local_invocation_index",
        "32    %2 = u2f32 %1",
        store("COL0", "%2", name="store_per_primitive_output"),
        store("COL0", "%2", 2, name="store_per_vertex_output"),
    )
    consumer = fragment(load(4, "COL0", name="load_per_primitive_input"), interpolated(5, "COL0", 2))
    assert plan(mesh, consumer) == {"COL0.z": "COL0.y"}


def small_color(number: int) -> tuple[str, str]:
    place = "component=0, {}_type=float16, io location=VARYING_SLOT_COL0 slots=1"
    return (
        f"               @store_output (%{number}, %0 (0x0)) (base=0, range=0, wrmask=x,"
        f" {place.format('src')}, xfb(), xfb2())",
        f"16    %{number} = @load_interpolated_input (%2, %0 (0x0)) (base=0, {place.format('dest')})",
    )


def test_color_of_16_bits_keeps_its_place_and_its_vec4() -> None:
    small_store, small_load = small_color(4)
    producer = vertex("16    %4 = f2f16 %10", small_store, store("COL1", "%11"))
    consumer = fragment(small_load, interpolated(5, "COL1"))
    assert plan(producer, consumer) == {"COL1.x": "COL1.x"}


def test_rotated_colors_do_not_run_into_one_that_stays() -> None:
    small_store, small_load = small_color(4)
    producer = vertex(
        "16    %4 = f2f16 %10",
        small_store,
        store("VAR0", "%10"),
        store("COL0", "%11", 2),
        store("COL0", "%12", 3),
        store("COL1", "%10"),
        store("COL1", "%11", 1),
    )
    consumer = fragment(
        small_load.replace("interpolated_input (%2,", "input (").replace("base=0,", "base=0, range=1,"),
        interpolated(5, "VAR0"),
        *(
            load(number, slot, component)
            for number, (slot, component) in enumerate(
                [("COL0", 2), ("COL0", 3), ("COL1", 0), ("COL1", 1)], 6
            )
        ),
    )
    assert plan(producer, consumer, LinkOptions(rotate_colors=True)) == {
        "VAR0.x": "VAR0.x",
        "COL0.z": "COL0.y",
        "COL0.w": "COL0.z",
        "COL1.x": "COL0.w",
        "COL1.y": "COL1.y",
    }


def test_convergent_outputs_leave_no_hole_that_a_second_run_would_fill() -> None:
    """Six inputs of which one varies: three would fit beside it, but the rest needs a flat vec4 anyway."""
    sines = [f"32    %{20 + number} = fsin %9.{'xyzwx'[number]}" for number in range(5)]
    stored = [store(f"VAR{4 + number}", f"%{20 + number}") for number in range(5)]
    producer = vertex(*sines, *stored, store("VAR9", "%11"))
    consumer = fragment(*(interpolated(4 + number, f"VAR{4 + number}") for number in range(6)))
    found = plan(producer, consumer)
    flat = [place for name, place in found.items() if name != "VAR9.x" and place.startswith("VAR1")]
    assert flat == ["VAR1.x", "VAR1.y", "VAR1.z", "VAR1.w"]
    assert len({place.partition(".")[0] for place in found.values()}) == 2


def test_nothing_moves_to_a_color_that_stays() -> None:
    """Inputs whose declarations decide how they are read keep their places, and keep them alone."""
    captured = store("COL1", "%11", 1, extra=" no_varying|component=1 buffer=0 offset=8")
    producer = vertex(store("COL0", "%10"), captured)
    declared = (
        "decl_var shader_in INTERP_MODE_FLAT none float in0 (VARYING_SLOT_COL0.x, 0, 0)",
        "decl_var shader_in INTERP_MODE_SMOOTH none float in1 (VARYING_SLOT_COL1.w, 1, 0)",
    )
    consumer = shader("FRAGMENT", ZERO, load(1, "COL0"), use("%1"), header=declared)
    places = plan(producer, consumer)
    assert "COL0.x" not in places
    assert "COL1.y" in places
    assert "COL0.x" not in places.values()
