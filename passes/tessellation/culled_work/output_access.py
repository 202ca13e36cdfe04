"""Output accesses of a control shader by scalar location, and the barrier that orders them."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.io.access import IoAccess, io_access
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.slots import short_slots, slot_name, varying_slot
from nirls.ir.model.stage import Stage

Place = tuple[int, int]
"""Slot and component, as in `IoAccess.places`."""

STORES = frozenset(("store_output", "store_per_vertex_output"))
LOADS = frozenset(("load_output", "load_per_vertex_output"))

OUTER = varying_slot("TESS_LEVEL_OUTER")
INNER = varying_slot("TESS_LEVEL_INNER")


@dataclass(frozen=True, slots=True, eq=False)
class OutputAccesses:
    """All accesses of a function in printed order. `unknown` are those without a known slot."""

    stores: tuple[IoAccess, ...]
    loads: tuple[IoAccess, ...]
    unknown: tuple[IntrinsicInstr, ...]


def output_accesses(impl: FunctionImpl) -> OutputAccesses:
    """Collect the loads and stores of lowered outputs in a function body."""
    stores: list[IoAccess] = []
    loads: list[IoAccess] = []
    unknown: list[IntrinsicInstr] = []
    for instr in impl.instrs():
        if not isinstance(instr, IntrinsicInstr) or instr.name not in STORES | LOADS:
            continue
        access = io_access(instr, Stage.TESS_CTRL)
        if access is None or any(src.def_ is None for src in instr.sources):
            unknown.append(instr)
        else:
            (stores if access.is_store else loads).append(access)
    return OutputAccesses(tuple(stores), tuple(loads), tuple(unknown))


def is_level(access: IoAccess) -> bool:
    """Whether an access is of tessellation levels."""
    return any(slot in (OUTER, INNER) for slot, _ in access.places)


def place_name(place: Place) -> str:
    """Format a place, for example `VAR0.x` or `TESS_LEVEL_OUTER.z`."""
    slot = short_slots(slot_name(place[0], Stage.TESS_CTRL, is_output=True))
    return f"{slot}.{'xyzw'[place[1] & 3]}"


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
    for instr in shader.instrs():
        if isinstance(instr, IntrinsicInstr) and instr.name in _SCOPED and instr.indices:
            return instr.name
    return None
