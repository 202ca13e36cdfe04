"""How many control points the patches of a control shader have, as far as a dump says."""

from __future__ import annotations

import re

from nirls.ir.model.shader import Shader

_OUTERMOST = re.compile(r"\[(\d+)\]")


def output_patch_size(control: Shader) -> int:
    """The control points that a control shader writes, which is how many invocations it has; 0 if unknown.

    Headers say so since 2023 (`tcs_vertices_out`). Before, the arrays of its outputs do, patch outputs apart.
    """
    stated = re.search(r"\d+", control.header_value("tcs_vertices_out") or "")
    if stated is not None and int(stated.group()):
        return int(stated.group())
    sizes: set[int] = set()
    for variable in control.variables_of_mode("shader_out"):
        array = _OUTERMOST.search(variable.type_name)
        if array is not None and "patch" not in variable.qualifiers:
            sizes.add(int(array[1]))
    return sizes.pop() if len(sizes) == 1 else 0
