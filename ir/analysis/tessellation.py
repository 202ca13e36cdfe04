"""Tessellation parameters of linked shaders, and the culling rule for patches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage

_OUTERMOST = re.compile(r"\[(\d+)\]")


def output_patch_size(control: Shader) -> int:
    """Return a control shader's output vertices, equal to its invocations per patch; 0 if unknown.

    From the header since 2023 (`tcs_vertices_out`), before that from the arrays of per-vertex outputs.
    """
    stated = control.header_number("tcs_vertices_out")
    if stated:
        return stated
    sizes: set[int] = set()
    for variable in control.variables_of_mode("shader_out"):
        array = _OUTERMOST.search(variable.type_name)
        if array is not None and "patch" not in variable.qualifiers:
            sizes.add(int(array[1]))
    return sizes.pop() if len(sizes) == 1 else 0


class PrimitiveMode(Enum):
    """Domain of a patch (Mesa: `enum tess_primitive_mode`, whose number dumps print)."""

    UNSPECIFIED = 0
    TRIANGLES = 1
    QUADS = 2
    ISOLINES = 3


class Spacing(Enum):
    """Spacing of edge subdivision (Mesa: `enum gl_tess_spacing`, whose number dumps print)."""

    UNSPECIFIED = 0
    EQUAL = 1
    FRACTIONAL_ODD = 2
    FRACTIONAL_EVEN = 3


_STAGES = (Stage.TESS_EVAL, Stage.TESS_CTRL)
_OUTER_LEVELS = {PrimitiveMode.TRIANGLES: 3, PrimitiveMode.QUADS: 4, PrimitiveMode.ISOLINES: 2}


@dataclass(frozen=True, slots=True)
class CullingRule:
    """Culling rule: a patch is culled if a used outer level is too low or NaN.

    Inner levels never cull a patch (OpenGL 4.6, 11.2.2; Vulkan, "Tessellation Primitive Ordering"). What is
    unspecified is treated as the worst case: only patches culled in every mode and spacing count. The APIs
    cull levels that are not greater than 0. With `below_half`, levels below 0.5 count too where spacing is
    equal: some hardware culls them, but the APIs do not.
    """

    mode: PrimitiveMode = PrimitiveMode.UNSPECIFIED
    spacing: Spacing = Spacing.UNSPECIFIED
    below_half: bool = False

    @property
    def outer_levels(self) -> int:
        """Return how many leading components of gl_TessLevelOuter are used."""
        return _OUTER_LEVELS.get(self.mode, 2)

    @property
    def least_kept(self) -> float:
        """Return the culling threshold of levels: 0, or 0.5 with equal spacing and `below_half`."""
        return 0.5 if self.keeps_least else 0.0

    @property
    def keeps_least(self) -> bool:
        """Return whether a level of exactly `least_kept` keeps the patch."""
        return self.below_half and self.spacing is Spacing.EQUAL

    def __str__(self) -> str:
        """Format as a comparison: `outer[0..2] >= 0.5`."""
        comparison = ">=" if self.keeps_least else ">"
        return f"outer[0..{self.outer_levels - 1}] {comparison} {self.least_kept:g}"


def culling_rule(
    shaders: Iterable[Shader],
    mode: PrimitiveMode = PrimitiveMode.UNSPECIFIED,
    spacing: Spacing = Spacing.UNSPECIFIED,
) -> CullingRule:
    """Return the rule of linked shaders: from the evaluation, else the control shader, else the default.

    Drivers that link early copy both facts to the header of the control shader.
    """
    linked = [shader for shader in shaders if shader.stage in _STAGES]
    linked.sort(key=lambda shader: _STAGES.index(shader.stage or Stage.TESS_CTRL))
    modes = [_stated_mode(shader) for shader in linked]
    spacings = [_stated_spacing(shader) for shader in linked]
    return CullingRule(
        next((stated for stated in modes if stated is not None), mode),
        next((stated for stated in spacings if stated is not None), spacing),
    )


def _stated_mode(shader: Shader) -> PrimitiveMode | None:
    number = shader.header_number("primitive_mode")
    return None if number not in (1, 2, 3) else PrimitiveMode(number)


def _stated_spacing(shader: Shader) -> Spacing | None:
    number = shader.header_number("spacing")
    return None if number not in (1, 2, 3) else Spacing(number)
