from __future__ import annotations

import pytest

from nirls.ir.io.urb import IN_PAYLOAD, NO_MAP, NOT_CONSTANT, NOT_IN_MAP, UrbSlots
from nirls.ir.io.urb_maps import urb_maps
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import slot_name
from nirls.ir.text.parse import parse_dump
from tests.ir.io.test_urb_maps import MESHLETS

MAPS = urb_maps(b"""
TCS Input MESA_SHADER_TESS_CTRL VUE map (3 slots, fixed)
  [00] VARYING_SLOT_PSIZ
  [01] VARYING_SLOT_POS
  [02] VARYING_SLOT_VAR0
TCS Output PUE map (6 slots, 3/patch, 3/vertex, fixed)
  [00] VARYING_SLOT_TESS_LEVEL_OUTER
  [01] VARYING_SLOT_TESS_LEVEL_INNER
  [02] VARYING_SLOT_PATCH0
  [03] VARYING_SLOT_POS
  [04] VARYING_SLOT_VAR0
  [05] VARYING_SLOT_VAR1
""")
CONSTANTS = (0, 1, 2, 3, 0xFF, 0x3C, 0x11, 0xFFFFFFFF)
HEAD = "\n".join(f"    32    %{index} = load_const (0x{bits:08x})" for index, bits in enumerate(CONSTANTS))
VALUES = """
    32x8  %10 = undefined
    32    %11 = @load_invocation_id
    32    %12 = @load_urb_output_handle_intel
    32    %13 = @load_urb_input_handle_indexed_intel (%11)
"""


def shader(*lines: str, stage: str = "TESS_CTRL", mode: int = 2) -> Shader:
    body = "".join(f"    {line}\n" for line in lines)
    head = f"shader: MESA_SHADER_{stage}\nprimitive_mode: {mode}\nimpl main {{\n    block b0:\n"
    return parse_dump(f"{head}{HEAD}{VALUES}{body}}}\n".encode())


def slots(parsed: Shader, maps: object = MAPS) -> list[str]:
    """The slots of the last access: `out VAR0.xy`."""
    assert isinstance(maps, tuple)
    (impl,) = parsed.impls()
    accesses = [one for one in impl.instrs() if isinstance(one, IntrinsicInstr) and "handle" not in one.name]
    found = UrbSlots(parsed, maps).accesses(accesses[-1])
    return [
        f"{'out' if one.is_output else 'in'} {_short(one.slot, parsed)}."
        + "".join("xyzw"[component] for component in one.components)
        for one in found
    ]


def _short(slot: int, parsed: Shader) -> str:
    return slot_name(slot, parsed.stage, is_output=True).removeprefix("VARYING_SLOT_")


def why(*lines: str, maps: object = MAPS, stage: str = "TESS_CTRL") -> str:
    parsed = shader(*lines, stage=stage)
    assert isinstance(maps, tuple)
    (impl,) = parsed.impls()
    accesses = [one for one in impl.instrs() if isinstance(one, IntrinsicInstr)]
    return UrbSlots(parsed, maps).why_unknown(accesses[-1])


def store(offset: str, base: int, mask: str = "%4") -> str:
    return f"@store_urb_vec4_intel (%10, %12, {offset}, {mask}) (base={base})"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (store("%0", 3), ["out POS.xyzw", "out VAR0.xyzw"]),
        (store("%1", 3, "%6"), ["out VAR0.x", "out VAR1.x"]),
        # Vertex 1 starts behind the three slots of vertex 0.
        (store("%3", 3), ["out POS.xyzw", "out VAR0.xyzw"]),
        (store("%0", 2, "%3"), ["out PATCH0.xy"]),
        (
            "32x4  %20 = @load_urb_vec4_intel (%13, %0) (base=2, access=none, mem_modes=shader_in)",
            ["in VAR0.xyzw"],
        ),
        # The header of a vertex: point size is its last dword.
        ("32x4  %20 = @load_urb_vec4_intel (%13, %0) (base=0)", ["in LAYER.x", "in VIEWPORT.x", "in PSIZ.x"]),
        ("@store_urb_lsc_intel (%10, %12) (base=52)", ["out POS.yzw", "out VAR0.xyzw", "out VAR1.x"]),
    ],
)
def test_constant_offsets(line: str, expected: list[str]) -> None:
    assert slots(shader(line)) == expected


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        (["32    %20 = imul_32x16 %11, %3"], True),
        (["32    %20 = imul %3, %11"], True),
        (["32    %19 = imul %11, %3", "32    %20 = iadd %19, %3"], True),
        (["32    %19 = imul %11, %3", "32    %18 = ishl %19, %2", "32    %20 = ishr %18, %1"], True),
        (["32    %19 = imul %11, %7", "32    %20 = imul %19, %3"], True),
        (["32    %20 = imul %11, %2"], False),
        (["32    %19 = imul %11, %3", "32    %20 = iadd %19, %11"], False),
        (["32    %19 = imul %11, %3", "32    %20 = ishr %19, %1"], False),
        (["32    %20 = mov %11"], False),
    ],
)
def test_offsets_that_step_by_whole_vertices(lines: list[str], known: bool) -> None:
    assert slots(shader(*lines, store("%20", 5, "%3"))) == (["out VAR1.xy"] if known else [])
    assert slots(shader(*lines, store("%20", 2, "%3"))) == [], "an index of per-patch slots"


