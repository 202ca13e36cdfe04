"""The cells of a packing table: groups, halves, names and values."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.table import CellGroup, Half, PackingCell, PackingTable
from nirls.passes.varyings.packings import packing_table
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated, vertex

CAPTURED = "|component=0 buffer=0 offset=0"


def before(producer: Shader, consumer: Shader) -> dict[str, PackingCell]:
    table = packing_table(producer, consumer, OptVaryings())
    assert isinstance(table, PackingTable)
    return {cell.name: cell for cell in table.cells}


def groups(producer: Shader, consumer: Shader) -> dict[str, CellGroup]:
    return {name: cell.group for name, cell in before(producer, consumer).items()}


def test_groups_of_a_fragment_shaders_inputs() -> None:
    producer = vertex(
        "32    %20 = @load_draw_id",
        "32    %21 = u2f32 %20",
        *(store(f"VAR{number}", "%10") for number in (0, 1, 3)),
        store("VAR2", "%21"),
        store("VAR4", "%11", extra=CAPTURED),
        store("COL0", "%11"),
        store("POS", "%12"),
    )
    consumer = fragment(
        interpolated(4, "VAR0"),
        load(5, "VAR1"),
        interpolated(6, "VAR2", coordinates=3),
        interpolated(7, "COL0"),
        load(8, "VAR9"),
    )
    assert groups(producer, consumer) == {
        "POS.x": CellGroup.FIXED_HARDWARE,
        "COL0.x": CellGroup.COLOR,
        "VAR0.x": CellGroup.INTERPOLATED,
        "VAR1.x": CellGroup.FLAT,
        "VAR2.x": CellGroup.CONVERGENT,
        "VAR3.x": CellGroup.DEAD,
        "VAR4.x": CellGroup.CAPTURED_ONLY,
        "VAR9.x": CellGroup.UNDEFINED,
    }
    assert before(producer, consumer)["VAR2.x"].interpolation == "perspective centroid"


def test_groups_before_the_fragment_shader() -> None:
    control = shader(
        "TESS_CTRL",
        ZERO,
        "32    %1 = load_const (0x3f800000)",
        "32    %2 = @load_invocation_id",
        store("VAR0", name="store_per_vertex_output"),
        store("VAR1", name="store_per_vertex_output"),
        store("PATCH0"),
        store("TESS_LEVEL_OUTER"),
        load(3, "VAR1", name="load_per_vertex_output"),
        use("%3"),
    )
    evaluation = shader("TESS_EVAL", ZERO, load(1, "VAR0", name="load_per_vertex_input"), load(2, "PATCH0"))
    assert groups(control, evaluation) == {
        "TESS_LEVEL_OUTER.x": CellGroup.FIXED_HARDWARE,
        "VAR0.x": CellGroup.PER_VERTEX,
        "VAR1.x": CellGroup.NO_VARYING,
        "PATCH0.x": CellGroup.PATCH,
    }


def test_input_of_another_invocation() -> None:
    control = shader("TESS_CTRL", ZERO, load(1, "VAR0", name="load_per_vertex_input"), use("%1"))
    assert groups(vertex(store("VAR0", "%10")), control) == {"VAR0.x": CellGroup.CROSS_INVOCATION}


def test_back_color_has_a_row_of_its_own() -> None:
    producer = vertex(store("COL0", "%10"), store("BFC0", "%11"))
    assert groups(producer, fragment(interpolated(4, "COL0"))) == {
        "COL0.x": CellGroup.COLOR,
        "BFC0.x": CellGroup.COLOR,
    }
    only_back = vertex(store("BFC0", "%11"))
    assert groups(only_back, fragment(interpolated(4, "COL0"))) == {
        "COL0.x": CellGroup.COLOR,
        "BFC0.x": CellGroup.COLOR,
    }


def half(number: int, extra: str) -> str:
    text = store("VAR0", f"%{number}", extra=extra).replace("float32", "float16")
    return text.replace("store_output", "store_output", 1)


def test_halves_of_a_component() -> None:
    producer = vertex(
        "16    %20 = f2f16 %10",
        "16    %21 = f2f16 %11",
        half(20, ""),
        half(21, " high_16bits"),
        store("VAR1", "%12"),
    )
    consumer = fragment(
        load(4, "VAR0").replace("32    ", "16    ", 1).replace("float32", "float16"),
        load(5, "VAR0", extra=" high_16bits").replace("32    ", "16    ", 1).replace("float32", "float16"),
        load(6, "VAR1"),
    )
    cells = before(producer, consumer)
    assert {name: (cell.half, cell.bit_size) for name, cell in cells.items()} == {
        "VAR0.x.lo": (Half.LOW, 16),
        "VAR0.x.hi": (Half.HIGH, 16),
        "VAR1.x": (Half.WHOLE, 32),
    }
    table = packing_table(producer, consumer, OptVaryings())
    assert isinstance(table, PackingTable)
    assert [len(column) for column in table.rows()[0][1]] == [2, 0, 0, 0]
    assert (table.scalars, table.slots) == (3, 2)


def test_vector_and_64_bit_values_are_shown_by_component() -> None:
    vector = (
        "           @store_output (%20, %0 (0x0)) (base=0, range=0, wrmask=xz, component=0, src_type=float32,"
        " io location=VARYING_SLOT_VAR0 slots=1, xfb(), xfb2())"
    )
    wide = store("VAR1", "%21").replace("float32", "float64")
    producer = vertex("32x3  %20 = vec3 %10, %11, %12", vector, "64    %21 = f2f64 %10", wide)
    cells = before(
        producer, fragment(load(4, "VAR0"), load(5, "VAR0", 2), load(6, "VAR1"), load(7, "VAR1", 1))
    )
    assert {name: cell.value for name, cell in cells.items()} == {
        "VAR0.x": "%20.x",
        "VAR0.z": "%20.z",
        "VAR1.x": "%21",
        "VAR1.y": "%21",
    }


def test_indexed_range_shows_all_its_elements() -> None:
    dynamic = (
        "           @store_output (%10, %13) (base=0, range=0, wrmask=x, component=1, src_type=float32,"
        " io location=VARYING_SLOT_VAR0 slots=3, xfb(), xfb2())"
    )
    producer = vertex("32    %13 = f2u32 %10", dynamic)
    cells = before(producer, fragment(load(4, "VAR1", 1)))
    assert list(cells) == ["VAR0.y", "VAR1.y", "VAR2.y"]
    assert all(cell.indirect and cell.value == "%10" for cell in cells.values())


def test_label_is_the_declared_name_or_the_value() -> None:
    declared = "decl_var shader_out INTERP_MODE_NONE none vec2 uv (VARYING_SLOT_VAR0.yz, 0, 0)"
    producer = shader(
        "VERTEX",
        ZERO,
        "32    %1 = load_const (0x3f800000)",
        store("VAR0", component=1),
        store("VAR0", component=2),
        store("VAR1"),
        header=(declared,),
    )
    cells = before(producer, fragment(load(4, "VAR0", 1), load(5, "VAR0", 2), load(6, "VAR1")))
    assert {name: cell.label for name, cell in cells.items()} == {
        "VAR0.y": "uv.x",
        "VAR0.z": "uv.y",
        "VAR1.x": "1",
    }
