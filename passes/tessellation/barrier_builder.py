"""A barrier that makes the outputs of a patch known to all its invocations, as the dump's Mesa writes it."""

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
    """Put the barrier at the cursor; returns its instructions.

    Mesa has had one instruction with scopes since 2020 (`scoped_barrier`, renamed `barrier` in 2023), beside
    the pair of a memory barrier and a control barrier, which went away in 2023. A dump keeps to the kind that
    it has.
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
