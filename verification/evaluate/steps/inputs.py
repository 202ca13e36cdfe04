"""Input loads, barycentrics and interpolation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nirls.ir.io.access import COLOR_LOADS
from nirls.ir.io.interpolation import COLORS, InputKind
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.alu.float_error import half_ulp
from nirls.verification.evaluate.alu.operation import decode, encode
from nirls.verification.evaluate.state.compiler import Compiler, Reader, StepMaker, step_of
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.io_places import IoPlace, io_place
from nirls.verification.evaluate.surroundings.barycentrics import (
    displacement,
    interpolate,
    inverse_w,
    sample_offset,
    weights,
)
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import LEAST_ERROR, Value, constant, either, lane_index, stack

VertexOf = Callable[[State], Array | None]


def provoking_vertex(state: State) -> Array:
    """Return the provoking vertex, the source of flat inputs, on every lane."""
    last = state.environment.state.provoking_last
    return np.full(state.lanes, state.launch.vertices_in - 1 if last else 0)


def dest_shape(instr: IntrinsicInstr) -> tuple[int, int]:
    """Return the component count and bit size of an intrinsic's result."""
    if instr.def_ is not None:
        return instr.def_.num_components, instr.def_.bit_size
    if instr.reg_dest is not None:
        return instr.reg_dest.reg.num_components, instr.reg_dest.reg.bit_size
    raise Unsupported(f"{instr.name} without destination")


def _read_vector(
    state: State, place: IoPlace, offset: Reader, width: int, bit_size: int, vertex: Array | None
) -> Value:
    moved = offset(state)
    shift = lane_index(moved)
    parts = []
    for number in range(width):
        slot, component = place.at(number, bit_size)
        key = OutputKey(slot, component, place.high_16bits)
        parts.append(state.inputs.read(state.launch, slot + shift, key, place.base, bit_size, vertex))
    return Marks.of(moved).marked(stack(parts))


def _plain_load(vertex_of: VertexOf) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        place = io_place(instr)
        width, bit_size = dest_shape(instr)
        offset, write = compiler.read(instr.sources[0]), compiler.write(instr)

        def step(state: State) -> None:
            write(state, _read_vector(state, place, offset, width, bit_size, vertex_of(state)))

        return step

    return make


