"""Random patches as text: vertex shader, control shader with levels, barriers and outputs, evaluation shader.

What is made depends on the number only. Patches have 1 to 32 control points, every primitive mode and spacing
turns up, levels come from one invocation or from all of them, from inputs, uniforms and other invocations'
outputs, and are 0, negative, NaN, infinite or next to the level that decides on some of the patches.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from nirls.ir.model.shader import Shader
from nirls.verification.random_shaders.accesses import At, load, load_attributes, store, store_position
from nirls.verification.random_shaders.body import Body, Code, parsed
from nirls.verification.random_shaders.interfaces import RandomVarying

_LEVELS = (0.0, -0.0, -1.0, float("nan"), 0.4999, 0.5, float("inf"), float("-inf"), 0.25, 1.0, 3.5, 64.0)


def random_patch(number: int) -> list[Shader]:
    """A vertex, a control and an evaluation shader."""
    return parsed(random_patch_texts(number))


def random_patch_texts(number: int) -> list[str]:
    """The text of `random_patch`."""
    seed = random.Random(number)
    size = seed.choice((1, 2, 3, 3, 4, 4, 6, 9, 16, 32)) if seed.random() < 0.9 else seed.randint(1, 32)
    mode, spacing = seed.randint(1, 3), seed.randint(1, 3)
    places = [RandomVarying(f"VAR{slot}", lane) for slot in range(4) for lane in range(4)]
    varyings = seed.sample(places, seed.randint(1, 6))
    vertex = Body(seed, "VERTEX")
    rare = frozenset(kind for kind in ("array", "half", "pair") if seed.random() < 0.15)
    _vertex_shader(vertex, varyings, rare)
    control = _ControlShader(Body(seed, "TESS_CTRL"), size, varyings, rare)
    control.fill()
    evaluation = Body(seed, "TESS_EVAL")
    _evaluation_shader(evaluation, size, control.outputs, control.patch_outputs)
    return [
        vertex.text(_uniforms("v", 0)),
        control.body.text([f"tcs_vertices_out: {size}", *_uniforms("t", 1)]),
        evaluation.text([f"primitive_mode: {mode}", f"spacing: {spacing}", *_uniforms("t", 1)]),
    ]


def _uniforms(stage: str, location: int) -> list[str]:
    """Declarations of a uniform of the stage's own and one that the stages share."""
    uniforms = ((f"{stage}_u", location), ("common", 9))
    return [f"decl_var uniform INTERP_MODE_NONE none vec4 {name} ({at}, 0, 0)" for name, at in uniforms]


def _load_uniforms(body: Body) -> None:
    """Values from the uniforms and from a uniform buffer."""
    body.even += [*body.uniform(f"{body.stage[:1].lower()}_u"), *body.uniform("common")]
    block = body.int_constant(body.random.randrange(3))
    offset = body.int_constant(16 * body.random.randrange(4))
    indices = "(access=none, align_mul=16, align_offset=0, range_base=0, range=64)"
    body.even += body.lanes(body.define("32x4", f"@load_ubo (%{block}, %{offset}) {indices}"), "xw")


def _branch(body: Body, test: int, then: Code, otherwise: Code | None = None) -> None:
    """An if; a value that each branch ends with may be merged behind it."""

    def ending(code: Code | None) -> Callable[[], int]:
        def run() -> int:
            if code is not None:
                code()
            return body.value()

        return run

    if body.chance(0.6):
        merged = body.branch(test, ending(then), ending(otherwise))
        assert merged is not None
        body.floats.append(merged)
    else:
        body.branch(test, then, otherwise)


def _loop(body: Body, rounds: int, turn: Callable[[int], int]) -> None:
    body.floats.append(body.loop(body.int_constant(rounds - 1), turn))


def _vertex_shader(body: Body, varyings: list[RandomVarying], rare: frozenset[str]) -> None:
    load_attributes(body, body.random.randint(2, 4))
    _load_uniforms(body)
    if body.chance(0.2):
        name = body.random.choice(("vertex_id", "instance_id", "vertex_id_zero_base", "base_vertex"))
        body.floats.append(body.define("32", f"u2f32 %{body.define('32', f'@load_{name}')}"))
    body.compute(body.random.randint(1, 8))
    conditional = [varying for varying in varyings if body.chance(0.15)]
    for varying in varyings:
        if not body.chance(0.02):
            store(body, varying, body.value())
        if body.chance(0.2):
            body.compute(1)
    for varying in conditional:
        code = partial(_compute_and_store, body, varying)
        _branch(body, body.test(), code, code if body.chance(0.5) else None)
    if body.chance(0.1):

        def turn(counter: int) -> int:
            number = body.define("32", f"u2f32 %{counter}")
            value = body.define("32", f"fadd %{number}, %{body.value()}")
            store(body, varyings[0], value)
            return value

        _loop(body, body.random.randint(1, 3), turn)
    _rare_stores(body, rare)
    if body.chance(0.04):
        body.store_memory(body.value(), body.zero)


