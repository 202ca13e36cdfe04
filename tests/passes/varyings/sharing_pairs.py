"""Random pairs of stages whose outputs have much in common: what forward code motion looks for."""

from __future__ import annotations

import random

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from tests.passes.shader_text import ONE, ZERO, shader, shader_text

_PAIRS = (
    ("VERTEX", "FRAGMENT"),
    ("VERTEX", "FRAGMENT"),
    ("TESS_EVAL", "FRAGMENT"),
    ("VERTEX", "GEOMETRY"),
    ("VERTEX", "TESS_EVAL"),
    ("TESS_CTRL", "TESS_EVAL"),
)
_LINEAR = (
    "fadd {0}, {1}",
    "fmul {0}, {u}",
    "ffma {0}, {u}, {1}",
    "fneg {0}",
    "fsub {0}, {u}",
    "fadd {0}, {u}",
)
_ANY = (*_LINEAR, "fmax {0}, {1}", "fsin {0}", "fmul {0}, {1}", "fabs {0}", "fadd! {0}, {u}", "fmul {0}, {0}")
_HEADER = ("decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)",)
_UNIFORM = ("32    %2 = deref_var &u (uniform vec4)", "32x4  %3 = @load_deref (%2) (access=none)")
_COORDINATES = (
    "32x2  %4 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
    "32x2  %5 = @load_barycentric_centroid (interp_mode=INTERP_MODE_SMOOTH)",
    "32x2  %6 = @load_barycentric_pixel (interp_mode=INTERP_MODE_NOPERSPECTIVE)",
)


def sharing_pair(number: int) -> list[Shader]:
    """A producer with two to eight outputs of one to three values, and a consumer; by the seed alone."""
    seed = random.Random(number)
    producer, consumer = seed.choice(_PAIRS)
    count = seed.randint(2, 8)
    places = seed.sample([(f"VAR{slot}", component) for slot in range(3) for component in range(4)], count)
    captured = {place: 4 * offset for offset, place in enumerate(places) if seed.random() < 0.06}
    modes = [seed.choice((None, 4, 4, 4, 5, 6)) for _ in range(2)]
    return [
        _producer(seed, producer, places, captured),
        _consumer(seed, consumer, producer, {place: seed.choice(modes) for place in places}),
    ]


def _producer(
    seed: random.Random, stage: str, places: list[tuple[str, int]], captured: dict[tuple[str, int], int]
) -> Shader:
    lines = [ZERO, ONE, *_UNIFORM]
    if stage == "VERTEX":
        # A vector is read by component.
        kinds = "32x4  %10", "dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1"
        lines.append(f"{kinds[0]} = @load_input (%0 (0x0)) (base=0, range=1, component=0, {kinds[1]})")
        # The number of the draw is the same for all vertices, though no uniform.
        lines += ["32    %7 = @load_draw_id", "32    %8 = u2f32 %7"]
        roots = ["%10.x", "%10.y", "%10.w"] if seed.random() < 0.8 else ["%8"]
    elif stage == "TESS_EVAL":
        lines.append("32x3  %10 = @load_tess_coord")
        roots = ["%10.x", "%10.y"]
    else:
        lines += [
            "32    %7 = @load_invocation_id",
            "32    %10 = @load_per_vertex_input (%7, %0 (0x0)) (base=0, range=1, component=0,"
            " dest_type=float32, io location=VARYING_SLOT_VAR9 slots=1)",
            "32    %11 = u2f32 %7",
        ]
        roots = ["%10", "%11"]
    roots = seed.sample(roots, seed.randint(1, len(roots)))
    values, number = list(roots), 20
    for _ in range(seed.randint(2, 9)):
        operation = seed.choice(_LINEAR if seed.random() < 0.7 else _ANY)
        uniform = seed.choice(("%1 (1.000000)", "%3.x", "%3.y"))
        text = operation.format(seed.choice(values), seed.choice(values), u=uniform)
        lines.append(f"32    %{number} = {text}")
        values.append(f"%{number}")
        number += 1
    scalars = [value for value in values if "." not in value]
    stored = [_store(stage, place, seed.choice(scalars), captured.get(place)) for place in places]
    if seed.random() < 0.85:
        return shader(stage, *lines, *stored, header=_HEADER)
    # Some are stored under a condition.
    lines.append(f"1     %{number} = flt! %0 (0x0), {roots[0]}")
    split = seed.randint(0, len(stored))
    return _branching(stage, lines, number, stored[:split], stored[split:])


