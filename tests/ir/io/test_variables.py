from __future__ import annotations

import pytest

from nirls.ir.io.variables import (
    colors_of_one_slot,
    deref_place,
    element_of,
    innermost,
    is_arrayed,
    is_builtin_block,
    slots_of,
    variable_place,
    variable_slots,
    varyings_of_one_place,
)
from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage
from tests.verification.evaluate.shader_text import shader_of


def variable(line: str) -> Variable:
    return shader_of("    block b0:", head=line + "\n").variables[0]


@pytest.mark.parametrize(
    ("type_name", "slots"),
    [("float", 1), ("vec4[3]", 3), ("mat3", 3), ("dvec4", 2), ("dvec2", 1), ("mat4[2]", 8), ("S", None)],
)
def test_slots_of_types(type_name: str, slots: int | None) -> None:
    assert slots_of(type_name) == slots


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (("mat3 m (VARYING_SLOT_VAR0.abcdefghi", "float[5] f (VARYING_SLOT_VAR1.x"), ["m", "f"]),
        (("mat3 m (VARYING_SLOT_VAR0.abcdefghi", "float[5] f (VARYING_SLOT_VAR3.x"), None),
        (("vec2 a (VARYING_SLOT_VAR0.xy", "vec2 b (VARYING_SLOT_VAR0.zw"), None),
        (("vec2 a (VARYING_SLOT_VAR0.xy", "float b (VARYING_SLOT_VAR0.y"), ["a", "b"]),
        (("vec4 a (VARYING_SLOT_COL0.xyzw", "vec4 b (VARYING_SLOT_COL0.xyzw"), None),
        (("S a (VARYING_SLOT_VAR0", "vec4 b (VARYING_SLOT_VAR0.xyzw"), None),
    ],
)
def test_varyings_of_one_place(declared: tuple[str, ...], expected: list[str] | None) -> None:
    head = "".join(f"decl_var shader_in INTERP_MODE_NONE none {line}, 0, 0)\n" for line in declared)
    found = varyings_of_one_place(shader_of("    block b0:", "FRAGMENT", head=head))
    assert (None if found is None else [one.name for one in found]) == expected


def test_the_innermost_type_of_arrays_and_matrices() -> None:
    assert [innermost(name) for name in ("mat3[2]", "float[5][2]", "vec4", "S[3]")] == [
        *("vec3", "float", "vec4", "S"),
    ]


def test_doubles_of_vertex_attributes_take_one_slot() -> None:
    assert slots_of("dvec4", True) == 1


@pytest.mark.parametrize(
    ("type_name", "mode", "stage", "slots"),
    [
        ("float", "shader_in", Stage.FRAGMENT, 1),
        ("mat4", "shader_in", Stage.FRAGMENT, 4),
        ("mat2x3[2]", "shader_out", Stage.VERTEX, 4),
        ("dvec3", "shader_out", Stage.VERTEX, 2),
        ("dvec3", "shader_in", Stage.VERTEX, 1),
        ("vec4[3]", "shader_in", Stage.GEOMETRY, 1),
        ("vec4[3]", "shader_out", Stage.GEOMETRY, 3),
        ("vec4[32][2]", "shader_out", Stage.TESS_CTRL, 2),
        ("Light", "shader_in", Stage.FRAGMENT, None),
    ],
)
def test_slots_of_variables(type_name: str, mode: str, stage: Stage, slots: int | None) -> None:
    assert variable_slots(Variable("v", mode, type_name), stage) == slots


def test_patch_arrays_are_no_arrays_of_vertices() -> None:
    variable = Variable("v", "shader_out", "vec4[3]", qualifiers=("patch",))
    assert variable_slots(variable, Stage.TESS_CTRL) == 3


def test_compact_arrays_put_four_elements_into_a_slot() -> None:
    variable = Variable("v", "shader_out", "float[6]", trailing=("compact",))
    assert variable_slots(variable, Stage.VERTEX) == 2


