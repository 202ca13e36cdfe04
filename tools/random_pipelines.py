"""Random linked stages as text: interpolations, branches, loops, transform feedback, colors, texcoords.

A vertex or tessellation evaluation shader feeds a fragment shader, or a vertex shader a geometry shader that
feeds one. What is made depends on the seed only.
"""

from __future__ import annotations

import random
import struct

from nirls.ir.parse import parse_dump
from nirls.ir.shader import Shader

_MODES = (
    ("flat", "", ""),
    ("smooth", "load_barycentric_pixel", "SMOOTH"),
    ("smooth", "load_barycentric_pixel", "SMOOTH"),
    ("smooth", "load_barycentric_centroid", "SMOOTH"),
    ("smooth", "load_barycentric_sample", "SMOOTH"),
    ("smooth", "load_barycentric_pixel", "NOPERSPECTIVE"),
)
_UNARY = ("fneg", "fabs", "fsin", "mov", "fneg", "fexp2")
_BINARY = ("fadd", "fmul", "fadd", "fmul", "fmax", "fsub")


class _Body:
    """The lines of one function body and the values that its current block can read."""

    def __init__(self, seed: random.Random, stage: str) -> None:
        self.random = seed
        self.stage = stage
        self.lines: list[str] = []
        self.number = 0
        self.block = 1
        self.floats: list[int] = []
        self.derived: list[int] = []
        self.zero = self.define("32", "load_const (0x00000000)")
        self.constants = [self.float_constant(value) for value in (0.0, 1.0, 0.5, -2.0)]

    def line(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def define(self, size: str, text: str) -> int:
        self.line(f"{size} %{self.number} = {text}")
        self.number += 1
        return self.number - 1

    def float_constant(self, value: float) -> int:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return self.define("32", f"load_const (0x{bits:08x} = {value:f})")

    def int_constant(self, value: int) -> int:
        return self.define("32", f"load_const (0x{value:08x})")

    def uniforms(self) -> None:
        base = self.define("32", "deref_var &u (uniform vec4)")
        vector = self.define("32x4", f"@load_deref (%{base}) (access=none)")
        self.floats += [self.define("32", f"mov %{vector}.{lane}") for lane in "xyz"]
        block = self.define("32", "deref_var &b (ubo vec4[4])")
        element = self.define("32", f"deref_array &(*%{block})[2] (ubo vec4)")
        vector = self.define("32x4", f"@load_deref (%{element}) (access=none)")
        self.floats.append(self.define("32", f"mov %{vector}.w"))

    def value(self) -> int:
        pool = self.floats if self.random.random() < 0.8 else self.constants
        return self.random.choice(pool or self.constants)

    def compute(self, count: int) -> None:
        for _ in range(count):
            mark = "! " if self.random.random() < 0.1 else " "
            kind = self.random.random()
            if kind < 0.2:
                made = self.define("32", f"{self.random.choice(_UNARY)}{mark}%{self.value()}")
            elif kind < 0.75:
                op = self.random.choice(_BINARY)
                made = self.define("32", f"{op}{mark}%{self.value()}, %{self.value()}")
            elif kind < 0.9:
                operands = ", ".join(f"%{self.value()}" for _ in range(3))
                made = self.define("32", f"ffma{mark}{operands}")
            else:
                test = self.define("1", f"flt! %{self.value()}, %{self.value()}")
                made = self.define("32", f"bcsel %{test}, %{self.value()}, %{self.value()}")
            self.floats.append(made)

    def branch(self, inside: list[list[str]]) -> None:
        """An if whose branches hold the given stores."""
        test = self.define("1", f"flt! %{self.value()}, %{self.value()}")
        self.line(f"// succs: b{self.block} b{self.block + 1}")
        self.line(f"if %{test} {{")
        for position, stores in enumerate(inside):
            self.line(f"    block b{self.block + position}:  // preds:")
            self.lines += [f"        {store}" for store in stores]
            self.line("} else {" if position == 0 else "}")
        self.line(f"block b{self.block + 2}:  // preds:")
        self.block += 3

    def loop(self, places: list[tuple[str, int]], captured: dict[tuple[str, int], int]) -> None:
        """A loop of up to four turns that stores its counter, or a value of each turn, to some outputs."""
        before, header, after = self.block - 1, self.block, self.block + 4
        step, end = self.float_constant(1.0), self.float_constant(3.0)
        limit = self.value()
        self.line(f"// succs: b{header}")
        self.line("loop {")
        self.line(f"    block b{header}:  // preds: b{before} b{header + 3}")
        counter, following = self.number, self.number + 5
        self.define("32", f"phi b{before}: %{self.constants[0]}, b{header + 3}: %{following}")
        made = self.define("32", f"fadd %{counter}, %{self.value()}")
        choices = (counter, made)
        for place in places:
            self.line(_store(self, place, self.random.choice(choices), captured.get(place)))
        past = self.define("1", f"flt! %{end}, %{counter}")
        reached = self.define("1", f"flt! %{limit}, %{counter}")
        leave = self.define("1", f"ior %{past}, %{reached}")
        self.line(f"    if %{leave} {{")
        self.line(f"        block b{header + 1}:  // preds: b{header}")
        self.line("        break")
        self.line("    } else {")
        self.line(f"        block b{header + 2}:  // preds: b{header}")
        self.line("    }")
        self.line(f"    block b{header + 3}:  // preds: b{header + 2}")
        assert self.define("32", f"fadd! %{counter}, %{step}") == following
        if self.random.random() < 0.5:
            for place in places[:1]:
                self.line(_store(self, place, self.random.choice(choices), captured.get(place)))
        self.line("}")
        self.line(f"block b{after}:  // preds: b{header + 1}")
        self.block += 5

    def text(self, declarations: str) -> str:
        body = "\n".join(self.lines)
        return (
            f"shader: MESA_SHADER_{self.stage}\n{declarations}decl_function main () (entrypoint)\n\n"
            f"impl main {{\n    block b0:  // preds:\n{body}\n    // succs: b{self.block}\n"
            f"    block b{self.block}:\n}}\n"
        )


def random_pair(number: int) -> list[Shader]:
    """Two or three linked stages."""
    seed = random.Random(number)
    kinds = (
        ["VERTEX", "FRAGMENT"],
        ["TESS_EVAL", "FRAGMENT"],
        ["VERTEX", "GEOMETRY", "FRAGMENT"],
        ["VERTEX", "TESS_EVAL", "FRAGMENT"],
    )
    stages = seed.choice((kinds[0], *kinds))
    slots = _random_slots(seed)
    texts = []
    for stage in stages:
        body = _Body(seed, stage)
        if stage == "FRAGMENT":
            _fragment(body, slots)
        else:
            _producer(body, slots, stages)
        texts.append(body.text(_declarations(seed)))
    shaders = [parse_dump(text.encode()) for text in texts]
    for shader in shaders:
        assert not shader.unreadable, shader.unreadable
    return shaders


def _declarations(seed: random.Random) -> str:
    return (
        "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)\n"
        "decl_var ubo INTERP_MODE_NONE none vec4[4] b (0, 0, 0)\n"
    )


def _random_slots(seed: random.Random) -> dict[tuple[str, int], tuple[str, str, str]]:
    """Scalar slots with how the fragment shader reads each."""
    names = [f"VAR{index}" for index in range(4)] + ["FOGC", "COL0", "TEX1"]
    places = [(name, component) for name in names for component in range(4)]
    chosen = sorted(seed.sample(places, seed.randint(1, 10)))
    found = {}
    for place in chosen:
        mode = seed.choice(_MODES)
        if place[0] == "COL0":
            mode = ("smooth", "load_barycentric_pixel", seed.choice(("NONE", "SMOOTH")))
        found[place] = mode
    return found


def _producer(body: _Body, slots: dict[tuple[str, int], tuple[str, str, str]], stages: list[str]) -> None:
    seed = body.random
    if body.stage == "VERTEX":
        for component in range(4):
            body.floats.append(
                body.define(
                    "32",
                    f"@load_input (%{body.zero}) (base=0, range=1, component={component},"
                    " dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)",
                )
            )
    elif body.stage == "GEOMETRY":
        vertices = [body.zero, body.int_constant(1), body.int_constant(2)]
        for name, component in slots:
            vertex = seed.choice(vertices)
            body.floats.append(
                body.define(
                    "32",
                    f"@load_per_vertex_input (%{vertex}, %{body.zero}) (base=0, range=1,"
                    f" component={component}, dest_type=float32,"
                    f" io location=VARYING_SLOT_{name} slots=1)",
                )
            )
    else:
        coord = body.define("32x3", "@load_tess_coord")
        body.floats += [body.define("32", f"mov %{coord}.{lane}") for lane in "xyz"]
        if stages[0] == "VERTEX":
            _interpolate(body, slots, coord)
    body.uniforms()
    body.compute(seed.randint(2, 10))
    captured: dict[tuple[str, int], int] = {}
    if stages[-2] == body.stage:
        captured = {place: 4 * number for number, place in enumerate(slots) if seed.random() < 0.1}
    rounds = seed.randint(1, 3) if body.stage == "GEOMETRY" else 1
    for _ in range(rounds):
        stores: list[list[str]] = []
        looped = []
        if body.stage != "GEOMETRY" and seed.random() < 0.3:
            looped = seed.sample(list(slots), min(len(slots), seed.randint(1, 3)))
            body.loop(looped, captured)
        for place in slots:
            if place in looped or seed.random() < 0.08:
                continue
            value = body.value()
            stores.append([_store(body, place, value, captured.get(place))])
            if seed.random() < 0.15:
                other = body.value() if seed.random() < 0.5 else value
                stores[-1].append(_store(body, place, other, captured.get(place)))
        plain = [pair for pair in stores if len(pair) == 1]
        for pair in stores:
            if len(pair) == 2:
                body.branch([[pair[0]], [pair[1]]])
            elif pair in plain and "GEOMETRY" not in stages[1:] and seed.random() < 0.08:
                body.branch([pair, []])
            else:
                body.line(pair[0])
        for component in range(4):
            body.line(_store(body, ("POS", component), body.value(), None))
        if body.stage == "GEOMETRY":
            body.line("@emit_vertex (stream_id=0)")
            body.compute(2)
    if body.stage == "GEOMETRY":
        for _ in range(3 - rounds):
            for place in slots:
                body.line(_store(body, place, body.value(), captured.get(place)))
            for component in range(4):
                body.line(_store(body, ("POS", component), body.value(), None))
            body.line("@emit_vertex (stream_id=0)")
        body.line("@end_primitive (stream_id=0)")


def _interpolate(body: _Body, slots: dict[tuple[str, int], tuple[str, str, str]], coord: int) -> None:
    """Interpolate the inputs of a tessellation evaluation shader by hand, some in ways that do not count."""
    vertices = [body.zero, body.int_constant(1), body.int_constant(2)]
    inputs = []
    for name, component in slots:
        loads = [
            body.define(
                "32",
                f"@load_per_vertex_input (%{vertex}, %{body.zero}) (base=0, range=1,"
                f" component={component}, dest_type=float32, io location=VARYING_SLOT_{name} slots=1)",
            )
            for vertex in vertices
        ]
        lanes = body.random.choice(("xyz", "xyz", "zxy", "xxy"))
        if body.random.random() < 0.5:
            total = body.define("32", f"fmul %{loads[0]}, %{coord}.{lanes[0]}")
            for load, lane in zip(loads[1:], lanes[1:], strict=True):
                total = body.define("32", f"ffma %{load}, %{coord}.{lane}, %{total}")
        else:
            products = [
                body.define("32", f"fmul %{load}, %{coord}.{lane}")
                for load, lane in zip(loads, lanes, strict=True)
            ]
            total = body.define("32", f"fadd %{products[0]}, %{products[1]}")
            total = body.define("32", f"fadd %{products[2]}, %{total}")
        inputs.append(total)
        if body.random.random() < 0.1:
            body.floats.append(loads[0])
    sums = list(inputs)
    while len(sums) > 1:
        op = body.random.choice(("fadd", "fadd", "fsub", "fmul"))
        sums.append(body.define("32", f"{op} %{sums.pop(0)}, %{sums.pop(0)}"))
        if body.random.random() < 0.3:
            scaled = body.random.choice(body.constants)
            sums[-1] = body.define("32", f"ffma %{sums[-1]}, %{scaled}, %{scaled}")
    body.floats += sums


def _store(body: _Body, place: tuple[str, int], value: int, captured: int | None) -> str:
    """A store; `captured` is the offset in the transform feedback buffer."""
    name, component = place
    xfb = "" if captured is None else f"component={component} buffer=0 offset={captured}"
    low, high = (xfb, "") if component < 2 else ("", xfb)
    streams = " gs_streams(x=0 y=0 z=0 w=0)" if body.stage == "GEOMETRY" else ""
    return (
        f"@store_output (%{value}, %{body.zero}) (base=0, range=1, wrmask=x, component={component},"
        f" src_type=float32, io location=VARYING_SLOT_{name} slots=1{streams}, xfb({low}), xfb2({high}))"
    )


def _fragment(body: _Body, slots: dict[tuple[str, int], tuple[str, str, str]]) -> None:
    seed = body.random
    coordinates: dict[tuple[str, str], int] = {}
    body.uniforms()
    for (name, component), (kind, barycentric, mode) in slots.items():
        if seed.random() < 0.1:
            continue
        place = f"component={component}, dest_type=float32, io location=VARYING_SLOT_{name} slots=1)"
        if kind == "flat":
            loaded = body.define("32", f"@load_input (%{body.zero}) (base=0, range=1, {place}")
        else:
            key = (barycentric, mode)
            if key not in coordinates:
                coordinates[key] = body.define("32x2", f"@{barycentric} (interp_mode=INTERP_MODE_{mode})")
            loaded = body.define(
                "32", f"@load_interpolated_input (%{coordinates[key]}, %{body.zero}) (base=0, {place}"
            )
        body.floats.append(loaded)
    body.compute(seed.randint(1, 14))
    for output in range(seed.randint(1, 4)):
        value = body.floats[-1 - output] if len(body.floats) > output else body.constants[1]
        body.line(
            f"@store_output (%{value}, %{body.zero}) (base=0, range=1, wrmask=x, component=0,"
            f" src_type=float32, io location=FRAG_RESULT_DATA{output} slots=1, xfb(), xfb2())"
        )
