"""Detection of memory that may alias where the evaluator assumes separate cells."""

from __future__ import annotations

from nirls.ir.effects import MemoryModel, effects_of, variable_of
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.model.shader import Shader, Variable

_BY_VARIABLE = {"shared": ("shared", "mem_shared"), "task_payload": ("task_payload", "mem_task_payload")}


def refuse_aliases(shader: Shader) -> None:
    """Raise `Unsupported` if variables of a workgroup may overlap with each other or with byte offsets.

    The evaluator stores each variable separately, and byte-offset accesses separately from variables.
    """
    model = MemoryModel(shader)
    for memory, modes in _BY_VARIABLE.items():
        if not any(variable.mode in modes for variable in shader.variables):
            continue
        variables: set[Variable | None] = set()
        by_offset = False
        for instr in shader.instrs():
            for access in effects_of(instr).accesses:
                if memory in access.memories and access.deref is not None:
                    variables.add(variable_of(access.deref))
                elif access.memories == {memory}:
                    by_offset = True
        if by_offset and variables:
            raise Unsupported(f"{memory} memory accessed by variables and by offsets")
        if memory == "shared" and model.shared_variables_overlap and len(variables) > 1:
            raise Unsupported("shared variables that may overlap (shared_memory_explicit_layout)")