@pytest.mark.parametrize(
    ("type_name", "is_builtin"),
    [
        ("gl_PerVertex[3]", True),
        ("gl_MeshPerVertexEXT[64]", True),
        ("gl_MeshPerPrimitiveEXT[32]", True),
        ("gl_PerVertexOfMine", False),
        ("Light", False),
    ],
)
def test_blocks_of_built_in_outputs(type_name: str, is_builtin: bool) -> None:
    assert is_builtin_block(Variable("v", "shader_out", type_name)) == is_builtin


def test_places_of_variables() -> None:
    place = variable_place(
        variable("decl_var shader_out INTERP_MODE_NONE none vec2 o (VARYING_SLOT_VAR2.zw, 0, 0)"),
        Stage.VERTEX,
    )
    assert (place.slot, place.component, place.arrayed) == (34, 2, False)
    unknown = variable_place(
        variable("decl_var shader_out INTERP_MODE_NONE none vec2 o (~0, 0, 0)"), Stage.VERTEX
    )
    assert unknown.slot == "shader_out o"


@pytest.mark.parametrize(
    ("qualifiers", "mode", "stage", "arrayed"),
    [
        ("none", "shader_in", Stage.GEOMETRY, True),
        ("none", "shader_in", Stage.FRAGMENT, False),
        ("none", "shader_out", Stage.TESS_CTRL, True),
        ("patch", "shader_out", Stage.TESS_CTRL, False),
        ("none", "shader_out", Stage.GEOMETRY, False),
        ("none", "shader_in", Stage.VERTEX, False),
    ],
)
def test_arrays_of_vertices(qualifiers: str, mode: str, stage: Stage, arrayed: bool) -> None:
    line = f"decl_var {qualifiers} {mode} INTERP_MODE_NONE none vec4[3] v (VARYING_SLOT_VAR0.xyzw, 0, 0)"
    line = line.replace("decl_var none", "decl_var")
    assert is_arrayed(variable(line), stage) is arrayed


def test_elements_of_types() -> None:
    assert [element_of(name) for name in ("vec4[3]", "mat3", "float")] == ["vec4", "vec3", "float"]


def test_constant_indices_are_part_of_the_slot_and_variable_ones_are_not() -> None:
    shader = shader_of(
        "    block b0:   // preds:\n    32     %0 = load_const (0x00000001)\n"
        "    32     %1 = deref_var &o (shader_out vec2[2][3])\n"
        "    32     %2 = deref_array &(*%1)[1] (shader_out vec2[3])  // &o[1]\n"
        "    32     %3 = deref_array &(*%2)[%0] (shader_out vec2)  // &o[1][%0]\n"
        "                // succs: b99",
        head="decl_var shader_out INTERP_MODE_NONE none vec2[2][3] o (VARYING_SLOT_VAR2.zw, 0, 0)\n",
    )
    entry = shader.entrypoint
    assert entry is not None
    places = [deref_place(shader.stage, instr) for instr in entry.instrs() if isinstance(instr, DerefInstr)]
    assert places[0] == places[1] == "the access is of a whole array or struct; other passes split it first"
    last = places[2]
    assert not isinstance(last, str)
    # An index that is a constant value is as good as a printed number.
    assert (last.slot, last.component, last.num_slots, last.dynamic) == (34 + 3 + 1, 2, 1, ())


def test_colors_of_one_slot_are_both_stored_to() -> None:
    head = "".join(
        f"decl_var shader_out INTERP_MODE_NONE none float {name} (FRAG_RESULT_DATA0.x, 0, 0)\n"
        for name in "ab"
    )
    body = """
    block b0:  // preds:
    32    %0 = deref_var &a (shader_out float)
    32    %1 = deref_var &b (shader_out float)
    32    %2 = @load_deref (%1) (access=none)
          @store_deref (%0, %2) (wrmask=x, access=none)
{}
                // succs: b99"""
    second = "          @store_deref (%1, %2) (wrmask=x, access=none)"
    for stage, more, names in (("FRAGMENT", second, "ab"), ("FRAGMENT", "", ""), ("VERTEX", second, "")):
        found = colors_of_one_slot(shader_of(body.format(more), stage, head))
        assert "".join(sorted(one.name for one in found)) == names
