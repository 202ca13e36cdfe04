"""Possible block indices of a shader's uniform and storage buffers."""

from __future__ import annotations

import re
from math import prod

from nirls.ir.analysis.unsigned_bounds import UnsignedBounds
from nirls.ir.model.glsl_types import is_known_not_struct, without_arrays
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable

MOST_BLOCKS = 1024
"""Maximum number of blocks of a shader; no API allows as many."""

_HEADER_KEYS = {"ubo": ("num_ubos", "ubos"), "ssbo": ("num_ssbos", "ssbos")}
_DIMENSIONS = re.compile(r"\[(\d+)\]")
DESCRIPTORS = frozenset(("vulkan_resource_index", "vulkan_resource_reindex", "load_vulkan_descriptor"))
"""Intrinsics that give Vulkan descriptors, which have no block numbers."""
HANDLES = DESCRIPTORS | {"bindless_resource_ir3", "resource_intel"}
"""Those, and what drivers lower them to: offsets into descriptor sets."""


def possible_blocks(shader: Shader, kind: str) -> range | None:
    """Return the block indices of `ubo` or `ssbo` accesses; None if unknown or without block numbers.

    The header counts the blocks (`num_ubos:`, in older dumps `ubos:`), from 0. Where the first UBO is not
    marked as the default one (`first_ubo_is_default_ubo`), uniforms may have been moved to a block before it
    that is not counted, so there may be one more. Declared blocks count by their bindings, arrays of blocks
    with one for each element. Descriptors have no block numbers, and where a constant index is beyond the
    count, or another one beyond what any API allows, indices are places in a descriptor map of the driver
    (v3dv) or of a set of descriptors (panvk), which no header bounds.
    """
    if any(isinstance(instr, IntrinsicInstr) and instr.name in HANDLES for instr in shader.instrs()):
        return None
    counted = _count(shader, kind)
    if (
        counted is not None
        and counted > 0
        and kind == "ubo"
        and shader.header_value("first_ubo_is_default_ubo") != "true"
    ):
        counted += 1
    ends = [end for variable in shader.variables_of_mode(kind) if (end := _end_of(variable)) is not None]
    if counted is None and not ends:
        return None
    blocks = range(max([counted or 0, *ends]))
    return None if blocks and _last_known(shader, kind) not in blocks else blocks


def _last_known(shader: Shader, kind: str) -> int:
    """Return the greatest index of an access that is constant or no block number; 0 if there is none."""
    last = 0
    bounds = UnsignedBounds(shader)
    for instr in shader.instrs():
        if not isinstance(instr, IntrinsicInstr) or f"_{kind}" not in instr.name:
            continue
        position = 1 if instr.name.startswith("store_") else 0
        index = instr.sources[position].def_ if position < len(instr.sources) else None
        if index is None or index.num_components != 1:
            continue
        least, most = bounds.of(index)
        if least == most or least >= MOST_BLOCKS:
            last = max(last, least)
    return last


def _count(shader: Shader, kind: str) -> int | None:
    for key in _HEADER_KEYS[kind]:
        value = shader.header_value(key)
        if value is not None and value.isdecimal():
            return int(value)
    return None


def _end_of(variable: Variable) -> int | None:
    """Return one above the last block of a declaration, from its binding.

    An array of anything but structs is the content of one block.
    """
    binding = variable.data[-1] if variable.data else ""
    if not binding.strip().isdecimal():
        return None
    is_struct = not is_known_not_struct(without_arrays(variable.type_name))
    dimensions = map(int, _DIMENSIONS.findall(variable.type_name)) if is_struct else ()
    return int(binding) + max(prod(dimensions), 1)
