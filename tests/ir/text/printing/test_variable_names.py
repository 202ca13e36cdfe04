"""The variables that I/O accesses are named after."""

from __future__ import annotations

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics
from nirls.ir.model.shader import Dialect, Shader, Variable
from nirls.ir.model.stage import Stage
from nirls.ir.text.printing.variable_names import VariableNames, first_component, is_named_access


def access(name: str, base: int, component: int, location: int = 0) -> IntrinsicInstr:
    semantics = IoSemantics(location)
    return IntrinsicInstr(name, [], {"base": base, "component": component, "io_semantics": semantics})


def variable(name: str, type_name: str, location: str, base: int, mode: str = "shader_out") -> Variable:
    return Variable(name, mode, type_name, location=location, driver_location=base)


NAMES = VariableNames(
    Shader(
        Stage.VERTEX,
        Dialect.CLASSIC,
        variables=[
            variable("gl_Clip", "float[4]", "VARYING_SLOT_CLIP_DIST0.xyzw", 1),
            variable("@0", "vec4", "VARYING_SLOT_COL0.xyzw", 1),
            variable("uv", "vec2", "VARYING_SLOT_VAR0.xy", 1),
            variable("rest@1", "vec2", "VARYING_SLOT_VAR0.zw", 1),
            variable("matrix", "mat4", "2", 7, "uniform"),
        ],
    )
)


def test_the_first_variable_of_the_base_that_covers_the_component() -> None:
    assert NAMES.by_driver_location(access("store_output", 1, 0)) == "uv"
    assert NAMES.by_driver_location(access("store_output", 1, 3)) == "rest"
    assert NAMES.by_driver_location(access("store_output", 2, 0)) is None
    assert NAMES.by_driver_location(access("load_input", 1, 0)) is None
    assert NAMES.by_driver_location(access("load_uniform", 7, 0)) == "matrix"


def test_the_variable_of_the_slot() -> None:
    assert NAMES.by_slot(access("store_output", 9, 2, location=32)) == "rest"
    assert NAMES.by_slot(access("store_output", 1, 2, location=33)) is None
    assert NAMES.by_slot(access("store_output", 1, 2, location=-1)) is None


def test_only_io_accesses_are_named() -> None:
    assert is_named_access(access("load_interpolated_input", 0, 0))
    assert not is_named_access(access("load_ubo", 0, 0))


def test_first_components() -> None:
    assert first_component(variable("a", "vec2", "VARYING_SLOT_VAR0.yz", 0)) == 1
    assert first_component(variable("a", "mat4", "VARYING_SLOT_VAR1", 0)) == 0
    assert first_component(Variable("a", "shader_in", "float")) == 0


def test_attributes_in_a_control_shader_have_no_variable_there() -> None:
    names = VariableNames(
        Shader(
            Stage.TESS_CTRL,
            variables=[variable("position", "vec4", "VARYING_SLOT_VAR0.xyzw", 1, "shader_in")],
        )
    )
    assert names.by_driver_location(access("load_per_vertex_input", 1, 0)) == "position"
    assert names.by_driver_location(access("load_input", 1, 0)) is None
    assert names.by_slot(access("load_input", 1, 0, location=32)) is None
