"""Random pairs of stages with what is rare: all that a fragment shader can do with one varying at once.

`pipelines` makes usual pipelines of all stages. Here the fragment shader reads the same varying in several
ways (at the pixel, the centroid, a sample, an offset, flat, vertex by vertex) and types, under conditions and
behind discards; the stage before stores vectors with gaps, undefined values, booleans as integers and the
same place twice, also for transform feedback.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from nirls.ir.model.shader import Shader
from tools.random_shaders.body import Body
from tools.random_shaders.lines import parsed

_PRODUCERS = ("VERTEX", "VERTEX", "TESS_EVAL", "GEOMETRY")
_SLOTS = (
    *("VAR0", "VAR1", "VAR2", "VAR31"),
    *("COL0", "COL1", "TEX0", "TEX7", "FOGC", "CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0"),
    *("LAYER", "VIEWPORT", "PRIMITIVE_ID"),
)
_GENERIC = frozenset(("VAR0", "VAR1", "VAR2", "VAR31"))
_WHOLE = frozenset(("LAYER", "VIEWPORT", "PRIMITIVE_ID"))
_COLORS = {"COL0": "BFC0", "COL1": "BFC1"}
_SPECIAL = ("PSIZ", "EDGE", "CLIP_VERTEX")
_POINTS = ("pixel", "pixel", "centroid", "sample", "at_offset", "at_sample")
_INTEGER_OPS = ("iadd", "iand", "ixor", "imul", "umax", "ishl")
_UNARY = ("fneg", "fabs", "fsat", "fsin", "fneg", "fsat", "frcp", "ffloor")
_BINARY = ("fadd", "fmul", "fsub", "fmax", "fmin", "fdiv")


@dataclass(frozen=True, slots=True)
class Place:
    """A scalar varying: what it holds (`float`, `int`), and how many bits of its component."""

    slot: str
    component: int
    kind: str = "float"
    bits: int = 32
    high: bool = False
    mediump: bool = False

    def semantics(self, type_index: str, slot: str = "", flags: str = "") -> str:
        words = " high_16bits" * self.high + " mediump" * self.mediump + flags
        return (
            f"component={self.component}, {type_index}={self.kind}{self.bits},"
            f" io location=VARYING_SLOT_{slot or self.slot} slots=1{words}"
        )


def odd_pipeline(number: int) -> list[Shader]:
    """The pair of a number."""
    return parsed(odd_texts(number))


def odd_texts(number: int) -> list[str]:
    """The dumps of a pair."""
    seed = random.Random(f"odd {number}")
    producer = seed.choice(_PRODUCERS)
    places = _places(seed, producer)
    return [_producer(seed, producer, places), _consumer(seed, places)]


def _places(seed: random.Random, producer: str) -> list[Place]:
    found = []
    names = [name for name in _SLOTS if name != "PRIMITIVE_ID" or producer == "GEOMETRY"]
    for name in seed.sample(names, seed.randint(2, 5)):
        if name in _WHOLE:
            found.append(Place(name, 0, "int"))
            continue
        for component in seed.sample(range(4), seed.randint(1, 4)):
            if name not in _GENERIC or seed.random() < 0.6:
                found.append(Place(name, component, mediump=name in _GENERIC and seed.random() < 0.15))
            elif seed.random() < 0.5:
                found.append(Place(name, component, "int"))
            else:
                halves = seed.choice(((False,), (True,), (False, True)))
                found += [Place(name, component, "float", 16, high) for high in halves]
    return found


class _Values:
    """The values that code may read, by kind."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.integers: list[int] = [body.zero, body.int_constant(3)]
        self.odd: list[int] = []

    def compute(self, count: int) -> None:
        """Random arithmetic on floats, integers and halves, with choices between them."""
        body, seed = self.body, self.body.random
        body.compute(count)
        for _ in range(count // 2):
            kind = seed.random()
            if kind < 0.3:
                body.floats.append(body.define("32", f"{seed.choice(_UNARY)} %{body.value()}"))
            elif kind < 0.5:
                op = seed.choice(_BINARY)
                body.floats.append(body.define("32", f"{op} %{body.value()}, %{body.value()}"))
            elif kind < 0.7:
                self.integers.append(body.define("32", f"f2i32 %{body.value()}"))
            elif kind < 0.9:
                op = seed.choice(_INTEGER_OPS)
                self.integers.append(body.define("32", f"{op} %{self.integer()}, %{self.integer()}"))
            else:
                body.floats.append(body.define("32", f"u2f32 %{self.integer()}"))

    def integer(self) -> int:
        return self.body.random.choice(self.integers)

    def test(self) -> int:
        """A boolean."""
        body, seed = self.body, self.body.random
        if seed.random() < 0.5:
            return body.define("1", f"{seed.choice(('flt!', 'fge!'))} %{body.value()}, %{body.value()}")
        return body.define("1", f"{seed.choice(('ieq', 'ult', 'ige'))} %{self.integer()}, %{self.integer()}")

    def of(self, place: Place) -> int:
        """Something to store there, now and then undefined, or so under a condition."""
        body, seed = self.body, self.body.random
        size = str(place.bits)
        if place.kind == "int":
            value = self.integer()
            if seed.random() < 0.2:
                value = body.define("32", f"b2i32 %{self.test()}")
        else:
            value = body.half() if place.bits == 16 else body.value()
        kind = seed.random()
        if kind < 0.015:
            return body.define(size, "undefined")
        if kind < 0.03:
            nothing = body.define(size, "undefined")
            return body.define(size, f"bcsel %{self.test()}, %{value}, %{nothing}")
        return value


# The producer


def _producer(seed: random.Random, stage: str, places: list[Place]) -> str:
    body = Body(seed, stage)
    header: list[str] = []
    if stage == "VERTEX":
        for component in range(4):
            body.floats.append(
                body.define(
                    "32",
                    f"@load_input (%{body.zero}) (base=0, range=1, component={component},"
                    " dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)",
                )
            )
        body.floats.append(body.define("32", f"u2f32 %{body.define('32', '@load_instance_id')}"))
    elif stage == "TESS_EVAL":
        header.append("primitive_mode: 1")
        coord = body.define("32x3", "@load_tess_coord")
        body.floats += [body.define("32", f"mov %{coord}.{lane}") for lane in "xyz"]
    else:
        header += ["input_primitive: TRIANGLES", "output_primitive: TRIANGLE_STRIP", "vertices_in: 3"]
        for vertex in range(3):
            number = body.int_constant(vertex)
            body.floats.append(
                body.define(
                    "32",
                    f"@load_per_vertex_input (%{number}, %{body.zero}) (base=0, range=1, component=0,"
                    " dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)",
                )
            )
    body.uniforms()
    values = _Values(body)
    for turn in range(3 if stage == "GEOMETRY" else 1):
        values.compute(seed.randint(1, 3) if turn else seed.randint(2, 8))
        _stores(values, places)
        if stage == "GEOMETRY":
            body.line("@emit_vertex (stream_id=0)")
    if stage == "GEOMETRY":
        body.line("@end_primitive (stream_id=0)")
    return body.text(header)


def _stores(values: _Values, places: list[Place]) -> None:
    body, seed = values.body, values.body.random
    together = values.of(Place("VAR0", 0))
    for number, place in enumerate(places):
        if seed.random() < 0.02:
            continue
        value = values.of(place)
        if place.bits == 32 and place.kind == "float" and seed.random() < 0.3:
            value = together
        store = _store(body, place, value, captured=4 * number)
        kind = seed.random()
        if kind < 0.1:
            other = _store(body, place, values.of(place), captured=4 * number)
            body.branch([[store], [other]], values.test())
        elif kind < 0.12:
            body.branch([[store], []], values.test())
        elif kind < 0.17:
            body.line(_store(body, place, values.of(place), captured=4 * number))
            body.line(store)
        else:
            body.line(store)
        back = _COLORS.get(place.slot)
        if back is not None and seed.random() < 0.5:
            other_value = value if seed.random() < 0.5 else values.of(place)
            body.line(_store(body, place, other_value, slot=back))
    if seed.random() < 0.4:
        _vector_store(values, places)
    for name in _SPECIAL:
        if seed.random() < 0.15:
            body.line(_store(body, Place(name, 0), body.value()))
    for component in range(4):
        body.line(_store(body, Place("POS", component), body.value()))


def _vector_store(values: _Values, places: list[Place]) -> None:
    """One store of up to four components, with gaps in its write mask, in a slot of its own or another's."""
    body, seed = values.body, values.body.random
    kept_apart = {place.slot for place in places if _is_captured(place) or place.bits == 16}
    slots = {place.slot for place in places if place.slot in _GENERIC} - kept_apart
    slot = seed.choice(["VAR5", *sorted(slots)])
    lanes = ", ".join(f"%{body.value()}" for _ in range(4))
    vector = body.define("32x4", f"vec4 {lanes}")
    mask = "".join(lane for lane in "xyzw" if seed.random() < 0.6) or "x"
    body.line(
        f"@store_output (%{vector}, %{body.zero}) (base=0, range=1, wrmask={mask}, component=0,"
        f" src_type=float32, io location=VARYING_SLOT_{slot} slots=1{_streams(body, '')}, xfb(), xfb2())"
    )


def _store(body: Body, place: Place, value: int, *, captured: int | None = None, slot: str = "") -> str:
    """A store; `captured` is the offset for transform feedback, if it captures the place."""
    xfb = ""
    if captured is not None and _is_captured(place):
        xfb = f"component={place.component} buffer=0 offset={captured}"
    low, high = (xfb, "") if place.component < 2 else ("", xfb)
    flags = " no_sysval_output" * (place.slot == "CLIP_DIST1" and place.component == 3)
    semantics = place.semantics("src_type", slot, _streams(body, flags))
    return (
        f"@store_output (%{value}, %{body.zero}) (base=0, range=1, wrmask=x, {semantics},"
        f" xfb({low}), xfb2({high}))"
    )


def _is_captured(place: Place) -> bool:
    """Whether transform feedback captures a place: all its stores, or none."""
    return place.bits == 32 and place.component == 1 and place.slot not in ("VAR1", "COL1")


def _streams(body: Body, flags: str) -> str:
    return flags + " gs_streams(x=0 y=0 z=0 w=0)" * (body.stage == "GEOMETRY")


# The fragment shader


def _consumer(seed: random.Random, places: list[Place]) -> str:
    body = Body(seed, "FRAGMENT")
    body.uniforms()
    values = _Values(body)
    readers = _Readers(values)
    for place in places:
        if seed.random() < 0.1:
            continue
        ways = readers.ways(place)
        for way in [seed.choice(ways) for _ in range(seed.choice((1, 1, 1, 2, 3)))]:
            if seed.random() < 0.15:
                readers.under_a_condition(place, way)
            else:
                readers.take(place, readers.load(place, way))
        if seed.random() < 0.08:
            body.line(f"@{seed.choice(('terminate_if', 'demote_if'))} (%{values.test()})")
    values.compute(seed.randint(2, 14))
    for output in range(seed.randint(1, 4)):
        value = body.floats[-1 - output] if len(body.floats) > output else body.constants[1]
        dual = " dualsrc" if output == 1 and seed.random() < 0.2 else ""
        slot = "DATA0" if dual else f"DATA{output}"
        body.line(
            f"@store_output (%{value}, %{body.zero}) (base=0, range=1, wrmask=x, component=0,"
            f" src_type=float32, io location=FRAG_RESULT_{slot} slots=1{dual}, xfb(), xfb2())"
        )
    return body.text([])


class _Readers:
    """Loads of varyings in all ways that there are."""

    def __init__(self, values: _Values) -> None:
        self.values = values
        self.body = values.body
        self.ways_of_slot: dict[str, list[str]] = {}

    def ways(self, place: Place) -> list[str]:
        """How the varyings of a vec4 are read: mostly alike, so that the shader is one that could be."""
        seed = self.body.random
        if place.kind == "int":
            return ["flat"]
        known = self.ways_of_slot.get(place.slot)
        if known is None:
            mode = seed.choice(("SMOOTH", "SMOOTH", "NOPERSPECTIVE"))
            if place.slot in _COLORS:
                mode = seed.choice(("NONE", "SMOOTH"))
            kind = seed.random()
            if kind < 0.2:
                known = ["flat"]
            elif kind < 0.3 and place.slot in _GENERIC:
                known = ["vertex"]
            elif kind < 0.75:
                known = [f"{seed.choice(_POINTS[:4])} {mode}"]
            else:
                known = [f"{point} {mode}" for point in seed.sample(_POINTS, 2)]
            self.ways_of_slot[place.slot] = known
        return known

    def load(self, place: Place, way: str) -> int:
        """A load; returns its value."""
        body, seed = self.body, self.body.random
        semantics = place.semantics("dest_type")
        size = str(place.bits)
        if way == "flat":
            return body.define(size, f"@load_input (%{body.zero}) (base=0, range=1, {semantics})")
        if way == "vertex":
            vertex = body.int_constant(seed.randrange(3)) if body.block == 1 else body.zero
            return body.define(
                size, f"@load_input_vertex (%{vertex}, %{body.zero}) (base=0, {semantics} interp_explicit)"
            )
        point, mode = way.split()
        argument = ""
        if point == "at_offset":
            lanes = [body.define("32", f"fsat! %{body.value()}") for _ in range(2)]
            argument = f"(%{body.define('32x2', f'vec2 %{lanes[0]}, %{lanes[1]}')}) "
        elif point == "at_sample":
            argument = f"(%{body.zero}) "
        coordinates = body.define(
            "32x2", f"@load_barycentric_{point} {argument}(interp_mode=INTERP_MODE_{mode})"
        )
        return body.define(
            size, f"@load_interpolated_input (%{coordinates}, %{body.zero}) (base=0, {semantics})"
        )

    def take(self, place: Place, value: int) -> None:
        """Let later code read what was loaded."""
        if place.kind == "int":
            self.values.integers.append(value)
            if self.body.random.random() < 0.5:
                self.body.floats.append(self.body.define("32", f"i2f32 %{value}"))
        else:
            self.body.take(value, place.bits)

    def under_a_condition(self, place: Place, way: str) -> None:
        """Load in one branch; the other one has something else, or nothing."""
        body, seed = self.body, self.body.random
        size = str(place.bits)
        before, integers = (list(body.floats), list(body.halves)), list(self.values.integers)

        def loaded() -> int:
            value = self.load(place, way)
            if place.kind == "int":
                return body.define(size, f"iadd %{value}, %{value}")
            return body.define(size, f"fmul %{value}, %{value}")

        def nothing() -> int:
            return body.define(size, "undefined" if seed.random() < 0.15 else "load_const (0x00000001)")

        other: Callable[[], int] = loaded if seed.random() < 0.3 else nothing
        made = _either(body, self.values.test(), size, loaded, other)
        (body.floats, body.halves), self.values.integers = before, integers
        self.take(place, made)


def _either(body: Body, test: int, size: str, first: Callable[[], int], second: Callable[[], int]) -> int:
    """An if whose branches make a value each; returns the phi of both."""
    block = body.block
    body.line(f"// succs: b{block} b{block + 1}")
    body.line(f"if %{test} {{")
    body.line(f"block b{block}:  // preds:")
    body.block += 3
    one = first()
    body.line("} else {")
    body.line(f"block b{block + 1}:  // preds:")
    other = second()
    body.line("}")
    body.line(f"block b{block + 2}:  // preds:")
    return body.define(size, f"phi b{block}: %{one}, b{block + 1}: %{other}")
