"""Texture instructions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from nirls.ir.effects.effects import effects_of
from nirls.ir.model.instructions import TexInstr
from nirls.ir.model.stage import Stage
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.alu.float_error import half_ulp
from nirls.verification.evaluate.alu.operation import decode, encode
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.quads import derivative
from nirls.verification.evaluate.surroundings.hashing import lane_hash, name_hash
from nirls.verification.evaluate.surroundings.texture_sampling import (
    ColorTerm,
    handle_of_value,
    query_numbers,
    smooth_channel,
)
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array, container_type
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import NEGLIGIBLE, Value, either, lane_index, stack

_FILTERED = frozenset({"tex", "txb", "txl", "txd", "tg4", "lod"})
_FETCHES = frozenset({"txf", "txf_ms", "txf_ms_fb", "samples_identical"})
_QUERIES = frozenset({"txs", "query_levels", "texture_samples"})
SUPPORTED_OPERATIONS = _FILTERED | _FETCHES | _QUERIES
# Operations that depend on an interpolated input or on neighbours, which their sources do not say.
_OF_MORE_THAN_SOURCES = frozenset({"tex_prefetch", "gradient_pan"})

_IMPLICIT = frozenset({"tex", "txb", "lod"})
_HANDLES = {
    "texture_deref": "texture",
    "texture_deref_intrinsic": "texture",
    "texture_handle": "texture",
    "texture_offset": "texture",
    "sampler_deref": "sampler",
    "sampler_deref_intrinsic": "sampler",
    "sampler_handle": "sampler",
    "sampler_offset": "sampler",
}
_FLOAT_SOURCES = frozenset({"coord", "projector", "comparator", "bias", "lod", "min_lod", "ddx", "ddy"})
_LAST_TEXEL = 3
_INTEGER_SOURCES = frozenset({"offset", "ms_index", "plane"})


@dataclass(frozen=True, slots=True)
class _Access:
    """One execution of an instruction: values and marks of its sources, hash of the texture, result."""

    instr: TexInstr
    values: dict[str, Value]
    texture: Array
    width: int
    bit_size: int
    marks: Marks

    @property
    def coordinate(self) -> Value:
        """The coordinates; raises `Unsupported` if there are none."""
        if "coord" not in self.values:
            raise Unsupported(f"{self.instr.op} without coordinates")
        return self.values["coord"]

    @property
    def base(self) -> str:
        """The number type of the result."""
        return base_type(self.instr.dest_type) or "float"


def _spread_over_quads(marks: Marks, active: Array) -> None:
    """Mark whole quads where one lane is marked; as undefined also where one lane does not run."""
    stopped = ~active if marks.poison is None else marks.poison | ~active
    marks.poison = _on_any_of_quad(stopped)
    marks.fragile = None if marks.fragile is None else _on_any_of_quad(marks.fragile)


def _on_any_of_quad(mask: Array) -> Array:
    return np.repeat(mask.reshape(-1, 4).any(axis=1), 4)


def texture_step(compiler: Compiler, instr: TexInstr) -> Step:
    """Compile a texture instruction. Raises `Unsupported`."""
    known = _HANDLES.keys() | _FLOAT_SOURCES | _INTEGER_SOURCES
    unknown = next((src.kind for src in instr.sources if src.kind not in known), None)
    is_opaque = instr.op not in SUPPORTED_OPERATIONS or unknown is not None
    if is_opaque and (instr.op in _OF_MORE_THAN_SOURCES or effects_of(instr).is_everything):
        raise Unsupported(instr.op)
    readers = [(src.kind, compiler.read(src), src.bit_size) for src in instr.sources]
    dest = instr.def_
    if dest is None and instr.reg_dest is None:
        raise Unsupported(f"{instr.op} without destination")
    width = dest.num_components if dest is not None else 4
    bit_size = dest.bit_size if dest is not None else instr.sources[0].bit_size
    write = compiler.write(instr)
    run = _query if instr.op in _QUERIES else _fetch if instr.op in _FETCHES else _sample
    run = _opaque if is_opaque else run
    colors = width - 1 if "sparse" in instr.flags else width
    operation = (instr.op, instr.dest_type, instr.component, instr.offsets, instr.flags)
    what = (operation, is_opaque, width, bit_size)

    def step(state: State) -> None:
        marks = Marks()
        values: dict[str, Value] = {}
        for kind, read, _ in readers:
            value = read(state)
            values[kind] = value
            marks.add(value)
        texture = _handle(state, instr, values, "texture", marks)
        if instr.op in _FILTERED or is_opaque:
            texture = lane_hash(
                name_hash("with sampler"), texture, _handle(state, instr, values, "sampler", marks)
            )
        results = state.environment.results
        key: tuple[Hashable, ...]
        key = (what, state.track, state.launch.key, state.masks.active.tobytes(), texture.tobytes())
        key += tuple(None if mark is None else mark.tobytes() for mark in (marks.poison, marks.fragile))
        for kind, _, _ in readers:
            if kind not in _HANDLES:
                key += (kind, *results.rows(values[kind], range(len(values[kind].bits))))
        result = results.get(key)
        if result is None:
            access = _Access(instr, values, texture, colors, bit_size, marks)
            result = results.keep(key, run(state, access))
        if colors != width:
            resident = state.environment.hash_of("residency", texture)[None] & np.uint64(1)
            extra = Value(resident.astype(container_type(bit_size)), bit_size)
            result = stack([result, marks.marked(extra)])
        write(state, result)

    return step


def _handle(state: State, instr: TexInstr, values: dict[str, Value], what: str, marks: Marks) -> Array:
    index = instr.texture_index if what == "texture" else instr.sampler_index
    hashes = np.broadcast_to(lane_hash(name_hash("unit", what), index or 0), (state.lanes,))
    for kind, role in _HANDLES.items():
        if role != what or kind not in values:
            continue
        if kind.endswith("_offset"):
            unit = (index or 0) + lane_index(values[kind])
            return np.broadcast_to(lane_hash(name_hash("unit", what), unit), (state.lanes,))
        hashes, of_handle = handle_of_value(what, values[kind], state.lanes)
        marks.join(of_handle)
    return hashes


def _float_terms(name: str, value: Value, track: bool) -> list[ColorTerm]:
    numbers = decode(value.bits, "float", value.bit_size).astype(np.float64)
    errors = value.error if track else None
    return [
        ColorTerm(f"{name}{row}", numbers[row], None if errors is None else errors[row])
        for row in range(len(numbers))
    ]


def _widened(coordinate: Value) -> Value:
    """Convert coordinates of 16 bits to 32 bits, in which the hardware computes their derivatives."""
    numbers = decode(coordinate.bits, "float", coordinate.bit_size)
    bits = encode(numbers, "float", 32)
    return Value(bits, 32, coordinate.poison, coordinate.error, coordinate.fragile)


def _sample(state: State, access: _Access) -> Value:
    instr, values, marks, track = access.instr, access.values, access.marks, state.track
    coordinate = access.coordinate
    if "projector" in values:
        coordinate = _projected(coordinate, values["projector"], track)
    if coordinate.bit_size == 16:
        coordinate = _widened(coordinate)
    terms = [] if instr.op == "lod" else _float_terms("coord", coordinate, track)
    implicit = instr.op in _IMPLICIT and state.launch.stage is Stage.FRAGMENT
    if implicit:
        for axis in "xy":
            slope = derivative(state, coordinate, axis, coarse=False)
            if coordinate.error is None:
                slope.error = None  # equal coordinates give equal texels
            marks.add(slope)
            terms += _float_terms(f"dd{axis}", slope, track)
        running = state.masks.active.reshape(-1, 4).all(axis=1)
        if not running.all():
            marks.poison = either(marks.poison, np.repeat(~running, 4))
    elif instr.op in _IMPLICIT:
        # Without quads there are no derivatives, so level 0 is read as by an explicit LOD.
        terms.append(ColorTerm("lod0", np.zeros(state.lanes)))
        terms.append(ColorTerm("explicit", np.ones(state.lanes)))
    for kind in ("ddx", "ddy", "comparator", "bias", "lod", "min_lod"):
        if kind in values:
            terms += _float_terms(kind, values[kind], track)
    if instr.op == "txl":
        terms.append(ColorTerm("explicit", np.ones(state.lanes)))
    if "offset" in values:
        offset = values["offset"]
        terms += [
            ColorTerm(f"offset{row}", lane_index(offset.component(row)).astype(np.float64))
            for row in range(len(offset.bits))
        ]
    rows, errors = [], []
    for channel in range(access.width):
        name = f"gather {instr.component or 0} {channel}" if instr.op == "tg4" else f"{channel}"
        if instr.op == "lod":
            name = f"lod {channel}"
        own = terms
        if channel < len(instr.offsets):
            # As the last texel of a gather with that offset, which is how the operation is lowered.
            name = f"gather {instr.component or 0} {_LAST_TEXEL}"
            own = terms + [
                ColorTerm(f"offset{axis}", np.full(state.lanes, float(distance)))
                for axis, distance in enumerate(instr.offsets[channel])
            ]
        value, error = smooth_channel(state.environment, access.texture, name, own)
        rows.append(value)
        errors.append(error)
    numbers, reach = np.stack(rows), np.stack(errors)
    return _as_texels(numbers, reach, access, track)


def _as_texels(numbers: Array, reach: Array, access: _Access, track: bool) -> Value:
    bit_size, marks = access.bit_size, access.marks
    if access.base == "float":
        result = marks.marked(Value(encode(numbers, "float", bit_size), bit_size))
        if track:
            # Equal coordinates give equal texels, however they are filtered.
            result.error = np.where(reach <= NEGLIGIBLE, reach, reach + half_ulp(numbers, bit_size))
        return result
    steps = np.floor(numbers * 16.0)
    result = marks.marked(Value(encode(steps.astype(np.int64).view(np.uint64), "uint", bit_size), bit_size))
    if track:
        flips = (np.floor((numbers - reach) * 16.0) != steps) | (np.floor((numbers + reach) * 16.0) != steps)
        result.fragile = either(result.fragile, flips)
    return result


def _projected(coordinate: Value, projector: Value, track: bool) -> Value:
    size = coordinate.bit_size
    top = decode(coordinate.bits, "float", size).astype(np.float64)
    bottom = decode(projector.bits, "float", size).astype(np.float64)
    quotient = top / bottom
    result = Value(encode(quotient, "float", size), size, coordinate.poison, fragile=coordinate.fragile)
    if track:
        above = np.zeros(top.shape) if coordinate.error is None else coordinate.error
        below = np.zeros(bottom.shape) if projector.error is None else projector.error
        spread = (above + np.abs(quotient) * below) / np.maximum(np.abs(bottom) - below, 0.0)
        error = 2 * half_ulp(quotient, size) + spread
        # Drivers multiply by the reciprocal, which may overflow where the quotient does not.
        reciprocal = (1 / bottom).astype(FLOAT_TYPES[size])
        result.error = np.where(np.isfinite(error) & np.isfinite(reciprocal), error, np.inf)
    return result


def _fetch(state: State, access: _Access) -> Value:
    coordinate, values = access.coordinate, access.values
    parts = [lane_index(coordinate.component(row)) for row in range(len(coordinate.bits))]
    offset = values.get("offset")
    for row in range(0 if offset is None else min(len(offset.bits), len(parts))):
        assert offset is not None
        parts[row] = _wrapped(parts[row] + lane_index(offset.component(row)), coordinate.bit_size)
    level = values.get("lod")
    parts.append(np.zeros(state.lanes, np.int64) if level is None else lane_index(level))
    sample = values.get("ms_index")
    parts.append(np.zeros(state.lanes, np.int64) if sample is None else lane_index(sample))
    rows = []
    for channel in range(access.width):
        hashes = state.environment.hash_of(("texel", channel), access.texture, *parts)
        rows.append(state.environment.numbers(hashes, access.base, access.bit_size))
    return access.marks.marked(Value(np.stack(rows), access.bit_size))


def _wrapped(numbers: Array, bit_size: int) -> Array:
    """Return integers modulo `2 ** bit_size`, signed: `nir_lower_tex` adds the offset to the coordinate."""
    half = 1 << bit_size - 1
    wrapped: Array = (numbers + half & (1 << bit_size) - 1) - half
    return wrapped


def _opaque(state: State, access: _Access) -> Value:
    """A function of all sources and flags, which are packed in a driver-specific way.

    Where neighbours in the quad take part, their sources count as well.
    """
    instr, texture, width, marks = access.instr, access.texture, access.width, access.marks
    plain = {kind: value for kind, value in access.values.items() if kind not in _HANDLES}
    parts = [row.astype(np.uint64) for kind in sorted(plain) for row in plain[kind].bits]
    if effects_of(instr).crosses_lanes and state.launch.stage is Stage.FRAGMENT:
        hashes = np.broadcast_to(lane_hash(name_hash(instr.op), texture, *parts), (state.lanes,))
        parts += [np.repeat(hashes[corner::4], 4) for corner in range(4)]
        _spread_over_quads(marks, state.masks.active)
    for value in plain.values():
        marks.add(value, inexact=True)
    flags = tuple(sorted(instr.flags - {"skip_helpers"}))
    what = (instr.op, instr.dest_type, instr.component, instr.offsets, flags)
    hashes = state.environment.hashes_of([(*what, channel) for channel in range(width)], texture, *parts)
    hashes = np.broadcast_to(hashes, (width, state.lanes))
    rows = state.environment.numbers(hashes, access.base, access.bit_size)
    return marks.marked(Value(rows, access.bit_size))


def _query(state: State, access: _Access) -> Value:
    operation, lod, level = access.instr.op, access.values.get("lod"), None
    if operation == "txs":
        level = np.zeros(state.lanes, np.int64) if lod is None else lane_index(lod)
    numbers = query_numbers(state.environment, operation, access.texture, access.width, level)
    return access.marks.marked(Value(numbers.astype(container_type(access.bit_size)), access.bit_size))
