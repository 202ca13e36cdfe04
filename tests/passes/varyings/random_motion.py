"""Random pairs of stages whose consumer is full of expressions that may move, or that only look like it."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump

_DECLARED = ("decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)",)
_ANY = ("fadd", "fmul", "fsub", "fmax", "fadd", "fmin", "fmul!", "fadd!")
_LINEAR = ("fadd", "fsub", "fadd", "fadd", "fmul")
_QUALIFIERS = (
    ("load_barycentric_pixel", "SMOOTH"),
    ("load_barycentric_pixel", "SMOOTH"),
    ("load_barycentric_centroid", "SMOOTH"),
    ("load_barycentric_pixel", "NOPERSPECTIVE"),
)


class _Text:
    """The lines of a shader of one function, with blocks where branches and loops need them."""

    def __init__(self, seed: random.Random) -> None:
        self.random = seed
        self.lines: list[str] = []
        self.number = 0
        self.block = 1

    def define(self, text: str, size: str = "32") -> str:
        self.lines.append(f"{size} %{self.number} = {text}")
        self.number += 1
        return f"%{self.number - 1}"

    def constant(self, value: float) -> str:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return self.define(f"load_const (0x{bits:08x} = {value:f})")

    def integer(self, value: int) -> str:
        return self.define(f"load_const (0x{value:08x})")

    def start(self) -> None:
        self.zero = self.integer(0)
        self.constants = [self.constant(value) for value in (0.5, 2.0, -1.5)]
        variable = self.define("deref_var &u (uniform vec4)")
        vector = self.define(f"@load_deref ({variable}) (access=none)", "32x4")
        self.uniforms = [self.define(f"mov {vector}.{lane}") for lane in "xyzw"]

    def branch(self, inside: list[str]) -> None:
        test = self.define(f"flt {self.uniforms[0]}, {self.uniforms[1]}", "1")
        self.lines += [f"// succs: b{self.block} b{self.block + 1}", f"if {test} {{"]
        self.lines += [f"block b{self.block}:  // preds:", *inside, "} else {"]
        self.lines += [f"block b{self.block + 1}:  // preds:", "}", f"block b{self.block + 2}:  // preds:"]
        self.block += 3

    def loop(self, body: Callable[[str], None]) -> None:
        """Three turns of a loop around what `body` writes for a counter."""
        one, three = self.integer(1), self.integer(3)
        before, header = self.block - 1, self.block
        self.lines += [
            f"// succs: b{header}",
            "loop {",
            f"block b{header}:  // preds: b{before} b{header + 3}",
        ]
        place = len(self.lines)
        counter = self.define("phi")
        done = self.define(f"ige {counter}, {three}", "1")
        self.lines += [f"if {done} {{", f"block b{header + 1}:  // preds: b{header}", "break", "} else {"]
        self.lines += [f"block b{header + 2}:  // preds: b{header}", "}"]
        self.lines += [f"block b{header + 3}:  // preds: b{header + 2}"]
        self.block += 5
        body(counter)
        after = self.define(f"iadd {counter}, {one}")
        self.lines[place] = f"32 {counter} = phi b{before}: {self.zero}, b{header + 3}: {after}"
        self.lines += ["}", f"block b{header + 4}:  // preds: b{header + 1}"]

    def parsed(self, stage: str, header: tuple[str, ...] = ()) -> Shader:
        """The shader that the lines are."""
        head = "\n".join((f"shader: MESA_SHADER_{stage}", *header, *_DECLARED))
        body = "\n".join([*self.lines, f"// succs: b{self.block}", f"block b{self.block}:"])
        text = (
            f"{head}\ndecl_function main () (entrypoint)\n\nimpl main {{\nblock b0:  // preds:\n{body}\n}}\n"
        )
        parsed = parse_dump(text.encode())
        assert not parsed.unreadable, (parsed.unreadable, text)
        return parsed


def _io(place: tuple[str, int]) -> str:
    return f"component={place[1]}, dest_type=float32, io location=VARYING_SLOT_{place[0]} slots=1)"


def _store(value: str, place: tuple[str, int], zero: str, vertex: str = "", streams: bool = False) -> str:
    name = "store_per_vertex_output" if vertex else "store_output"
    index = f", {vertex}" if vertex else ""
    extra = " gs_streams(x=0 y=0 z=0 w=0)" if streams else ""
    return (
        f"@{name} ({value}{index}, {zero}) (base=0, range=1, wrmask=x, component={place[1]},"
        f" src_type=float32, io location=VARYING_SLOT_{place[0]} slots=1{extra}, xfb(), xfb2())"
    )


def _places(seed: random.Random, count: int) -> list[tuple[str, int]]:
    every = [(f"VAR{slot}", component) for slot in range(3) for component in range(4)]
    return sorted(seed.sample(every, count))


def _producer(seed: random.Random, stage: str, places: list[tuple[str, int]]) -> Shader:
    text = _Text(seed)
    text.start()
    values = list(text.uniforms[:1])
    vertex = ""
    if stage == "VERTEX":
        values += [
            text.define(
                f"@load_input ({text.zero}) (base=0, range=1, component={component},"
                " dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)"
            )
            for component in range(4)
        ]
    elif stage == "TESS_EVAL":
        coordinates = text.define("@load_tess_coord", "32x3")
        values += [text.define(f"mov {coordinates}.{lane}") for lane in "xyz"]
    else:
        vertex = text.define("@load_invocation_id")
        values.append(text.define(f"u2f32 {vertex}"))
        values.append(text.define("@load_primitive_id"))
        values[-1] = text.define(f"u2f32 {values[-1]}")
    for _ in range(4):
        values.append(text.define(f"fadd {seed.choice(values)}, {seed.choice(values)}"))
        values.append(text.define(f"fmul {seed.choice(values)}, {seed.choice(text.constants)}"))
    conditional = []
    for number, place in enumerate(places):
        if seed.random() < 0.8:
            # A value of its own, so that not all slots are duplicates of each other.
            scaled = text.define(f"fmul {seed.choice(values[1:])}, {text.constant(0.25 + number)}")
            values.append(text.define(f"fadd {scaled}, {seed.choice(values[1:])}"))
            values[1:] = [values[-1], *values[1:-1]]
        chance = seed.random()
        store = _store(
            _stored(text, place, values),
            place,
            text.zero,
            "" if place[0].startswith("PATCH") else vertex,
        )
        if chance < 0.06:
            conditional.append(store)
        else:
            text.lines.append(store)
            if chance > 0.92:
                text.lines.append(store)
    if conditional:
        text.branch(conditional)
        if seed.random() < 0.3:
            text.lines.append(_store(values[-1], places[0], text.zero, vertex))
    return text.parsed(stage, ("tcs_vertices_out: 4",) if stage == "TESS_CTRL" else ())


def _stored(text: _Text, place: tuple[str, int], values: list[str]) -> str:
    """What an output gets; all invocations must store the same to an output of a patch."""
    if place[0].startswith("PATCH"):
        number = text.define("@load_primitive_id")
        return text.define(f"fmul {text.define(f'u2f32 {number}')}, {text.random.choice(text.constants)}")
    return values[1] if text.random.random() < 0.9 else text.random.choice(values[1:])


def _expression(text: _Text, seed: random.Random, leaves: list[str], operations: tuple[str, ...]) -> str:
    """A random expression of leaves, constants and uniforms."""
    stack = list(leaves)
    while len(stack) > 1 or seed.random() < 0.4:
        first = stack.pop(seed.randrange(len(stack)))
        fixed = seed.choice((*text.constants, *text.uniforms))
        if len(stack) and seed.random() < 0.6:
            second = stack.pop(seed.randrange(len(stack)))
            stack.append(text.define(f"{seed.choice(operations)} {first}, {second}"))
        elif len(stack) and seed.random() < 0.5:
            stack.append(text.define(f"ffma {first}, {fixed}, {stack.pop()}"))
        elif operations is _ANY and seed.random() < 0.2:
            test = text.define(f"flt {first}, {fixed}", "1")
            stack.append(text.define(f"bcsel {test}, {first}, {fixed}"))
        else:
            stack.append(text.define(f"{seed.choice(operations)} {first}, {fixed}"))
    return stack[0]


def per_vertex_pair(number: int) -> list[Shader]:
    """A producer, and a control or geometry shader that reads several vertices."""
    seed = random.Random(number)
    producer, consumer = seed.choice(
        (("VERTEX", "GEOMETRY"), ("VERTEX", "TESS_CTRL"), ("TESS_EVAL", "GEOMETRY"))
    )
    places = _places(seed, seed.randint(2, 6))
    text = _Text(seed)
    text.start()
    vertices = [text.zero, text.integer(1), text.integer(2)]
    own = text.define("@load_invocation_id")
    if consumer == "TESS_CTRL":
        vertices.append(own)
    # A vertex that only a uniform says.
    chosen = text.define(f"flt {text.uniforms[2]}, {text.uniforms[3]}", "1")
    vertices.append(text.define(f"b2i32 {chosen}"))
    results: list[str] = []
    templates = [
        (seed.sample(range(len(places)), seed.randint(1, min(3, len(places)))), seed.randint(0, 1 << 30))
        for _ in range(seed.randint(1, 3))
    ]

    def instance(vertex: str) -> list[str]:
        made = []
        for slots, shape in templates:
            if seed.random() < 0.05:
                shape += 1
            leaves = [
                text.define(
                    f"@load_per_vertex_input ({vertex}, {text.zero}) (base=0, range=1, {_io(places[slot])}"
                )
                for slot in slots
            ]
            value = _expression(text, random.Random(shape), leaves, _ANY)
            made.append(text.define(f"fsin {value}"))
        return made

    def finish(values: list[str], first: int) -> None:
        for position, value in enumerate(values):
            place = ("VAR" + str(first + position // 4), position % 4)
            if consumer == "GEOMETRY":
                text.lines.append(_store(value, place, text.zero, streams=True))
            else:
                text.lines.append(_store(value, place, text.zero, own))

    if seed.random() < 0.3 and consumer == "GEOMETRY":
        text.loop(
            lambda counter: (finish(instance(counter), 8), text.lines.append("@emit_vertex (stream_id=0)"))[0]
        )
    for vertex in seed.sample(vertices, seed.randint(1, 3)):
        results += instance(vertex)
    if seed.random() < 0.15:
        results.append(
            text.define(
                f"@load_per_vertex_input ({text.zero}, {text.zero}) (base=0, range=1, {_io(places[0])}"
            )
        )
    finish(results, 8)
    if consumer == "GEOMETRY":
        text.lines += ["@emit_vertex (stream_id=0)", "@end_primitive (stream_id=0)"]
    return [_producer(seed, producer, places), text.parsed(consumer)]


def combinations_pair(number: int) -> list[Shader]:
    """A fragment shader whose outputs are sums of the same few inputs, mostly fewer sums than inputs."""
    seed = random.Random(number)
    places = _places(seed, seed.randint(3, 6))
    text = _Text(seed)
    text.start()
    qualifier = seed.choice(_QUALIFIERS)
    flat = seed.random() < 0.3
    leaves = []
    for place in places:
        if flat or seed.random() < 0.05:
            leaves.append(text.define(f"@load_input ({text.zero}) (base=0, range=1, {_io(place)}"))
            continue
        name, mode = qualifier if seed.random() < 0.9 else seed.choice(_QUALIFIERS)
        where = text.define(f"@{name} (interp_mode=INTERP_MODE_{mode})", "32x2")
        leaves.append(text.define(f"@load_interpolated_input ({where}, {text.zero}) (base=0, {_io(place)}"))
    values = []
    for _ in range(seed.randint(2, len(places))):
        chosen = leaves if seed.random() < 0.7 else seed.sample(leaves, seed.randint(2, len(leaves)))
        scaled = [
            leaf
            if seed.random() < 0.4
            else text.define(f"fmul {leaf}, {seed.choice((*text.constants, *text.uniforms))}")
            for leaf in chosen
        ]
        total = scaled[0]
        for leaf in scaled[1:]:
            total = text.define(f"{seed.choice(('fadd', 'fadd', 'fsub'))} {total}, {leaf}")
        values.append(total)
    if seed.random() < 0.2:
        values.append(seed.choice(leaves))
    for position, value in enumerate(values):
        shown = text.define(f"fsin {value}")
        text.lines.append(
            f"@store_output ({shown}, {text.zero}) (base=0, range=1, wrmask=x, component={position % 4},"
            f" src_type=float32, io location=FRAG_RESULT_DATA{position // 4} slots=1, xfb(), xfb2())"
        )
    return [_producer(seed, seed.choice(("VERTEX", "VERTEX", "TESS_EVAL")), places), text.parsed("FRAGMENT")]


def quads_pair(number: int) -> list[Shader]:
    """An evaluation shader that interpolates in a quad by hand, in one way or another."""
    seed = random.Random(number)
    producer = seed.choice(("VERTEX", "TESS_CTRL"))
    places = _places(seed, seed.randint(2, 4))
    patches = (
        [("PATCH0", component) for component in range(seed.randint(0, 2))] if producer == "TESS_CTRL" else []
    )
    text = _Text(seed)
    text.start()
    one = text.constant(1.0)
    vertices = [text.zero, *(text.integer(vertex) for vertex in (1, 2, 3))]
    coordinates = text.define("@load_tess_coord", "32x3")
    u, v = (text.define(f"mov {coordinates}.{lane}") for lane in "xy")
    u1, v1 = (text.define(f"fsub {one}, {value}") for value in (u, v))
    weights = [text.define(f"fmul {a}, {b}") for a, b in ((u1, v1), (u, v1), (u1, v), (u, v))]
    form = seed.choice(("weights", "weights ffma", "flrp", "lerp", "products"))
    values = []
    for place in places:
        corners = [
            text.define(f"@load_per_vertex_input ({vertex}, {text.zero}) (base=0, range=1, {_io(place)}")
            for vertex in vertices
        ]
        kind = form if seed.random() < 0.9 else "wrong"
        values.append(_bilinear(text, kind, corners, weights, (u, u1, v, v1)))
        if seed.random() < 0.1:
            values.append(corners[0])
    values += [text.define(f"@load_input ({text.zero}) (base=0, range=1, {_io(place)}") for place in patches]
    total = _expression(text, seed, values, _LINEAR)
    for component, value in enumerate((total, text.define(f"fmin {total}, {one}"))):
        text.lines.append(_store(value, ("VAR0", component), text.zero))
    mode = seed.choice(("2", "2", "0"))
    return [
        _producer(seed, producer, [*places, *patches]),
        text.parsed("TESS_EVAL", (f"primitive_mode: {mode}",)),
    ]


def _bilinear(
    text: _Text, form: str, corners: list[str], weights: list[str], sides: tuple[str, str, str, str]
) -> str:
    a, b, c, d = corners
    u, u1, v, v1 = sides
    if form == "flrp":
        low, high = text.define(f"flrp {a}, {b}, {u}"), text.define(f"flrp {c}, {d}, {u}")
        return text.define(f"flrp {low}, {high}, {v}")
    if form == "lerp":
        sums = []
        for first, second in ((a, b), (c, d)):
            difference = text.define(f"fsub {second}, {first}")
            sums.append(text.define(f"ffma {u}, {difference}, {first}"))
        difference = text.define(f"fsub {sums[1]}, {sums[0]}")
        return text.define(f"ffma {difference}, {v}, {sums[0]}")
    if form == "products":
        sums = []
        for first, second in ((a, b), (c, d)):
            left, right = text.define(f"fmul {first}, {u1}"), text.define(f"fmul {second}, {u}")
            sums.append(text.define(f"fadd {left}, {right}"))
        left = text.define(f"fmul {sums[0]}, {v1}")
        return text.define(f"ffma {sums[1]}, {v}, {left}")
    if form == "wrong":
        weights = [weights[0], weights[1], weights[1], weights[3]]
    total = text.define(f"fmul {a}, {weights[0]}")
    for corner, weight in zip(corners[1:], weights[1:], strict=True):
        if form == "weights ffma":
            total = text.define(f"ffma {corner}, {weight}, {total}")
        else:
            total = text.define(f"fadd {total}, {text.define(f'fmul {corner}, {weight}')}")
    return total
