"""Everything outside of the bodies of two shaders that must be the same for a proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import CallInstr, DerefInstr
from nirls.ir.model.shader import Function, Shader, Variable
from nirls.ir.model.stage import Stage
from nirls.ir.model.walks import closure

_GATHERED = (
    *("flrp_lowered", "io_lowered", "inputs", "outputs", "uniforms", "name", "label", "internal"),
    *("inputs_", "outputs_", "patch_", "per_primitive_", "system_values_", "bit_sizes_", "num_", "textures_"),
    *("images_", "samplers_", "known_interpolation", "needs_", "uses_", "writes_memory", "source_"),
    *("divergence", "perspective_varyings", "linear_varyings", "tcs_cross_", "tcs_same_", "io_", "scratch"),
)
"""Starts of header fields that describe the code, and are gathered from it."""

_REQUESTED = frozenset(("uses_sample_shading",))
"""Fields with such a start that the API may set: this one makes a fragment shader run for each sample."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A shader without the bodies of its functions.

    `fields` are those of the header that affect results, `interface` the declarations of the inputs and
    outputs that derefs lead to, `functions` those that run.
    """

    stage: Stage | None
    is_readable: bool
    fields: frozenset[Hashable]
    interface: Mapping[tuple[str, str], Hashable]
    functions: tuple[Function, ...]

    @classmethod
    def of(cls, shader: Shader) -> Surroundings:
        """Gather the surroundings of a shader."""
        fields = frozenset(
            (item.key, item.value)
            for item in shader.header
            if item.key in _REQUESTED or not item.key.startswith(_GATHERED)
        )
        is_readable = not shader.damage and not shader.unreadable
        return cls(
            shader.stage, is_readable, fields, _accessed_interface(shader), tuple(_functions_that_run(shader))
        )

    def same_as(self, after: Surroundings) -> bool:
        """Whether two readable shaders agree in the stage, the header fields, the interface and signatures.

        An input or output that one side accesses, or none, does not matter: each access names its own.
        """
        if not self.is_readable or not after.is_readable:
            return False
        if (self.stage, self.fields) != (after.stage, after.fields):
            return False
        interface = after.interface
        if any(declared != interface.get(name, declared) for name, declared in self.interface.items()):
            return False
        return list(map(_signature, self.functions)) == list(map(_signature, after.functions))


def ambiguous_names(shaders: Sequence[Shader], impls: Sequence[FunctionImpl]) -> frozenset[str]:
    """Return the names that several variables of a side have."""
    found: set[str] = set()
    for shader, impl in zip(shaders, impls, strict=True):
        names = Counter(variable.name for variable in (*shader.variables, *impl.locals))
        found |= {name for name, times in names.items() if times > 1}
    return frozenset(found)


def declaration(variable: Variable, mode: str) -> Hashable:
    """Return the declaration of a variable, with another mode if that does not matter."""
    return (
        *(variable.name, mode, variable.type_name, variable.interpolation, variable.precision),
        *(variable.qualifiers, variable.access, variable.image_format, variable.location),
        *(variable.driver_location, variable.data, variable.trailing, variable.initializer),
    )


def _functions_that_run(shader: Shader) -> list[Function]:
    """Return the functions that the entry points call, directly or not, and their preambles.

    All if that is not certain.
    """
    entries = [function for function in shader.functions if function.is_entrypoint]

    def started_by(function: Function) -> list[Function]:
        preamble = None if function.impl is None else function.impl.preamble
        called = [call.callee for call in _calls(function) if call.callee is not None]
        return [*called, *(one for one in shader.functions if one.name == preamble)]

    reached = closure(entries, started_by)
    if not reached or any(
        call.is_indirect or call.callee is None for function in reached for call in _calls(function)
    ):
        return shader.functions
    return [function for function in shader.functions if function in reached]


def _calls(function: Function) -> list[CallInstr]:
    instrs = () if function.impl is None else function.impl.instrs()
    return [instr for instr in instrs if isinstance(instr, CallInstr)]


def _signature(function: Function) -> Hashable:
    return function.name, function.params, function.is_entrypoint, function.impl is None


def _accessed_interface(shader: Shader) -> dict[tuple[str, str], Hashable]:
    """Return the declarations of the inputs and outputs that derefs lead to."""
    accessed = (instr.var for instr in shader.instrs() if isinstance(instr, DerefInstr))
    return {
        (variable.mode, variable.name): declaration(variable, variable.mode)
        for variable in accessed
        if variable is not None and variable.mode in ("shader_in", "shader_out")
    }
