"""Random pairs of stages with what is rare: all that a fragment shader can do with one varying at once.

`pipelines` makes usual pipelines of all stages. Here the fragment shader reads the same varying in several
ways (at the pixel, the centroid, a sample, an offset, flat, vertex by vertex) and types, under conditions and
behind discards; the stage before stores vectors with gaps, undefined values, booleans as integers and the
same place twice, also for transform feedback.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

from nirls.ir.model.shader import Shader
from nirls.verification.random_shaders.accesses import (
    UNIFORMS,
    load,
    load_attributes,
    load_uniforms,
    store,
    store_colors,
    store_position,
    take,
    value_for,
)
from nirls.verification.random_shaders.body import Body, parsed
from nirls.verification.random_shaders.interfaces import COLORS, WHOLE, RandomVarying, halves_of

_PRODUCERS = ("VERTEX", "VERTEX", "TESS_EVAL", "GEOMETRY")
_GENERIC = ("VAR0", "VAR1", "VAR2", "VAR31")
_SLOTS = (
    *_GENERIC,
    *("COL0", "COL1", "TEX0", "TEX7", "FOGC", "CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0"),
    *("LAYER", "VIEWPORT", "PRIMITIVE_ID"),
)
_SPECIAL = ("PSIZ", "EDGE", "CLIP_VERTEX")
_POINTS = ("pixel", "pixel", "centroid", "sample", "at_offset", "at_sample")


def odd_pipeline(number: int) -> list[Shader]:
    """The pair of a number."""
    return parsed(odd_texts(number))


def odd_texts(number: int) -> list[str]:
    """The dumps of a pair."""
    seed = random.Random(f"odd {number}")
    producer = seed.choice(_PRODUCERS)
    varyings = _varyings(seed, producer)
    return [_producer(seed, producer, varyings), _consumer(seed, varyings)]


def _varyings(seed: random.Random, producer: str) -> list[RandomVarying]:
    found = []
    names = [name for name in _SLOTS if name != "PRIMITIVE_ID" or producer == "GEOMETRY"]
    for name in seed.sample(names, seed.randint(2, 5)):
        if name in WHOLE:
            found.append(RandomVarying(name, 0, is_integer=True))
            continue
        for component in seed.sample(range(4), seed.randint(1, 4)):
            varying = RandomVarying(name, component)
            if name not in _GENERIC or seed.random() < 0.6:
                found.append(replace(varying, mediump=name in _GENERIC and seed.random() < 0.15))
            elif seed.random() < 0.5:
                found.append(replace(varying, is_integer=True))
            else:
                found += halves_of(seed, varying)
    return found


def _body(seed: random.Random, stage: str) -> Body:
    body = Body(seed, stage)
    body.ints += [body.zero, body.int_constant(3)]
    return body


# The producer


def _producer(seed: random.Random, stage: str, varyings: list[RandomVarying]) -> str:
    body = _body(seed, stage)
    header: list[str] = []
    if stage == "VERTEX":
        load_attributes(body)
        body.floats.append(body.define("32", f"u2f32 %{body.define('32', '@load_instance_id')}"))
    elif stage == "TESS_EVAL":
        header.append("primitive_mode: 1")
        body.floats += body.lanes(body.define("32x3", "@load_tess_coord"), "xyz")
    else:
        header += ["input_primitive: TRIANGLES", "output_primitive: TRIANGLE_STRIP", "vertices_in: 3"]
        for vertex in range(3):
            number = body.int_constant(vertex)
            body.floats.append(load(body, "load_per_vertex_input", RandomVarying("VAR0", 0), number))
    load_uniforms(body)
    for turn in range(3 if stage == "GEOMETRY" else 1):
        body.compute(seed.randint(1, 4) if turn else seed.randint(3, 12))
        _stores(body, varyings)
        if stage == "GEOMETRY":
            body.line("@emit_vertex (stream_id=0)")
    if stage == "GEOMETRY":
        body.line("@end_primitive (stream_id=0)")
    return body.text([*header, *UNIFORMS])


def _stores(body: Body, varyings: list[RandomVarying]) -> None:
    seed = body.random
    together = body.value()
    for number, varying in enumerate(varyings):
        if seed.random() < 0.02:
            continue
        value = _odd_value(body, varying)
        if varying.bits == 32 and not varying.is_integer and seed.random() < 0.3:
            value = together
        flags = " no_sysval_output" * (varying.slot == "CLIP_DIST1" and varying.component == 3)
        captured = 4 * number if _is_captured(varying) else None
        write = partial(store, body, varying, captured=captured, flags=flags)
        kind = seed.random()
        if kind < 0.1:
            body.branch(body.test(), partial(write, value), partial(write, _odd_value(body, varying)))
        elif kind < 0.12:
            body.branch(body.test(), partial(write, value))
        else:
            if kind < 0.17:
                write(_odd_value(body, varying))
            write(value)
        if varying.slot in COLORS and seed.random() < 0.5:
            other = value if seed.random() < 0.5 else _odd_value(body, varying)
            store(body, varying, other, slot=COLORS[varying.slot])
    if seed.random() < 0.4:
        _vector_store(body, varyings)
    for name in _SPECIAL:
        if seed.random() < 0.15:
            store(body, RandomVarying(name, 0), body.value())
    store_position(body)


def _odd_value(body: Body, varying: RandomVarying) -> int:
    """A value to store, rarely undefined, or undefined under a condition."""
    size = str(varying.bits)
    value = value_for(body, varying)
    if varying.is_integer and body.chance(0.2):
        value = body.define(size, f"b2i32 %{body.test()}")
    kind = body.random.random()
    if kind < 0.015:
        return body.define(size, "undefined")
    if kind < 0.03:
        nothing = body.define(size, "undefined")
        return body.define(size, f"bcsel %{body.test()}, %{value}, %{nothing}")
    return value


def _vector_store(body: Body, varyings: list[RandomVarying]) -> None:
    """One store of up to four components, with gaps in its write mask, in a slot of its own or another's."""
    seed = body.random
    kept_apart = {varying.slot for varying in varyings if _is_captured(varying) or varying.bits == 16}
    slots = {varying.slot for varying in varyings if varying.slot in _GENERIC} - kept_apart
    slot = seed.choice(["VAR5", *sorted(slots)])
    vector = body.define("32x4", f"vec4 {', '.join(f'%{body.value()}' for _ in range(4))}")
    mask = "".join(lane for lane in "xyzw" if seed.random() < 0.6) or "x"
    store(body, RandomVarying(slot, 0), vector, mask=mask)


