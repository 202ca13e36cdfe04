"""Wrong use of what surrounds a shader: inputs, outputs, interpolation, textures, vertices, system values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import IndexValue, Instr, IntrinsicInstr, TexInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.values import AluSrc, Def
from tools.corpus.mutations.change import (
    Change,
    Ways,
    both_ways,
    inverted,
    is_load,
    plus,
    renamed,
    result_of,
    set_source,
    source_at,
)
from tools.corpus.mutations.memory import drop, other_component, other_index, other_slot

_OTHER_BARYCENTRIC = {
    "load_barycentric_pixel": "load_barycentric_centroid",
    "load_barycentric_centroid": "load_barycentric_sample",
    "load_barycentric_sample": "load_barycentric_pixel",
}
_OTHER_MODE = {
    "INTERP_MODE_SMOOTH": "INTERP_MODE_NOPERSPECTIVE",
    "INTERP_MODE_NOPERSPECTIVE": "INTERP_MODE_SMOOTH",
}
_VERTEX = {"load_per_vertex_input": 0, "load_per_vertex_output": 0, "store_per_vertex_output": 1}
_OTHER_LEVEL = {24: 25, 25: 24, 21: 22, 22: 21}
_QUARTER, _ONE = 0x3E800000, 0x3F800000
_COUNTERS = both_ways(
    "load_vertex_id load_instance_id, load_workgroup_id load_local_invocation_id,"
    "load_base_vertex load_base_instance, load_sample_id load_sample_mask_in"
) | {"load_vertex_id_zero_base": "load_instance_id", "load_global_invocation_id": "load_local_invocation_id"}


def _turned(builder: Builder, value: Def) -> Def:
    """Rotate the components of a vector."""
    width = value.num_components
    order = tuple((component + 1) % width for component in range(width))
    return builder.alu("mov", [AluSrc(value, order)], width, value.bit_size)


def _texture_source(kinds: tuple[str, ...], rewrite: Callable[[Builder, Def], Def], width: int = 1) -> Ways:
    """Change sources of a texture instruction with at least `width` components."""

    def ways(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
        for src in instr.sources if isinstance(instr, TexInstr) else ():
            is_wanted = src.kind in kinds and src.def_ is not None
            if is_wanted and src.num_components >= width and src.bit_size == 32:
                yield partial(set_source, impl, instr, src, rewrite)

    return ways


def _lose_texture_source(*kinds: str) -> Ways:
    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if isinstance(instr, TexInstr):
            for src in instr.sources:
                if src.kind in kinds:
                    yield partial(_lose, instr, src.kind)

    return ways


def _lose(instr: TexInstr, kind: str) -> None:
    for src in instr.sources:
        if src.kind == kind:
            src.clear()
    instr.sources = [src for src in instr.sources if src.kind != kind]
    if kind == "bias":
        instr.op = "tex"


def _other_texture(name: str) -> Ways:
    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        number = getattr(instr, name) if isinstance(instr, TexInstr) else None
        if number is not None:
            yield partial(setattr, instr, name, number + 1)

    return ways


def _other_gather(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if isinstance(instr, TexInstr) and instr.component is not None:
        yield partial(setattr, instr, "component", (instr.component + 1) % 4)


def _layer(builder: Builder, value: Def) -> Def:
    """Add 1 to the last component of a coordinate: an array layer, or a depth."""
    width = value.num_components
    added = builder.load_const([0] * (width - 1) + [_ONE], value.bit_size)
    return builder.alu("fadd", [value, added], width, value.bit_size)


def _other_captures(other: Callable[[XfbOutputs], XfbOutputs]) -> Ways:
    """Change what transform feedback captures of an output."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if not isinstance(instr, IntrinsicInstr):
            return
        xfb = {name: value for name, value in instr.indices.items() if isinstance(value, XfbOutputs)}
        if any(value.outputs for value in xfb.values()):
            yield partial(instr.indices.update, {name: other(value) for name, value in xfb.items()})

    return ways


