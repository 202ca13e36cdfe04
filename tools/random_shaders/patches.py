"""Random patches as text: vertex shader, control shader with levels, barriers and outputs, evaluation shader.

What is made depends on the number only. Patches have 1 to 32 control points, every primitive mode and spacing
turns up, levels come from one invocation or from all of them, from inputs, uniforms and other invocations'
outputs, and are 0, negative, NaN, infinite or next to the level that decides on some of the patches.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from nirls.ir.model.shader import Shader
from tools.random_shaders.lines import parsed
from tools.random_shaders.patch_body import PatchBody

_LEVELS = (0.0, -0.0, -1.0, float("nan"), 0.4999, 0.5, float("inf"), float("-inf"), 0.25, 1.0, 3.5, 64.0)
_UNIFORMS = (
    "decl_var uniform INTERP_MODE_NONE none vec4 {stage}_u ({location}, 0, 0)\n"
    "decl_var uniform INTERP_MODE_NONE none vec4 common ({common}, 0, 0)\n"
)


Place = tuple[str, int]


def random_patch(number: int) -> list[Shader]:
    """A vertex, a control and an evaluation shader."""
    return parsed(random_patch_texts(number))


def random_patch_texts(number: int) -> list[str]:
    """The text of `random_patch`."""
    seed = random.Random(number)
    size = seed.choice((1, 2, 3, 3, 4, 4, 6, 9, 16, 32)) if seed.random() < 0.9 else seed.randint(1, 32)
    mode, spacing = seed.randint(1, 3), seed.randint(1, 3)
    places = [(f"VAR{slot}", lane) for slot in range(4) for lane in range(4)]
    slots = sorted(seed.sample(places, seed.randint(1, 6)))
    vertex = PatchBody(seed, "VERTEX")
    rare = frozenset(kind for kind in ("array", "half", "pair") if seed.random() < 0.15)
    _vertex_shader(vertex, slots, rare)
    control = _ControlShader(PatchBody(seed, "TESS_CTRL"), size, slots, rare)
    control.fill()
    evaluation = PatchBody(seed, "TESS_EVAL")
    _evaluation_shader(evaluation, size, control.outputs, control.patch_outputs)
    facts = f"primitive_mode: {mode}\nspacing: {spacing}\n"
    return [
        vertex.text("", _UNIFORMS.format(stage="v", location=0, common=9)),
        control.body.text(f"tcs_vertices_out: {size}\n", _UNIFORMS.format(stage="t", location=1, common=9)),
        evaluation.text(facts, _UNIFORMS.format(stage="t", location=1, common=9)),
    ]


def _store(place: Place, value: int, zero: int, vertex: int | None = None) -> str:
    name, component = place
    kind, number = ("store_output", "") if vertex is None else ("store_per_vertex_output", f"%{vertex}, ")
    xfb = ", xfb(), xfb2()" if vertex is None else ""
    return (
        f"@{kind} (%{value}, {number}%{zero}) (base=0, range=1, wrmask=x, component={component},"
        f" src_type=float32, io location=VARYING_SLOT_{name} slots=1{xfb})"
    )


def _load(kind: str, place: Place, zero: int, vertex: int | None = None) -> str:
    name, component = place
    number = "" if vertex is None else f"%{vertex}, "
    prefix = "" if name.startswith("VERT_ATTRIB") else "VARYING_SLOT_"
    return (
        f"@{kind} ({number}%{zero}) (base=0, range=1, component={component}, dest_type=float32,"
        f" io location={prefix}{name} slots=1)"
    )


def _vertex_shader(body: PatchBody, slots: list[Place], rare: frozenset[str]) -> None:
    for component in range(body.random.randint(2, 4)):
        place = ("VERT_ATTRIB_GENERIC0", component)
        body.scope.own.append(body.define("32", _load("load_input", place, body.zero)))
    body.uniforms()
    if body.chance(0.2):
        name = body.random.choice(("vertex_id", "instance_id", "vertex_id_zero_base", "base_vertex"))
        value = body.define("32", f"@load_{name}")
        body.scope.own.append(body.define("32", f"u2f32 %{value}"))
    body.compute(body.random.randint(1, 8))
    conditional = [place for place in slots if body.chance(0.15)]
    for place in slots:
        if not body.chance(0.02):
            body.line(_store(place, body.own(), body.zero))
        if body.chance(0.2):
            body.compute(1)
    for place in conditional:

        def store(place: Place = place) -> None:
            body.compute(1)
            body.line(_store(place, body.own(), body.zero))

        test = body.define("1", f"flt! %{body.own()}, %{body.own()}")
        body.branch(test, store, store if body.chance(0.5) else None)
    if body.chance(0.1):

        def turn(counter: int) -> None:
            value = body.define("32", f"u2f32 %{counter}")
            body.scope.own.append(body.define("32", f"fadd %{value}, %{body.own()}"))
            body.line(_store(slots[0], body.scope.own[-1], body.zero))

        body.loop(body.random.randint(1, 3), turn)
    _rare_stores(body, rare)
    if body.chance(0.04):
        body.line(
            f"@store_ssbo (%{body.own()}, %{body.zero}, %{body.zero})"
            " (wrmask=x, access=none, align_mul=4, align_offset=0)"
        )


_ARRAY = "io location=VARYING_SLOT_VAR8 slots=3"
_HALVES = ("io location=VARYING_SLOT_VAR12 slots=1", "io location=VARYING_SLOT_VAR12 slots=1 high_16bits")
_PAIR = "io location=VARYING_SLOT_VAR13 slots=1"


def _rare_stores(body: PatchBody, rare: frozenset[str]) -> None:
    """An array of outputs at a variable index, two 16-bit halves of one component, a vector."""
    if "array" in rare:
        place = f"(base=0, range=3, wrmask=x, component=1, src_type=float32, {_ARRAY}, xfb(), xfb2())"
        for element in range(3):
            offset = body.int_constant(element)
            body.line(f"@store_output (%{body.own()}, %{offset}) {place}")
        if body.chance(0.7):
            offset = _small_number(body)
            body.line(f"@store_output (%{body.own()}, %{offset}) {place}")
    if "half" in rare:
        for half in _HALVES:
            value = body.define("16", f"f2f16 %{body.own()}")
            body.line(
                f"@store_output (%{value}, %{body.zero}) (base=0, range=1, wrmask=x, component=2,"
                f" src_type=float16, {half}, xfb(), xfb2())"
            )
    if "pair" in rare:
        value = body.define("32x3", f"vec3 %{body.own()}, %{body.own()}, %{body.own()}")
        body.line(
            f"@store_output (%{value}, %{body.zero}) (base=0, range=1, wrmask=xz, component=1,"
            f" src_type=float32, {_PAIR}, xfb(), xfb2())"
        )


def _small_number(body: PatchBody) -> int:
    """0, 1 or 2."""
    number = body.define("32", f"iand %{body.own()}, %{body.int_constant(3)}")
    return body.define("32", f"umin %{number}, %{body.int_constant(2)}")


class _ControlShader:
    """A control shader in phases with barriers between; each phase writes outputs that no other does.

    So nothing is read while another invocation may write it, whatever the order of invocations.
    """

    def __init__(self, body: PatchBody, size: int, inputs: list[Place], rare: frozenset[str]) -> None:
        self.body = body
        self.rare = rare
        self.size = size
        self.inputs = inputs
        self.outputs: list[Place] = []
        self.patch_outputs: list[Place] = []
        self.known: list[Place] = []
        self.known_of_patch: list[Place] = []
        self.levels: list[Place] = []
        self.levels_are_final = True
        free = [(f"VAR{slot}", lane) for slot in range(5) for lane in range(4)]
        body.random.shuffle(free)
        self.free = free
        self.free_of_patch = [(f"PATCH{slot}", lane) for slot in range(2) for lane in range(4)]

    def fill(self) -> None:
        body = self.body
        self.id = body.define("32", "@load_invocation_id")
        self.patch = body.define("32", "@load_primitive_id")
        if body.chance(0.1):
            vertices = body.define("32", "@load_patch_vertices_in")
            body.scope.even.append(body.define("32", f"u2f32 %{vertices}"))
        body.uniforms()
        self._read_inputs()
        body.compute(body.random.randint(1, 5))
        body.compute(body.random.randint(0, 3), even=True)
        phases = body.random.randint(1, 4)
        level_phases = {body.random.randrange(phases)}
        if body.chance(0.1):
            level_phases.add(body.random.randrange(phases))
        for phase in range(phases):
            steps: list[Callable[[], None]] = [self._outputs]
            if phase in level_phases:
                steps.append(self._levels)
            self.levels_are_final = phase >= max(level_phases)
            if body.chance(0.4):
                steps.append(self._patch_outputs)
            if body.chance(0.2):
                steps.append(self._read_inputs)
            if body.chance(0.03):
                steps.append(self._memory)
            body.random.shuffle(steps)
            for step in steps:
                step()
            if phase + 1 < phases or body.chance(0.3):
                self._barrier()
                self._read_outputs()
                body.compute(body.random.randint(0, 4))
        if body.chance(0.2):
            self._outputs()

    def _barrier(self) -> None:
        for _ in range(self.body.random.choice((1, 1, 1, 2))):
            self.body.line(
                "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP,"
                " mem_semantics=ACQ|REL, mem_modes=shader_out)"
            )
        self.known = list(self.outputs)
        self.known_of_patch = [*self.patch_outputs, *(self.levels if self.levels_are_final else ())]

    def _vertex(self) -> tuple[int, bool]:
        """A vertex number, and whether all invocations have the same."""
        body = self.body
        kind = body.random.random()
        if kind < 0.4:
            return self.id, False
        if kind < 0.8:
            return body.int_constant(body.random.randrange(self.size)), True
        step = body.int_constant(body.random.randrange(1, 4))
        count = body.int_constant(self.size)
        following = body.define("32", f"iadd %{self.id}, %{step}")
        return body.define("32", f"umod %{following}, %{count}"), False

    def _read(self, kind: str, place: Place) -> None:
        body = self.body
        vertex, is_even = self._vertex()
        value = body.define("32", _load(kind, place, body.zero, vertex))
        (body.scope.even if is_even else body.scope.own).append(value)

    def _read_inputs(self) -> None:
        body = self.body
        for place in self.inputs:
            if body.chance(0.7):
                self._read("load_per_vertex_input", place)
        if body.chance(0.15):
            place = body.random.choice(self.inputs)

            def turn(counter: int) -> None:
                body.define("32", _load("load_per_vertex_input", place, body.zero, counter))
                body.scope.own.append(body.number - 1)
                if self.free and body.chance(0.3):
                    self._own_store(self._new_output())

            body.loop(self.size, turn)
        self._read_rare_inputs()

    def _read_rare_inputs(self) -> None:
        """See `_rare_stores`."""
        body = self.body
        if "array" in self.rare:
            offset = _small_number(body) if body.chance(0.7) else body.int_constant(body.random.randrange(3))
            vertex, _ = self._vertex()
            body.scope.own.append(
                body.define(
                    "32",
                    f"@load_per_vertex_input (%{vertex}, %{offset}) (base=0, range=3, component=1,"
                    f" dest_type=float32, {_ARRAY})",
                )
            )
        if "half" in self.rare:
            vertex, _ = self._vertex()
            value = body.define(
                "16",
                f"@load_per_vertex_input (%{vertex}, %{body.zero}) (base=0, range=1, component=2,"
                f" dest_type=float16, {body.random.choice(_HALVES)})",
            )
            body.scope.own.append(body.define("32", f"f2f32 %{value}"))
        if "pair" in self.rare:
            vertex, _ = self._vertex()
            value = body.define(
                "32x3",
                f"@load_per_vertex_input (%{vertex}, %{body.zero}) (base=0, range=1, component=1,"
                f" dest_type=float32, {_PAIR})",
            )
            body.scope.own += [body.define("32", f"mov %{value}.{lane}") for lane in "xz"]

    def _read_outputs(self) -> None:
        body = self.body
        for place in self.known:
            if body.chance(0.5):
                self._read("load_per_vertex_output", place)
        for place in self.known_of_patch:
            if body.chance(0.5):
                body.scope.even.append(body.define("32", _load("load_output", place, body.zero)))

    def _new_output(self) -> Place:
        place = self.free.pop()
        self.outputs.append(place)
        return place

    def _own_store(self, place: Place) -> None:
        self.body.line(_store(place, self.body.own(), self.body.zero, self.id))

    def _outputs(self) -> None:
        """Outputs of the invocation's own vertex, some under a condition."""
        body = self.body
        for _ in range(min(len(self.free), body.random.randint(0, 3))):
            place = self._new_output()
            if not body.chance(0.3):
                self._own_store(place)
                continue

            def store(place: Place = place) -> None:
                body.compute(1)
                self._own_store(place)

            has_both = body.chance(0.6)
            if not has_both and not body.chance(0.1):
                self._own_store(place)
            body.branch(self._test(), store, store if has_both else None)

    def _test(self) -> int:
        """A condition: of the invocation, of the patch, or of the invocation's number."""
        body = self.body
        kind = body.random.random()
        if kind < 0.4:
            return body.define("1", f"flt! %{body.own()}, %{body.own()}")
        if kind < 0.7:
            return body.define("1", f"flt! %{body.even()}, %{body.even()}")
        return body.define("1", f"ilt %{self.id}, %{body.int_constant(body.random.randint(1, self.size))}")

    def _patch_outputs(self) -> None:
        """Outputs of the patch, by one invocation or by all with the same value."""
        body = self.body
        for _ in range(min(len(self.free_of_patch), body.random.randint(1, 2))):
            place = self.free_of_patch.pop()
            self.patch_outputs.append(place)
            if body.chance(0.6):
                self._one_invocation(lambda place=place: body.line(_store(place, body.own(), body.zero)))  # type: ignore[misc]
            else:
                body.line(_store(place, body.even(), body.zero))

    def _one_invocation(self, fill: Callable[[], None]) -> None:
        number = self.body.random.randrange(self.size) if self.body.chance(0.3) else 0
        test = self.body.define("1", f"ieq %{self.id}, %{self.body.int_constant(number)}")
        self.body.branch(test, fill)

    def _levels(self) -> None:
        """All six levels, by one invocation or by all; on some patches special ones."""
        body = self.body
        is_one = body.chance(0.5)
        places = [("TESS_LEVEL_OUTER", lane) for lane in range(4)]
        places += [("TESS_LEVEL_INNER", lane) for lane in range(2)]
        count = body.random.randint(0, 3)
        chosen = [(body.random.randrange(4), body.random.choice(_LEVELS)) for _ in range(count)]

        def fill() -> None:
            pick = body.own if is_one else body.even
            same = self._level(pick(), chosen) if body.chance(0.5) else None
            for place in places:
                if same is None or body.chance(0.2):
                    value = self._level(pick(), chosen if body.chance(0.5) else [])
                else:
                    value = same
                body.line(_store(place, value, body.zero))

        if is_one:
            self._one_invocation(fill)
        elif body.chance(0.2):
            test = body.define("1", f"flt! %{body.even()}, %{body.even()}")
            body.branch(test, fill, fill)
        else:
            fill()
        self.levels = places

    def _level(self, value: int, special: list[tuple[int, float]]) -> int:
        """A level that is mostly positive, and special on some patches."""
        body = self.body
        if body.chance(0.8):
            size = body.define("32", f"fabs %{value}")
            value = body.define("32", f"fadd %{size}, %{body.float_constant(0.5)}")
        for patch, level in special:
            here = body.define("1", f"ieq %{self.patch}, %{body.int_constant(patch)}")
            value = body.define("32", f"bcsel %{here}, %{body.float_constant(level)}, %{value}")
        return value

    def _memory(self) -> None:
        body = self.body
        body.line(
            f"@store_ssbo (%{body.own()}, %{body.zero}, %{body.zero})"
            " (wrmask=x, access=none, align_mul=4, align_offset=0)"
        )


def _evaluation_shader(body: PatchBody, size: int, outputs: list[Place], patch_outputs: list[Place]) -> None:
    coord = body.define("32x3", "@load_tess_coord")
    body.scope.own += [body.define("32", f"mov %{coord}.{lane}") for lane in "xyz"]
    body.uniforms()
    results = []
    for place in outputs:
        vertex = body.int_constant(body.random.randrange(size))
        results.append(body.define("32", _load("load_per_vertex_input", place, body.zero, vertex)))
    results += [body.define("32", _load("load_input", place, body.zero)) for place in patch_outputs]
    if body.chance(0.3):
        level = (body.random.choice(("TESS_LEVEL_OUTER", "TESS_LEVEL_INNER")), body.random.randrange(2))
        results.append(body.define("32", _load("load_input", level, body.zero)))
    body.scope.own += results
    body.compute(3)
    for lane in range(4):
        body.line(_store(("POS", lane), body.own(), body.zero))
    for number, value in enumerate(results):
        body.line(_store((f"VAR{number // 4}", number % 4), value, body.zero))
