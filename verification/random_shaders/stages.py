"""The stages of random pipelines: what each reads of the stage before, computes, and writes for the next."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from nirls.verification.random_shaders.accesses import (
    UNIFORMS,
    load,
    load_and_take,
    load_attributes,
    load_uniforms,
    some_element,
    store,
    store_colors,
    store_elements,
    store_position,
    value_for,
)
from nirls.verification.random_shaders.body import Body
from nirls.verification.random_shaders.interfaces import RandomVarying, declarations

Varyings = Sequence[RandomVarying]
_TRIANGLE = ("xyz", "xyz", "zxy", "xxy")


@dataclass(slots=True)
class StageInterface:
    """The inputs and outputs of a stage. `captured` has transform feedback's offsets of outputs by number.

    A fragment shader with `declares_inputs` has no barycentric coordinates but declarations.
    """

    name: str
    inputs: Varyings
    outputs: Varyings
    follows: str = ""
    precedes: str = ""
    vertices: int = 3
    captured: dict[int, int] = field(default_factory=dict)
    declares_inputs: bool = False


def write_stage(seed: random.Random, stage: StageInterface) -> str:
    """The dump of a stage."""
    body = Body(seed, stage.name)
    header: list[str] = []
    if stage.name == "VERTEX":
        load_attributes(body)
    elif stage.name == "TESS_CTRL":
        header.append(f"tcs_vertices_out: {stage.vertices}")
    elif stage.name == "TESS_EVAL":
        header.append(f"primitive_mode: {2 if stage.vertices == 4 else 1}")
    elif stage.name == "GEOMETRY":
        header += ["input_primitive: TRIANGLES", "output_primitive: TRIANGLE_STRIP", "vertices_in: 3"]
    elif stage.name == "MESH":
        header.append("workgroup_size: 24, 1, 1")
    if stage.declares_inputs:
        header += declarations(stage.inputs)
    load_uniforms(body)
    if stage.name == "FRAGMENT":
        _fragment(body, stage)
    elif stage.name == "TESS_CTRL":
        _control(body, stage)
    elif stage.name == "GEOMETRY":
        _geometry(body, stage)
    elif stage.name == "MESH":
        write_mesh(body, stage)
    else:
        if stage.name == "TESS_EVAL":
            _evaluation_inputs(body, stage)
        body.compute(seed.randint(2, 10))
        _outputs(body, stage)
    return body.text([*header, *UNIFORMS])


# Outputs


def _outputs(body: Body, stage: StageInterface) -> None:
    """All outputs of a stage that writes one vertex: plainly, under conditions, in a loop."""
    seed = body.random
    looped: list[int] = []
    if seed.random() < 0.3:
        looped = [number for number in range(len(stage.outputs)) if seed.random() < 0.3][:3]
        _stores_in_a_loop(body, stage, looped)
    # Outputs that the next stage could compute from one value.
    common = body.floats[-1] if body.floats and seed.random() < 0.3 else None
    for number, varying in enumerate(stage.outputs):
        if number in looped or seed.random() < 0.01:
            continue
        store_elements(body, varying)
        value = value_for(body, varying)
        if common is not None and varying.bits == 32 and not varying.is_integer and seed.random() < 0.7:
            op = seed.choice(("fadd", "fmul", "fsub"))
            value = body.define("32", f"{op} %{common}, %{seed.choice(body.constants)}")
        write = partial(
            store, body, varying, at=some_element(body, varying), captured=stage.captured.get(number)
        )
        if varying.back:
            other = value if seed.random() < 0.5 else value_for(body, varying)
            store(body, varying, other, slot=varying.back)
            if seed.random() < 0.3:
                continue
        kind = seed.random()
        if kind < 0.15:
            other = value_for(body, varying) if seed.random() < 0.5 else value
            body.branch(body.test(), partial(write, value), partial(write, other))
        elif kind < 0.165 and stage.precedes == "FRAGMENT":
            body.branch(body.test(), partial(write, value))
        else:
            write(value)
    if not any(varying.slot == "POS" for varying in stage.outputs):
        store_position(body)


def _stores_in_a_loop(body: Body, stage: StageInterface, numbers: Sequence[int]) -> None:
    """Stores of the number of the turn, or of a value of each turn."""
    seed = body.random
    own = [stage.outputs[number] for number in numbers]
    plain = [
        (varying, stage.captured.get(number))
        for number, varying in zip(numbers, own, strict=True)
        if varying.bits == 32 and not varying.is_integer and varying.elements == 1
    ]
    turns = body.small_number(4)

    def each_turn(counter: int) -> int:
        as_float = body.define("32", f"u2f32 %{counter}")
        made = body.define("32", f"fadd %{as_float}, %{body.value()}")
        for varying, captured in plain:
            value = seed.choice((as_float, made))
            store(body, varying, value, captured=captured)
        return made

    def late(made: int) -> None:
        if plain and seed.random() < 0.5:
            varying, captured = plain[0]
            store(body, varying, made, captured=captured)

    body.loop(turns, each_turn, late)


# Inputs of several vertices


def _vertex_inputs(body: Body, stage: StageInterface, own: int | None) -> None:
    """Loads of single vertices, the same expression for several of them, a loop over them.

    `own` is the value with the number of the invocation's vertex, None where there is no such thing.
    """
    seed = body.random
    count = stage.vertices
    vertices = [body.int_constant(number) for number in range(count)]
    plain = [varying for varying in stage.inputs if not varying.patch]
    for varying in plain:
        kind = seed.random()
        if kind < 0.15:
            vertex = body.small_number(2)
        elif own is not None and kind < 0.6:
            vertex = own
        else:
            vertex = seed.choice(vertices)
        if seed.random() < 0.6:
            load_and_take(body, "load_per_vertex_input", varying, vertex)
    scalars = [varying for varying in plain if varying.elements == 1 and varying.bits == 32]
    if len(scalars) > 1 and seed.random() < 0.5:
        _same_expression(body, seed.sample(scalars, 2), vertices if own is None else [own])
    if scalars and seed.random() < 0.35:
        chosen = seed.sample(scalars, min(len(scalars), 2))
        last = body.int_constant(count - 1)
        ops = [seed.choice(("fadd", "fmul", "fmax")) for _ in chosen]

        def each_turn(counter: int) -> int:
            return _expression(body, chosen, ops, counter)

        body.floats.append(body.loop(last, each_turn))


def _same_expression(body: Body, chosen: Varyings, vertices: Sequence[int]) -> None:
    """One expression of some inputs, once for each vertex."""
    ops = [body.random.choice(("fadd", "fmul", "fmax", "fsub")) for _ in chosen]
    made = [_expression(body, chosen, ops, vertex) for vertex in vertices]
    if len(made) > 1 and body.random.random() < 0.8:
        total = made[0]
        for value in made[1:]:
            total = body.define("32", f"fadd %{total}, %{value}")
        made = [total]
    body.floats += made


def _expression(body: Body, chosen: Varyings, ops: Sequence[str], vertex: int) -> int:
    total = body.constants[2]
    for varying, op in zip(chosen, ops, strict=True):
        loaded = load(body, "load_per_vertex_input", varying, vertex)
        total = body.define("32", f"{op} %{loaded}, %{total}")
    return total


# Tessellation


def _control(body: Body, stage: StageInterface) -> None:
    seed = body.random
    own = body.define("32", "@load_invocation_id")
    _vertex_inputs(body, stage, own)
    body.compute(seed.randint(2, 8))
    vertex_outputs = [varying for varying in stage.outputs if not varying.patch]
    patch_outputs = [varying for varying in stage.outputs if varying.patch]
    is_first = body.define("1", f"ieq %{own}, %{body.zero}")
    shared = [body.constants[1], *body.floats[:3]]
    for varying in vertex_outputs:
        if seed.random() < 0.99:
            store_elements(body, varying, "store_per_vertex_output", own)
            _vertex_store(body, varying, own)
    for varying in patch_outputs:
        store_elements(body, varying)
        if varying.bits == 32 and seed.random() < 0.5:
            # All invocations store the same.
            store(body, varying, seed.choice(shared), at=some_element(body, varying))
        else:
            value, at = value_for(body, varying), some_element(body, varying)
            body.branch(is_first, partial(store, body, varying, value, at=at))
    for slot, count in (("TESS_LEVEL_OUTER", 4), ("TESS_LEVEL_INNER", 2)):
        for component in range(count):
            level = body.constants[1] if seed.random() < 0.95 else seed.choice(shared)
            store(body, RandomVarying(slot, component), level)
    readable = [varying for varying in stage.outputs if varying.elements == 1 and varying.bits == 32]
    if readable and seed.random() < 0.5:
        _read_own_outputs(body, stage, seed.sample(readable, min(2, len(readable))), own, is_first)


def _vertex_store(body: Body, varying: RandomVarying, own: int) -> None:
    value, at = value_for(body, varying), some_element(body, varying)
    store(body, varying, value, name="store_per_vertex_output", first=own, at=at)


def _read_own_outputs(body: Body, stage: StageInterface, chosen: Varyings, own: int, is_first: int) -> None:
    """Behind a barrier, outputs of this and other invocations make new outputs."""
    seed = body.random
    body.barrier("shader_out")
    for varying in chosen:
        if varying.patch:
            body.floats.append(load(body, "load_output", varying))
            continue
        vertex = seed.choice((own, body.zero))
        body.floats.append(load(body, "load_per_vertex_output", varying, vertex))
    body.compute(2)
    taken = {(varying.slot, varying.component) for varying in stage.outputs}
    if seed.random() < 0.7:
        for varying in stage.inputs:
            place = RandomVarying("VAR6", varying.component)
            if (place.slot, place.component) not in taken:
                _vertex_store(body, place, own)
                break
    if not any((varying.slot, varying.component) == ("PATCH6", 0) for varying in stage.outputs):
        body.branch(is_first, partial(store, body, RandomVarying("PATCH6", 0), body.value()))


def _evaluation_inputs(body: Body, stage: StageInterface) -> None:
    seed = body.random
    coord = body.define("32x3", "@load_tess_coord")
    body.floats += body.lanes(coord, "xyz")
    if not stage.follows:
        return
    vertices = [body.int_constant(number) for number in range(stage.vertices)]
    inputs = []
    for varying in stage.inputs:
        if varying.patch:
            if seed.random() < 0.9:
                load_and_take(body, "load_input", varying)
            continue
        if varying.elements > 1 or varying.bits == 16 or seed.random() < 0.15:
            load_and_take(body, "load_per_vertex_input", varying, seed.choice(vertices))
            continue
        if seed.random() < 0.05:
            load_and_take(body, "load_per_vertex_input", varying, body.small_number(2))
            continue
        loads = [load(body, "load_per_vertex_input", varying, vertex) for vertex in vertices]
        inputs.append(_in_triangle(body, loads, coord) if len(loads) == 3 else _in_quad(body, loads, coord))
        if seed.random() < 0.1:
            body.floats.append(loads[0])
    if stage.follows == "TESS_CTRL" and seed.random() < 0.2:
        load_and_take(body, "load_input", RandomVarying("TESS_LEVEL_OUTER", seed.randrange(4)))
    sums = list(inputs)
    while len(sums) > 1:
        op = seed.choice(("fadd", "fadd", "fsub", "fmul"))
        sums.append(body.define("32", f"{op} %{sums.pop(0)}, %{sums.pop(0)}"))
        if seed.random() < 0.3:
            scaled = seed.choice(body.constants)
            sums[-1] = body.define("32", f"ffma %{sums[-1]}, %{scaled}, %{scaled}")
    body.floats += sums


def _in_triangle(body: Body, loads: Sequence[int], coord: int) -> int:
    """Three vertices mixed, in ways that count as interpolation and in others."""
    lanes = body.random.choice(_TRIANGLE)
    if body.random.random() < 0.5:
        total = body.define("32", f"fmul %{loads[0]}, %{coord}.{lanes[0]}")
        for load, lane in zip(loads[1:], lanes[1:], strict=True):
            total = body.define("32", f"ffma %{load}, %{coord}.{lane}, %{total}")
        return total
    products = [
        body.define("32", f"fmul %{load}, %{coord}.{lane}") for load, lane in zip(loads, lanes, strict=True)
    ]
    total = body.define("32", f"fadd %{products[0]}, %{products[1]}")
    return body.define("32", f"fadd %{products[2]}, %{total}")


def _in_quad(body: Body, loads: Sequence[int], coord: int) -> int:
    """Four vertices: mixed along x twice, and these along y; or along y first."""
    first, second = body.random.choice(("xy", "xy", "yx", "xx"))
    form = body.random.choice(("ffma", "fadd", "flrp"))
    near = _mix(body, form, loads[0], loads[1], f"%{coord}.{first}")
    far = _mix(body, form, loads[2], loads[3], f"%{coord}.{first}")
    return _mix(body, form, near, far, f"%{coord}.{second}")


def _mix(body: Body, form: str, one: int, other: int, weight: str) -> int:
    if form == "flrp":
        return body.define("32", f"flrp %{one}, %{other}, {weight}")
    if form == "ffma":
        distance = body.define("32", f"fsub %{other}, %{one}")
        return body.define("32", f"ffma %{distance}, {weight}, %{one}")
    rest = body.define("32", f"fsub %{body.constants[1]}, {weight}")
    parts = [body.define("32", f"fmul %{one}, %{rest}"), body.define("32", f"fmul %{other}, {weight}")]
    return body.define("32", f"fadd %{parts[0]}, %{parts[1]}")


# Geometry and mesh


def _geometry(body: Body, stage: StageInterface) -> None:
    seed = body.random
    _vertex_inputs(body, stage, None)
    body.compute(seed.randint(2, 8))
    rounds = seed.randint(1, 3)
    for _ in range(rounds):
        _outputs(body, stage)
        body.line("@emit_vertex (stream_id=0)")
        body.compute(2)
    for _ in range(3 - rounds):
        for number, varying in enumerate(stage.outputs):
            value, at = value_for(body, varying), some_element(body, varying)
            store(body, varying, value, at=at, captured=stage.captured.get(number))
        store_position(body)
        body.line("@emit_vertex (stream_id=0)")
    body.line("@end_primitive (stream_id=0)")


def write_mesh(body: Body, stage: StageInterface) -> None:
    """Write a mesh shader of which every invocation stores a vertex and a primitive."""
    seed = body.random
    index = body.define("32", "@load_local_invocation_index")
    body.floats.append(body.define("32", f"u2f32 %{index}"))
    body.compute(seed.randint(2, 8))
    for varying in stage.outputs:
        if seed.random() < 0.01:
            continue
        name = "store_per_primitive_output" if varying.per_primitive else "store_per_vertex_output"
        store_elements(body, varying, name, index)
        value, at = value_for(body, varying), some_element(body, varying)
        store(body, varying, value, name=name, first=index, at=at)
    store_position(body, "store_per_vertex_output", index)


# Fragments


def _fragment(body: Body, stage: StageInterface) -> None:
    seed = body.random
    coordinates: dict[tuple[str, str], int] = {}
    for varying in stage.inputs:
        if seed.random() < 0.1:
            continue
        if varying.per_primitive:
            load_and_take(body, "load_per_primitive_input", varying)
        elif not varying.barycentric or stage.declares_inputs:
            load_and_take(body, "load_input", varying)
        else:
            key = (varying.barycentric, varying.mode)
            if key not in coordinates:
                coordinates[key] = body.define(
                    "32x2", f"@{varying.barycentric} (interp_mode=INTERP_MODE_{varying.mode})"
                )
            load_and_take(body, "load_interpolated_input", varying, coordinates[key])
    body.compute(seed.randint(1, 14))
    store_colors(body, seed.randint(1, 4))
