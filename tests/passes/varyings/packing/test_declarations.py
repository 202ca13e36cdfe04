"""`decl_var` lines after packing: moved, split, narrowed, removed, and left alone."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.declarations import redeclare
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import interpolated

INPUT = (
    "32    %{0} = @load_input (%0 (0x0)) (base=0, range=1, component={1}, dest_type=float32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)"
)
COORDINATES = "32x2  %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)"


def number(slot: int, component: int) -> int:
    return slot * 8 + component * 2


VAR = [32 + index for index in range(32)]


def declared(mode: str, *lines: str, stage: str = "VERTEX") -> Shader:
    return shader(stage, ZERO, header=[f"decl_var {mode} INTERP_MODE_NONE none {line}" for line in lines])


def lines_of(parsed: Shader) -> list[str]:
    return [f"{item.type_name} {item.name} {item.location}" for item in parsed.variables]


def test_whole_variable_moves() -> None:
    parsed = declared("shader_out", "vec2 a (VARYING_SLOT_VAR3.xy, 0, 0)", "mat3 m (VARYING_SLOT_VAR5, 0, 0)")
    moved = {number(VAR[3], 0): number(VAR[0], 2), number(VAR[3], 1): number(VAR[0], 3)}
    moved |= {number(VAR[5 + row], lane): number(VAR[1 + row], lane) for row in range(3) for lane in range(3)}
    assert redeclare(parsed, "shader_out", moved, set(moved))
    assert lines_of(parsed) == ["vec2 a VARYING_SLOT_VAR0.zw", "mat3 m VARYING_SLOT_VAR1"]


def test_variable_is_narrowed_to_what_is_accessed() -> None:
    parsed = declared("shader_out", "ivec4 a (VARYING_SLOT_VAR3.xyzw, 0, 0)")
    moved = {number(VAR[3], 1): number(VAR[0], 0), number(VAR[3], 3): number(VAR[0], 1)}
    assert redeclare(parsed, "shader_out", moved, set(moved))
    assert lines_of(parsed) == ["ivec2 a VARYING_SLOT_VAR0.xy"]


def test_scalars_that_part_are_declared_apart() -> None:
    parsed = declared("shader_in", "vec3 a (VARYING_SLOT_VAR3.xyz, 0, 0)", stage="FRAGMENT")
    moved = {number(VAR[3], lane): new for lane, new in enumerate((number(VAR[0], 3), 264, 266))}
    assert redeclare(parsed, "shader_in", moved, set(moved))
    assert lines_of(parsed) == ["float a.x VARYING_SLOT_VAR0.w", "vec2 a.yz VARYING_SLOT_VAR1.xy"]


def test_rows_of_an_array_for_each_vertex() -> None:
    parsed = declared("shader_in", "vec2[2][3] a (VARYING_SLOT_VAR3.xy, 0, 0)", stage="GEOMETRY")
    old = [number(VAR[3 + row], lane) for row in range(2) for lane in range(2)]
    moved = dict(zip(old, (number(VAR[0], lane) for lane in range(4)), strict=True))
    assert redeclare(parsed, "shader_in", moved, set(moved))
    assert {line.rpartition(" ")[2] for line in lines_of(parsed)} == {
        "VARYING_SLOT_VAR0.xy",
        "VARYING_SLOT_VAR0.zw",
    }


def test_half_varying_is_declared_at_its_component() -> None:
    parsed = declared("shader_out", "float16_t a (VARYING_SLOT_VAR3.x, 0, 0)")
    assert redeclare(parsed, "shader_out", {number(VAR[3], 0): number(VAR[0], 1) + 1}, {number(VAR[3], 0)})
    assert lines_of(parsed) == ["float16_t a VARYING_SLOT_VAR0.y"]


def test_dead_variable_goes_if_its_place_is_taken() -> None:
    parsed = declared(
        "shader_out", *(f"float {name} (VARYING_SLOT_VAR{slot}.x, 0, 0)" for slot, name in enumerate("abc"))
    )
    assert redeclare(parsed, "shader_out", {number(VAR[2], 0): number(VAR[0], 0)}, {number(VAR[2], 0)})
    assert lines_of(parsed) == ["float b VARYING_SLOT_VAR1.x", "float c VARYING_SLOT_VAR0.x"]


@pytest.mark.parametrize(
    "line", ["double a (VARYING_SLOT_VAR3.xy, 0, 0)", "float[8] a (VARYING_SLOT_VAR3, 0, 0) compact"]
)
def test_types_that_are_left_alone(line: str) -> None:
    parsed = declared("shader_out", line)
    assert not redeclare(parsed, "shader_out", {number(VAR[3], 0): number(VAR[0], 0)}, {number(VAR[3], 0)})


def test_other_modes_and_places_stay() -> None:
    parsed = declared("shader_in", "float a (VARYING_SLOT_VAR3.x, 0, 0)", stage="FRAGMENT")
    assert not redeclare(parsed, "shader_out", {number(VAR[3], 0): number(VAR[0], 0)}, {number(VAR[3], 0)})
    assert not redeclare(parsed, "shader_in", {number(VAR[4], 0): number(VAR[3], 1)}, {number(VAR[3], 0)})


def test_packed_pair_says_the_new_slots_and_names() -> None:
    header = "decl_var {} INTERP_MODE_NONE none vec3 color (VARYING_SLOT_VAR5.xyz, 0, 0)"
    inputs = [INPUT.format(10 + lane, lane) for lane in range(3)]
    producer = shader(
        "VERTEX",
        ZERO,
        *inputs,
        *(store("VAR5", f"%{10 + lane}", lane, extra="|") + "  // color" for lane in range(3)),
        header=[header.format("shader_out")],
    )
    consumer = shader(
        "FRAGMENT",
        ZERO,
        COORDINATES,
        *(interpolated(4 + lane, "VAR5", lane) + "  // color" for lane in range(2)),
        load(6, "VAR5", 2) + "  // color",
        *(
            line
            for value in (4, 5, 6)
            for line in (f"32    %{value + 4} = fsin %{value}", use(f"%{value + 4}"))
        ),
        header=[header.format("shader_in")],
    )
    before = [producer, consumer]
    after = [clone_shader(item) for item in before]
    OptVaryings().run(after)
    assert isinstance(verify_shaders(before, after), Equivalent)
    for old, new in zip(before, after, strict=True):
        parsed = parse_dump(apply_edits(old.source, text_edits(old, new)))
        assert not parsed.unreadable
        assert lines_of(parsed) == ["vec2 color.xy VARYING_SLOT_VAR0.xy", "float color.z VARYING_SLOT_VAR1.x"]
    assert OptVaryings().run(after) == []
