"""Builder of the barrier for patch outputs, in the form of the dump's Mesa release."""

from __future__ import annotations

from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.shader import Dialect, Shader

_SCOPED = frozenset(("barrier", "scoped_barrier"))
_MODES: dict[str, IndexValue] = {
    "execution_scope": "WORKGROUP",
    "memory_scope": "WORKGROUP",
    "memory_semantics": ("ACQ", "REL"),
    "memory_modes": ("shader_out",),
}


def build_output_barrier(builder: Builder, shader: Shader) -> list[IntrinsicInstr]:
    """Insert a barrier at the cursor that makes outputs visible within the patch; return its instructions.

    Mesa has one instruction with scopes since 2020 (`scoped_barrier`, renamed `barrier` in 2023), and had a
    pair of memory barrier and control barrier until 2023. The form found in the dump is used.
    """
    name = _scoped_barrier_of(shader)
    if name is not None:
        return [builder.intrinsic(name, [], _MODES)]
    return [
        builder.intrinsic("memory_barrier_tcs_patch", [], {}),
        builder.intrinsic("control_barrier", [], {}),
    ]


def _scoped_barrier_of(shader: Shader) -> str | None:
    if shader.dialect is Dialect.MODERN:
        return "barrier"
    for impl in shader.impls():
        for instr in impl.instrs():
            if isinstance(instr, IntrinsicInstr) and instr.name in _SCOPED and instr.indices:
                return instr.name
    return None
