from __future__ import annotations

import pytest

from nirls.ir.io.urb_maps import UrbMap, UrbRegion, has_urb_accesses, urb_maps
from nirls.ir.model.slots import slot_number

VERTICES = b"""
TCS Input MESA_SHADER_TESS_CTRL VUE map (3 slots, fixed)
  [00] VARYING_SLOT_PSIZ
  [01] VARYING_SLOT_POS
  [02] BRW_VARYING_SLOT_PAD
"""
PATCHES = b"""
TCS Output PUE map (4 slots, 2/patch, 2/vertex, fixed)
  [00] VARYING_SLOT_TESS_LEVEL_OUTER
  [01] VARYING_SLOT_TESS_LEVEL_INNER
  [02] VARYING_SLOT_POS
  [03] VARYING_SLOT_VAR0

Native code for unnamed tessellation control shader
"""
MESHLETS = b"""
Mesh Input TUE (48 dwords)

Mesh Output MUE map (9824 bytes, 84 primitives, 64 vertices):
   indices_stride:   4
   primitive_header: 1
   primitive_offset: 352
   primitive_stride: 64
   vertex_offset:    5728
   vertex_stride:    64
   primitive offsets:
      VARYING_SLOT_PRIMITIVE_COUNT: 0
      VARYING_SLOT_PRIMITIVE_INDICES: 4
      VARYING_SLOT_LAYER: 356 (relative 4)
      VARYING_SLOT_CULL_PRIMITIVE: 364 (relative 12)
      VARYING_SLOT_VAR3: 384 (relative 32)
MESA_SHADER_MESH VUE map (2 slots, fixed)
  [00] VARYING_SLOT_PSIZ
  [01] VARYING_SLOT_VAR0

Native code for unnamed mesh shader
"""
HEADER = (None, "LAYER.x", "VIEWPORT.x", "PSIZ.x")


def named(region: UrbRegion) -> list[str | None]:
    """The dwords of a record: `VAR0.x`."""
    names = {
        slot_number(f"VARYING_SLOT_{name}"): name
        for name in ("LAYER", "VIEWPORT", "PSIZ", "POS", "VAR0", "VAR3", "CULL_PRIMITIVE", "PRIMITIVE_COUNT")
    }
    return [None if one is None else f"{names[one[0]]}.{'xyzw'[one[1]]}" for one in region.places]


def vec4(name: str) -> tuple[str, ...]:
    return tuple(f"{name}.{letter}" for letter in "xyzw")


def test_vertices_start_with_a_header_and_may_have_padding() -> None:
    (found,) = urb_maps(VERTICES)
    (region,) = found.regions
    assert (found.is_input, found.has_patch_header, region.start, region.stride) == (True, False, 0, 0)
    assert named(region) == [*HEADER, *vec4("POS"), *[None] * 4]


def test_vertices_of_a_patch_come_behind_what_it_has_once() -> None:
    (found,) = urb_maps(PATCHES)
    once, vertices = found.regions
    assert (found.is_input, found.has_patch_header) == (False, True)
    assert (once.start, once.stride, len(once.places)) == (0, 0, 8)
    assert (vertices.start, vertices.stride) == (8, 8)
    assert named(vertices) == [*vec4("POS"), *vec4("VAR0")]
    assert [found.region_at(dword) for dword in (7, 8, 100)] == [once, vertices, vertices]


def test_meshlets_hold_primitives_and_vertices() -> None:
    (found,) = urb_maps(MESHLETS)
    count, primitives, vertices = found.regions
    assert not found.is_input
    assert named(count) == ["PRIMITIVE_COUNT.x"]
    assert (primitives.start, primitives.stride) == (352 // 4, 16)
    assert named(primitives) == [None, "LAYER.x", None, "CULL_PRIMITIVE.x", *[None] * 4, *vec4("VAR3")]
    assert (vertices.start, vertices.stride) == (5728 // 4, 16)
    assert named(vertices) == [*HEADER, *vec4("VAR0")]


def test_maps_behind_a_log_prefix() -> None:
    for text in (VERTICES + PATCHES, MESHLETS):
        assert urb_maps(text.replace(b"\n", b"\n[  1.25] ")) == urb_maps(text)


def test_text_without_maps() -> None:
    assert urb_maps(b"Output of the assembler (3 slots)\n") == ()
    assert UrbMap(is_input=True, regions=()).region_at(0) is None


def test_dumps_with_urb_accesses() -> None:
    assert has_urb_accesses(b"    32    %26 = @load_urb_output_handle_intel (%1)")
    assert has_urb_accesses(b"@store_urb_vec4_intel (%24, %26, %25, %6)")
    assert has_urb_accesses(b"%1 = @load_attribute_payload_intel (%0)")
    assert not has_urb_accesses(b"%1 = @load_push_data_intel (%0)")


@pytest.mark.parametrize("digits", [7, 18, 5000])
@pytest.mark.parametrize("number", [b"2/patch", b"5728\n", b"32)"])
def test_absurd_numbers_are_no_offsets(number: bytes, digits: int) -> None:
    maps = list(urb_maps((PATCHES + MESHLETS).replace(number, b"9" * digits + number.lstrip(b"0123456789"))))
    assert len(maps) < 3
    assert all(len(region.places) < 100 for one in maps for region in one.regions)
