"""Uniforms across two stages: which are the same, how many there are, what may not move."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.uniform_variables import UniformVariables, ubo_slots, uniform_components
from tests.passes.shader_text import shader

ZERO = "32    %0 = load_const (0x00000000)"


def stage(name: str, *declarations: str, deref: str = "") -> Shader:
    return shader(name, ZERO, *([deref] if deref else []), header=declarations)


def deref_of(parsed: Shader) -> DerefInstr:
    return next(instr for impl in parsed.impls() for instr in impl.instrs() if isinstance(instr, DerefInstr))


@pytest.mark.parametrize(
    ("type_name", "components"),
    [("float", 4), ("vec4", 4), ("mat4", 16), ("vec3[5]", 20), ("mat3[2]", 24), ("dvec4", 8)],
)
def test_uniform_components(type_name: str, components: int) -> None:
    assert uniform_components(Variable("u", "uniform", type_name)) == components


@pytest.mark.parametrize(("type_name", "slots"), [("Block", 1), ("Block[3]", 3), ("vec4[256]", 1)])
def test_ubo_slots(type_name: str, slots: int) -> None:
    assert ubo_slots(Variable("b", "ubo", type_name)) == slots


def test_shared_variables_count_once() -> None:
    line = "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)"
    producer, consumer = stage("VERTEX", line), stage("FRAGMENT", line)
    assert (
        "uniform" in UniformVariables(producer, consumer, LinkOptions(max_uniform_components=4)).movable_modes
    )
    other = stage("FRAGMENT", line.replace(" u ", " w "))
    assert (
        "uniform"
        not in UniformVariables(producer, other, LinkOptions(max_uniform_components=4)).movable_modes
    )


def test_buffers_of_both_stages_count_against_the_limit() -> None:
    first, second = (f"decl_var ubo INTERP_MODE_NONE none Block {name} (0, 0, 0)" for name in "bc")
    for limit, moves in ((2, True), (1, False)):
        options = LinkOptions(max_ubos=limit)
        variables = UniformVariables(stage("VERTEX", first), stage("FRAGMENT", second), options)
        assert ("ubo" in variables.movable_modes) is moves


def test_same_name_with_another_type_does_not_move() -> None:
    line = "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)"
    producer = stage("VERTEX", line, deref="32    %1 = deref_var &u (uniform vec4)")
    same = stage("FRAGMENT", line)
    other = stage("FRAGMENT", line.replace("vec4", "vec3"))
    assert not UniformVariables(producer, same, LinkOptions()).obstacle(deref_of(producer))
    assert UniformVariables(producer, other, LinkOptions()).obstacle(deref_of(producer))


@pytest.mark.parametrize(
    ("deref", "obstacle"),
    [
        ("32    %2 = deref_array &(*%1)[1] (uniform vec4)", ""),
        ("32    %2 = deref_array &(*%1)[%0] (uniform vec4)", ""),
        (
            "32    %2 = deref_cast (vec4 *)%1 (uniform vec4)  (ptr_stride=16, align_mul=0, align_offset=0)",
            "deref_cast does not name an element of a variable",
        ),
        ("32    %2 = deref_var &s (shared uint)", "it is a variable of the mode shared"),
    ],
)
def test_what_names_an_element_of_a_variable(deref: str, obstacle: str) -> None:
    line = "decl_var uniform INTERP_MODE_NONE none vec4[2] u (0, 0, 0)"
    whole = "32    %1 = deref_var &u (uniform vec4[2])"
    producer = stage("VERTEX", line, deref=f"{whole}\n{deref}")
    found = [instr for impl in producer.impls() for instr in impl.instrs() if isinstance(instr, DerefInstr)]
    variables = UniformVariables(producer, stage("FRAGMENT"), LinkOptions())
    assert [variables.obstacle(one) for one in found] == ["", obstacle]


def test_subroutine_uniforms_stay() -> None:
    line = "decl_var uniform INTERP_MODE_NONE none int __subu_f (0, 0, 0)"
    producer = stage("VERTEX", line, deref="32    %1 = deref_var &__subu_f (uniform int)")
    assert UniformVariables(producer, stage("FRAGMENT"), LinkOptions()).obstacle(deref_of(producer))


def test_buffers_go_by_binding_in_spirv() -> None:
    first = stage("VERTEX", "decl_var ubo INTERP_MODE_NONE none Block a (~0, 0, 3)")
    second = stage("FRAGMENT", "decl_var ubo INTERP_MODE_NONE none Block b (~0, 0, 3)")
    (variable,) = first.variables
    assert UniformVariables(first, second, LinkOptions()).find(second, variable) is None
    spirv = UniformVariables(first, second, LinkOptions(spirv=True))
    assert spirv.find(second, variable) is second.variables[0]
    assert spirv.find_or_declare(second, variable) is second.variables[0]
    assert len(second.variables) == 1