def _branching(stage: str, before: list[str], condition: int, inside: list[str], behind: list[str]) -> Shader:
    """A shader with some lines under a condition."""
    text = shader_text(
        stage,
        *before,
        "// succs: b1 b2",
        f"if %{condition} {{",
        "    block b1:  // preds: b0",
        *inside,
        "    // succs: b3",
        "} else {",
        "    block b2:  // preds: b0",
        "    // succs: b3",
        "}",
        "block b3:  // preds: b1 b2",
        *behind,
        header=_HEADER,
    )
    start, _, end = text.rpartition("// succs: b1")
    return parse_dump(f"{start}// succs: b4{end.replace('b1', 'b4')}".encode())


def _store(stage: str, place: tuple[str, int], value: str, captured: int | None) -> str:
    slot, component = place
    name, vertex = "store_output", ""
    if stage == "TESS_CTRL":
        name, vertex = "store_per_vertex_output", ", %7"
    xfb = "" if captured is None else f"component={component} buffer=0 offset={captured}"
    low, high = (xfb, "") if component < 2 else ("", xfb)
    capture = f", xfb({low}), xfb2({high})" if name == "store_output" else ""
    return (
        f"@{name} ({value}{vertex}, %0 (0x0)) (base=0, range=1, wrmask=x, component={component},"
        f" src_type=float32, io location=VARYING_SLOT_{slot} slots=1{capture})"
    )


def _consumer(
    seed: random.Random, stage: str, producer: str, modes: dict[tuple[str, int], int | None]
) -> Shader:
    lines = [ZERO, ONE, *_UNIFORM]
    loaded, number = [], 10
    inside: list[str] = []
    chosen: list[int] = []
    if stage == "FRAGMENT":
        lines += _COORDINATES
    for (slot, component), mode in modes.items():
        place = f"component={component}, dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)"
        if stage != "FRAGMENT":
            vertices = seed.sample(("%0 (0x0)", "%8", "%9"), seed.randint(1, 3))
            heads = [f"load_per_vertex_input ({vertex}, %0 (0x0)) (base=0, range=1" for vertex in vertices]
        elif mode is None:
            heads = ["load_input (%0 (0x0)) (base=0, range=1"]
        else:
            heads = [f"load_interpolated_input (%{mode}, %0 (0x0)) (base=0"]
        for head in heads:
            in_branch = seed.random() < 0.2
            (inside if in_branch else lines).append(f"32    %{number} = @{head}, {place}")
            if in_branch:
                inside.append(f"32    %{number + 1} = fsin %{number}")
                chosen.append(number + 1)
            else:
                loaded.append(number)
            number += 2
    if stage != "FRAGMENT":
        lines[4:4] = ["32    %8 = load_const (0x00000001)", "32    %9 = load_const (0x00000002)"]
    results = []
    for value in loaded:
        # What post-dominates an input alone must not be movable, or there is nothing left to send.
        lines.append(f"32    %{number} = fsin %{value}")
        results.append(f"%{number}")
        number += 1
    for value in results[1:]:
        lines.append(f"32    %{number} = fadd! {results[0]}, {value}")
        results[0] = f"%{number}"
        number += 1
    result = results[0] if results else "%1 (1.000000)"
    condition, number = number, number + 1
    behind = [
        f"32    %{number + position} = phi b1: %{value}, b2: %1" for position, value in enumerate(chosen)
    ]
    for phi in range(number, number + len(chosen)):
        behind.append(f"32    %{phi + len(chosen)} = fadd! {result}, %{phi}")
        result = f"%{phi + len(chosen)}"
    behind.append(_result(stage, result))
    if stage == "GEOMETRY":
        behind += ["@emit_vertex (stream_id=0)", "@end_primitive (stream_id=0)"]
    if not inside:
        return shader(stage, *lines, *behind, header=_HEADER)
    lines.append(f"1     %{condition} = flt! %0 (0x0), {results[0] if results else '%3.x'}")
    return _branching(stage, lines, condition, inside, behind)


def _result(stage: str, value: str) -> str:
    slot = "FRAG_RESULT_DATA0" if stage == "FRAGMENT" else "VARYING_SLOT_VAR20"
    streams = " gs_streams(x=0 y=0 z=0 w=0)" if stage == "GEOMETRY" else ""
    return (
        f"@store_output ({value}, %0 (0x0)) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
        f" io location={slot} slots=1{streams}, xfb(), xfb2())"
    )