def _one_higher(field: int) -> Callable[[XfbOutputs], XfbOutputs]:
    """Add 1 to a field of the captured outputs: 2 is the buffer, 3 the offset."""

    def other(captures: XfbOutputs) -> XfbOutputs:
        outputs = []
        for output in captures.outputs:
            first, second, third, fourth = (one + (number == field) for number, one in enumerate(output))
            outputs.append((first, second, third, fourth))
        return replace(captures, outputs=tuple(outputs))

    return other


def _flip_last_bit(builder: Builder, value: Def) -> Def:
    one = builder.load_const([1], value.bit_size)
    return builder.alu("ixor", [value, one], 1, value.bit_size)


def _is_input(instr: Instr) -> bool:
    return is_load(instr) and isinstance(instr, IntrinsicInstr) and "input" in instr.name


def _other_level(semantics: IndexValue) -> IndexValue | None:
    """Return the semantics of inner tessellation levels for outer ones, and the reverse."""
    if isinstance(semantics, IoSemantics) and semantics.location in _OTHER_LEVEL:
        return replace(semantics, location=_OTHER_LEVEL[semantics.location])
    return None


def _flat(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Read an interpolated input without interpolation."""
    if not isinstance(instr, IntrinsicInstr) or instr.name != "load_interpolated_input":
        return

    def change() -> None:
        instr.sources[0].clear()
        instr.sources = instr.sources[1:]
        instr.name = "load_input"

    yield change


def _is_named(*names: str) -> Callable[[Instr], bool]:
    return lambda instr: isinstance(instr, IntrinsicInstr) and instr.name in names


KINDS: dict[str, Ways] = {
    "load another component": other_component(is_load),
    "load another slot": other_slot(_is_input),
    "another vertex": source_at(_VERTEX, _flip_last_bit),
    "another tessellation level": other_index("io_semantics", _other_level, _is_named("store_output")),
    "other barycentrics": renamed(_OTHER_BARYCENTRIC),
    "flip an interpolation": other_index("interp_mode", lambda mode: _OTHER_MODE.get(str(mode))),
    "lose an interpolation": _flat,
    "interpolate beside": source_at({"load_barycentric_at_offset": 0}, plus(_QUARTER, "fadd")),
    "interpolate at another sample": source_at({"load_barycentric_at_sample": 0}, plus(1)),
    "drop transform feedback": _other_captures(lambda _: XfbOutputs()),
    "capture to another buffer": _other_captures(_one_higher(2)),
    "capture further on": _other_captures(_one_higher(3)),
    "drop an emit": drop(lambda instr: instr.name.startswith(("emit_vertex", "end_primitive"))),
    "emit to another stream": other_index(
        "stream_id", lambda stream: (stream + 1) % 4 if isinstance(stream, int) else None
    ),
    "another texture": _other_texture("texture_index"),
    "another sampler": _other_texture("sampler_index"),
    "another gathered component": _other_gather,
    "another coordinate": _texture_source(("coord",), _turned, 2),
    "another layer": _texture_source(("coord",), _layer, 3),
    "another level of detail": _texture_source(("lod", "bias", "min_lod"), plus(_ONE, "fadd")),
    "another comparator": _texture_source(("comparator",), plus(_QUARTER, "fadd")),
    "another offset": _texture_source(("offset", "ms_index"), plus(1)),
    "another derivative": _texture_source(("ddx", "ddy"), plus(_QUARTER, "fadd")),
    "lose a bias or offset": _lose_texture_source("bias", "offset"),
    "another counter": renamed(_COUNTERS),
    "counter one higher": result_of(_is_named(*_COUNTERS), plus(1)),
    "turn the helper flag": result_of(_is_named("load_helper_invocation", "is_helper_invocation"), inverted),
    "another view or layer": result_of(_is_named("load_view_index", "load_layer_id"), plus(1)),
    "turn the face": result_of(_is_named("load_front_face"), inverted),
    "another coordinate of the fragment": result_of(
        _is_named("load_frag_coord", "load_tess_coord", "load_sample_pos", "load_point_coord"), _turned
    ),
}
"""Kinds for inputs, outputs, textures, vertices and system values."""
