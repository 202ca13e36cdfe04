"""Interpolation of fragment shader inputs, from loads and declarations.

In order of precedence: the barycentric coordinates of a load, the declaration of its variable, the kind of
the load. A driver uses barycentric coordinates either for every interpolated load, so that `load_input` is
flat, or for none, so that the declarations apply (nir_lower_io's `use_interpolated_input_intrinsics`).
"""

from __future__ import annotations

from functools import cached_property

from nirls.ir.io.variables import element_of, slots_of, variable_place
from nirls.ir.model.glsl_types import array_parts, leaf_type
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.stage import Stage


class FragmentInputs:
    """Inputs of one fragment shader; inputs of other stages are not interpolated."""

    def __init__(self, shader: Shader) -> None:
        self._shader = shader

    def declared_smooth(self, load: IntrinsicInstr) -> Variable | None:
        """Return the variable by whose declaration a `load_input` is interpolated; None for a flat load.

        A load without a declaration is flat.
        """
        if self._shader.stage is not Stage.FRAGMENT or load.name != "load_input" or self._has_barycentrics:
            return None
        variable = _variable_of(self._shader, load)
        if variable is None or "FLAT" in variable.interpolation or "EXPLICIT" in variable.interpolation:
            return None
        leaf = leaf_type(_innermost(variable.type_name))
        return variable if leaf is not None and leaf.base == "float" else None

    @cached_property
    def _has_barycentrics(self) -> bool:
        """Whether the driver uses barycentric coordinates.

        The source text counts too, because a pass may have made all inputs flat.
        """
        if b"load_barycentric" in self._shader.source:
            return True
        return any(
            isinstance(instr, IntrinsicInstr) and instr.name.startswith("load_barycentric")
            for impl in self._shader.impls()
            for instr in impl.instrs()
        )


def _variable_of(shader: Shader, load: IntrinsicInstr) -> Variable | None:
    """Return the declared variable that an input load reads."""
    semantics, component = load.io_semantics, load.int_index("component")
    for variable in shader.variables_of_mode("shader_in"):
        place = variable_place(variable, shader.stage)
        if isinstance(place.slot, str) or semantics is None or semantics.location < 0:
            if variable.driver_location != load.int_index("base") or not isinstance(place.slot, str):
                continue
        elif not place.slot <= semantics.location < place.slot + (slots_of(variable.type_name) or 1):
            continue
        leaf = leaf_type(_innermost(variable.type_name))
        if leaf is None:
            continue
        if place.compact or place.component <= component < place.component + leaf.num_components:
            return variable
    return None


def _innermost(type_name: str) -> str:
    while array_parts(type_name) is not None and leaf_type(type_name) is None:
        type_name = element_of(type_name)
    return type_name