def _compute_and_store(body: Body, varying: RandomVarying) -> None:
    body.compute(1)
    store(body, varying, body.value())


_ARRAY = RandomVarying("VAR8", 1, elements=3)
_HALVES = (RandomVarying("VAR12", 2, 16), RandomVarying("VAR12", 2, 16, high=True))
_PAIR = RandomVarying("VAR13", 1)


def _rare_stores(body: Body, rare: frozenset[str]) -> None:
    """An array of outputs at a variable index, two 16-bit halves of one component, a vector."""
    if "array" in rare:
        for element in range(3):
            store(body, _ARRAY, body.value(), at=(body.int_constant(element), None))
        if body.chance(0.7):
            store(body, _ARRAY, body.value(), at=(_small_number(body), None))
    if "half" in rare:
        for half in _HALVES:
            store(body, half, body.half())
    if "pair" in rare:
        vector = body.define("32x3", f"vec3 %{body.value()}, %{body.value()}, %{body.value()}")
        store(body, _PAIR, vector, mask="xz")


def _small_number(body: Body) -> int:
    """0, 1 or 2."""
    number = body.define("32", f"iand %{body.value()}, %{body.int_constant(3)}")
    return body.define("32", f"umin %{number}, %{body.int_constant(2)}")


class _ControlShader:
    """A control shader in phases with barriers between; each phase writes outputs that no other does.

    So nothing is read while another invocation may write it, whatever the order of invocations.
    """

    def __init__(self, body: Body, size: int, inputs: list[RandomVarying], rare: frozenset[str]) -> None:
        self.body = body
        self.rare = rare
        self.size = size
        self.inputs = inputs
        self.outputs: list[RandomVarying] = []
        self.patch_outputs: list[RandomVarying] = []
        self.known: list[RandomVarying] = []
        self.known_of_patch: list[RandomVarying] = []
        self.levels: list[RandomVarying] = []
        self.levels_are_final = True
        free = [RandomVarying(f"VAR{slot}", lane) for slot in range(5) for lane in range(4)]
        body.random.shuffle(free)
        self.free = free
        self.free_of_patch = [RandomVarying(f"PATCH{slot}", lane) for slot in range(2) for lane in range(4)]

    def fill(self) -> None:
        body = self.body
        self.id = body.define("32", "@load_invocation_id")
        self.patch = body.define("32", "@load_primitive_id")
        if body.chance(0.1):
            vertices = body.define("32", "@load_patch_vertices_in")
            body.even.append(body.define("32", f"u2f32 %{vertices}"))
        _load_uniforms(body)
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
                steps.append(lambda: body.store_memory(body.value(), body.zero))
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
            self.body.barrier("shader_out")
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

    def _read(self, name: str, varying: RandomVarying) -> None:
        vertex, is_even = self._vertex()
        value = load(self.body, name, varying, vertex)
        (self.body.even if is_even else self.body.floats).append(value)

    def _read_inputs(self) -> None:
        body = self.body
        for varying in self.inputs:
            if body.chance(0.7):
                self._read("load_per_vertex_input", varying)
        if body.chance(0.15):
            varying = body.random.choice(self.inputs)

            def turn(counter: int) -> int:
                value = load(body, "load_per_vertex_input", varying, counter)
                if self.free and body.chance(0.3):
                    self._own_store(self._new_output(), value)
                return value

            _loop(body, self.size, turn)
        self._read_rare_inputs()

    def _read_rare_inputs(self) -> None:
        """See `_rare_stores`."""
        body = self.body

        def read(varying: RandomVarying, at: At | None = None, width: int = 1) -> int:
            return load(body, "load_per_vertex_input", varying, self._vertex()[0], at, width=width)

        if "array" in self.rare:
            offset = _small_number(body) if body.chance(0.7) else body.int_constant(body.random.randrange(3))
            body.take(read(_ARRAY, (offset, None)))
        if "half" in self.rare:
            body.take(read(body.random.choice(_HALVES)))
        if "pair" in self.rare:
            body.floats += body.lanes(read(_PAIR, width=3), "xz")

    def _read_outputs(self) -> None:
        body = self.body
        for varying in self.known:
            if body.chance(0.5):
                self._read("load_per_vertex_output", varying)
        for varying in self.known_of_patch:
            if body.chance(0.5):
                body.even.append(load(body, "load_output", varying))

    def _new_output(self) -> RandomVarying:
        varying = self.free.pop()
        self.outputs.append(varying)
        return varying

    def _own_store(self, varying: RandomVarying, value: int | None = None) -> None:
        value = self.body.value() if value is None else value
        store(self.body, varying, value, name="store_per_vertex_output", first=self.id)

    def _outputs(self) -> None:
        """Outputs of the invocation's own vertex, some under a condition."""
        body = self.body
        for _ in range(min(len(self.free), body.random.randint(0, 3))):
            varying = self._new_output()
            if not body.chance(0.3):
                self._own_store(varying)
                continue

            def compute_and_store(varying: RandomVarying = varying) -> None:
                body.compute(1)
                self._own_store(varying)

            has_both = body.chance(0.6)
            if not has_both and not body.chance(0.1):
                self._own_store(varying)
            _branch(body, self._test(), compute_and_store, compute_and_store if has_both else None)

    def _test(self) -> int:
        """A condition: of the invocation, of the patch, or of the invocation's number."""
        body = self.body
        kind = body.random.random()
        if kind < 0.7:
            return body.test(even=kind < 0.4)
        return body.define("1", f"ilt %{self.id}, %{body.int_constant(body.random.randint(1, self.size))}")

    def _patch_outputs(self) -> None:
        """Outputs of the patch, by one invocation or by all with the same value."""
        body = self.body
        for _ in range(min(len(self.free_of_patch), body.random.randint(1, 2))):
            varying = self.free_of_patch.pop()
            self.patch_outputs.append(varying)
            if body.chance(0.6):
                self._one_invocation(lambda varying=varying: store(body, varying, body.value()))  # type: ignore[misc]
            else:
                store(body, varying, body.even_value())

    def _one_invocation(self, code: Code) -> None:
        number = self.body.random.randrange(self.size) if self.body.chance(0.3) else 0
        test = self.body.define("1", f"ieq %{self.id}, %{self.body.int_constant(number)}")
        _branch(self.body, test, code)

    def _levels(self) -> None:
        """All six levels, by one invocation or by all; on some patches special ones."""
        body = self.body
        is_one = body.chance(0.5)
        levels = [RandomVarying("TESS_LEVEL_OUTER", lane) for lane in range(4)]
        levels += [RandomVarying("TESS_LEVEL_INNER", lane) for lane in range(2)]
        count = body.random.randint(0, 3)
        chosen = [(body.random.randrange(4), body.random.choice(_LEVELS)) for _ in range(count)]

        def fill() -> None:
            pick = body.value if is_one else body.even_value
            same = self._level(pick(), chosen) if body.chance(0.5) else None
            for level in levels:
                if same is None or body.chance(0.2):
                    value = self._level(pick(), chosen if body.chance(0.5) else [])
                else:
                    value = same
                store(body, level, value)

        if is_one:
            self._one_invocation(fill)
        elif body.chance(0.2):
            _branch(body, body.test(even=True), fill, fill)
        else:
            fill()
        self.levels = levels

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


def _evaluation_shader(
    body: Body, size: int, outputs: list[RandomVarying], patch_outputs: list[RandomVarying]
) -> None:
    body.floats += body.lanes(body.define("32x3", "@load_tess_coord"), "xyz")
    _load_uniforms(body)
    results = []
    for varying in outputs:
        vertex = body.int_constant(body.random.randrange(size))
        results.append(load(body, "load_per_vertex_input", varying, vertex))
    results += [load(body, "load_input", varying) for varying in patch_outputs]
    if body.chance(0.3):
        name = body.random.choice(("TESS_LEVEL_OUTER", "TESS_LEVEL_INNER"))
        results.append(load(body, "load_input", RandomVarying(name, body.random.randrange(2))))
    body.floats += results
    body.compute(3)
    store_position(body)
    for number, value in enumerate(results):
        store(body, RandomVarying(f"VAR{number // 4}", number % 4), value)
