"""A system value and the input that replaces it are one value."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader, store


def _showing(*lines: str, stage: str = "FRAGMENT") -> Shader:
    """A shader that stores %9."""
    slot = "FRAG_RESULT_DATA0" if stage == "FRAGMENT" else "VARYING_SLOT_VAR0"
    stored = store("VAR0", "%9").replace("VARYING_SLOT_VAR0", slot)
    return shader(stage, ZERO, *lines, stored)


def _input(slot: str, component: int = 0, base: str = "uint32", shape: str = "32 %9") -> str:
    return (
        f"{shape} = @load_input (%0) (base=0, range=1, component={component}, dest_type={base},"
        f" io location=VARYING_SLOT_{slot} slots=1)"
    )


COORD = ("32x4 %1 = @load_frag_coord", "32 %9 = mov %1.y")
SAME = {
    "FRAG_COORD and POS": (COORD, (_input("POS", 1, "float32"),)),
    "all of POS": (COORD, (_input("POS", 0, "float32", "32x4 %1"), "32 %9 = mov %1.y")),
    "FRONT_FACE as a 32-bit boolean": (
        ("1 %1 = @load_front_face", "32 %9 = b2b32 %1"),
        (_input("FACE", 0, "bool32"),),
    ),
    "FRONT_FACE as a float": (("32 %9 = @load_front_face_fsign",), (_input("FACE", 0, "float32"),)),
    "POINT_COORD": (("32x2 %1 = @load_point_coord", "32 %9 = mov %1.y"), (_input("PNTC", 1, "float32"),)),
    "LAYER": (("32 %9 = @load_layer_id",), (_input("LAYER"),)),
    "VIEW_INDEX": (("32 %9 = @load_view_index",), (_input("VIEW_INDEX"),)),
    "PRIMITIVE_ID": (("32 %9 = @load_primitive_id",), (_input("PRIMITIVE_ID"),)),
}


@pytest.mark.parametrize("name", SAME)
def test_both_are_one_value(name: str) -> None:
    before, after = (_showing(*lines) for lines in SAME[name])
    assert isinstance(verify_shaders(before, after), Equivalent)
    assert isinstance(verify_shaders(after, before), Equivalent)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (COORD, (_input("POS", 0, "float32"),)),
        (("32 %9 = @load_front_face_fsign",), (_input("FACE", 0, "bool32"),)),
        (("32 %9 = @load_view_index",), (_input("LAYER"),)),
        (("32 %9 = @load_primitive_id",), (_input("VAR0"),)),
    ],
)
def test_another_component_slot_or_type_is_another_value(
    one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    assert isinstance(verify_shaders(_showing(*one), _showing(*other)), Different)


FACE = """\
shader: MESA_SHADER_FRAGMENT
decl_var {mode} INTERP_MODE_FLAT none bool face ({location}, 0, 0)
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = deref_var &face ({mode} bool)
    1  %2 = @load_deref (%1) (access=none)
    32 %9 = b2i32 %2
    {store}
               // succs: b1
    block b1:
}}
"""


def test_a_boolean_variable_and_its_input_are_one_value() -> None:
    stored = store("VAR0", "%9").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
    as_input, as_system = (
        parse_dump(FACE.format(mode=mode, location=location, store=stored).encode())
        for mode, location in (
            ("shader_in", "VARYING_SLOT_FACE.x"),
            ("system", "SYSTEM_VALUE_FRONT_FACE"),
        )
    )
    lowered = _showing(_input("FACE", 0, "bool32", "32 %1"), "1 %2 = b2b1 %1", "32 %9 = b2i32 %2")
    for before, after in ((as_input, as_system), (as_input, lowered), (as_system, lowered)):
        assert isinstance(verify_shaders(before, after), Equivalent)


@pytest.mark.parametrize("stage", ["GEOMETRY", "TESS_EVAL"])
def test_the_number_of_a_primitive_in_other_stages(stage: str) -> None:
    emit = ("@emit_vertex (stream_id=0)",) if stage == "GEOMETRY" else ()
    as_input, as_system = (
        shader(stage, ZERO, line, store("VAR0", "%9"), *emit)
        for line in (_input("PRIMITIVE_ID"), "32 %9 = @load_primitive_id")
    )
    assert isinstance(verify_shaders(as_input, as_system), Equivalent)


def test_the_layer_that_the_vertex_shader_stores_is_read_either_way() -> None:
    vertex = shader("VERTEX", ZERO, "32 %1 = @load_vertex_id_zero_base", store("LAYER", "%1"))
    constant = shader("VERTEX", ZERO, store("LAYER", "%0"))
    as_system, as_input = _showing("32 %9 = @load_layer_id"), _showing(_input("LAYER"))
    assert isinstance(verify_shaders([vertex, as_system], [vertex, as_input]), Equivalent)
    zero = _showing("32 %9 = mov %0")
    assert isinstance(verify_shaders([constant, as_system], [constant, zero]), Equivalent)
    assert isinstance(verify_shaders([vertex, as_system], [vertex, zero]), Different)
