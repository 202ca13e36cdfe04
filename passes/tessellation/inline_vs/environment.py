"""System values, bindings and variables of a vertex shader that is inlined in a control shader.

System values that exist only in vertex shaders are passed to the control shader as varyings. Bindings are
per stage, so inlined resource accesses are marked as using those of the vertex shader: by the access
qualifier `vs-bindings`, and by a flag of that name on texture instructions. Mesa has no such flag yet; the
design of the pass requires one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from nirls.ir.effects import effects_of, row_of_intrinsic
from nirls.ir.model.access import VS_BINDINGS, VS_BINDINGS_WORD
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import DerefInstr, IndexValue, Instr, IntrinsicInstr, TexInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.values import Def
from nirls.ir.tables.vendors import vendor_of

OF_VERTICES: frozenset[str] = frozenset(
    (
        *("vertex_id", "vertex_id_zero_base", "first_vertex", "base_vertex", "is_indexed_draw"),
        *("instance_id", "base_instance", "instance_index", "draw_id"),
    )
)
"""System values missing in control shaders (32-bit scalars); names are those of the loads without `load_`."""

IN_EVERY_STAGE: frozenset[str] = frozenset(
    (
        *("user_clip_plane", "view_index", "point_size", "line_width", "viewport_scale", "viewport_offset"),
        *(f"viewport_{axis}_{part}" for axis in "xyz" for part in ("scale", "offset")),
        "viewport_xy_scale_and_offset",
    )
)
"""System values that are the same in all stages of a draw."""


@dataclass(frozen=True, slots=True)
class PassedValue:
    """A system value and the component of the varying that carries it."""

    name: str
    slot: int
    component: int
    base: int


def plan_passing(instrs: Iterable[Instr]) -> list[PassedValue]:
    """Assign a varying component to each vertex-only system value, from VAR0 on.

    All slots are free, because no other output is passed after inlining.
    """
    names = dict.fromkeys(
        instr.name.removeprefix("load_")
        for instr in instrs
        if isinstance(instr, IntrinsicInstr) and instr.name.removeprefix("load_") in OF_VERTICES
    )
    first = varying_slot("VAR0")
    return [
        PassedValue(name, first + number // 4, number % 4, number // 4) for number, name in enumerate(names)
    ]


def pass_values(impl: FunctionImpl, values: list[PassedValue], template: IntrinsicInstr) -> None:
    """Store the system values at the end of a vertex shader; `template` is one of its original stores."""
    if not values:
        return
    builder = Builder(impl, impl.blocks()[-1]).at_end_of(impl.blocks()[-1])
    zero = builder.load_const([0], 32)
    for passed in values:
        value = builder.load(f"load_{passed.name}", [], {}, 1, 32)
        builder.intrinsic("store_output", [value, zero], _indices(passed, template, "src_type"))


def receive_values(
    builder: Builder, values: list[PassedValue], template: IntrinsicInstr, own: Def, zero: Def
) -> dict[str, Def]:
    """Load the passed system values at the cursor; `template` is an input load. Returns them by name."""
    received: dict[str, Def] = {}
    for passed in values:
        indices = _indices(passed, template, "dest_type")
        received[passed.name] = builder.load("load_per_vertex_input", [own, zero], indices, 1, 32)
    return received


def _indices(passed: PassedValue, template: IntrinsicInstr, type_index: str) -> dict[str, IndexValue]:
    """Return the indices of `template`, adapted to a 32-bit scalar at another location."""
    changed: dict[str, IndexValue] = {
        "base": passed.base,
        "range": 1,
        "component": passed.component,
        "write_mask": 1,
        type_index: "uint32",
        "io_semantics": IoSemantics(passed.slot),
        "io_xfb": XfbOutputs(),
        "io_xfb2": XfbOutputs(),
    }
    return {name: changed.get(name, value) for name, value in template.indices.items()}


# Global addresses, bindless handles and heaps do not depend on bindings.
_WITHOUT_BINDING = ("load_global", "bindless_image_", "image_heap_")
TEMPORARY = frozenset(("function_temp", "shader_temp"))
_NOT_MEMORY = frozenset(("output", "register", "xfb"))


def use_vs_bindings(instrs: Iterable[Instr]) -> None:
    """Mark every resource access among instructions of a vertex shader as using its bindings."""
    for instr in instrs:
        if isinstance(instr, TexInstr):
            instr.flags = instr.flags | {VS_BINDINGS_WORD}
        elif isinstance(instr, IntrinsicInstr) and has_binding(instr):
            instr.indices["access"] = instr.int_index("access") | VS_BINDINGS


def reads_resource(instr: IntrinsicInstr) -> bool:
    """Whether an intrinsic that is not of a driver only reads resources or temporaries."""
    return not vendor_of(instr.name) and row_of_intrinsic(instr.name).only_reads_resources


def has_binding(instr: IntrinsicInstr) -> bool:
    """Whether an intrinsic reads a resource through a binding of the stage."""
    if not reads_resource(instr) or instr.name.startswith(_WITHOUT_BINDING):
        return False
    return not instr.sources or not is_temporary(instr.sources[0].def_)


def is_temporary(value: Def | None) -> bool:
    """Whether a value is the address of a temporary."""
    maker = None if value is None else value.instr
    return isinstance(maker, DerefInstr) and maker.modes <= TEMPORARY


def writes_memory(instr: IntrinsicInstr) -> bool:
    """Whether an intrinsic writes memory of any kind, atomically or not."""
    return any(access.writes and not access.memories <= _NOT_MEMORY for access in effects_of(instr).accesses)


def clashing_variable(vs: Shader, tcs: Shader) -> str | None:
    """Return the mode and name of a resource that the shaders declare differently; None if there is none.

    Variables with equal declarations are shared between linked shaders.
    """
    declared = {(variable.mode, variable.name): variable for variable in tcs.variables}
    for variable in _variables_used(vs):
        twin = declared.get((variable.mode, variable.name))
        if twin is not None and variable.mode not in TEMPORARY and not _is_same(variable, twin):
            return f"{variable.mode} {variable.name}"
    return None


def adopt_variables(instrs: Iterable[Instr], tcs: Shader, local: Iterable[Variable]) -> None:
    """Redirect derefs of moved vertex shader instructions to variables of the control shader.

    Missing variables are declared there. `local` are the temporaries of the vertex shader's function.
    """
    entry = tcs.entrypoint
    assert entry is not None
    names = {variable.name for variable in (*tcs.variables, *entry.locals)}
    adopted: dict[int, Variable] = {}
    for variable in local:
        adopted[id(variable)] = replace(variable, span=None, name=_unused(variable.name, names))
        entry.locals.append(adopted[id(variable)])
    for instr in instrs:
        if not isinstance(instr, DerefInstr) or instr.var is None:
            continue
        if id(instr.var) not in adopted:
            adopted[id(instr.var)] = _declared(instr.var, tcs, names)
        instr.var = adopted[id(instr.var)]
        instr.var_name = instr.var.name


def _declared(variable: Variable, tcs: Shader, names: set[str]) -> Variable:
    if variable.mode in TEMPORARY:
        copy = replace(variable, span=None, name=_unused(variable.name, names))
    else:
        for twin in tcs.variables_of_mode(variable.mode):
            if twin.name == variable.name:
                return twin
        copy = replace(variable, span=None)
        names.add(copy.name)
    tcs.variables.append(copy)
    return copy


def _unused(name: str, names: set[str]) -> str:
    """Return an unused name derived from `name`, and add it to `names`."""
    found, number = name, 0
    while found in names:
        found, number = f"{name}_vs{number or ''}", number + 1
    names.add(found)
    return found


def _is_same(one: Variable, other: Variable) -> bool:
    return (one.type_name, one.location, one.driver_location, one.data) == (
        other.type_name,
        other.location,
        other.driver_location,
        other.data,
    )


def _variables_used(shader: Shader) -> list[Variable]:
    found = {
        id(instr.var): instr.var
        for instr in shader.instrs()
        if isinstance(instr, DerefInstr) and instr.var is not None
    }
    return list(found.values())
