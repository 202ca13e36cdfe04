"""Random task and mesh shaders with a payload, and a fragment shader behind them.

The task shader stores constants, uniform expressions and values of one invocation: as scalars and vectors of
16 to 64 bits with gaps in the write mask, twice, under conditions, in loops, at indices that are not
constant, and by atomics. The mesh shader loads other widths, at other offsets, and what is not stored.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from nirls.ir.model.shader import Shader
from nirls.verification.random_shaders.accesses import UNIFORMS, load_uniforms
from nirls.verification.random_shaders.body import Body, parsed
from nirls.verification.random_shaders.interfaces import fragment_inputs
from nirls.verification.random_shaders.stages import StageInterface, Varyings, write_mesh, write_stage

_INVOCATIONS = 4
_FIELDS = 40
"""Bytes ahead of the array, in which each invocation of the task shader stores an element."""

_ARRAY = 48
_SIZES = (*(32,) * 20, *(64,) * 4, 16)
"""Sizes of components, by frequency: races of 16-bit accesses are not modelled."""


def payload_pipeline(number: int) -> list[Shader]:
    """The three stages of a number."""
    return parsed(payload_texts(number))


def payload_texts(number: int) -> list[str]:
    """The dumps of the stages."""
    seed = random.Random(f"payload {number}")
    inputs = fragment_inputs(seed, "MESH")
    return [
        _task(seed),
        _mesh(seed, inputs),
        write_stage(seed, StageInterface("FRAGMENT", inputs, [], "MESH")),
    ]


# The task shader


def _task(seed: random.Random) -> str:
    body = Body(seed, "TASK")
    load_uniforms(body)
    body.compute(seed.randint(1, 4), even=True)
    index = body.define("32", "@load_local_invocation_index")
    body.ints += [index, body.zero]
    body.floats.append(body.define("32", f"u2f32 %{index}"))
    body.compute(seed.randint(1, 4))
    for _ in range(seed.randint(2, 8)):
        kind = seed.random()
        store = partial(_store, body, body.even_value)
        own = partial(_store, body, body.value)
        if kind < 0.35:
            store()
        elif kind < 0.6:
            invocation = body.int_constant(seed.choice((0, 0, 0, 3, 7)))
            alone = body.define("1", f"ieq %{index}, %{invocation}")
            body.branch(alone, partial(_several, body, own))
        elif kind < 0.67:
            body.branch(body.define("1", "@elect"), own)
        elif kind < 0.75:
            body.branch(body.test(even=True), store, store if body.chance(0.3) else None)
        elif kind < 0.83:
            _store_element(body, index)
        elif kind < 0.87:
            body.loop(body.int_constant(2), partial(_turn, body, store))
        elif kind < 0.9:
            _atomic(body)
        elif kind < 0.93:
            own()
        else:
            _barrier(body)
            body.floats.append(_load(body))
    _barrier(body)
    if body.chance(0.15):
        body.branch(body.test(even=True), partial(_launch, body))
        if body.chance(0.5):
            return body.text([f"workgroup_size: {_INVOCATIONS}, 1, 1", *UNIFORMS])
    _launch(body)
    return body.text([f"workgroup_size: {_INVOCATIONS}, 1, 1", *UNIFORMS])


def _several(body: Body, store: partial[int]) -> int:
    for _ in range(body.random.randint(1, 3)):
        store()
    return body.zero


def _turn(body: Body, store: partial[int], counter: int) -> int:
    store()
    return body.define("32", f"u2f32 %{counter}")


def _barrier(body: Body) -> None:
    body.barrier("task_payload|shared")


def _launch(body: Body) -> None:
    count = body.int_constant(body.random.choice((1, 1, 2, 3)))
    size = body.define("32x3", f"vec3 %{count}, %{body.int_constant(1)}, %{count}")
    body.line(f"@launch_mesh_workgroups (%{size}) (base=0, range={_ARRAY + 4 * _INVOCATIONS})")


def _value(body: Body, pick: Callable[[], int], bits: int) -> int:
    value = pick()
    if bits == 16:
        return body.define("16", f"f2f16 %{value}")
    if bits == 64:
        return body.define("64", f"pack_64_2x32_split %{value}, %{pick()}")
    return value


def _store(body: Body, pick: Callable[[], int]) -> int:
    """Store one to four components among the fields."""
    seed = body.random
    bits = seed.choice(_SIZES)
    width = seed.choice((1, 1, 1, 2, 4) if bits == 32 else (1, 2))
    size = bits // 8
    lanes = [_value(body, pick, bits) for _ in range(width)]
    if body.chance(0.3):
        lanes = [lanes[0]] * width
    vector = lanes[0]
    if width > 1:
        vector = body.define(f"{bits}x{width}", f"vec{width} {', '.join(f'%{lane}' for lane in lanes)}")
    mask = "".join(lane for lane in "xyzw"[:width] if width == 1 or body.chance(0.8)) or "x"
    place = seed.randrange(0, _FIELDS - size * width + 1, size)
    offset, base = (body.zero, place) if body.chance(0.7) else (body.int_constant(place), 0)
    _write(body, vector, offset, base, mask, size)
    if body.chance(0.2):
        again = seed.randrange(0, _FIELDS - size * width + 1, size)
        _write(body, vector, body.zero, again, mask, size)
    return vector


def _write(body: Body, value: int, offset: int, base: int, mask: str = "x", size: int = 4) -> None:
    body.line(
        f"@store_task_payload (%{value}, %{offset}) (base={base}, wrmask={mask}, align_mul={size},"
        " align_offset=0)"
    )


def _store_element(body: Body, index: int) -> None:
    offset = body.define("32", f"ishl %{index}, %{body.int_constant(2)}")
    _write(body, body.value(), offset, _ARRAY)


def _atomic(body: Body) -> None:
    place = body.random.randrange(0, _FIELDS, 4)
    _write(body, body.zero, body.zero, place)
    _barrier(body)
    body.define(
        "32", f"@task_payload_atomic (%{body.zero}, %{body.int_constant(3)}) (base={place}, atomic_op=iadd)"
    )


# The mesh shader


def _mesh(seed: random.Random, outputs: Varyings) -> str:
    body = Body(seed, "MESH")
    load_uniforms(body)
    number = body.define("32x3", "@load_workgroup_id")
    body.floats.append(body.define("32", f"u2f32 %{body.lanes(number, 'x')[0]}"))
    for turn in range(seed.randint(2, 7)):
        kind = seed.random()
        if kind < 0.12:
            index = body.small_number(_INVOCATIONS)
            offset = body.define("32", f"ishl %{index}, %{body.int_constant(2)}")
            value = _load(body, offset, _ARRAY)
        elif kind < 0.14:
            value = _load(body, body.define("32", f"f2i32 %{body.value()}"), 0)
        else:
            value = _load(body)
        # In memory, each value is compared by itself.
        body.store_memory(value, body.int_constant(4 * turn))
        if body.chance(0.2):
            body.floats.append(value)
    stage = StageInterface("MESH", [], outputs, "TASK", "FRAGMENT")
    write_mesh(body, stage)
    return body.text(["workgroup_size: 24, 1, 1", *UNIFORMS])


def _load(body: Body, offset: int | None = None, base: int = 0) -> int:
    """Load one to four components of any size; the result is a float of one of them."""
    seed = body.random
    if offset is not None:
        return body.define("32", f"@load_task_payload (%{offset}) (base={base}, align_mul=4, align_offset=0)")
    bits = seed.choice(_SIZES)
    width = seed.choice((1, 1, 2, 4) if bits == 32 else (1, 2))
    place = seed.randrange(0, _FIELDS - bits // 8 * width + 1, bits // 8)
    value = body.define(
        f"{bits}{'' if width == 1 else f'x{width}'}",
        f"@load_task_payload (%{body.zero}) (base={place}, align_mul={bits // 8}, align_offset=0)",
    )
    letters = seed.sample("xyzw"[:width], seed.randint(1, width)) if width > 1 else [""]
    parts = []
    for letter in letters:
        lane = f"%{value}{'.' if letter else ''}{letter}"
        if bits == 16:
            parts.append(body.define("32", f"f2f32 {lane}"))
        elif bits == 64:
            half = seed.choice("xy")
            parts.append(body.define("32", f"unpack_64_2x32_split_{half} {lane}"))
        else:
            parts.append(body.define("32", f"mov {lane}"))
    result = parts[0]
    for other in parts[1:]:
        result = body.define("32", f"fadd %{result}, %{other}")
    return result
