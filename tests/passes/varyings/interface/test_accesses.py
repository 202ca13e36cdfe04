from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.accesses import (
    BACKEND_IO,
    Linkage,
    Unlinkable,
    feeds_fixed_hardware,
    is_whole,
    link,
    name_of,
)
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use

VEC_STORE = (
    "           @store_output (%2, %0 (0x0)) (base=0, range=0, wrmask={mask}, component={component},"
    " src_type=float32, io location=VARYING_SLOT_VAR0 slots={slots}{flags}, xfb(), xfb2())"
)


def linked(*lines: str) -> Linkage:
    linkage = link(shader("VERTEX", ZERO, ONE, *lines), shader("FRAGMENT", ZERO))
    assert isinstance(linkage, Linkage)
    return linkage


def test_vector_store_covers_what_its_mask_writes() -> None:
    (access,) = linked(
        "32x4  %2 = vec4 %0 (0.000000), %1 (1.000000), %0 (0.000000), %1 (1.000000)",
        VEC_STORE.format(mask="xz", component=1, slots=1, flags=""),
    ).stores
    assert access.components == (1, 3)
    assert access.halves == {32 * 8 + 2, 32 * 8 + 3, 32 * 8 + 6, 32 * 8 + 7}
    assert name_of(access) == "VAR0.yw"


def test_half_of_a_component() -> None:
    low, high = linked(
        "16    %2 = f2f16 %1 (1.000000)",
        VEC_STORE.format(mask="x", component=2, slots=1, flags="").replace("float32", "float16"),
        VEC_STORE.format(mask="x", component=2, slots=1, flags=" high_16bits").replace("float32", "float16"),
    ).stores
    assert low.halves == {32 * 8 + 4}
    assert high.halves == {32 * 8 + 5}


def test_double_covers_two_components() -> None:
    (access,) = linked(
        "64x2  %2 = load_const (0x0000000000000000, 0x0000000000000000) = (0.000000, 0.000000)",
        VEC_STORE.format(mask="xy", component=0, slots=1, flags="").replace("float32", "float64"),
    ).stores
    assert access.halves == set(range(32 * 8, 32 * 8 + 8))
    assert name_of(access) == "VAR0.xz"


def test_constant_offset_moves_the_slot() -> None:
    (access,) = linked(
        "32    %3 = load_const (0x00000002 = 0.000000)",
        store("VAR1").replace("%0 (0x0)) (base", "%3 (0x2)) (base").replace("slots=1", "slots=4"),
    ).stores
    assert name_of(access) == "VAR3.x"
    assert not access.is_indirect


def test_indexed_range_is_one_piece_of_storage() -> None:
    linkage = linked(
        "32    %3 = @load_vertex_id",
        store("VAR1").replace("%0 (0x0)) (base", "%3) (base").replace("slots=1", "slots=3"),
        store("VAR2"),
        store("VAR4"),
    )
    ranged, inside, outside = linkage.stores
    assert ranged.is_indirect
    assert name_of(ranged) == "VAR1[].x"
    assert linkage.touches(inside, linkage.storage([ranged]))
    assert not linkage.touches(outside, linkage.storage([ranged]))


def test_back_color_feeds_the_front_color_of_the_fragment_shader() -> None:
    linkage = linked(store("BFC1"))
    (access,) = linkage.stores
    assert linkage.halves(access) == {16, 17}
    assert name_of(access) == "BFC1.x"


def test_captured_components() -> None:
    captured, other = linked(
        store("VAR0", extra="|component=0 buffer=0 offset=0"),
        store("VAR1", component=1, extra="|component=0 buffer=0 offset=0"),
    ).stores
    assert captured.is_captured
    assert not other.is_captured


