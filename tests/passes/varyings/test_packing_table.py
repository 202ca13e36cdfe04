"""The picture of the packing: groups, halves, what a cell holds, where it went."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.io.urb_maps import urb_maps
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.accesses import Unlinkable
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing_table import (
    CellGroup,
    Half,
    PackingCell,
    PackingTable,
    PairPacking,
    packing_table,
    packings,
)
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated, vertex

CAPTURED = "|component=0 buffer=0 offset=0"


def before(producer: Shader, consumer: Shader) -> dict[str, PackingCell]:
    table = packing_table(producer, consumer, OptVaryings())
    assert isinstance(table, PackingTable)
    return {cell.name: cell for cell in table.cells}


def groups(producer: Shader, consumer: Shader) -> dict[str, CellGroup]:
    return {name: cell.group for name, cell in before(producer, consumer).items()}


def only_pair(producer: Shader, consumer: Shader) -> PairPacking:
    (pair,) = packings([producer, consumer], OptVaryings())
    return pair


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


def test_after_says_what_came_from_where() -> None:
    producer = vertex(store("VAR3", "%10"), store("VAR5", "%11"), store("VAR7", "%12"))
    consumer = fragment(
        load(4, "VAR3"),
        load(5, "VAR5"),
        "32    %7 = @load_frag_coord_z",
        "32    %6 = fmax %4, %7",
        "32    %8 = fmax %5, %7",
        use("%6"),
        use("%8"),
    )
    pair = only_pair(producer, consumer)
    assert [(cell.name, cell.came_from, cell.label) for cell in pair.after.cells] == [
        ("VAR0.x", "VAR3.x", "%10"),
        ("VAR0.y", "VAR5.x", "%11"),
    ]
    assert pair.moved == 0
    assert pair.summary == "VS to FS: 3 scalars in 3 vec4 slots, 2 in 1 after opt_varyings"
    assert [cell.name for cell in pair.before.cells] == ["VAR3.x", "VAR5.x", "VAR7.x"]


def test_moved_expression_says_so() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"), "32    %6 = fmax %4, %5", use("%6"))
    pair = only_pair(producer, consumer)
    (cell,) = pair.after.cells
    assert "moved here" in cell.label
    assert (pair.moved, pair.saved_scalars, pair.saved_slots) == (1, 1, 1)
    assert pair.summary.endswith("1 in 1 after opt_varyings, which moves 1 instruction")


def test_vectors_are_followed_too() -> None:
    vector = (
        "           @store_output (%20, %0 (0x0)) (base=0, range=0, wrmask=xy, component=0, src_type=float32,"
        " io location=VARYING_SLOT_VAR4 slots=1, xfb(), xfb2())"
    )
    producer = vertex("32x2  %20 = vec2 %10, %11", vector)
    consumer = fragment(interpolated(4, "VAR4"), "32    %5 = fsin %4", use("%5"))
    (cell,) = only_pair(producer, consumer).after.cells
    assert (cell.name, cell.came_from) == ("VAR0.x", "VAR4.x")


def test_shaders_stay_as_they_are() -> None:
    producer, consumer = vertex(store("VAR3", "%10")), fragment(load(4, "VAR3"), use("%4"))
    packings([producer, consumer], OptVaryings())
    assert groups(producer, consumer) == {"VAR3.x": CellGroup.FLAT}


def test_what_cannot_be_shown_says_why() -> None:
    variables = shader(
        "VERTEX",
        "32    %0 = deref_var &o (shader_out float)",
        header=("decl_var shader_out INTERP_MODE_NONE none float o (VARYING_SLOT_VAR0.x, 0, 0)",),
    )
    pair = only_pair(variables, fragment(load(4, "VAR0")))
    assert "variables" in pair.obstacle
    assert pair.obstacle in pair.summary
    assert isinstance(packing_table(variables, fragment(), OptVaryings()), Unlinkable)


def test_every_scalar_of_the_corpus_has_its_cell(corpus: Path) -> None:
    for name in ("hand_tess_pn_triangles", "hand_geom_billboard", "hand_interp_quals"):
        folder = corpus / "pipelines" / name / "modern"
        files = [folder / f"{stage}.io.nir" for stage in ("vert", "tesc", "tese", "geom", "frag")]
        shaders = [parse_dump(path.read_bytes()) for path in files if path.exists()]
        found = packings(shaders, OptVaryings())
        assert len(found) == len(shaders) - 1
        for pair in found:
            assert pair.before.scalars >= pair.after.scalars > 0
            assert not {CellGroup.DEAD, CellGroup.OTHER} & set(pair.after.groups())


@pytest.mark.parametrize("stages", [("VERTEX", "COMPUTE"), ("FRAGMENT", "VERTEX")])
def test_stages_without_varyings(stages: tuple[str, str]) -> None:
    (pair,) = packings([shader(stages[0], ZERO), shader(stages[1], ZERO)], OptVaryings())
    assert pair.obstacle


def test_payload_of_a_task_shader_has_no_slots() -> None:
    mesh = shader("MESH", ZERO)
    payload, varyings = packings([shader("TASK", ZERO), mesh, fragment(load(4, "VAR0"))], OptVaryings())
    assert payload.summary == "TS to MS: 0 payload bytes, 0 after opt_varyings"
    assert payload.before.cells == payload.after.cells == ()
    assert varyings.obstacle == ""
    assert [cell.group for cell in varyings.before.cells] == [CellGroup.UNDEFINED]


def backend(stage: str, header: str, *lines: str) -> Shader:
    body = "".join(f"    {line}\n" for line in lines)
    return parse_dump(f"shader: {stage}\n{header}impl main {{\n    block b0:\n{body}}}\n".encode())


ATTRIBUTES = (
    "32    %0 = load_const (0x00000000)",
    "32x4  %1 = @ald_nv (%0, %0) (base=128, range_base=128, range=16, flags=0, access=reorderable)",
    "@ast_nv (%1, %0, %0) (base=112, range_base=112, range=16, flags=1)",
    "@ast_nv (%0, %0, %0) (base=128, range_base=128, range=4, flags=1)",
    "@ast_nv (%0, %0, %0) (base=144, range_base=144, range=4, flags=1)",
    "@ast_nv (%0, %0, %0) (base=160, range_base=160, range=4, flags=1)",
)
NV_FRAGMENT = (
    "32    %0 = load_const (0x00000000)",
    "32    %1 = @ipa_nv (%0, %0) (base=128, flags=0)",
    "32    %2 = @ipa_nv (%0, %0) (base=144, flags=10)",
    "32    %3 = @ipa_nv (%0, %0) (base=1020, flags=10)",
    "@fs_out_nv (%1) (base=0)",
)


@pytest.mark.parametrize(("read", "unread_slot"), [("32-33", CellGroup.DEAD), ("32-34", CellGroup.OTHER)])
def test_slots_of_backend_io(read: str, unread_slot: CellGroup) -> None:
    """A store is dead only if the known loads are all that the header lists."""
    producer = backend("MESA_SHADER_VERTEX", "outputs_written: 0,32-34\n", *ATTRIBUTES)
    header = f"inputs_read: {read}\n"
    pair = only_pair(producer, backend("MESA_SHADER_FRAGMENT", header, *NV_FRAGMENT))
    assert "backend I/O" in pair.obstacle
    assert not pair.after.cells
    assert {cell.name: cell.group for cell in pair.before.cells} == {
        **{f"POS.{letter}": CellGroup.FIXED_HARDWARE for letter in "xyzw"},
        "FACE.x": CellGroup.FIXED_HARDWARE,
        "VAR0.x": CellGroup.INTERPOLATED,
        "VAR1.x": CellGroup.FLAT,
        "VAR2.x": unread_slot,
    }
    scalars = pair.before.scalars
    assert pair.summary.startswith(f"VS to FS: {scalars} scalar")


def test_slots_of_a_separate_shader() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    separate = parse_dump(producer.source.replace(b"\n", b"\nseparate_shader: true\n", 1))
    pair = only_pair(separate, fragment(load(4, "VAR0"), use("%4")))
    assert "separate shader" in pair.obstacle
    assert {cell.name for cell in pair.before.cells} == {"VAR0.x", "VAR1.x"}
    assert not pair.after.cells


def test_urb_by_the_maps_below_the_dumps() -> None:
    table = b"""PUE map (4 slots, 2/patch, 2/vertex, fixed)
  [00] A
  [01] A
  [02] VARYING_SLOT_POS
  [03] VARYING_SLOT_VAR0
