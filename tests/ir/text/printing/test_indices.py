"""Intrinsic indices in words and numbers."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Dialect
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.ir.text.lowering.index_values import parse_index
from nirls.ir.text.printing.indices import (
    index_text,
    mask_letters,
    older_index_text,
    raw_number,
    slot_is_named,
    unpack_io_flags,
)

STORE = IntrinsicInstr("store_output", [Src(Def(0, 4, 32)), Src(Def(1, 1, 32))], {})
POSITION = IoSemantics(0, 1, ("no_varying",))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("base", 3, "base=3"),
        ("write_mask", 0b101, "wrmask=xz"),
        ("access", 0, "access=none"),
        ("access", 0b10001, "access=coherent|readonly"),
        ("src_type", "float32", "src_type=float32"),
        ("memory_semantics", ("ACQ", "REL"), "mem_semantics=ACQ|REL"),
        ("memory_semantics", (), "mem_semantics=NONE"),
        ("memory_modes", (), "mem_modes=0"),
        ("io_semantics", POSITION, "io location=VARYING_SLOT_POS slots=1 no_varying"),
        ("io_semantics", IoSemantics(-1, 2), "io location=UNKNOWN slots=2"),
        ("io_xfb", XfbOutputs(), "xfb()"),
        ("io_xfb2", XfbOutputs(((2, 2, 1, 16),)), "xfb2(components=2..3 buffer=1 offset=16)"),
        ("io_xfb", XfbOutputs(((1, 1, 0, 4),)), "xfb(component=1 buffer=0 offset=4)"),
        ("cmat_desc", "16x16_USE_A", "16x16_USE_A"),
    ],
)
def test_modern_indices(name: str, value: IndexValue, text: str) -> None:
    assert index_text(STORE, name, value, Stage.VERTEX) == text


@pytest.mark.parametrize(
    ("name", "value", "text", "number"),
    [
        ("access", 16, "access=16", 16),
        ("interp_mode", "INTERP_MODE_FLAT", "interp_mode=2", 2),
        ("write_mask", 15, "wrmask=xyzw", 15),
        ("src_type", "float32", "src_type=float32", 160),
        ("dest_type", "uint16", "dest_type=uint16", 20),
        ("io_semantics", IoSemantics(4), "io location=4 slots=1", 132),
        ("io_xfb", XfbOutputs(((0, 3, 1, 8),)), "xfb(components=0..2 buffer=1 offset=8)", 0x213),
        ("desc_type", "SSBO", "desc_type=SSBO", 7),
        ("memory_modes", ("ssbo", "shared"), "mem_modes=ssbo|shared", 1 << 9 | 1 << 14),
        ("memory_scope", "WORKGROUP", "memory_scope=WORKGROUP", 4),
        ("memory_modes", (), "mem_modes=", 0),
        ("reduction_op", "fadd", "reduction_op=fadd", 149),
        ("swizzle_mask", "((id & 31) | 0) ^ 1", "swizzle_mask=((id & 31) | 0) ^ 1", 1055),
        ("format", "r32_float", "format=r32_float", None),
    ],
)
def test_classic_indices_and_their_numbers(
    name: str, value: IndexValue, text: str, number: int | None
) -> None:
    assert older_index_text(STORE, name, value, Dialect.CLASSIC) == text
    assert raw_number(name, value) == number


def test_flags_of_io_semantics_in_the_packed_word() -> None:
    value = IoSemantics(32, 1, ("mediump", "no_varying"), (("gs_streams", "x=0 y=1 z=2 w=3"),))
    number = raw_number("io_semantics", value)
    assert number == 32 | 1 << 7 | 0b11100100 << 15 | 1 << 23 | 1 << 27


def test_a_packed_word_keeps_its_flags_when_the_slot_changes() -> None:
    packed = parse_index("io_semantics", str(33 | 1 << 7 | 1 << 25))
    assert isinstance(packed, IoSemantics)
    moved = IoSemantics(40, packed.num_slots, packed.flags, packed.values)
    assert raw_number("io_semantics", moved) == 40 | 1 << 7 | 1 << 25
    assert unpack_io_flags(packed) == IoSemantics(33, 1, ("high_16bits",))


def test_slots_are_named_where_mesa_knows_the_direction() -> None:
    assert slot_is_named("store_output", Stage.FRAGMENT)
    assert not slot_is_named("load_per_vertex_output", Stage.TESS_CTRL)
    assert not slot_is_named("store_output", Stage.COMPUTE)


def test_wide_masks_have_other_letters() -> None:
    assert mask_letters(0b10000001, 8) == "ah"
    assert mask_letters(0xFFFF, 3) == "xyz"


def test_old_dumps_show_flags_by_the_stage() -> None:
    packed = parse_index("io_semantics", str(4 | 1 << 7 | 1 << 13 | 1 << 23))
    text = "location=4 slots=1{} mediump"
    assert older_index_text(STORE, "io_semantics", packed, Dialect.OLD, Stage.FRAGMENT) == text.format(
        " dualsrc=1"
    )
    assert older_index_text(STORE, "io_semantics", packed, Dialect.OLD, Stage.GEOMETRY) == text.format(
        " gs_streams(x=0 y=0 z=0 w=0)"
    )


def test_streams_that_are_no_numbers_count_as_none() -> None:
    broken = IoSemantics(1, 1, (), (("gs_streams", "x=a y"),))
    assert raw_number("io_semantics", broken) == 1 | 1 << 7


def test_the_four_digits_of_a_quad_swizzle() -> None:
    swizzle = IntrinsicInstr("quad_swizzle_amd", [], {})
    assert index_text(swizzle, "swizzle_mask", 123, None) == "swizzle_mask=0123"
    assert index_text(STORE, "swizzle_mask", 123, None) == "swizzle_mask=123"


def test_a_control_shader_names_the_attributes_that_it_reads() -> None:
    load = IntrinsicInstr("load_input", [Src(Def(0, 1, 32))], {})
    attribute = IoSemantics(15)
    assert (
        index_text(load, "io_semantics", attribute, Stage.TESS_CTRL)
        == "io location=VERT_ATTRIB_GENERIC0 slots=1"
    )
    assert (
        index_text(load, "io_semantics", attribute, Stage.TESS_EVAL)
        == "io location=VARYING_SLOT_EDGE slots=1"
    )