def test_unknown_intrinsic_with_semantics_counts_but_stays() -> None:
    linkage = link(
        shader("VERTEX", ZERO, ONE, store("VAR0")),
        shader("FRAGMENT", ZERO, load(2, "VAR0", name="load_fs_input_interp_deltas")),
    )
    assert isinstance(linkage, Linkage)
    (access,) = linkage.input_loads
    assert not linkage.may_change(access)


def test_access_of_a_slot_without_a_name_makes_the_side_incomplete() -> None:
    linkage = linked(store("VAR0").replace("VARYING_SLOT_VAR0", "UNKNOWN"))
    assert not linkage.complete_producer
    assert linkage.complete_consumer


def test_stages_that_do_not_follow_each_other() -> None:
    result = link(shader("FRAGMENT", ZERO), shader("VERTEX", ZERO))
    assert isinstance(result, Unlinkable)
    assert result.code == "stages"
    assert result.shader is None


def test_variables_are_not_looked_at() -> None:
    declared = "decl_var shader_out INTERP_MODE_NONE none float o (VARYING_SLOT_VAR0.x, 0, 0)"
    producer = shader("VERTEX", "32    %0 = deref_var &o (shader_out float)", header=[declared])
    consumer = shader("FRAGMENT", ZERO, load(1, "VAR0"), use("%1"))
    result = link(producer, consumer)
    assert isinstance(result, Unlinkable)
    assert (result.code, result.shader) == ("io-variables", producer)
    assert "VS" in result.message


def test_outputs_of_the_hardware_are_not_looked_at() -> None:
    producer = shader("VERTEX", ZERO, header=("outputs_written: 0x100000000",))
    result = link(producer, shader("FRAGMENT", ZERO))
    assert isinstance(result, Unlinkable)
    assert (result.code, result.shader) == (BACKEND_IO, producer)


def test_a_shader_with_a_call_is_whole_if_the_function_is_there() -> None:
    text = (
        "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\ndecl_function f ()\n\n"
        "impl main {\n    block b0:  // preds:\n    call f\n    // succs: b1\n    block b1:\n}\n"
    )
    body = "\nimpl f {\n    block b0:  // preds:\n    // succs: b1\n    block b1:\n}\n"
    assert not is_whole(parse_dump(text.encode()))
    assert is_whole(parse_dump(f"{text}{body}".encode()))


def test_task_shader_hands_on_a_payload() -> None:
    """It links with a mesh shader by bytes, see `payload_accesses`."""
    result = link(shader("TASK", ZERO), shader("MESH", ZERO))
    assert isinstance(result, Unlinkable)
    assert result.code == "task-payload"
    assert result.message.endswith("in memory, not varyings")
    assert result.shader is None, "nothing that somebody could mend"


def test_attributes_in_a_control_shader_are_no_varyings() -> None:
    attribute = load(2, "VAR0").replace("VARYING_SLOT_VAR0", "VERT_ATTRIB_GENERIC0")
    linkage = link(shader("VERTEX", ZERO, ONE), shader("TESS_CTRL", ZERO, attribute))
    assert isinstance(linkage, Linkage)
    assert linkage.input_loads == []
    assert linkage.complete_consumer


@pytest.mark.parametrize(
    ("line", "consumer", "feeds"),
    [
        (store("CLIP_DIST0"), Stage.FRAGMENT, True),
        (store("CLIP_DIST0", extra=" no_sysval_output"), Stage.FRAGMENT, False),
        (store("CLIP_DIST0"), Stage.GEOMETRY, False),
        (store("VAR0"), Stage.FRAGMENT, False),
        # The second of two slots: POS is the first one.
        (
            store("POS").replace("slots=1", "slots=2").replace("%0 (0x0)) (base", "%3) (base"),
            Stage.FRAGMENT,
            False,
        ),
    ],
)
def test_outputs_that_fixed_hardware_reads(line: str, consumer: Stage, feeds: bool) -> None:
    (access,) = linked("32    %3 = load_const (0x00000001 = 0.000000)", line).stores
    assert feeds_fixed_hardware(access, consumer) == feeds
