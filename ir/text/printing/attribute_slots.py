"""How many slots a variable takes (Mesa: `glsl_count_attribute_slots`)."""

from __future__ import annotations

import re

from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage
from nirls.ir.text.printing.source_types import component_count, glsl_base_type

_ARRAY_LENGTH = re.compile(r"\[(\d+)\]")
_COMPONENTS_PER_SLOT = 4


def attribute_slots(variable: Variable, stage: Stage | None) -> int | None:
    """The slots of an input or output; None for types whose parts a dump does not tell (structures)."""
    element, _, rest = variable.type_name.partition("[")
    lengths = [int(length) for length in _ARRAY_LENGTH.findall(f"[{rest}")] if rest else []
    if lengths and _is_arrayed(variable, stage):
        lengths = lengths[1:]
    if "compact" in variable.trailing:
        return -(-_product(lengths) // _COMPONENTS_PER_SLOT)
    if not glsl_base_type(element):
        return None
    return _product(lengths) * _element_slots(element, variable, stage)


def _is_arrayed(variable: Variable, stage: Stage | None) -> bool:
    """Whether the outer array counts vertices (Mesa: `nir_is_arrayed_io`)."""
    if "patch" in variable.qualifiers:
        return False
    if variable.mode == "shader_in":
        return stage in (Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY)
    return stage in (Stage.TESS_CTRL, Stage.MESH)


def _element_slots(element: str, variable: Variable, stage: Stage | None) -> int:
    columns = 1
    rows = component_count(element)
    if "mat" in element:
        digits = element[element.index("mat") + 3 :].split("x")
        columns = int(digits[0])
        rows = int(digits[-1])
    is_64_bit = element.startswith(("d", "i64", "u64", "int64", "uint64"))
    is_vertex_input = stage is Stage.VERTEX and variable.mode == "shader_in"
    return columns * (2 if is_64_bit and rows > 2 and not is_vertex_input else 1)


def _product(lengths: list[int]) -> int:
    total = 1
    for length in lengths:
        total *= length
    return total
