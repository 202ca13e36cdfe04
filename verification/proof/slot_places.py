"""Places of inputs and outputs in one form, whether an access names a variable or a slot, for a proof.

Only accesses whose meaning does not depend on more than slot, component and type have such a place: 32-bit
components at constant indices, without transform feedback, vertex streams, or arrays of vertices. Everything
else is compared as it stands.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from nirls.ir.io.variables import (
    BUILTIN_FIELDS,
    COMPACT_FIELDS,
    deref_place,
    element_of,
    is_builtin_block,
    slots_of,
    variable_place,
)
from nirls.ir.model.glsl_types import leaf_type
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr, scalar_constant
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Variable
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage

_PLAIN_TYPES = frozenset(("float", "int", "uint"))
_PLAIN_WORDS = frozenset(("none", "highp", "centroid", "sample"))
_FIRST_VARYING, _LAST_VARYING = varying_slot("VAR0"), varying_slot("VAR31")
_PLAIN_FLAGS = frozenset(("invariant", "no_sysval_output", "no_validate"))
_PLACED = frozenset(("base", "range", "component", "write_mask", "io_semantics", "io_xfb", "io_xfb2"))
"""Indices that give the place of an access, or must be empty."""


Kind = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...]]
"""Texts of the other indices, flags, and flags with numbers."""


class SlotPlace(NamedTuple):
    """A 32-bit component of a slot. `kind` is everything else that the access says: type and flags."""

    slot: int
    component: int
    kind: Kind


def _kind(type_name: str) -> Kind:
    return (f"'{type_name}'",), (), ()


def is_varying(output: Hashable) -> bool:
    """Whether a place is a generic varying, which only the next stage reads."""
    return isinstance(output, SlotPlace) and _FIRST_VARYING <= output.slot <= _LAST_VARYING


def has_plain_flags(place: SlotPlace) -> bool:
    """Whether an access has no flags that change what is stored, or who reads it."""
    _, flags, values = place.kind
    return _PLAIN_FLAGS.issuperset(flags) and not values


def places_of_access(instr: IntrinsicInstr, components: int, bit_size: int) -> Sequence[SlotPlace] | None:
    """Return the place of each component of a lowered access; None if it has no plain place.

    The last source must be the offset.
    """
    semantics = instr.indices.get("io_semantics")
    offset = scalar_constant(instr.sources[-1].def_) if instr.sources else None
    first = instr.indices.get("component")
    if not isinstance(semantics, IoSemantics) or semantics.location < 0 or offset is None or bit_size != 32:
        return None
    if not isinstance(first, int) or offset >= max(semantics.num_slots, 1):
        return None
    if is_captured(instr, semantics):
        return None
    values = tuple(pair for pair in semantics.values if pair[0] != "gs_streams")
    words = tuple(repr(index) for word, index in sorted(instr.indices.items()) if word not in _PLACED)
    kind = words, semantics.flags, values
    return [SlotPlace(semantics.location + offset, first + row, kind) for row in range(components)]


def is_captured(instr: IntrinsicInstr, semantics: IoSemantics) -> bool:
    """Whether a store goes to transform feedback or to other vertex streams, by component of the value."""
    if any(instr.indices.get(word, XfbOutputs()) != XfbOutputs() for word in ("io_xfb", "io_xfb2")):
        return True
    streams = dict(semantics.values).get("gs_streams", "").split()
    return not all(stream.endswith("=0") for stream in streams)


def place_in_variable(
    variable: Variable, path: Sequence[object], component: int, stage: Stage | None
) -> SlotPlace | None:
    """Return the place of a component of a scalar or vector in an output; None if it has no plain place."""
    start = variable_place(variable, stage)
    if not isinstance(start.slot, int) or start.arrayed or not _is_plain(variable):
        return None
    slot, first, compact, type_name = start.slot, start.component, start.compact, variable.type_name
    for step in path:
        if isinstance(step, str):
            if (
                step not in BUILTIN_FIELDS
                or not is_builtin_block(variable)
                or type_name != variable.type_name
            ):
                return None
            slot, compact = varying_slot(BUILTIN_FIELDS[step]), step in COMPACT_FIELDS
            type_name = "float[8]" if compact else "vec4" if step == "gl_Position" else "float"
            continue
        if not isinstance(step, int):
            return None
        type_name = element_of(type_name)
        size = slots_of(type_name)
        if size is None:
            return None
        slot, first = (
            (slot + (first + step) // 4, (first + step) % 4) if compact else (slot + step * size, first)
        )
    leaf = leaf_type(type_name)
    if (
        leaf is None
        or leaf.bit_size != 32
        or leaf.base not in _PLAIN_TYPES
        or first + leaf.num_components > 4
    ):
        return None
    return SlotPlace(slot, first + component, _kind(f"{leaf.base}32"))


class InputPlace(NamedTuple):
    """A component of an input: the load that it is lowered to, and its place.

    `barycentric` is the intrinsic that gives the point of interpolation and its mode, None for a load
    without interpolation.
    """

    load: str
    barycentric: tuple[str, str] | None
    place: SlotPlace


def input_places(stage: Stage | None, deref: DerefInstr, components: int) -> Sequence[InputPlace] | None:
    """Return what `nir_lower_io` makes of a load of an input; None if that is not plain.

    Inputs of fragment shaders that are no varyings are system values or depend on the state of the draw.
    """
    if stage not in (Stage.VERTEX, Stage.FRAGMENT) or deref.mode != "shader_in":
        return None
    found = deref_place(stage, deref)
    if isinstance(found, str) or found.dynamic or found.vertex is not None or not _is_plain(found.variable):
        return None
    if found.base_type.removesuffix("32") not in _PLAIN_TYPES or found.component + components > 4:
        return None
    load, barycentric = "load_input", None
    if stage is Stage.FRAGMENT:
        if not _FIRST_VARYING <= found.slot <= _LAST_VARYING:
            return None
        mode = found.variable.interpolation
        if found.base_type == "float32" and mode != "INTERP_MODE_FLAT":
            words = found.variable.qualifiers
            at = next((word for word in ("sample", "centroid") if word in words), "pixel")
            load = "load_interpolated_input"
            barycentric = f"load_barycentric_{at}", mode.replace("MODE_NONE", "MODE_SMOOTH")
    kind = _kind(found.base_type)
    rows = range(found.component, found.component + components)
    return [InputPlace(load, barycentric, SlotPlace(found.slot, row, kind)) for row in rows]


def _is_plain(variable: Variable) -> bool:
    words = {*variable.qualifiers, *variable.access, variable.precision or "none"}
    return words <= _PLAIN_WORDS and variable.initializer is None