def _is_captured(varying: RandomVarying) -> bool:
    """Whether transform feedback captures a varying: all its stores, or none."""
    return varying.bits == 32 and varying.component == 1 and varying.slot not in ("VAR1", "COL1")


# The fragment shader


def _consumer(seed: random.Random, varyings: list[RandomVarying]) -> str:
    body = _body(seed, "FRAGMENT")
    load_uniforms(body)
    ways_of_slot: dict[str, list[str]] = {}
    for varying in varyings:
        if seed.random() < 0.1:
            continue
        ways = ["flat"]
        if not varying.is_integer:
            ways = ways_of_slot.setdefault(varying.slot, _ways(seed, varying.slot))
        for way in [seed.choice(ways) for _ in range(seed.choice((1, 1, 1, 2, 3)))]:
            if seed.random() < 0.15:
                _load_under_a_condition(body, varying, way)
            else:
                take(body, varying, _load(body, varying, way))
        if seed.random() < 0.08:
            body.line(f"@{seed.choice(('terminate_if', 'demote_if'))} (%{body.test()})")
    body.compute(seed.randint(3, 20))
    store_colors(body, seed.randint(1, 4), dual=True)
    return body.text(UNIFORMS)


def _ways(seed: random.Random, slot: str) -> list[str]:
    """Choose how the varyings of a vec4 are read: mostly alike, as in a valid shader."""
    mode = seed.choice(("NONE", "SMOOTH") if slot in COLORS else ("SMOOTH", "SMOOTH", "NOPERSPECTIVE"))
    kind = seed.random()
    if kind < 0.2:
        return ["flat"]
    if kind < 0.3 and slot in _GENERIC:
        return ["vertex"]
    if kind < 0.75:
        return [f"{seed.choice(_POINTS[:4])} {mode}"]
    return [f"{point} {mode}" for point in seed.sample(_POINTS, 2)]


def _load(body: Body, varying: RandomVarying, way: str) -> int:
    seed = body.random
    if way == "flat":
        return load(body, "load_input", varying)
    if way == "vertex":
        vertex = body.int_constant(seed.randrange(3))
        return load(body, "load_input_vertex", varying, vertex, flags=" interp_explicit")
    point, mode = way.split()
    argument = ""
    if point == "at_offset":
        lanes = [body.define("32", f"fsat! %{body.value()}") for _ in range(2)]
        argument = f"(%{body.define('32x2', f'vec2 %{lanes[0]}, %{lanes[1]}')}) "
    elif point == "at_sample":
        argument = f"(%{body.zero}) "
    coordinates = body.define("32x2", f"@load_barycentric_{point} {argument}(interp_mode=INTERP_MODE_{mode})")
    return load(body, "load_interpolated_input", varying, coordinates)


def _load_under_a_condition(body: Body, varying: RandomVarying, way: str) -> None:
    """Load in one branch; the other one has another load, a constant or nothing."""
    size = str(varying.bits)

    def loaded() -> int:
        value = _load(body, varying, way)
        return body.define(size, f"{'iadd' if varying.is_integer else 'fmul'} %{value}, %{value}")

    def nothing() -> int:
        return body.define(size, "undefined" if body.chance(0.15) else "load_const (0x00000001)")

    made = body.branch(body.test(), loaded, loaded if body.chance(0.3) else nothing)
    assert made is not None
    take(body, varying, made)
