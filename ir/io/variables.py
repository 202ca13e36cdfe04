"""The slots of input and output variables, and where derefs of them lead (Mesa: nir_lower_io)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from nirls.ir.model.glsl_types import array_parts, leaf_type
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import slot_number, varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def

_MODES = frozenset({"shader_in", "shader_out"})
_FIRST_VARYING = varying_slot("VAR0")
BUILTIN_FIELDS = {
    "gl_Position": "POS",
    "gl_PointSize": "PSIZ",
    "gl_ClipDistance": "CLIP_DIST0",
    "gl_CullDistance": "CULL_DIST0",
    "gl_ClipVertex": "CLIP_VERTEX",
    "gl_PrimitiveID": "PRIMITIVE_ID",
    "gl_Layer": "LAYER",
    "gl_ViewportIndex": "VIEWPORT",
    "gl_CullPrimitiveEXT": "BOUNDING_BOX0",  # the number of CULL_PRIMITIVE in mesh shaders
}
COMPACT_FIELDS = frozenset({"gl_ClipDistance", "gl_CullDistance"})


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """Slot (a number, or a text where the dump has no number), first component, and how arrays are laid out.

    `arrayed`: the outermost array counts vertices (or primitives). `compact`: floats of an array are
    packed into the components of successive slots.
    """

    slot: int | str
    component: int
    arrayed: bool
    compact: bool


def variable_place(variable: Variable, stage: Stage | None) -> VariablePlace:
    """The first slot and component of an input or output variable."""
    name, _, swizzle = (variable.location or "").partition(".")
    number = slot_number(name) if name and not name.startswith("~") else -1
    component = "xyzw".find(swizzle[:1]) if swizzle else 0
    return VariablePlace(
        number if number >= 0 else f"{variable.mode} {variable.name}",
        max(component, 0),
        is_arrayed(variable, stage),
        "compact" in variable.trailing,
    )


def colors_of_one_slot(shader: Shader) -> frozenset[Variable]:
    """Return the outputs of a fragment shader that are stored to, and begin where another one does.

    One of the two is the second source of blending (Mesa: `data.index` is 1). A dump does not show which.
    """
    if shader.stage is not Stage.FRAGMENT:
        return frozenset()
    found: dict[tuple[int | str, int], set[Variable]] = {}
    for instr in shader.instrs():
        if not isinstance(instr, IntrinsicInstr) or instr.name not in ("store_deref", "copy_deref"):
            continue
        target = instr.sources[0].def_instr if instr.sources else None
        variable = target.root.var if isinstance(target, DerefInstr) else None
        if variable is not None and variable.mode == "shader_out":
            place = variable_place(variable, shader.stage)
            found.setdefault((place.slot, place.component), set()).add(variable)
    return frozenset(variable for same in found.values() if len(same) > 1 for variable in same)


def varyings_of_one_place(shader: Shader) -> tuple[Variable, Variable] | None:
    """Return two varyings that are declared at one slot and component; None if there are none.

    The linker of OpenGL numbers varyings one after another before it assigns the slots of arrays and
    matrices: then the slots of a dump are not those by which stages are linked.
    """
    found: dict[tuple[str, int, int], Variable] = {}
    for variable in shader.variables:
        place = variable_place(variable, shader.stage) if variable.mode in _MODES else None
        if place is None or not isinstance(place.slot, int) or place.slot < _FIRST_VARYING or place.compact:
            continue
        leaf = leaf_type(innermost(variable.type_name))
        if leaf is None:
            continue
        for slot in range(variable_slots(variable, shader.stage) or 0):
            for component in range(place.component, min(place.component + leaf.num_components, 4)):
                other = found.setdefault((variable.mode, place.slot + slot, component), variable)
                if other is not variable:
                    return other, variable
    return None


def is_arrayed(variable: Variable, stage: Stage | None) -> bool:
    """Whether the outermost array of an I/O variable counts vertices (Mesa: `nir_is_arrayed_io`)."""
    if array_parts(variable.type_name) is None or leaf_type(variable.type_name) is not None:
        return False
    if "patch" in variable.qualifiers:
        return False
    if variable.mode == "shader_in":
        return stage in (Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY) or (
            stage is Stage.FRAGMENT and "per_vertex" in variable.qualifiers
        )
    if stage is Stage.MESH:
        return True
    return stage is Stage.TESS_CTRL


@lru_cache(4096)
def slots_of(type_name: str, is_vertex_input: bool = False) -> int | None:
    """Return the number of slots of a type; None for structs, whose fields a dump does not list."""
    leaf = leaf_type(type_name)
    if leaf is not None:
        return 2 if leaf.bit_size == 64 and leaf.num_components > 2 and not is_vertex_input else 1
    parts = array_parts(type_name)
    if parts is None:
        return None
    inner = slots_of(parts[0], is_vertex_input)
    return None if inner is None else inner * max(parts[1], 1)


def variable_slots(variable: Variable, stage: Stage | None) -> int | None:
    """Return the number of slots of an input or output for each vertex; None for structs."""
    arrayed = is_arrayed(variable, stage)
    type_name = element_of(variable.type_name) if arrayed else variable.type_name
    if "compact" in variable.trailing:
        parts = array_parts(type_name)
        return 1 if parts is None else -(-max(parts[1], 1) // 4)
    return slots_of(type_name, stage is Stage.VERTEX and variable.mode == "shader_in")


def element_of(type_name: str) -> str:
    """The type of the elements of an array or matrix type; any other type is its own."""
    parts = array_parts(type_name)
    return type_name if parts is None else parts[0]


def innermost(type_name: str) -> str:
    """The type of the elements of all arrays and matrices around it: `vec3` for `mat3[2]`."""
    while array_parts(type_name) is not None and leaf_type(type_name) is None:
        type_name = element_of(type_name)
    return type_name


def is_builtin_block(variable: Variable) -> bool:
    """Whether a variable is a block of built-in outputs or inputs, whose fields are slots of their own."""
    return re.match(r"gl_(Mesh)?Per(Vertex|Primitive)(EXT|NV)?\b", variable.type_name) is not None


@dataclass(frozen=True, slots=True)
class DerefPlace:
    """The place that a deref chain leads to: `slot` and `component` with all constant indices added.

    `dynamic` are the other indices, each with the slots that one step is worth; `vertex` is the index of
    arrayed I/O, a value or a constant.
    """

    variable: Variable
    slot: int
    component: int
    num_slots: int
    dynamic: tuple[tuple[Def, int], ...]
    vertex: Def | int | None
    base_type: str


def deref_place(stage: Stage | None, deref: DerefInstr) -> DerefPlace | str:
    """Return the place that a deref leads to, or the reason why it is unknown."""
    chain: list[DerefInstr] = []
    step: DerefInstr | None = deref
    while step is not None and step.deref_kind != "var":
        chain.append(step)
        step = step.parent_deref
    variable = None if step is None else step.var
    if variable is None or variable.mode not in _MODES:
        return "the variable behind the access is not declared"
    start = variable_place(variable, stage)
    slot, component, compact, type_name = start.slot, start.component, start.compact, variable.type_name
    if isinstance(slot, str):
        return f"variable {variable.name} has no location"
    first_slot = slot
    is_vertex_input = stage is Stage.VERTEX and variable.mode == "shader_in"
    vertex: Def | int | None = None
    dynamic: list[tuple[Def, int]] = []
    arrayed = is_arrayed(variable, stage)
    for step in reversed(chain):
        if step.deref_kind == "struct":
            if step.field not in BUILTIN_FIELDS or not is_builtin_block(variable):
                return f"{variable.name} is a struct, whose layout a dump does not show"
            slot = first_slot = varying_slot(BUILTIN_FIELDS[step.field])
            compact = step.field in COMPACT_FIELDS
            type_name = step.type_name
            continue
        if step.deref_kind != "array":
            return f"{step.deref_kind} derefs of inputs and outputs are lowered by other passes first"
        index: Def | int | None = step.constant_index
        if index is None:
            index = step.index.def_ if step.index is not None else None
        if index is None:
            return "an array index cannot be read"
        if arrayed and vertex is None:
            vertex, type_name = index, element_of(type_name)
            continue
        leaf = leaf_type(type_name)
        if compact or leaf is not None:
            if not isinstance(index, int):
                return "a component is chosen by a variable index"
            component += index * (2 if leaf is not None and leaf.bit_size == 64 else 1)
            slot, component = (slot + component // 4, component % 4) if compact else (slot, component)
            type_name = element_of(type_name) if compact else type_name
            continue
        type_name = element_of(type_name)
        size = slots_of(type_name, is_vertex_input)
        if size is None:
            return f"{variable.name} is a struct, whose layout a dump does not show"
        if isinstance(index, int):
            slot += index * size
        else:
            dynamic.append((index, size))
    leaf = leaf_type(type_name)
    if leaf is None or (arrayed and vertex is None):
        return "the access is of a whole array or struct; other passes split it first"
    if leaf.base in ("bool", "bfloat") or (leaf.bit_size == 64 and leaf.num_components > 2):
        return f"{type_name} takes no slots of its own; other passes lower it first"
    # Constant indices leave fewer slots to the variable ones.
    num_slots = max((variable_slots(variable, stage) or 1) - (slot - first_slot), 1) if dynamic else 1
    return DerefPlace(
        variable, slot, component, num_slots, tuple(dynamic), vertex, f"{leaf.base}{leaf.bit_size}"
    )


def undeclared_io(shader: Shader) -> Iterator[DerefInstr]:
    """Yield the derefs of inputs and outputs that the shader does not declare."""
    return (instr for instr in shader.instrs() if isinstance(instr, DerefInstr) and is_undeclared_io(instr))


def is_undeclared_io(deref: DerefInstr) -> bool:
    """Return whether a deref is of an input or output that the shader does not declare."""
    return deref.deref_kind == "var" and deref.var is None and deref.mode in _MODES
