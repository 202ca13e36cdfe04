"""Effects of instructions: memory accesses, exchange between invocations, helper invocations.

A row per intrinsic and texture operation (`intrinsics.txt`, `textures.txt`) gives the accessed memory, the
kind of access, and the bytes as a formula of sources and indices. An intrinsic without a row may have any
effect.
"""

from nirls.ir.effects.aliasing import MemoryModel, variable_of
from nirls.ir.effects.effects import (
    BARRIER_CLASSES,
    DERIVATIVE_OPCODES,
    Access,
    ByteRange,
    Effects,
    effects_of,
    memory_class,
    start_of,
)
from nirls.ir.effects.motion import can_eliminate, can_reorder, depends_on_when_it_runs, is_read_only
from nirls.ir.effects.rows import EVERYTHING, MEMORIES, EffectRow, row_of_intrinsic, row_of_texture
from nirls.ir.effects.uniformity import UNIFORM_SOURCES

__all__ = [
    "BARRIER_CLASSES",
    "DERIVATIVE_OPCODES",
    "EVERYTHING",
    "MEMORIES",
    "UNIFORM_SOURCES",
    "Access",
    "ByteRange",
    "EffectRow",
    "Effects",
    "MemoryModel",
    "can_eliminate",
    "can_reorder",
    "depends_on_when_it_runs",
    "effects_of",
    "is_read_only",
    "memory_class",
    "row_of_intrinsic",
    "row_of_texture",
    "start_of",
    "variable_of",
]