"""
    producer = parse_dump(b"""\
shader: MESA_SHADER_TESS_CTRL
outputs_written: 0,32
impl main {
    block b0:
    32    %0 = load_const (0x00000000)
    32    %1 = load_const (0x0000001f)
    32    %2 = @load_urb_output_handle_intel
    32x8  %3 = undefined
    32x8  %4 = vec8 %0, %0, %0, %0, %2, %0, %0, %0
    @store_urb_vec4_intel (%4, %2, %0, %1) (base=2)
}
""")
    consumer = parse_dump(b"""\
shader: MESA_SHADER_TESS_EVAL
inputs_read: 0
impl main {
    block b0:
    32    %0 = load_const (0x00000028)
    32x2  %1 = @load_attribute_payload_intel (%0)
    32    %2 = fadd %1.x, %1.y
}
""")
    maps = [urb_maps(b"TCS Output " + table), urb_maps(b"TES Input " + table)]
    (pair,) = packings([producer, consumer], OptVaryings(), maps)
    assert [(cell.name, cell.value, cell.group) for cell in pair.before.cells] == [
        ("POS.x", "%4.x", CellGroup.DEAD),
        ("POS.y", "%4.y", CellGroup.DEAD),
        ("POS.z", "%4.z", CellGroup.PER_VERTEX),
        ("POS.w", "%4.w", CellGroup.PER_VERTEX),
        ("VAR0.x", "%4.e", CellGroup.DEAD),
    ]
    (without,) = packings([producer, consumer], OptVaryings())
    assert not without.before.cells
