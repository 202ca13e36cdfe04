"""Image loads, stores, atomics and queries."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from nirls.ir.model.float_bits import float_bits
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.tables import intrinsic
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.atomics import atomic_change
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.storage.atomics import NAME_TAILS, is_float, operation_name
from nirls.verification.evaluate.storage.memory import Place
from nirls.verification.evaluate.surroundings.texture_sampling import handle_of_value, query_numbers
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, lane_index, stack

_PLACE: Place = ("image",)
_COORDINATES = {
    "1D": 1,
    "BUF": 1,
    "2D": 2,
    "RECT": 2,
    "MS": 2,
    "EXTERNAL": 2,
    "SUBPASS": 2,
    "SUBPASS_MS": 2,
    "3D": 3,
    "CUBE": 3,
}
_FORMAT = re.compile(r"(?:pipe_format_)?((?:[rgbax]\d+)+)(?:_\w+)?", re.IGNORECASE)
_MULTISAMPLED = frozenset({"MS", "SUBPASS_MS"})


def _texel_maker(compiler: Compiler, instr: IntrinsicInstr) -> Callable[[State], tuple[list[Array], Marks]]:
    """Compile the location of an access: image, coordinates as the dimension has, sample; and its marks."""
    dimension = str(instr.indices.get("image_dim", "2D")).removeprefix("GLSL_SAMPLER_DIM_")
    count = _COORDINATES.get(dimension, 4)
    if str(instr.indices.get("image_array", "false")) in ("true", "1") and dimension != "CUBE":
        count += 1
    handle, coordinate = compiler.read(instr.sources[0]), compiler.read(instr.sources[1])
    sampled = dimension in _MULTISAMPLED and len(instr.sources) > 2
    sample = compiler.read(instr.sources[2]) if sampled else None

    def texel(state: State) -> tuple[list[Array], Marks]:
        image, marks = handle_of_value("image", handle(state), state.lanes)
        place = coordinate(state)
        indices = [image.view(np.int64)]
        for row in range(min(count, len(place.bits))):
            part = place.component(row)
            indices.append(lane_index(part))
            marks.add(part)
        if sample is not None:
            number = sample(state)
            indices.append(lane_index(number))
            marks.add(number)
        return indices, marks

    return texel


def _channels(instr: IntrinsicInstr) -> frozenset[int]:
    """Return the channels that the format of an image has: 0 for `r32_float`; all if it is not known."""
    named = _FORMAT.fullmatch(str(instr.indices.get("format", "")))
    if named is None:
        return frozenset(range(4))
    return frozenset(channel for channel, letter in enumerate("rgba") if letter in named[1].lower())


def _absent(channel: int, base: str, bit_size: int, lanes: int) -> Value:
    """Return what a load gives for a channel that the format does not have: 0, of alpha 1."""
    one = float_bits(1.0, bit_size) if base == "float" else 1
    return Value(np.full((1, lanes), one if channel == 3 else 0, container_type(bit_size)), bit_size)


def _untouched(state: State, texel: list[Array], channel: int, base: str, bit_size: int) -> Value:
    hashes = state.environment.hash_of(("image texel", channel), *texel)
    base, size = state.environment.settle(("image texel", channel), base, bit_size)
    bits = state.environment.numbers(hashes, base, size)
    if size != bit_size:
        bits = bits.astype(container_type(bit_size))
    return Value(np.broadcast_to(bits, (1, state.lanes)), bit_size)


def _load(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    texel_of, write = _texel_maker(compiler, instr), compiler.write(instr)
    width, bit_size = dest_shape(instr)
    base = base_type(instr.indices.get("dest_type"))
    base = base if base in ("int", "uint") else "float"
    colors = width - 1 if "sparse" in instr.name else width
    channels = _channels(instr)

    def step(state: State) -> None:
        texel, marks = texel_of(state)
        parts = []
        for channel in range(colors):
            if channel not in channels:
                parts.append(_absent(channel, base, bit_size, state.lanes))
                continue
            untouched = _untouched(state, texel, channel, base, bit_size)
            parts.append(state.memory.load((*_PLACE, channel), texel, untouched, state.masks.active))
        if colors != width:
            parts.append(Value(np.zeros((1, state.lanes), container_type(bit_size)), bit_size))
        write(state, marks.marked(stack(parts)))

    return step


def _store(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Compile a store of the channels that the format has (`nir_opt_shrink_stores` removes the others)."""
    texel_of, read = _texel_maker(compiler, instr), compiler.read(instr.sources[3])
    channels = _channels(instr)

    def step(state: State) -> None:
        (texel, marks), value, active = texel_of(state), read(state), state.masks.effective()
        state.masks.note_lost_store(marks, active)
        for channel in range(len(value.bits)):
            if channel not in channels:
                continue
            state.memory.store((*_PLACE, channel), texel, value.component(channel), active)

    return step


def _atomic(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    operation = operation_name(instr.name, instr.indices.get("atomic_op"))
    texel_of, write = _texel_maker(compiler, instr), compiler.write(instr)
    data = [compiler.read(src) for src in instr.sources[3:]]
    _, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        (texel, marks), active = texel_of(state), state.masks.effective()
        state.masks.note_lost_store(marks, active)
        untouched = _untouched(state, texel, 0, "float" if is_float(operation) else "uint", bit_size)
        change = atomic_change(operation, [read(state) for read in data], bit_size)
        value = state.memory.update((*_PLACE, 0), texel, untouched, change, active)
        write(state, marks.marked(value))

    return step


def _query(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    handle, write = compiler.read(instr.sources[0]), compiler.write(instr)
    read_level = compiler.read(instr.sources[1]) if len(instr.sources) > 1 else None
    width, bit_size = dest_shape(instr)
    kind = instr.name.rsplit("_", 1)[-1]

    def step(state: State) -> None:
        image, marks = handle_of_value("image", handle(state), state.lanes)
        level = None
        if kind == "size":
            level = np.zeros(state.lanes, np.int64) if read_level is None else lane_index(read_level(state))
        numbers = query_numbers(state.environment, kind, image, width, level)
        write(state, marks.marked(Value(numbers.astype(container_type(bit_size)), bit_size)))

    return step


def _make_steps() -> dict[str, StepMaker]:
    steps: dict[str, StepMaker] = {}
    for prefix in ("image", "image_deref", "bindless_image"):
        steps[f"{prefix}_load"] = steps[f"{prefix}_sparse_load"] = _load
        steps[f"{prefix}_store"] = _store
        for tail in NAME_TAILS:
            steps[f"{prefix}_atomic{tail}"] = _atomic
        for query in ("size", "samples", "levels", "format", "order"):
            steps[f"{prefix}_{query}"] = _query
    return {name: make for name, make in steps.items() if intrinsic(name) is not None}


STEPS = _make_steps()