def test_one_slot_a_vertex_needs_no_offset() -> None:
    maps = urb_maps(
        b"TCS Output PUE map (3 slots, 2/patch, 1/vertex, fixed)\n [00] A\n [01] A\n [02] VARYING_SLOT_POS\n"
    )
    assert slots(shader(store("%11", 2, "%3")), maps) == ["out POS.xy"]


def test_only_components_that_are_read() -> None:
    load = "32x8  %20 = @load_urb_vec4_intel (%13, %0) (base=1)"
    assert slots(shader(load, "32    %21 = fadd %20.y, %20.g")) == ["in POS.y", "in VAR0.z"]


def test_addresses_with_an_offset() -> None:
    lines = ["32    %19 = imul %11, %5", "32    %20 = ishl %19, %2", "32    %21 = iadd %20, %12"]
    # 240 is 15 slots, which are five vertices.
    assert slots(shader(*lines, "32x2  %22 = @load_urb_lsc_intel (%21) (base=72)")) == ["out VAR0.zw"]
    assert slots(shader("32    %21 = iadd %12, %11", "@store_urb_lsc_intel (%10, %21) (base=48)")) == []


@pytest.mark.parametrize(
    ("mode", "mask", "base", "expected"),
    [
        # Since Gfx12, the outer levels come first.
        (2, "0x0000003f", 0, ["out TESS_LEVEL_OUTER.xyzw", "out TESS_LEVEL_INNER.xy"]),
        (1, "0x00000017", 0, ["out TESS_LEVEL_OUTER.xyz", "out TESS_LEVEL_INNER.x"]),
        (3, "0x00000003", 0, ["out TESS_LEVEL_OUTER.y", "out TESS_LEVEL_OUTER.x"]),
        # Before, they came last and in reverse.
        (2, "0x0000000f", 1, [f"out TESS_LEVEL_OUTER.{letter}" for letter in "wzyx"]),
        (1, "0x0000000f", 1, ["out TESS_LEVEL_INNER.x", *(f"out TESS_LEVEL_OUTER.{one}" for one in "zyx")]),
        (3, "0x0000000c", 1, ["out TESS_LEVEL_OUTER.xy"]),
        # These dwords have another level in each of the two headers.
        (2, "0x0000000c", 0, []),
        (0, "0x00000010", 0, []),
    ],
)
def test_tessellation_levels(mode: int, mask: str, base: int, expected: list[str]) -> None:
    lines = f"32    %20 = load_const ({mask})", store("%0", base, "%20")
    assert slots(shader(*lines, mode=mode)) == expected


def test_other_accesses_tell_which_header_it_is() -> None:
    inner = ["32    %20 = load_const (0x0000000c)", store("%0", 0, "%20")]
    outer = ["32    %21 = load_const (0x0000000f)", store("%1", 0, "%21")]
    assert slots(shader(*outer, *inner)) == ["out TESS_LEVEL_INNER.y", "out TESS_LEVEL_INNER.x"]


def test_inputs_of_an_evaluation_shader() -> None:
    maps = urb_maps(
        b"TES Input PUE map (4 slots, 2/patch, 2/vertex, fixed)\n"
        b" [00] A\n [01] A\n [02] VARYING_SLOT_POS\n [03] VARYING_SLOT_VAR0\n"
    )
    lines = "32    %20 = load_const (0x00000074)", "32x2  %21 = @load_attribute_payload_intel (%20)"
    assert slots(shader(*lines, stage="TESS_EVAL"), maps) == ["in VAR0.yz"]
    assert slots(shader(*lines, stage="FRAGMENT"), maps) == []


def test_meshlets() -> None:
    maps = urb_maps(MESHLETS)
    vertex = ["32    %20 = ishl %11, %2", store("%20", 359, "%3")]
    assert slots(shader(*vertex, stage="MESH"), maps) == ["out VAR0.xy"]
    primitive = ["32    %20 = ishl %11, %2", store("%20", 24, "%3")]
    assert slots(shader(*primitive, stage="MESH"), maps) == ["out VAR3.xy"]
    assert slots(shader(store("%0", 0, "%1"), stage="MESH"), maps) == ["out PRIMITIVE_COUNT.x"]
    payload = "32x4  %20 = @load_urb_vec4_intel (%13, %0) (base=0, access=none, mem_modes=shader_out)"
    assert slots(shader(payload, stage="MESH"), maps) == [], "the payload of a task shader"


def test_why_a_slot_is_unknown() -> None:
    assert why(store("%0", 3)) == ""
    assert why("32    %20 = @load_primitive_id") == ""
    assert why(store("%0", 3), maps=()) == NO_MAP
    assert why(store("%11", 3)) == NOT_CONSTANT
    assert why(store("%0", 3, "%11")) == NOT_CONSTANT
    assert why("@store_urb_vec4_intel (%10, %11, %0, %4) (base=3)") == NOT_CONSTANT
    assert why("32x4  %20 = @load_urb_vec4_intel (%13, %0) (base=9)") == NOT_IN_MAP
    assert why(store("%0", 3), stage="TASK", maps=()) == IN_PAYLOAD
    payload = "32x4  %20 = @load_urb_vec4_intel (%13, %0) (base=0)"
    assert why(payload, stage="MESH", maps=()) == IN_PAYLOAD
