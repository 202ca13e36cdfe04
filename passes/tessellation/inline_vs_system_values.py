"""System values that exist only in vertex shaders, passed to the control shader as varyings."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import IndexValue, Instr, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.values import Def

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


def plan_passing(instrs: list[Instr]) -> list[PassedValue]:
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
        load = builder.intrinsic(f"load_{passed.name}", [], {}, 1, 32)
        assert load.def_ is not None
        builder.intrinsic("store_output", [load.def_, zero], _indices(passed, template, "src_type"))


def receive_values(
    builder: Builder, values: list[PassedValue], template: IntrinsicInstr, own: Def, zero: Def
) -> dict[str, Def]:
    """Load the passed system values at the cursor; `template` is an input load. Returns them by name."""
    received: dict[str, Def] = {}
    for passed in values:
        load = builder.intrinsic(
            "load_per_vertex_input", [own, zero], _indices(passed, template, "dest_type"), 1, 32
        )
        assert load.def_ is not None
        received[passed.name] = load.def_
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