def _load_with_vertex(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    place = io_place(instr)
    width, bit_size = dest_shape(instr)
    number, offset = compiler.read(instr.sources[0]), compiler.read(instr.sources[1])
    write = compiler.write(instr)

    def step(state: State) -> None:
        vertex = number(state)
        value = _read_vector(state, place, offset, width, bit_size, lane_index(vertex))
        write(state, Marks.of(vertex).marked(value))

    return step


def _load_input(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """`load_input`: flat in a fragment shader, unless the driver has no barycentrics and it is smooth."""
    if compiler.shader.stage is Stage.TESS_CTRL:
        return _attribute_load(compiler, instr)
    reading = compiler.fragment_inputs.reading(instr)
    refusal = compiler.fragment_inputs.refusal(instr)
    if reading is None or refusal is not None:
        raise Unsupported(refusal or f"interpolation of {instr.name}")
    if reading.kind is InputKind.PER_PRIMITIVE:
        return _plain_load(lambda state: None)(compiler, instr)
    plain = _plain_load(_flat_vertex)(compiler, instr)
    if reading.interpolation is None:
        return plain
    place = io_place(instr)
    width, bit_size = dest_shape(instr)
    offset, write = compiler.read(instr.sources[0]), compiler.write(instr)
    kind = reading.interpolation.sampling.name.lower()
    perspective = not reading.interpolation.is_linear
    is_color = reading.kind is InputKind.SHADE_MODEL

    def step(state: State) -> None:
        if is_color and state.environment.state.flat_shade:
            plain(state)
            return
        weight = barycentric(state, kind, perspective)
        write(state, _interpolated_vector(state, place, offset, width, bit_size, weight))

    return step


def _attribute_load(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Load a vertex attribute in a control shader merged with its vertex shader.

    The vertex is the one with the invocation's number; without one the result is undefined.
    """
    place = io_place(instr)
    width, bit_size = dest_shape(instr)
    offset, write = compiler.read(instr.sources[0]), compiler.write(instr)

    def step(state: State) -> None:
        vertices, own, is_there = state.launch.input_vertices()
        supply = EnvironmentInputs(state.environment)
        moved = offset(state)
        shift = np.zeros(vertices.lanes, np.int64)
        shift[own] = lane_index(moved)
        parts = []
        for number in range(width):
            slot, component = place.at(number, bit_size)
            key = OutputKey(slot, component, place.high_16bits)
            of_vertex = supply.read(vertices, slot + shift, key, place.base, bit_size, None)
            part = Value(of_vertex.bits[:, own], bit_size)
            part.poison = either(moved.poison, None if is_there.all() else ~is_there[None])
            parts.append(part)
        write(state, stack(parts))

    return step


def _flat_vertex(state: State) -> Array | None:
    return provoking_vertex(state) if state.launch.stage is Stage.FRAGMENT else None


def interpolated(
    state: State, read_vertex: Callable[[Array], Value], i: Value, j: Value, bit_size: int
) -> Value:
    """Interpolate one component between three vertices; `read_vertex` reads it at a vertex number."""
    corners = [read_vertex(np.full(state.lanes, number)) for number in range(3)]
    results = state.environment.results
    rows = [number for source in (*corners, i, j) for number in results.rows(source, range(1))]
    what = ("interpolated", bit_size, *rows)
    state.record.interpolations.add(what)
    has_error = state.track and not state.options.interpolation_is_exact
    key = (*what, has_error)
    return results.get(key) or results.keep(key, _mixed(has_error, corners, i, j, bit_size))


def _mixed(has_error: bool, corners: list[Value], i: Value, j: Value, bit_size: int) -> Value:
    with np.errstate(all="ignore"):
        numbers = [decode(corner.bits, "float", bit_size).astype(np.float64) for corner in corners]
        first, second = (decode(weight.bits, "float", 32).astype(np.float64) for weight in (i, j))
        mixed = interpolate(numbers, first, second)
        value = Value(encode(mixed, "float", bit_size), bit_size)
    for source in (*corners, i, j):
        value.poison = either(value.poison, source.poison)
        value.fragile = either(value.fragile, source.fragile)
    if has_error:
        value.error = _interpolation_error(corners, numbers, (first, second), (i, j), mixed, bit_size)
    return value


def _interpolation_error(
    corners: list[Value],
    numbers: list[Array],
    mix: tuple[Array, Array],
    sources: tuple[Value, Value],
    mixed: Array,
    bit_size: int,
) -> Array:
    agree = (numbers[0] == numbers[1]) & (numbers[1] == numbers[2])
    with np.errstate(all="ignore"):
        error = np.where(agree, 0.0, half_ulp(mixed, bit_size))
        for corner, weight in zip(corners, (1 - mix[0] - mix[1], *mix), strict=True):
            if corner.error is not None:
                error = error + np.abs(weight) * corner.error
        for source, number in zip(sources, numbers[1:], strict=True):
            if source.error is not None:
                error = error + np.abs(number - numbers[0]) * source.error
        # Only a bound above 0 says that the sign of a zero is uncertain; the products above may round to 0.
        unsure = np.zeros(mixed.shape, np.bool_)
        for corner in corners:
            if corner.error is not None:
                unsure = unsure | (corner.error > 0)
        error = np.where((mixed == 0) & unsure, np.maximum(error, LEAST_ERROR), error)
        # If all vertices have the same infinity, hardware returns NaN; a linked shader may or may not.
        return np.where(np.isfinite(mixed), np.maximum(error, LEAST_ERROR), np.inf)


def _interpolated_load(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    place = io_place(instr)
    width, bit_size = dest_shape(instr)
    weights_of, offset = compiler.read(instr.sources[0]), compiler.read(instr.sources[1])
    write = compiler.write(instr)
    plain_color = place.slot in COLORS and _mode_of(instr) in ("INTERP_MODE_NONE", "INTERP_MODE_COLOR")

    def step(state: State) -> None:
        if plain_color and state.environment.state.flat_shade:
            write(state, _read_vector(state, place, offset, width, bit_size, provoking_vertex(state)))
            return
        write(state, _interpolated_vector(state, place, offset, width, bit_size, weights_of(state)))

    return step


def _interpolated_vector(
    state: State, place: IoPlace, offset: Reader, width: int, bit_size: int, weight: Value
) -> Value:
    i, j = weight.component(0), weight.component(1)
    moved = offset(state)
    shift = lane_index(moved)
    parts = []
    for number in range(width):
        slot, component = place.at(number, bit_size)
        key = OutputKey(slot, component, place.high_16bits)

        def corner(vertex: Array, slot: int = slot, key: OutputKey = key) -> Value:
            return state.inputs.read(state.launch, slot + shift, key, "float", bit_size, vertex)

        parts.append(interpolated(state, corner, i, j, bit_size))
    return Marks.of(moved).marked(stack(parts))


def _color_load(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Load a color as a system value, interpolated as one without an interpolation of its own."""
    place = IoPlace(COLOR_LOADS[instr.name], 0, False, "float")
    width, bit_size = dest_shape(instr)
    write = compiler.write(instr)

    def nowhere(state: State) -> Value:
        return constant((0,), 32, state.lanes)

    def step(state: State) -> None:
        if state.environment.state.flat_shade:
            vertex = provoking_vertex(state)
            write(state, _read_vector(state, place, nowhere, width, bit_size, vertex))
            return
        weight = barycentric(state, "pixel", True)
        write(state, _interpolated_vector(state, place, nowhere, width, bit_size, weight))

    return step


def _mode_of(instr: IntrinsicInstr) -> str:
    origin = instr.sources[0].def_instr
    if isinstance(origin, IntrinsicInstr):
        return str(origin.indices.get("interp_mode", "INTERP_MODE_NONE"))
    return "INTERP_MODE_NONE"


def is_perspective(mode: object) -> bool:
    """Return whether an interpolation mode is perspective-correct."""
    return "NOPERSPECTIVE" not in str(mode)


def weight_value(i: Array, j: Array) -> Value:
    """Return two weights as a 32-bit vector."""
    return Value(np.stack([i, j]).astype(np.float32).view(np.uint32), 32)


def barycentric(state: State, kind: str, perspective: bool) -> Value:
    """Compute the weights of a `pixel`, `centroid` or `sample` barycentric."""
    environment, launch = state.environment, state.launch
    key = ("barycentric", kind, perspective, launch.key)
    value = environment.results.get(key)
    if value is not None:
        return value
    x, y = displacement(environment, launch, kind)
    return environment.results.keep(key, weight_value(*weights(environment, launch, x, y, perspective)))


def barycentric_at_offset(state: State, offset: Value, perspective: bool) -> Value:
    """Compute the weights at an offset from the pixel's centre."""
    with np.errstate(all="ignore"):
        moved = decode(offset.bits, "float", offset.bit_size).astype(np.float64)
        result = weight_value(*weights(state.environment, state.launch, moved[0], moved[1], perspective))
        result = Marks.of(offset).marked(result)
        if state.track and offset.error is not None:
            # The weights change by less than this for each unit of offset.
            result.error = np.broadcast_to(offset.error.sum(axis=0), (2, state.lanes)) + 2.0**-24
    return result


def barycentric_at_sample(state: State, sample: Value, perspective: bool) -> Value:
    """Compute the weights at the position of a sample."""
    x, y = sample_offset(state.environment, lane_index(sample))
    return Marks.of(sample).marked(weight_value(*weights(state.environment, state.launch, x, y, perspective)))


def _barycentric_step(kind: str) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        perspective = is_perspective(instr.indices.get("interp_mode"))
        write = compiler.write(instr)
        return lambda state: write(state, barycentric(state, kind, perspective))

    return make


def _barycentric_at(
    weights_at: Callable[[State, Value, bool], Value],
) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        perspective = is_perspective(instr.indices.get("interp_mode"))
        read, write = compiler.read(instr.sources[0]), compiler.write(instr)
        return lambda state: write(state, weights_at(state, read(state), perspective))

    return make


def _barycentric_model(state: State) -> Value:
    nothing = np.zeros(state.lanes)
    i, j = weights(state.environment, state.launch, nothing, nothing, True)
    scale = inverse_w(state.environment, state.launch)
    rows = np.stack([scale, i * scale, j * scale])
    return Value(rows.astype(np.float32).view(container_type(32)), 32)


STEPS = {
    "load_input": _load_input,
    "load_per_primitive_input": _plain_load(lambda state: None),
    "load_per_vertex_input": _load_with_vertex,
    "load_input_vertex": _load_with_vertex,
    "load_interpolated_input": _interpolated_load,
    **dict.fromkeys(COLOR_LOADS, _color_load),
    "load_barycentric_pixel": _barycentric_step("pixel"),
    "load_barycentric_centroid": _barycentric_step("centroid"),
    "load_barycentric_sample": _barycentric_step("sample"),
    "load_barycentric_at_offset": _barycentric_at(barycentric_at_offset),
    "load_barycentric_at_sample": _barycentric_at(barycentric_at_sample),
    "load_barycentric_model": step_of(_barycentric_model),
}
