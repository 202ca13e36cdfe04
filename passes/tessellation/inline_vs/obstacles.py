"""Reasons why a vertex shader cannot be inlined in a control shader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.analysis.tessellation import output_patch_size
from nirls.ir.effects import effects_of
from nirls.ir.io.access import captures
from nirls.ir.model.access import CAN_REORDER, VOLATILE
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import (
    REGISTER_INTRINSICS,
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    ParallelCopyInstr,
    scalar_constant,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import short_slots, slot_name
from nirls.ir.model.stage import Stage
from nirls.ir.tables import intrinsic
from nirls.ir.validation import defect_of
from nirls.passes.tessellation.inline_vs.environment import (
    IN_EVERY_STAGE,
    OF_VERTICES,
    TEMPORARY,
    clashing_variable,
    is_temporary,
    reads_resource,
    writes_memory,
)
from nirls.passes.tessellation.inline_vs.interface import (
    VsTcsInterface,
    mixed_sizes,
    read_interface,
)
from nirls.passes.varyings.interface.accesses import BACKEND_IO, Unlinkable, intrinsics, link

# Pure intrinsics.
_OF_VALUES = frozenset(("is_sparse_texels_resident", "sparse_residency_code_and"))
_INLINED = "a vertex shader is already inlined in the control shader"
_RESOURCE_MODES = frozenset(
    ("uniform", "ubo", "ssbo", "image", "push_const", "mem_ubo", "mem_ssbo", "mem_push_const", "global")
)


@dataclass(frozen=True, slots=True)
class InlineVsObstacle:
    """A reason, as a clause after "because", and the instruction `instr` in `shader` that causes it.

    `is_pointless` is set if there is nothing to inline, or opt_varyings reports the reason.
    """

    reason: str
    shader: Shader
    instr: Instr | None = None
    is_pointless: bool = False

    def __str__(self) -> str:
        return self.reason


def interface_or_obstacles(
    vs: Shader, tcs: Shader, patch_vertices: int
) -> VsTcsInterface | tuple[InlineVsObstacle, ...]:
    """Return the interface of the shaders, or the reasons why they cannot be merged."""
    vertices_out = output_patch_size(tcs)
    obstacles = [*_of_whole_shaders(vs, tcs, vertices_out, patch_vertices)]
    if obstacles:
        return tuple(obstacles)
    obstacles += (*_in_vertex_shader(vs), *_in_control_shader(tcs, vertices_out), *_of_memory(vs, tcs))
    name = clashing_variable(vs, tcs)
    if name is not None:
        obstacles.append(InlineVsObstacle(f"the shaders have different declarations of {name}", vs))
    if obstacles:
        return tuple(obstacles)
    interface = read_interface(vs, tcs, vertices_out)
    obstacle = _of_interface(vs, tcs, interface)
    return interface if obstacle is None else (obstacle,)


def _of_interface(vs: Shader, tcs: Shader, interface: VsTcsInterface) -> InlineVsObstacle | None:
    if not interface.loads:
        return InlineVsObstacle("the control shader has no inputs", tcs, is_pointless=True)
    if not interface.stores:
        return InlineVsObstacle("the vertex shader has no outputs", vs, is_pointless=True)
    if all(_passes_system_value(store.instr) for store in interface.stores):
        return InlineVsObstacle("the vertex shader only passes system values", vs, is_pointless=True)
    mixed = mixed_sizes(interface)
    if mixed is not None:
        shader = vs if any(store.instr is mixed for store in interface.stores) else tcs
        return InlineVsObstacle("an output is accessed in different sizes", shader, mixed)
    return None


def _of_whole_shaders(
    vs: Shader, tcs: Shader, vertices_out: int, patch_vertices: int
) -> Iterator[InlineVsObstacle]:
    if vs.dialect is not tcs.dialect:
        yield InlineVsObstacle("the dumps have different dialects", tcs)
    for shader in (vs, tcs):
        if not is_well_formed(shader) or shader.entrypoint is None:
            yield InlineVsObstacle("a shader has an error or an unreadable line", shader)
        elif shader.entrypoint.registers or shader.entrypoint.preamble:
            yield InlineVsObstacle("a shader has registers; lower them to SSA first", shader)
    linked = link(vs, tcs)
    if isinstance(linked, Unlinkable) and linked.code == BACKEND_IO:
        yield InlineVsObstacle(linked.message, linked.shader or vs, is_pointless=True)
    if not vertices_out:
        yield InlineVsObstacle("the dump does not show the size of an output patch", tcs)
    if patch_vertices and patch_vertices != vertices_out:
        yield InlineVsObstacle(
            f"an input patch has {patch_vertices} control points, but an output patch {vertices_out}", tcs
        )


def _in_vertex_shader(vs: Shader) -> Iterator[InlineVsObstacle]:
    for instr in vs.instrs():
        reason = _why_not_movable(instr)
        if reason is not None:
            yield InlineVsObstacle(reason, vs, instr)


def _why_not_movable(instr: Instr) -> str | None:
    if isinstance(instr, CallInstr):
        return "the vertex shader calls functions; inline them first"
    if isinstance(instr, JumpInstr) and instr.jump_kind not in ("break", "continue"):
        return f"the vertex shader may end early ({instr.jump_kind})"
    if isinstance(instr, ParallelCopyInstr) or instr.reg_dest is not None:
        return "a shader has registers; lower them to SSA first"
    if isinstance(instr, DerefInstr):
        return _why_not_movable_deref(instr)
    if isinstance(instr, AluInstr) and effects_of(instr).crosses_lanes:
        return f"the vertex shader has {instr.op}"
    return _why_not_movable_intrinsic(instr) if isinstance(instr, IntrinsicInstr) else None


def _why_not_movable_deref(instr: DerefInstr) -> str | None:
    modes = instr.modes
    if modes & {"shader_in", "shader_out"}:
        return "inputs and outputs of the vertex shader are still variables (run lower_io first)"
    if "system" in modes:
        return "system values of the vertex shader are still variables; lower them to intrinsics first"
    if not modes <= TEMPORARY | _RESOURCE_MODES:
        return f"the vertex shader uses {instr.mode} memory"
    return None


def _why_not_movable_intrinsic(instr: IntrinsicInstr) -> str | None:
    name = instr.name
    if name == "load_input":
        return _why_unknown_slot(instr)
    if name == "store_output":
        return _why_unknown_slot(instr) or _why_not_plain_store(instr)
    if name in ("store_deref", "copy_deref") and is_temporary(instr.sources[0].def_):
        return None
    if writes_memory(instr) and not effects_of(instr).is_everything:
        return f"the vertex shader writes memory ({name})"
    system_value = name.removeprefix("load_")
    if system_value in OF_VERTICES:
        size = 0 if instr.def_ is None else instr.def_.bit_size
        return None if size == 32 else f"{name} has {size} bits"
    if system_value in IN_EVERY_STAGE:
        return None
    if name == "load_constant":
        return "the vertex shader reads its constant data"
    if name in REGISTER_INTRINSICS:
        return "a shader has registers; lower them to SSA first"
    if reads_resource(instr) or name in _OF_VALUES:
        return None
    return f"{name} has a different meaning in a control shader"


def _why_unknown_slot(instr: IntrinsicInstr) -> str | None:
    semantics = instr.io_semantics
    if semantics is None or semantics.location < 0:
        return f"the slot of {instr.name} is unknown"
    return None


def _why_not_plain_store(instr: IntrinsicInstr) -> str | None:
    if instr.sources[0].def_ is None:
        return "a shader has registers; lower them to SSA first"
    if captures(instr):
        return "transform feedback captures outputs of the vertex shader"
    if instr.sources[0].bit_size not in (16, 32, 64):
        return f"an output has {instr.sources[0].bit_size} bits"
    return None


def _passes_system_value(store: IntrinsicInstr) -> bool:
    maker = store.sources[0].def_instr
    return isinstance(maker, IntrinsicInstr) and maker.name.removeprefix("load_") in OF_VERTICES


def _in_control_shader(tcs: Shader, vertices_out: int) -> Iterator[InlineVsObstacle]:
    for instr in tcs.instrs():
        reason = _why_not_host(instr, vertices_out)
        if reason is not None:
            yield InlineVsObstacle(reason, tcs, instr, is_pointless=reason == _INLINED)


def _why_not_host(instr: Instr, vertices_out: int) -> str | None:
    if isinstance(instr, CallInstr):
        return "the control shader calls functions; inline them first"
    if isinstance(instr, ParallelCopyInstr) or instr.reg_dest is not None:
        return "a shader has registers; lower them to SSA first"
    if isinstance(instr, DerefInstr) and instr.modes & {"shader_in", "shader_out"}:
        return "inputs and outputs of the control shader are still variables (run lower_io first)"
    if not isinstance(instr, IntrinsicInstr):
        return None
    if instr.name == "load_input":
        return _INLINED
    if instr.name != "load_per_vertex_input":
        is_other = instr.io_semantics is not None and "input" in instr.name
        return f"{instr.name} is not supported" if is_other else None
    vertex = scalar_constant(instr.sources[0].def_)
    is_certain = instr.block is not None and isinstance(instr.block.parent, FunctionImpl)
    if vertex is not None and vertex >= vertices_out and is_certain:
        slot = "" if instr.io_semantics is None else f" of {_short(instr)}"
        return (
            f"the control shader reads control point {vertex}{slot}, so its input patches are larger than its"
            f" output patches of {vertices_out}"
        )
    return _why_unknown_slot(instr)


def _short(instr: IntrinsicInstr) -> str:
    semantics = instr.io_semantics
    assert semantics is not None
    return short_slots(slot_name(semantics.location, Stage.TESS_CTRL, is_output=False))


def _of_memory(vs: Shader, tcs: Shader) -> Iterator[InlineVsObstacle]:
    """Yield the loads of the vertex shader from memory that the control shader may write."""
    if not any(writes_memory(instr) and not _stores_temporary(instr) for instr in intrinsics(tcs)):
        return
    for instr in intrinsics(vs):
        if _reads_changing_memory(instr):
            reason = f"the control shader writes memory, and the vertex shader reads some ({instr.name})"
            yield InlineVsObstacle(reason, vs, instr)


def _reads_changing_memory(instr: IntrinsicInstr) -> bool:
    if not reads_resource(instr):
        return False
    access = instr.int_index("access")
    if access & VOLATILE:
        return True
    entry = intrinsic(instr.name)
    if access & CAN_REORDER or (entry is not None and entry.can_reorder):
        return False
    if instr.name == "load_deref":
        maker = instr.sources[0].def_instr
        return isinstance(maker, DerefInstr) and bool(maker.modes & {"ssbo", "image", "global"})
    return True


def _stores_temporary(instr: IntrinsicInstr) -> bool:
    return instr.name in ("store_deref", "copy_deref") and is_temporary(instr.sources[0].def_)


def is_well_formed(shader: Shader) -> bool:
    """Whether all lines are readable, and none has an error."""
    return not shader.unreadable and shader.entrypoint is not None and not defect_of(shader)
