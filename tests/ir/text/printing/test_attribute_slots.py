"""The slots that variables take."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage
from nirls.ir.text.printing.attribute_slots import attribute_slots


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
def test_slots(type_name: str, mode: str, stage: Stage, slots: int | None) -> None:
    assert attribute_slots(Variable("v", mode, type_name), stage) == slots


def test_patch_arrays_are_no_arrays_of_vertices() -> None:
    variable = Variable("v", "shader_out", "vec4[3]", qualifiers=("patch",))
    assert attribute_slots(variable, Stage.TESS_CTRL) == 3


def test_compact_arrays_put_four_elements_into_a_slot() -> None:
    variable = Variable("v", "shader_out", "float[6]", trailing=("compact",))
    assert attribute_slots(variable, Stage.VERTEX) == 2
